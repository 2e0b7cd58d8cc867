package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/fewfiles"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// TestFewFiles: where the process can open few more files, an import fails and leaves
// nothing, and a sound graph is not called damaged, nor none.
func TestFewFiles(t *testing.T) {
	dir := memoryDir(t)
	there := filepath.Join(dir, "there")
	write(t, there, testgraph.Path(), teststore.Options{})
	made, opened := false, false
	for more := 0; more < 60 && !(made && opened); more++ {
		var err, openErr error
		fewfiles.Do(t, more, func() {
			err = teststore.Write(filepath.Join(dir, "new"), testgraph.Path(), teststore.Options{})
			s, e := store.Open(there)
			if openErr = e; e == nil {
				openErr = s.Close()
			}
		})
		made, opened = err == nil, openErr == nil
		if !made && !errors.Is(err, unix.EMFILE) {
			t.Errorf("an import with %d files: %v", more, err)
		}
		if !opened && (!errors.Is(openErr, unix.EMFILE) || errors.Is(openErr, store.ErrDamaged) || errors.Is(openErr, store.ErrNotGraph)) {
			t.Errorf("opening with %d files: %v", more, openErr)
		}
		if err := os.RemoveAll(filepath.Join(dir, "new")); err != nil {
			t.Fatal(err)
		}
		if left := entries(t, dir); len(left) != 1 {
			t.Fatalf("after an import with %d files: %q", more, left)
		}
	}
	if !made || !opened {
		t.Error("60 more files are too few")
	}
}

// TestAbortEndsWithMarker: what Abort cannot remove keeps the marker, by which the next
// import knows it as its own.
func TestAbortEndsWithMarker(t *testing.T) {
	path := filepath.Join(memoryDir(t), "g")
	w, _ := begin(t, path, false)
	mine := filepath.Join(w.Dir(), "db", "mine.txt")
	if err := os.WriteFile(mine, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err == nil {
		t.Error("no error")
	}
	for _, name := range []string{mine, filepath.Join(w.Dir(), "GARAPH")} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	if w, err := store.Create(path, false); err != nil || w.Abort() != nil {
		t.Fatal(err)
	}
	if left := entries(t, filepath.Dir(path)); len(left) > 0 {
		t.Errorf("the next import leaves %q", left)
	}
}
