package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"

	"github.com/garaph/garaph/internal/beneath"
)

const (
	minLogBytes = 1 << 20 // of a value log; Badger wants no less

	// A table of keys is so large that all keys of an epoch fit into one.
	minTableBytes = 256 << 10
	keyBytes      = 512 // more than a key takes in it

	ballastBytes = 8 << 20 // more than Badger writes when it closes

	// badgerBytes is the memory that a database takes beside its log: its table
	// of keys and its buffers.
	badgerBytes = 6 << 20
)

// options are Badger's for a database that is written once, from first to last
// key, and then read once: all values in one value log, nothing compacted or
// cached, synced by hand.
func options(folder string, tableBytes int64) badger.Options {
	o := badger.DefaultOptions(folder)
	o.Logger = nil
	o.SyncWrites = false
	o.ValueThreshold = 0
	o.BlockCacheSize = 0
	o.IndexCacheSize = 0
	o.Compression = 0
	o.DetectConflicts = false
	o.NumVersionsToKeep = 1
	o.MemTableSize = tableBytes
	o.BaseTableSize = tableBytes
	o.NumMemtables = 1
	o.NumCompactors = 0
	o.MetricsEnabled = false
	return o
}

// flushLog is a logger of Badger's, which tries for ever to write a table of
// keys that it cannot write while Close waits for it. The first failure ends the
// goroutine that tries: nothing but its end is waited for.
type flushLog struct{ failed atomic.Pointer[error] }

func (l *flushLog) Errorf(format string, args ...any) {
	if strings.HasPrefix(format, "error flushing memtable to disk") {
		err := fmt.Errorf("its keys cannot be written: %w", args[0].(error))
		l.failed.Store(&err)
		runtime.Goexit()
	}
}
func (*flushLog) Warningf(string, ...any) {}
func (*flushLog) Infof(string, ...any)    {}
func (*flushLog) Debugf(string, ...any)   {}

// badgerDB is an epoch's database while it is written.
type badgerDB struct {
	folder string
	db     *badger.DB
	log    *flushLog
}

func createBadger(folder string, keys int, bytes int64) (*badgerDB, error) {
	table := max(minTableBytes, int64(keys)*keyBytes)
	o := options(folder, table)
	o.ValueLogFileSize = max(minLogBytes, bytes)
	log := &flushLog{}
	o.Logger = log
	var db *badger.DB
	err := guard(func() (err error) {
		db, err = badger.Open(o)
		return err
	})
	if err != nil {
		return nil, err
	}
	d := &badgerDB{folder, db, log}
	if err := d.reserve(table, bytes); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// reserve makes the file system set blocks aside for what Badger maps: to fill a
// hole of a mapped file on a full disk kills the process. The table of keys is a
// file that Badger makes when it closes; until then, a file of no use keeps its
// place. What is too much goes back at close.
func (d *badgerDB) reserve(table, log int64) error {
	f, err := os.Create(d.ballast())
	if err != nil {
		return err
	}
	if err := errors.Join(reserve(f, ballastBytes+table), f.Close()); err != nil {
		return err
	}
	entries, err := os.ReadDir(d.folder)
	if err != nil {
		return err
	}
	bytes := map[string]int64{".mem": 2 * table, ".vlog": log}
	for _, e := range entries {
		if n, ok := bytes[filepath.Ext(e.Name())]; ok {
			err = errors.Join(err, reserveFile(filepath.Join(d.folder, e.Name()), n))
		}
	}
	return err
}

func reserveFile(name string, n int64) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(reserve(f, n), f.Close())
}

func (d *badgerDB) put(key, value []byte) error {
	return guard(func() error {
		return d.db.Update(func(txn *badger.Txn) error { return txn.Set(key, value) })
	})
}

func (d *badgerDB) sync() error { return guard(d.db.Sync) }

func (d *badgerDB) ballast() string { return filepath.Join(d.folder, ballastFile) }

func (d *badgerDB) close() error {
	err := os.Remove(d.ballast())
	err = errors.Join(err, guard(d.db.Close))
	if failed := d.log.failed.Load(); failed != nil {
		return *failed // and not what Close makes of it
	}
	// Badger's statistics for a collection that never comes. It makes the file
	// anew when it opens the folder.
	return errors.Join(err, os.Remove(filepath.Join(d.folder, discardFile)))
}

const (
	discardFile = "DISCARD"
	ballastFile = "ballast"
)

// openBadger opens a database for reading, after its files were held against
// their checksums.
func openBadger(epoch *beneath.Folder) (db *badger.DB, err error) {
	if err := epoch.Remove(filepath.Join(dbDir, discardFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	err = guard(func() error {
		o := options(epoch.Path(dbDir), minTableBytes)
		o.ReadOnly = true
		db, err = badger.Open(o)
		return err
	})
	return db, err
}

// view hands the value of key to read, which must not keep it. Badger answers
// an unreadable value with an empty one and no error: none of ours is empty.
func view(db *badger.DB, key []byte, read func(b []byte) error) error {
	return guard(func() error {
		return db.View(func(txn *badger.Txn) error {
			item, err := txn.Get(key)
			if err != nil {
				return fmt.Errorf("%w: %q: %w", ErrDamaged, key, err)
			}
			return item.Value(func(b []byte) error {
				if len(b) == 0 {
					return fmt.Errorf("%w: %q is unreadable", ErrDamaged, key)
				}
				return read(b)
			})
		})
	})
}

// guard turns what failing disks do to a mapped database (memory faults,
// assertions of Badger's) into errors.
func guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, r)
		}
	}()
	return f()
}
