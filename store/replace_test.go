package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// cannot returns a way in which exchange fails.
func cannot(errno unix.Errno) func(a, b string) error {
	return func(a, b string) error { return &os.LinkError{Op: "exchange", Old: a, New: b, Err: errno} }
}

// TestMountedMeanwhile checks that the graph in a folder that is mounted during an import
// to it stays.
func TestMountedMeanwhile(t *testing.T) {
	dir := memoryDir(t)
	path := filepath.Join(dir, "g")
	write(t, path, testgraph.Path(), teststore.Options{})
	w, cat := begin(t, path, true)
	if err := unix.Mount(path, path, "", unix.MS_BIND, ""); err != nil {
		_ = w.Abort()
		t.Skipf("a file system cannot be mounted: %v", err)
	}
	err := w.Commit(cat)
	if err := unix.Unmount(path, 0); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, unix.EBUSY) {
		t.Errorf("Commit: %v", err)
	}
	if got := open(t, path).Catalogue().Vertices; got == 1 {
		t.Error("it was replaced")
	}
}

// TestNotReplaced checks that whatever the system says when the graph is to come to its
// place, the old one stays.
func TestNotReplaced(t *testing.T) {
	for _, errno := range []unix.Errno{unix.EBUSY, unix.EACCES, unix.EIO} {
		dir := memoryDir(t)
		path := filepath.Join(dir, "g")
		write(t, path, testgraph.Path(), teststore.Options{})
		w, cat := begin(t, path, true)
		back := store.SetExchange(cannot(errno))
		err := w.Commit(cat)
		back()
		if !errors.Is(err, errno) || !strings.Contains(err.Error(), path) {
			t.Errorf("%v: Commit: %v", errno, err)
		}
		if got := open(t, path).Catalogue().Vertices; got == 1 {
			t.Errorf("%v: it was replaced", errno)
		}
		if names := entries(t, dir); !slices.Equal(names, []string{"g"}) {
			t.Errorf("%v: left %v", errno, names)
		}
	}
}

// TestNoExchange checks that where folders cannot be exchanged, the old graph steps aside.
// It comes back if the new one does not come.
func TestNoExchange(t *testing.T) {
	for _, errno := range []unix.Errno{unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP} {
		dir := memoryDir(t)
		path := filepath.Join(dir, "g")
		defer store.SetExchange(cannot(errno))()
		for range 2 { // without and with a graph there
			w, cat := begin(t, path, true)
			if err := w.Commit(cat); err != nil {
				t.Fatal(errno, err)
			}
			if names := entries(t, dir); !slices.Equal(names, []string{"g"}) {
				t.Errorf("%v: left %v", errno, names)
			}
			open(t, path)
		}
		w, cat := begin(t, path, true)
		defer store.SetExchange(func(a, b string) error { // and then dir cannot be renamed
			if err := os.RemoveAll(a); err != nil {
				return err
			}
			return errno
		})()
		if err := w.Commit(cat); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%v: Commit: %v", errno, err)
		}
		open(t, path)
		if names := entries(t, dir); !slices.Equal(names, []string{"g"}) {
			t.Errorf("%v: left %v", errno, names)
		}
	}
}

// TestPutBack checks that a graph that a killed import had moved aside comes back with the
// next one to its path; beside a new one it goes.
func TestPutBack(t *testing.T) {
	dir := memoryDir(t)
	path, aside := filepath.Join(dir, "g"), filepath.Join(dir, ".g.importing-old")
	write(t, path, testgraph.Path(), teststore.Options{})
	if err := os.Rename(path, aside); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Create(path, false); !errors.Is(err, store.ErrExists) {
		t.Errorf("without force: %v", err)
	}
	open(t, path)
	if names := entries(t, dir); !slices.Equal(names, []string{"g"}) {
		t.Errorf("left %v", names)
	}
	write(t, filepath.Join(dir, "other"), testgraph.Path(), teststore.Options{})
	if err := os.Rename(filepath.Join(dir, "other"), aside); err != nil {
		t.Fatal(err)
	}
	w, cat := begin(t, path, true)
	if err := w.Commit(cat); err != nil {
		t.Fatal(err)
	}
	if names := entries(t, dir); !slices.Equal(names, []string{"g"}) {
		t.Errorf("left %v", names)
	}
	if _, err := store.Create(aside, true); err == nil || !strings.Contains(err.Error(), "choose another name") {
		t.Errorf("a graph of that name: %v", err)
	}
}

// TestOldStays checks that an import does not fail of an old graph that cannot be removed,
// and neither does the next one.
func TestOldStays(t *testing.T) {
	dir := memoryDir(t)
	path := filepath.Join(dir, "g")
	write(t, path, testgraph.Path(), teststore.Options{})
	held := filepath.Join(path, store.JobsDir)
	if err := os.Mkdir(held, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(held, held, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("a file system cannot be mounted: %v", err)
	}
	for i := range 2 {
		w, cat := begin(t, path, true)
		old := filepath.Join(w.Dir(), store.JobsDir)
		if i == 0 {
			defer func() {
				if err := unix.Unmount(old, 0); err != nil {
					t.Error(err)
				}
			}()
		}
		var warned []string
		w.Warn = func(msg string) { warned = append(warned, msg) }
		if err := w.Commit(cat); err != nil {
			t.Fatal(err)
		}
		if i == 0 && (len(warned) != 1 || !strings.Contains(warned[0], "the old one could not be removed") ||
			!strings.Contains(warned[0], path)) {
			t.Errorf("warned: %q", warned)
		}
		if got := open(t, path).Catalogue().Vertices; got != 1 {
			t.Errorf("%d vertices", got)
		}
	}
}

// TestNoName checks that a name that no folder can have is refused before the work.
func TestNoName(t *testing.T) {
	t.Chdir(memoryDir(t))
	for _, path := range []string{".", "..", "./a/.."} {
		if _, err := store.Create(path, false); err == nil || !strings.Contains(err.Error(), "give one, such as") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
