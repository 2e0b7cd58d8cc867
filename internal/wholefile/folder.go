package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Folder returns where the system would put a file of that path. [filepath.Dir] would leave out
// the element before "..", also if it is a link, or absent.
func Folder(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "."
	}
	return path[:max(i, 1)]
}

// mostLinks is the number of nested links that the system follows.
const mostLinks = 40

// Links returns a path, and those to which the symbolic links at its end lead, one after the other.
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

// Through returns where a path leads to when the symbolic links at its end are followed, whether
// a file is there or not. Write replaces a link; its target has this path.
func Through(path string) string {
	for to := range Links(path) {
		path = to
	}
	return path
}

// CheckPlace reports why [PlaceFolder] could not put a folder at path: something is there, other than a folder
// without anything in it.
func CheckPlace(path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("something is there that is no folder: %w", err)
	case len(entries) > 0:
		return errors.New("the folder is there, and not empty; remove it, or name another one")
	}
	return Check(Folder(path), 0)
}

// PlaceFolder puts a folder whose files are whole and synced at path, where nothing is or a folder
// without anything in it. Both are of one file system.
func PlaceFolder(folder, path string) error {
	if err := syncFolder(folder); err != nil {
		return err
	}
	if err := unix.Rename(folder, path); err != nil { // os.Rename refuses empty folders
		return fmt.Errorf("rename %s: %w", folder, err)
	}
	return syncFolder(Folder(path))
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil // a file system that cannot sync folders
	}
	return errors.Join(err, folder.Close())
}
