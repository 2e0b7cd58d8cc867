package store

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/garaph/garaph/internal/badgerdb"
)

// Open opens the graph at path for reading.
func Open(path string) (*Store, error) { return OpenNamed(path, path) }

// OpenNamed is Open for a graph that errors are to call by another name than
// its path, such as a temporary one. A graph that is replaced meanwhile is opened
// again: the new one is read then, and never parts of both.
func OpenNamed(path, name string) (*Store, error) {
	why := ErrReplaced
	for i := range maxOpens {
		f, err := openFolder(path)
		if errors.Is(err, errLocked) {
			why = errLocked
			time.Sleep(time.Duration(i) * time.Millisecond)
			continue
		}
		why = ErrReplaced
		if errors.Is(err, ErrReplaced) {
			continue
		}
		if err != nil {
			if err := checkMarker(path); err != nil { // its error names the file that is there
				return nil, err
			}
			continue // it is there now
		}
		s, err := openIn(f, name)
		replaced := f.replaced()
		if err == nil && !replaced {
			f.opened()
			return s, nil
		}
		if s != nil {
			s.payload.close()
		}
		f.close()
		if !replaced {
			return nil, f.error(err)
		}
	}
	if errors.Is(why, errLocked) {
		return nil, fmt.Errorf("open graph %s: %w; wait for that to end, and run the command again", path, errLocked)
	}
	return nil, fmt.Errorf("open graph %s: %w %d times while it was opened; run the command again", path, ErrReplaced,
		maxOpens)
}

// errLocked is a lock on the folder of a graph that goes on. Imports have one for a moment.
var errLocked = errors.New("another process has a lock on its folder")

// maxOpens is how often OpenNamed opens a graph that is being replaced.
const maxOpens = 100

// openIn opens the graph in a folder, which belongs to the store then.
func openIn(f *folder, name string) (*Store, error) {
	if err := checkMarker(f.dir); err != nil {
		return nil, err
	}
	s := &Store{path: f.path, name: name, folder: f, kept: map[any]io.Closer{}}
	err := f.check()
	if err == nil {
		s.payload, err = openPayload(f.dir)
	}
	if err == nil {
		if s.cat, err = openDirectory(filepath.Join(f.dir, dbDir), s.payload.size, f.directory); err != nil {
			s.payload.close()
		}
	}
	if errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("%w; a new import repairs it", err)
	}
	if err != nil {
		return nil, fmt.Errorf("open graph %s: %w", f.path, err)
	}
	return s, nil
}

// openDirectory reads the catalogue and the directory from Badger's folder, for a payload and a database of the given
// sizes.
func openDirectory(path string, payload, size int64) (c *Catalogue, err error) {
	db, err := badgerdb.Open(ErrDamaged, options(path))
	if err != nil {
		return nil, err
	}
	err = guard(func() error {
		return db.View(func(txn *badger.Txn) error {
			c, err = readDirectory(txn, payload, size)
			return err
		})
	})
	return c, errors.Join(err, guard(db.Close))
}
