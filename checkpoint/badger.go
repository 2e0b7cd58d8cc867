package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"

	"github.com/garaph/garaph/internal/badgerdb"
	"github.com/garaph/garaph/internal/beneath"
)

const (
	minLogBytes = 1 << 20 // of a value log; Badger wants no less

	// A table of keys is so large that all keys of an epoch fit into one.
	minTableBytes = 256 << 10
	keyBytes      = 512 // more than a key takes in it

	// badgerBytes is the memory that a database takes beside its log: its table
	// of keys and its buffers.
	badgerBytes = 6 << 20

	discardFile = badgerdb.DiscardFile
)

// options are Badger's for a database that is written once, from first to last
// key, and then read once: all values in one value log, nothing compacted or
// cached, synced by hand.
func options(folder string, tableBytes int64) badger.Options {
	o := badger.DefaultOptions(folder)
	o.Logger = nil
	o.SyncWrites = false
	o.ValueThreshold = 0
	o.VerifyValueChecksum = true
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

// badgerDB is an epoch's database while it is written, in a folder that Badger
// finds also when the graph is replaced meanwhile.
type badgerDB struct {
	w      *badgerdb.Writer
	folder *beneath.Held
}

func createBadger(at *beneath.Folder, name string, keys int, bytes int64) (database, error) {
	if err := at.Mkdir(name, 0o700); err != nil {
		return nil, err
	}
	folder, err := at.Hold(name)
	if err != nil {
		return nil, err
	}
	o := options(folder.Path, max(minTableBytes, int64(keys)*keyBytes))
	o.ValueLogFileSize = max(minLogBytes, bytes)
	w, err := badgerdb.Create(o)
	if err != nil {
		return nil, errors.Join(folder.Error(err), folder.Close())
	}
	return badgerDB{w, folder}, nil
}

func (d badgerDB) put(key, value []byte) error { return d.folder.Error(d.w.Put(key, value)) }
func (d badgerDB) sync() error                 { return d.folder.Error(d.w.Sync()) }

// close ends the database, and removes what only a database that is written again needs. The
// folder is held as long as Badger uses its path, which is the number of an open file.
func (d badgerDB) close() error {
	return d.folder.Error(d.w.Close(func() error {
		return errors.Join(os.Remove(filepath.Join(d.folder.Path, discardFile)), d.folder.Close())
	}))
}

func openBadger(epoch *beneath.Folder) (*badger.DB, error) {
	return badgerdb.Open(ErrDamaged, options(epoch.Path(dbDir), minTableBytes))
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

// guard makes errors of what damaged files and failing disks do to Badger.
func guard(f func() error) error { return badgerdb.Guard(ErrDamaged, f) }
