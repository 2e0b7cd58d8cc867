// Package wholefile writes files that appear under their names whole and on disk,
// or not at all. What a killed writer leaves is removed by the next writer in the
// same folder.
package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"regexp"

	"golang.org/x/sys/unix"
)

// Write lets write fill a file and puts it at path, in the place of a file that
// is there. It has the given permissions, or the usual ones when mode is 0.
//
// The order is data, its sync, name, sync of the folder: at a power failure the
// name stands for the old file or for the whole new one. Only after an error of
// the last step path is new.
func Write(path string, mode fs.FileMode, write func(io.Writer) error) error {
	var s Set
	defer s.End() // also when write panics
	if err := s.Write(path, mode, write); err != nil {
		return err
	}
	return s.Place()
}

// Set holds files that appear together: all are whole and on disk before the first gets its
// name, and the others get theirs at once after it. The zero Set is empty.
type Set struct {
	files []*file
	// Ready, if not nil, is called with the temporary name of each file, whole and synced, before it gets its own.
	Ready func(temporary string)
}

// file is a file with a temporary name until it is placed at its path. It is locked
// as long as it is open, by which others see that its writer lives.
type file struct {
	*os.File
	path   string
	placed bool
}

// Write lets write fill one more file, as the function [Write] does, and leaves path as it is.
func (s *Set) Write(path string, mode fs.FileMode, write func(io.Writer) error) error {
	f, err := create(Folder(path), mode)
	if err != nil {
		return err
	}
	s.files = append(s.files, &file{f, path, false})
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if p := (*fs.PathError)(nil); errors.As(err, &p) && p.Path == f.Name() {
		p.Path = path
	}
	return err
}

// Place puts the files at their paths, one after the other. After an error none is there, or, if
// the system refuses to name a later one, those before it.
func (s *Set) Place() error {
	for _, f := range s.files {
		if s.Ready != nil {
			s.Ready(f.Name())
		}
		if err := os.Rename(f.Name(), f.path); err != nil {
			return err
		}
		f.placed = true
	}
	for _, f := range s.files {
		if err := syncFolder(Folder(f.path)); err != nil {
			return err
		}
	}
	return nil
}

// End closes the files, and removes those that have not got their places. The set is empty after it.
func (s *Set) End() {
	for _, f := range s.files {
		if !f.placed {
			_ = os.Remove(f.Name()) // the next writer removes it otherwise
		}
		_ = f.Close() // the bytes are synced
	}
	s.files = nil
}

// Check reports why Write could not make a file in a folder. It leaves nothing
// behind.
func Check(folder string, mode fs.FileMode) error {
	f, err := create(folder, mode)
	if err != nil {
		return err
	}
	return errors.Join(os.Remove(f.Name()), f.Close())
}

var temporaryName = regexp.MustCompile(`^\.garaph-[0-9a-f]{16}\.tmp$`)

// create makes a file with a temporary name, which is unlike any other and does not
// contain the name of the file, as that may be as long as a name can be.
func create(folder string, mode fs.FileMode) (*os.File, error) {
	tidy(folder)
	for {
		name := fmt.Sprintf("%s/.garaph-%016x.tmp", folder, rand.Uint64())
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case errors.Is(err, fs.ErrPermission):
			return nil, fmt.Errorf("the folder %s is not writable; choose another one or change its permissions: %w",
				folder, err)
		case err != nil:
			return nil, fmt.Errorf("no file can be created in the folder %s: %w", folder, err)
		}
		_ = unix.Flock(int(f.Fd()), unix.LOCK_EX) // where files cannot be locked, tidy removes none
		if mode != 0 {
			if err := f.Chmod(mode); err != nil {
				return nil, errors.Join(err, os.Remove(name), f.Close())
			}
		}
		if _, err := os.Lstat(name); err == nil {
			return f, nil
		}
		_ = f.Close() // before it was locked, another writer removed it
	}
}

// tidy removes the files that killed writers left in a folder: those that are not locked.
func tidy(folder string) {
	entries, _ := os.ReadDir(folder) // create meets the error
	for _, e := range entries {
		if !temporaryName.MatchString(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		name := folder + "/" + e.Name()
		f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		if unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == nil {
			_ = os.Remove(name)
		}
		_ = f.Close() // only read
	}
}
