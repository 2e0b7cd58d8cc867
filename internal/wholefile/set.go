package wholefile

import (
	"io"
	"io/fs"
)

// Set are files that appear together: all are whole and on disk before the first gets its
// name, and the others get theirs at once after it. The zero Set is empty.
type Set struct {
	disk  disk
	files []written
}

// written is a file that is whole, and the path that it is for.
type written struct {
	*file
	path string
}

// Write lets write fill one more file, as the function [Write] does, and leaves path as it is.
func (s *Set) Write(path string, mode fs.FileMode, write func(io.Writer) error) error {
	var f *file
	err := s.disk.step("create", func() (err error) {
		f, err = s.disk.create(Folder(path), path, mode)
		return err
	})
	if err != nil {
		return err
	}
	s.files = append(s.files, written{f, path})
	if err := s.disk.step("write", func() error { return write(f.File) }); err != nil {
		return err
	}
	return s.disk.step("sync", f.Sync)
}

// Place puts the files at their paths, one after the other. After an error none is there, or, if
// the system refuses to name a later one, those before it.
func (s *Set) Place() error {
	err := s.disk.step("name", func() error {
		for i := range s.files {
			if err := s.files[i].link(s.files[i].path); err != nil {
				return err
			}
		}
		for i := range s.files {
			if err := s.files[i].rename(s.files[i].path, s.disk.ready); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.disk.step("sync folder", func() error {
		synced := ""
		for _, f := range s.files {
			folder := Folder(f.path)
			if folder == synced {
				continue
			}
			if err := syncFolder(folder); err != nil {
				return err
			}
			synced = folder
		}
		return nil
	})
}

// End closes the files, and removes those that have not got their places. The set is empty after it.
func (s *Set) End() {
	for _, f := range s.files {
		_ = f.end() // what was written is synced
	}
	s.files = nil
}
