// Package badgerdb writes Badger databases once, closes them, and opens them to read.
package badgerdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dgraph-io/badger/v4"
	boptions "github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/panics"
)

// Full returns err if it reports a full disk, and nil otherwise. Badger keeps only the
// text of its causes.
func Full(err error) error {
	if err != nil &&
		(strings.Contains(err.Error(), unix.ENOSPC.Error()) || strings.Contains(err.Error(), unix.EDQUOT.Error())) {
		return err
	}
	return nil
}

// Guard calls f, which uses a database. A panic in it becomes an error that is damaged; so
// does a page of a file that the disk cannot provide.
func Guard(damaged error, f func() error) error {
	err := panics.Guard(nil, f)
	var p *panics.Error
	if !errors.As(err, &p) {
		return err
	}
	if panics.Fault(err) != 0 {
		return fmt.Errorf("%w: a part of its database cannot be read from the disk", damaged)
	}
	return fmt.Errorf("%w: its database: %v", damaged, p.Value)
}

// Open opens a database to read it. It was closed after it was written, so nothing is
// recovered. What cannot be opened is damaged.
func Open(damaged error, o badger.Options) (db *badger.DB, err error) {
	o.ReadOnly = true
	err = Guard(damaged, func() error {
		if err := openTables(o.Dir); err != nil {
			return err
		}
		for i := range lockTries {
			time.Sleep(time.Duration(i) * time.Millisecond)
			if db, err = badger.Open(o); !isLocked(err) {
				break
			}
		}
		return err
	})
	switch {
	case err == nil || errors.Is(err, damaged):
		return db, err
	case isLocked(err):
		return nil, errors.New("another process has a lock on its folder db; wait for that to end")
	}
	return nil, fmt.Errorf("%w: its database: %w", damaged, err)
}

// lockTries is the number of times that Open tries to lock a database, in a fifth of a second. A
// process that this one starts while it writes a database has the lock until it runs.
const lockTries = 20

func isLocked(err error) bool {
	return err != nil && strings.Contains(err.Error(), "Cannot acquire directory lock")
}

// openTables opens the tables in a folder. Badger does that in goroutines of its own, where
// no panic can be recovered from.
func openTables(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case ".mem": // another assertion
			return fmt.Errorf("%s is of a database that was not closed", e.Name())
		case ".sst":
		default:
			continue
		}
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		rest := uint64(len(b))
		for range 2 { // checksum and index, each before its length: Badger ends the process if they do not fit
			if rest < 4 || uint64(binary.BigEndian.Uint32(b[rest-4:])) > rest-4 {
				return fmt.Errorf("%s is cut", e.Name())
			}
			rest -= 4 + uint64(binary.BigEndian.Uint32(b[rest-4:]))
		}
		t, err := table.OpenInMemoryTable(b, 0, &table.Options{ChkMode: boptions.OnTableAndBlockRead})
		if err == nil {
			err = t.VerifyChecksum()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name(), err)
		}
	}
	return nil
}

// Writer fills a new database. Badger writes through mapped files, in goroutines of its own: the
// process ends by SIGBUS where another one fills the disk meanwhile.
type Writer struct {
	db     *badger.DB
	failed logger
}

// logger receives the first failure to write a table: Badger tries again for ever, while
// Close waits.
type logger chan error

func (l logger) Errorf(format string, args ...any) {
	if strings.HasPrefix(format, "error flushing memtable to disk") {
		select {
		case l <- fmt.Errorf("its keys cannot be written: %v", args...):
		default:
		}
	}
}
func (logger) Warningf(string, ...any) {}
func (logger) Infof(string, ...any)    {}
func (logger) Debugf(string, ...any)   {}

// Create makes a database in an empty folder.
func Create(o badger.Options) (*Writer, error) {
	w := &Writer{failed: make(logger, 1)}
	o.Logger = w.failed
	err := panics.Guard(nil, func() (err error) {
		w.db, err = badger.Open(o)
		return err
	})
	if panics.Fault(err) != 0 { // a page for which the disk has no room
		err = unix.ENOSPC
	}
	return w, err
}

// Put stores a value. It may be called from several goroutines.
func (w *Writer) Put(key, value []byte) error {
	return w.db.Update(func(txn *badger.Txn) error { return txn.Set(key, value) })
}

// Sync flushes the logs to disk.
func (w *Writer) Sync() error { return w.db.Sync() }

// Close brings everything to disk. After an error the folder is to be removed. If keys cannot be written, Close
// returns while Badger goes on trying.
func (w *Writer) Close() error {
	closed := make(chan error, 1)
	go func() { closed <- w.db.Close() }()
	select {
	case err := <-closed:
		return err
	case err := <-w.failed:
		return err
	}
}
