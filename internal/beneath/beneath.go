// Package beneath opens files below a folder that may have come from
// another user, such as a graph's. A link in the place of a file or folder is refused, and
// nothing leads out of the folder. Anything but a regular file, where one is
// expected, is refused before anything is read or waited for.
package beneath

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ErrKind is the error of a link, a FIFO, a socket, a device or a folder in the place of a regular file, or of
// anything else in the place of a folder.
var ErrKind = errors.New("garaph follows no links in a graph's folder, and reads regular files only; move it away")

// kindError returns the [ErrKind] of a path with a mode.
func kindError(path string, mode fs.FileMode, want string) error {
	return fmt.Errorf("%q is %s, expected %s: %w", path, Kind(mode), want, ErrKind)
}

// Folder is an open folder, out of which no name leads: see [os.Root]. Files and folders that
// are opened through it are no links. Its methods may be called from many goroutines.
type Folder struct {
	*os.Root
	path string
}

// Open opens the folder at path, which the user named: links on the way to it
// are followed. What is no folder is refused, and a FIFO is not waited for.
func Open(path string) (*Folder, error) {
	folder := path
	if path != "" {
		folder += "/." // which only a folder has
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			p.Path = path
		}
		return nil, err
	}
	return &Folder{root, path}, nil
}

// Path returns the path of name, or of the folder itself with ".", for errors and
// for libraries that take paths: the caller must have checked the file there.
func (f *Folder) Path(name string) string { return filepath.Join(f.path, name) }

// Folder opens a folder below this one.
func (f *Folder) Folder(name string) (*Folder, error) {
	if err := f.checkFolder(name); err != nil {
		return nil, err
	}
	root, err := f.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &Folder{root, f.Path(name)}, nil
}

// OpenFile opens a regular file, as [os.OpenFile] does, without waiting for the
// other end of a FIFO.
func (f *Folder) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	info, err := f.Lstat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, kindError(f.Path(name), info.Mode(), "a regular file")
	case err != nil && (!errors.Is(err, fs.ErrNotExist) || flag&os.O_CREATE == 0):
		return nil, err
	}
	file, err := f.Root.OpenFile(name, flag|unix.O_NONBLOCK|unix.O_NOFOLLOW, perm)
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err == nil && !info.Mode().IsRegular() { // it took the place of the other
		_ = file.Close() // nothing was written
		return nil, kindError(f.Path(name), info.Mode(), "a regular file")
	}
	return file, err
}

// Open opens a regular file to read it.
func (f *Folder) Open(name string) (*os.File, error) { return f.OpenFile(name, os.O_RDONLY, 0) }

// ReadFile reads a regular file of limit bytes at most.
func (f *Folder) ReadFile(name string, limit int64) ([]byte, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && info.Size() > limit {
		err = fmt.Errorf("%s has %d bytes, expected %d at most", f.Path(name), info.Size(), limit)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(file, limit)) // however it grows
}

// ReadDir lists a folder, "." for this one, in the order of the names.
func (f *Folder) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := f.checkFolder(name); err != nil {
		return nil, err
	}
	return fs.ReadDir(f.FS(), filepath.ToSlash(name))
}

// Chmod sets the permissions of a file or folder, never of the target of a link.
func (f *Folder) Chmod(name string, mode fs.FileMode) error {
	info, err := f.Lstat(name)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = kindError(f.Path(name), info.Mode(), "a file or folder")
	}
	if err != nil {
		return err
	}
	return f.Root.Chmod(name, mode)
}

// Sync brings the entries of a folder, "." for this one, to the disk.
func (f *Folder) Sync(name string) error {
	if err := f.checkFolder(name); err != nil {
		return err
	}
	d, err := f.Root.Open(name)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil // a file system that cannot sync folders
	}
	return errors.Join(err, d.Close())
}

// checkFolder reports an [ErrKind] where name is no folder.
func (f *Folder) checkFolder(name string) error {
	info, err := f.Lstat(name)
	if err == nil && !info.IsDir() {
		err = kindError(f.Path(name), info.Mode(), "a folder")
	}
	return err
}

// Kind describes a mode in words.
func Kind(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m.IsDir():
		return "a folder"
	case m.IsRegular():
		return "a file"
	case m&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case m&fs.ModeSocket != 0:
		return "a socket"
	default:
		return "a device"
	}
}
