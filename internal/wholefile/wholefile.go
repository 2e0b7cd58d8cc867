// Package wholefile writes files that appear under their names whole and on disk,
// or not at all. A writer that is killed leaves nothing behind, or what the next
// one in the same folder removes.
package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Write lets write fill a file and puts it at path, in the place of a file that
// is there. It has the given permissions, or the usual ones when mode is 0.
//
// The order is data, its sync, name, sync of the folder: at a power failure the
// name stands for the old file or for the whole new one. Only after an error of
// the last step path is new.
func Write(path string, mode fs.FileMode, write func(io.Writer) error) error {
	return disk{}.write(path, mode, write)
}

// WriteReady is Write that calls ready, unless it is nil, with a temporary name of
// the file, whole and synced, before that becomes path.
func WriteReady(path string, mode fs.FileMode, write func(io.Writer) error, ready func(temporary string)) error {
	return disk{ready: ready}.write(path, mode, write)
}

// Folder is where the system would put a file of that path. [filepath.Dir] would leave out
// what stands before "..", be it a link to elsewhere, or not there at all.
func Folder(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "."
	}
	return path[:max(i, 1)]
}

// mostLinks is how many links the system follows, one behind the other.
const mostLinks = 40

// Links are a path, and those to which the symbolic links at its end lead, one after the other.
func Links(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for range mostLinks {
			if !yield(path) {
				return
			}
			to, err := os.Readlink(path)
			if err != nil {
				return // no link, or nothing
			}
			if strings.HasPrefix(to, "/") {
				path = to
			} else {
				path = path[:strings.LastIndexByte(path, '/')+1] + to
			}
		}
		yield(path)
	}
}

// Through is where a path leads to when the symbolic links at its end are followed, whether
// something stands there or not. Write replaces a link; what is behind it has this path.
func Through(path string) string {
	for to := range Links(path) {
		path = to
	}
	return path
}

// Check reports why Write could not make a file in a folder. It leaves nothing
// behind.
func Check(folder string, mode fs.FileMode) error {
	f, err := disk{}.create(folder, folder, mode)
	if err != nil {
		return err
	}
	return f.end()
}

// disk is the operating system, of which tests make steps fail.
type disk struct {
	named bool // has no files without names
	fault func(step string) error
	ready func(temporary string)
}

func (d disk) step(name string, do func() error) error {
	if d.fault != nil {
		if err := d.fault(name); err != nil {
			return err
		}
	}
	return do()
}

func (d disk) write(path string, mode fs.FileMode, write func(io.Writer) error) error {
	s := Set{disk: d}
	defer s.End() // also when write panics
	if err := s.Write(path, mode, write); err != nil {
		return err
	}
	return s.Place()
}

// file is one that is being written. It is locked, so that others see that
// somebody is at it.
type file struct {
	*os.File
	name string // that goes with the writer; "": none
}

// create makes a file without a name in the folder of a path, where the file system has
// such, or else one with a temporary name. It removes what killed writers left first.
func (d disk) create(folder, path string, mode fs.FileMode) (*file, error) {
	tidy(folder)
	var f *file
	err := errors.ErrUnsupported
	if !d.named {
		f, err = unnamed(folder, path)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		f, err = named(folder)
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("the folder %s is not writable; choose another one or change its permissions: %w", folder, err)
	case err != nil:
		return nil, fmt.Errorf("no file can be created in the folder %s: %w", folder, err)
	}
	if mode != 0 {
		if err := f.Chmod(mode); err != nil {
			return nil, errors.Join(err, f.end())
		}
	}
	return f, nil
}

// unnamed makes a file that goes with the process, until place gives it a name.
// It fails with [errors.ErrUnsupported] where there are none. Errors name the path.
func unnamed(folder, path string) (*file, error) {
	fd, err := unix.Open(folder, unix.O_WRONLY|unix.O_TMPFILE|unix.O_CLOEXEC, 0o666)
	switch {
	case errors.Is(err, unix.EISDIR): // the system does not know of such files
		return nil, errors.ErrUnsupported
	case err != nil:
		return nil, &fs.PathError{Op: "open", Path: folder, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	if err := unix.Access(link(f), unix.F_OK); err != nil { // it could not be given a name
		return nil, errors.Join(errors.ErrUnsupported, f.Close())
	}
	lock(f, unix.LOCK_NB)
	return &file{f, ""}, nil
}

// link is the name by which a process knows its open files.
func link(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }

// named makes a file with a temporary name. Before it is locked, others may take
// it for one that a killed writer left.
func named(folder string) (*file, error) {
	for {
		name := temporary(folder)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		lock(f, 0)
		if same(f, name) {
			return &file{f, name}, nil
		}
		_ = f.Close() // nothing was written
	}
}

// lock locks a file. Where files cannot be locked, no other process can either,
// and removes none therefore.
func lock(f *os.File, flags int) bool { return unix.Flock(int(f.Fd()), unix.LOCK_EX|flags) == nil }

// same reports whether a name is that of an open file.
func same(f *os.File, name string) bool {
	mine, err := f.Stat()
	there, thereErr := os.Lstat(name)
	return err == nil && thereErr == nil && os.SameFile(mine, there)
}

// link gives the file a temporary name in the folder of a path, as no link can take the place of
// another file.
func (f *file) link(path string) error {
	for f.name == "" {
		name := temporary(Folder(path))
		err := unix.Linkat(unix.AT_FDCWD, link(f.File), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
		switch {
		case err == nil:
			f.name = name
		case !errors.Is(err, fs.ErrExist):
			return &os.LinkError{Op: "link", Old: "a file without a name", New: name, Err: err}
		}
	}
	return nil
}

// rename puts the file at its path.
func (f *file) rename(path string, ready func(temporary string)) error {
	if ready != nil {
		ready(f.name)
	}
	err := os.Rename(f.name, path)
	if err == nil {
		f.name = ""
	}
	return err
}

// end closes the file, and removes it unless it has its place.
func (f *file) end() error {
	var err error
	if f.name != "" {
		err = os.Remove(f.name)
	}
	return errors.Join(err, f.Close())
}

func syncFolder(path string) error {
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

// temporary is a name of which nobody has another. It does not contain that of
// the file, which may be as long as a name can be.
func temporary(folder string) string {
	return fmt.Sprintf("%s/.garaph-%016x.tmp", folder, rand.Uint64())
}
