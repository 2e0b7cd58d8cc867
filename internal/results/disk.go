package results

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// disk is what the writing of a file needs of the operating system, so that
// tests can make each step fail.
type disk interface {
	// create makes a new file with the given permissions, or the usual ones
	// when mode is 0.
	create(path string, mode fs.FileMode) (file, error)
	rename(from, to string) error
	remove(path string) error
	syncFolder(path string) error
}

type file interface {
	io.Writer
	Sync() error
	Close() error
}

type osDisk struct{}

func (osDisk) create(path string, mode fs.FileMode) (file, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	if mode != 0 {
		if err := f.Chmod(mode); err != nil {
			return nil, errors.Join(err, f.Close(), os.Remove(path))
		}
	}
	return f, nil
}

func (osDisk) rename(from, to string) error { return os.Rename(from, to) }
func (osDisk) remove(path string) error     { return os.Remove(path) }

func (osDisk) syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil // a file system that cannot sync folders
	}
	return errors.Join(err, folder.Close())
}

// readyDisk tells of files before they are renamed.
type readyDisk struct {
	osDisk
	ready func(temporary string)
}

func (d readyDisk) rename(from, to string) error {
	d.ready(from)
	return d.osDisk.rename(from, to)
}
