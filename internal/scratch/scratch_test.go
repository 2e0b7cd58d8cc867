package scratch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// names returns those in a folder, sorted.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestRemove checks that a folder goes with all that is in it.
func TestRemove(t *testing.T) {
	parent := t.TempDir()
	d, err := New(parent)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(d.Graph(), "some", "file"), "x")
	if err := d.Remove(); err != nil {
		t.Fatal(err)
	}
	if left := names(t, parent); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}

// TestRemoveKilled removes what killed runs left, and nothing else: no folder whose owner lives, and
// none that garaph did not make.
func TestRemoveKilled(t *testing.T) {
	parent := t.TempDir()
	living, err := New(parent)
	if err != nil {
		t.Fatal(err)
	}
	defer living.Remove()
	killed, err := New(parent)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(killed.Graph(), "file"), "x")
	if err := killed.lock.Close(); err != nil { // as the kernel does
		t.Fatal(err)
	}
	write(t, filepath.Join(parent, prefix+"1", "of somebody else"), "x")
	write(t, filepath.Join(parent, prefix+"2", mark), "another text\n")
	write(t, filepath.Join(parent, prefix+"name", mark), markText)
	write(t, filepath.Join(parent, prefix+"3"), "a file")
	if err := os.Mkdir(filepath.Join(parent, prefix+"4"), 0o777); err != nil { // its owner was killed at once
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(parent, prefix+"name"), filepath.Join(parent, prefix+"5")); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Base(living.path), prefix + "1", prefix + "2", prefix + "3", prefix + "5", prefix + "name"}
	slices.Sort(want)
	var told []string
	RemoveKilled(parent, func(path string, err error) {
		if err != nil {
			t.Error(err)
		}
		told = append(told, path)
	})
	if got := names(t, parent); !slices.Equal(got, want) {
		t.Errorf("there are %q, expected %q", got, want)
	}
	if !slices.Equal(told, []string{killed.path}) {
		t.Errorf("told of %q, expected %q", told, killed.path)
	}
	RemoveKilled(filepath.Join(parent, "none"), nil) // is met when a folder is made there
}

// TestNewFails checks that a folder that is not there is said, and nothing is left.
func TestNewFails(t *testing.T) {
	if d, err := New(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Errorf("a folder was made: %s", d.path)
	}
}
