package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/beneath"
)

// folder is a graph's folder that is being read. Its files are opened through dir, which
// leads to this very folder also when an import puts another graph in its place meanwhile,
// and removes this one.
type folder struct {
	path      string // as the user named it
	dir       string
	handle    *os.File
	bytes     int64 // on the disk, of all but the jobs
	directory int64 // bytes of Badger's files
}

// openFolder opens a folder, where there is one. Until opened is called it has a
// lock on it, with which imports wait before they remove a graph: Badger ends the
// process when its files go while it opens them. The error is [ErrReplaced] when
// it is being removed.
func openFolder(path string) (*folder, error) {
	handle, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	f := &folder{path: path, dir: fmt.Sprintf("/proc/self/fd/%d", handle.Fd()), handle: handle}
	if _, err := os.Stat(f.dir); err != nil { // a system without /proc
		f.dir = path
	}
	err = flock(handle, unix.LOCK_SH)
	switch {
	case f.replaced():
		err = ErrReplaced
	case errors.Is(err, unix.EWOULDBLOCK): // an import is about to replace it, or another process has its lock
		err = errLocked
	default: // or there are no locks
		return f, nil
	}
	f.close()
	return nil, err
}

// opened says that all files of the folder that will be read are open.
func (f *folder) opened() { _ = flock(f.handle, unix.LOCK_UN) } // or there was no lock

// flock locks an open folder, unless another lock prevents it.
func flock(dir *os.File, how int) error { return unix.Flock(int(dir.Fd()), how|unix.LOCK_NB) }

func (f *folder) close() { _ = f.handle.Close() } // only read

// replaced reports whether another folder is at the path now, or nothing.
func (f *folder) replaced() bool {
	here, err := f.handle.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(f.path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(here, there)
}

// check returns an error for anything but regular files in the folder and in Badger's, before any of them is
// read, and adds up their sizes.
func (f *folder) check() error {
	root, err := beneath.Open(f.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := f.count(root); err != nil {
		return err
	}
	db, err := root.Folder(dbDir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: the folder %s is missing", ErrDamaged, dbDir)
	}
	if err != nil {
		return err
	}
	defer db.Close()
	f.directory, err = f.count(db)
	return err
}

// count opens the files in a folder, and returns how many bytes the tables and logs have.
func (f *folder) count(in *beneath.Folder) (size int64, err error) {
	entries, err := in.ReadDir(".")
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		file, err := in.Open(e.Name())
		if err != nil {
			return 0, err
		}
		info, err := file.Stat()
		_ = file.Close() // only read
		if err != nil {
			return 0, err
		}
		f.bytes += info.Sys().(*syscall.Stat_t).Blocks * 512
		if strings.HasSuffix(e.Name(), ".sst") || strings.HasSuffix(e.Name(), ".vlog") {
			size += info.Size()
		}
	}
	return size, nil
}

// error puts the path in an error that names files by dir.
func (f *folder) error(err error) error {
	return &textError{strings.ReplaceAll(err.Error(), f.dir, f.path), err}
}
