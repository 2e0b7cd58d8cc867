package beneath

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// hostile returns a folder with one of each: a link to a file outside, to a folder
// outside, to a file and a folder inside, a FIFO, a socket, a sparse file.
func hostile(t *testing.T) (f *Folder, outside string) {
	t.Helper()
	dir, outside := t.TempDir(), t.TempDir()
	for _, err := range []error{
		unix.Mknod(filepath.Join(dir, "socket"), unix.S_IFSOCK|0o666, 0), // the path may be too long to listen at
		os.WriteFile(filepath.Join(outside, "file"), []byte("the user's"), 0o666),
		os.WriteFile(filepath.Join(dir, "file"), []byte("ours"), 0o666),
		os.MkdirAll(filepath.Join(dir, "folder", "deeper"), 0o777),
		os.WriteFile(filepath.Join(dir, "folder", "file"), []byte("ours"), 0o666),
		os.WriteFile(filepath.Join(dir, "sparse"), nil, 0o666),
		os.Truncate(filepath.Join(dir, "sparse"), 1<<40),
		os.Symlink(filepath.Join(outside, "file"), filepath.Join(dir, "link")),
		os.Symlink(outside, filepath.Join(dir, "away")),
		os.Symlink("file", filepath.Join(dir, "inner")),
		os.Symlink("folder", filepath.Join(dir, "round")),
		os.Symlink("nothing", filepath.Join(dir, "dangling")),
		unix.Mkfifo(filepath.Join(dir, "fifo"), 0o666),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f, outside
}

// TestKinds checks that what is no regular file is refused by name, at once, in whatever
// way it is opened, and what links lead to stays as it is.
func TestKinds(t *testing.T) {
	f, outside := hostile(t)
	for _, name := range []string{"link", "inner", "dangling", "fifo", "socket", "folder"} {
		ways := map[string]func() error{
			"read": func() error { _, err := f.ReadFile(name, 99); return err },
			"write": func() error {
				_, err := f.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o666)
				return err
			},
			"list": func() error { _, err := f.ReadDir(name); return err },
			"open": func() error { _, err := f.Folder(name); return err },
			"sync": func() error { return f.Sync(name) },
		}
		for way, do := range ways {
			if name == "folder" && way != "read" && way != "write" {
				continue
			}
			ended := make(chan error, 1)
			go func() { ended <- do() }()
			select {
			case err := <-ended:
				where, _, _ := strings.Cut(name, "/")
				if !errors.Is(err, ErrKind) || !strings.Contains(err.Error(), where) {
					t.Errorf("%s %s: %v", way, name, err)
				}
			case <-time.After(time.Minute):
				t.Fatalf("%s %s hangs", way, name)
			}
		}
	}
	_, open := f.Open("away/file")
	_, list := f.ReadDir("away/.")
	for _, err := range []error{open, list, f.Remove("away/file"), f.Rename("away/file", "x"),
		f.Rename("file", "away/file"), f.Mkdir("away/x", 0o777), f.Chmod("away/file", 0)} {
		if err == nil {
			t.Error("a link leads out of the folder")
		}
	}
	if err := f.Chmod("link", 0); !errors.Is(err, ErrKind) {
		t.Errorf("chmod of a link: %v", err)
	}
	if _, err := f.ReadFile("../"+filepath.Base(outside)+"/file", 99); err == nil {
		t.Error("a name leads out of the folder")
	}
	if b, err := os.ReadFile(filepath.Join(outside, "file")); string(b) != "the user's" {
		t.Errorf("the user's file is %q, %v", b, err)
	}
}

// TestReadFile checks that the size is compared with the limit before anything is read.
func TestReadFile(t *testing.T) {
	f, _ := hostile(t)
	if b, err := f.ReadFile("folder/file", 4); string(b) != "ours" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := f.ReadFile("file", 3); err == nil || !strings.Contains(err.Error(), "has 4 bytes, expected 3 at most") {
		t.Error(err)
	}
	if _, err := f.ReadFile("sparse", 1<<20); err == nil || !strings.Contains(err.Error(), "has 1099511627776 bytes") {
		t.Error(err)
	}
	if _, err := f.ReadFile("nothing", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestRename checks that Rename replaces a link and not what it leads to.
func TestRename(t *testing.T) {
	f, outside := hostile(t)
	if err := f.Rename("file", "link"); err != nil {
		t.Error(err)
	}
	if b, err := f.ReadFile("link", 9); string(b) != "ours" {
		t.Errorf("%q, %v", b, err)
	}
	if b, _ := os.ReadFile(filepath.Join(outside, "file")); string(b) != "the user's" {
		t.Errorf("the user's file is %q", b)
	}
}
