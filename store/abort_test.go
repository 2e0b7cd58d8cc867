package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/garaph/garaph/store"
)

// TestAbortEndsWithMarker checks that a folder that Abort cannot remove keeps its marker, by which the next import
// recognises it.
func TestAbortEndsWithMarker(t *testing.T) {
	path := filepath.Join(memoryDir(t), "g")
	w, _ := begin(t, path, false)
	mine := filepath.Join(w.Dir(), "mine.txt")
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
