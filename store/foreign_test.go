package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestForeignReplaced: a folder that has gone while it was read was replaced, another
// error is what it is.
func TestForeignReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph")
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	was, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := foreignError(path, was, fs.ErrPermission); errors.Is(err, ErrReplaced) || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a folder in its place: %v", err)
	}
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if err := foreignError(path, was, fs.ErrNotExist); !errors.Is(err, ErrReplaced) {
		t.Errorf("no folder: %v", err)
	}
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := foreignError(path, was, fs.ErrNotExist); !errors.Is(err, ErrReplaced) {
		t.Errorf("another folder: %v", err)
	}
}
