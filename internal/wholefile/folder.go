package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// CheckPlace reports why [PlaceFolder] could not put a folder at path: something is there, other than a folder
// without anything in it.
func CheckPlace(path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Check(Folder(path), 0)
	case err != nil:
		return fmt.Errorf("something is there that is no folder: %w", err)
	case len(entries) > 0:
		return errors.New("the folder is there, and not empty; remove it, or name another one")
	}
	return Check(Folder(path), 0)
}

// PlaceFolder puts a folder whose files are whole and synced at path, where nothing is or a folder without anything in it.
// Both are of one file system.
func PlaceFolder(folder, path string) error {
	if err := syncFolder(folder); err != nil {
		return err
	}
	if err := unix.Rename(folder, path); err != nil { // os.Rename refuses empty folders
		return fmt.Errorf("rename %s: %w", folder, err)
	}
	return syncFolder(Folder(path))
}
