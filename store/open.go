package store

import (
	"errors"
	"fmt"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/garaph/garaph/internal/badgerdb"
	"github.com/garaph/garaph/internal/beneath"
)

// Open opens the graph at path for reading.
func Open(path string) (*Store, error) { return OpenNamed(path, path) }

// OpenNamed is Open for a graph that errors are to call by another name than
// its path, such as a temporary one. A graph that is replaced meanwhile is opened
// again: the new one is read then, and never parts of both.
func OpenNamed(path, name string) (*Store, error) {
	if err := beneath.CheckFiles(); err != nil {
		return nil, fmt.Errorf("open graph %s: %w", path, err)
	}
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
			if _, err := checkMarker(path); err != nil { // says what is there
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
			_ = s.closeFiles() // only read
		}
		f.close()
		if !replaced {
			return nil, f.error(err)
		}
	}
	if errors.Is(why, errLocked) {
		return nil, fmt.Errorf("open graph %s: %w; wait for that to end, and run the command again", path, errLocked)
	}
	return nil, fmt.Errorf("open graph %s: %w %d times while it was opened; run the command again", path, ErrReplaced, maxOpens)
}

// errLocked is a lock on the folder of a graph that goes on. Imports have one for a moment.
var errLocked = errors.New("another process has a lock on its folder")

// maxOpens is how often OpenNamed opens a graph that is being replaced.
const maxOpens = 100

// openIn opens the graph in a folder, which belongs to the store then.
func openIn(f *folder, name string) (*Store, error) {
	m, err := checkMarker(f.dir)
	if err != nil {
		return nil, err
	}
	err = f.check()
	var has Checksums
	if err == nil {
		has, err = m.check(f.db)
	}
	if err == nil {
		directory := f.tables
		if m.version > 1 { // before, logs have blobs
			directory += f.logs
		}
		err = checkMemory(directory)
	}
	if err == nil {
		err = badgerdb.Check(ErrDamaged, f.db)
	}
	if err != nil {
		if errors.Is(err, ErrDamaged) {
			err = fmt.Errorf("%w; a new import repairs it", err)
		}
		return nil, fmt.Errorf("open graph %s: %w", f.path, err)
	}
	db, err := openShared(f.db)
	if err != nil {
		return nil, fmt.Errorf("open graph %s: %w", f.path, err)
	}
	s := &Store{path: f.path, name: name, folder: f, version: m.version, db: db, checksums: has}
	if m.version == 1 {
		err = s.openVersion1()
	} else {
		err = s.openDirectory()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open graph %s: read the catalogue: %w", f.path, err), s.closeFiles())
	}
	return s, nil
}

// openShared opens read-only, under a lock that readers share. A committed
// graph was closed in order, so no log has to be replayed.
func openShared(dir string) (db *badger.DB, err error) {
	err = guard(func() error {
		o := options(dir)
		o.ReadOnly = true
		db, err = badger.Open(o)
		return err
	})
	return db, err
}
