package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/beneath"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// TestModes checks that whoever may look into new folders of this user may read a graph.
func TestModes(t *testing.T) {
	for _, umask := range []int{0o022, 0o027, 0o002, 0o077} {
		path := filepath.Join(memoryDir(t), "g")
		was := unix.Umask(umask)
		err := teststore.Write(path, random(1, 40, 4000), teststore.Options{ShardVertices: 10})
		unix.Umask(was)
		if err != nil {
			t.Fatal(err)
		}
		err = filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			want := fs.FileMode(0o666 &^ umask)
			if e.IsDir() {
				want = fs.FileMode(0o777 &^ umask)
			}
			if got := info.Mode().Perm(); got != want {
				t.Errorf("umask %03o: %s has mode %03o, want %03o", umask, name, got, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		open(t, path)
	}
}

// TestSharedFolder checks that a graph in a folder of a group belongs to the group.
func TestSharedFolder(t *testing.T) {
	dir := memoryDir(t)
	const group = 4711
	if err := os.Chown(dir, -1, group); err != nil {
		t.Skipf("no folder of another group: %v", err)
	}
	if err := os.Chmod(dir, 0o770|os.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "g")
	write(t, path, testgraph.Path(), teststore.Options{})
	err := filepath.WalkDir(path, func(name string, _ fs.DirEntry, err error) error {
		var st unix.Stat_t
		if err == nil {
			err = unix.Stat(name, &st)
		}
		if st.Gid != group {
			t.Errorf("%s is of group %d", name, st.Gid)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestUnreadable checks that what cannot be read is not called damaged, and no new import
// is recommended for it.
func TestUnreadable(t *testing.T) {
	path := filepath.Join(memoryDir(t), "g")
	write(t, path, testgraph.Path(), teststore.Options{})
	name := filepath.Join(path, "db", "MANIFEST")
	refused := func(want error) {
		t.Helper()
		_, err := store.Open(path)
		if !errors.Is(err, want) || errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrNotGraph) ||
			strings.Contains(err.Error(), "import") {
			t.Errorf("got %v", err)
		}
	}
	if os.Getuid() != 0 {
		for _, file := range []string{name, filepath.Join(path, "GARAPH")} {
			if err := os.Chmod(file, 0); err != nil {
				t.Fatal(err)
			}
			refused(fs.ErrPermission)
			if err := os.Chmod(file, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("MANIFEST", name); err != nil {
		t.Fatal(err)
	}
	refused(beneath.ErrKind)
}
