package wholefile

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPlaceFolder checks that a folder takes the place of nothing, or of an empty one, and of
// nothing else.
func TestPlaceFolder(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	made := func() string {
		folder, err := os.MkdirTemp(dir, "made-")
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(folder, "part"), "text")
		return folder
	}
	for _, name := range []string{"new", "empty"} {
		if name == "empty" {
			if err := os.Mkdir(path(name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := CheckPlace(path(name)); err != nil {
			t.Error(err)
		}
		if err := PlaceFolder(made(), path(name)); err != nil {
			t.Error(err)
		}
		expect(t, path(name)+"/part", "text")
	}
	put(t, path("file"), "a file")
	for _, name := range []string{"new", "file", "nowhere/new"} {
		if err := CheckPlace(path(name)); err == nil {
			t.Errorf("%s: a folder could be placed there", name)
		}
		folder := made()
		if err := PlaceFolder(folder, path(name)); err == nil {
			t.Errorf("%s: a folder was placed there", name)
		}
		expect(t, folder+"/part", "text")
	}
	expect(t, path("file"), "a file")
}
