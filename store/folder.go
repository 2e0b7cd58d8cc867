package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/badgerdb"
	"github.com/garaph/garaph/internal/beneath"
)

// folder is a graph's folder that is being read. Its files are opened through
// dir and db, which lead to this very folder and to Badger's in it also when an
// import puts another graph in its place meanwhile, and removes this one.
type folder struct {
	path    string // as the user named it
	dir, db string
	bytes   int64 // on the disk, of all but the jobs
	tables  int64 // bytes
	logs    int64 // bytes
	handles []*os.File
}

// openFolder opens a folder, where there is one. Until opened is called it has a
// lock on it, with which imports wait before they remove a graph: Badger ends the
// process when its files go while it opens them. The error is [ErrReplaced] when
// it is being removed.
func openFolder(path string) (*folder, error) {
	f := &folder{path: path}
	var err error
	if f.dir, err = f.hold(path, 0); err != nil {
		return nil, err
	}
	err = flock(f.handles[0], unix.LOCK_SH)
	switch {
	case f.replaced():
		err = ErrReplaced
	case errors.Is(err, unix.EWOULDBLOCK): // an import is about to replace it, or somebody else has its lock
		err = errLocked
	default: // or there are no locks
		return f, nil
	}
	f.close()
	return nil, err
}

// opened says that all files of the folder that will be read are open.
func (f *folder) opened() { _ = flock(f.handles[0], unix.LOCK_UN) } // or there was no lock

// flock locks an open folder, if nobody has another lock on it.
func flock(dir *os.File, how int) error { return unix.Flock(int(dir.Fd()), how|unix.LOCK_NB) }

// hold opens a folder and returns a path that leads to it as long as it is open.
func (f *folder) hold(path string, flag int) (string, error) {
	handle, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY|flag, 0)
	if err != nil {
		return "", err
	}
	f.handles = append(f.handles, handle)
	held := fmt.Sprintf("/proc/self/fd/%d", handle.Fd())
	if there, err := os.Stat(held); err == nil && there.IsDir() {
		return held, nil
	}
	return path, nil // a system without /proc
}

func (f *folder) close() {
	for _, h := range f.handles {
		_ = h.Close() // only read
	}
}

// replaced reports whether another folder is at the path now, or nothing.
func (f *folder) replaced() bool {
	here, err := f.handles[0].Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(f.path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(here, there)
}

// check refuses what is no regular file in the folder and in Badger's, by its
// kind, its name and its size, before any of it is read.
func (f *folder) check() error {
	root, err := beneath.Open(f.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	entries, err := root.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		if e.Name() == JobsDir { // a link, say
			_, err = root.Folder(JobsDir)
		} else {
			_, err = f.count(root, e.Name())
		}
		if err != nil {
			return err
		}
	}
	db, err := root.Folder(dbDir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: the folder %s is missing", ErrDamaged, dbDir)
	}
	if err != nil {
		return err
	}
	defer db.Close()
	if entries, err = db.ReadDir("."); err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() && !badgerdb.IsBadgers(e.Name()) {
			continue // someone's, and in nobody's way
		}
		size, err := f.count(db, e.Name())
		if err == nil {
			err = badgerdb.CheckName(ErrDamaged, e.Name(), size)
		}
		switch filepath.Ext(e.Name()) {
		case ".sst":
			f.tables += size
		case ".vlog":
			f.logs += size
		}
		if err != nil {
			return err
		}
	}
	f.db, err = f.hold(filepath.Join(f.dir, dbDir), unix.O_NOFOLLOW)
	return err
}

// count adds a file to what the graph takes on the disk, and returns its size.
func (f *folder) count(in *beneath.Folder, name string) (int64, error) {
	file, err := in.Open(name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		f.bytes += s.Blocks * 512
	}
	return info.Size(), nil
}

// error puts the path in an error that names files by dir or db.
func (f *folder) error(err error) error {
	if err == nil {
		return nil
	}
	text := heldPath.ReplaceAllStringFunc(err.Error(), func(held string) string {
		switch held {
		case f.dir:
			return f.path
		case f.db:
			return filepath.Join(f.path, dbDir)
		}
		return held
	})
	return &pathError{err, text}
}

var heldPath = regexp.MustCompile("/proc/self/fd/[0-9]+")

type pathError struct {
	error
	text string
}

func (e *pathError) Error() string { return e.text }
func (e *pathError) Unwrap() error { return e.error }
