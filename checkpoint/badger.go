package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/dgraph-io/badger/v4"
	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/hostmem"
)

const (
	minLogBytes = 2 << 20 // of a value log; Badger wants more than 1 MiB
	maxLogBytes = 1 << 30 // and less than 2 GiB
	tableBytes  = 2 << 20 // of keys in memory

	// badgerBytes is the memory that a database takes beside the values under
	// way: its table of keys and its buffers.
	badgerBytes = 6 << 20

	// mappedFrom is the size from which a value surely lies in the value log.
	mappedFrom = 4 << 10
)

// options are Badger's for a database that is written once, from first to last
// key, and then read once: values in the value log, nothing compacted or
// cached, synced by hand.
func options(folder string) badger.Options {
	o := badger.DefaultOptions(folder)
	o.Logger = nil
	o.SyncWrites = false
	o.ValueThreshold = 1 << 10
	o.BlockCacheSize = 0
	o.IndexCacheSize = 0
	o.Compression = 0
	o.DetectConflicts = false
	o.NumVersionsToKeep = 1
	o.MemTableSize = tableBytes
	o.NumMemtables = 1
	o.NumCompactors = 0
	o.MetricsEnabled = false
	return o
}

// badgerDB is an epoch's database while it is written.
type badgerDB struct {
	folder string
	db     *badger.DB
}

func createBadger(folder string, bytes int64) (*badgerDB, error) {
	o := options(folder)
	o.ValueLogFileSize = min(max(minLogBytes, bytes), maxLogBytes)
	var db *badger.DB
	err := guard(func() (err error) {
		db, err = badger.Open(o)
		return err
	})
	if err != nil {
		return nil, err
	}
	d := &badgerDB{folder: folder, db: db}
	if err := d.reserve(min(bytes, maxLogBytes)); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// reserve makes the file system set the blocks aside that the logs will take:
// they are mapped files with holes, and to fill a hole on a full disk kills the
// process. What is too much goes back at close.
func (d *badgerDB) reserve(bytes int64) error {
	for pattern, n := range map[string]int64{"*.vlog": bytes, "*.mem": 2 * tableBytes} {
		names, err := filepath.Glob(filepath.Join(d.folder, pattern))
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := reserveFile(name, n); err != nil {
				return err
			}
		}
	}
	return nil
}

func reserveFile(name string, n int64) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, n)
	switch {
	case errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT):
		err = fmt.Errorf("%w: %w", ErrNoSpace, err)
	case errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS):
		err = nil // the check of free space has to do
	}
	return errors.Join(err, f.Close())
}

func (d *badgerDB) put(key, value []byte) error {
	return guard(func() error {
		if err := d.db.Update(func(txn *badger.Txn) error { return txn.Set(key, value) }); err != nil {
			return err
		}
		if len(value) < mappedFrom {
			return nil
		}
		return view(d.db, key, func(b []byte) error { // what was written is resident: give it back
			hostmem.Drop(b)
			return nil
		})
	})
}

func (d *badgerDB) sync() error { return guard(d.db.Sync) }

func (d *badgerDB) close() error {
	err := guard(d.db.Close)
	// Badger's statistics for a collection that never comes. It makes the file
	// anew when it opens the folder.
	return errors.Join(err, os.Remove(filepath.Join(d.folder, discardFile)))
}

const discardFile = "DISCARD"

// openBadger opens a database for reading, after its files were held against
// their checksums.
func openBadger(folder string) (db *badger.DB, err error) {
	if err := os.Remove(filepath.Join(folder, discardFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	err = guard(func() error {
		o := options(folder)
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
