package beneath

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAbove checks that the folders of a file are those that the system finds, through links
// and dots.
func TestAbove(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, err := range []error{os.MkdirAll("a/b", 0o777), os.MkdirAll("c/d", 0o777),
		os.Symlink(filepath.Join(dir, "a", "b"), "c/link")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string][]string{
		"file":           {"."},
		"a/b/file":       {"a/b", "a", "."},
		"c/link/file":    {"a/b", "a", "."},
		"c/link/../file": {"a", "."},
		dir + "/c/d/.":   {"c/d", "c", "."},
		"c/d/../../file": {"."},
	} {
		var got []os.FileInfo
		for _, info := range Above(path) {
			got = append(got, info)
		}
		for i, name := range want {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			if i >= len(got) || !os.SameFile(got[i], info) {
				t.Errorf("%s: folder %d is not %s", path, i, name)
			}
		}
		root, err := os.Stat("/")
		if err != nil || !os.SameFile(got[len(got)-1], root) {
			t.Errorf("%s: does not end at the root", path)
		}
	}
	for range Above("no/such/file") {
		t.Error("a folder that is not there")
	}
}
