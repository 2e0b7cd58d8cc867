package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const childVariable = "GARAPH_WHOLEFILE_CHILD"

// TestMain is also the writer that TestKilledWriter kills.
func TestMain(m *testing.M) {
	if path := os.Getenv(childVariable); path != "" {
		err := disk{named: os.Getenv("GARAPH_WHOLEFILE_NAMED") != ""}.write(path, 0, func(w io.Writer) error {
			_, err := io.WriteString(w, "half")
			_, _ = os.Stdout.WriteString("half\n")
			time.Sleep(time.Minute)
			return err
		})
		panic(err)
	}
	os.Exit(m.Run())
}

// disks are file systems with and without unnamed files.
var disks = map[string]disk{"unnamed": {}, "named": {named: true}}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func expect(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s: got %q, %v; want %q", path, got, err, want)
	}
}

func listing(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func expectOnly(t *testing.T, folder string, want ...string) {
	t.Helper()
	if got := listing(t, folder); !slices.Equal(got, want) {
		t.Errorf("%s holds %q, want %q", folder, got, want)
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestWrite writes new files, and ones in the place of others.
func TestWrite(t *testing.T) {
	t.Chdir(t.TempDir())
	err := Write("x", 0, func(w io.Writer) error {
		if name := w.(*os.File).Name(); name != "x" && !strings.Contains(name, ".tmp") {
			t.Errorf("errors would name it %s", name)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for name, d := range disks {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, strings.Repeat("a", 255))
			for _, want := range []string{"new", "newer"} {
				if err := d.write(path, 0o640, text(want)); err != nil {
					t.Fatal(err)
				}
				expect(t, path, want)
				info, err := os.Stat(path)
				if err != nil || info.Mode() != 0o640 {
					t.Errorf("%v, %v", info.Mode(), err)
				}
			}
			expectOnly(t, folder, filepath.Base(path))
			if err := Check(folder, 0o400); err != nil {
				t.Error(err)
			}
			expectOnly(t, folder, filepath.Base(path))
		})
	}
}

// TestOrder: data must be on the disk before its name, or a power failure leaves
// an empty file.
func TestOrder(t *testing.T) {
	var steps []string
	d := disk{fault: func(step string) error {
		steps = append(steps, step)
		return nil
	}}
	if err := d.write(filepath.Join(t.TempDir(), "a"), 0, text("")); err != nil {
		t.Fatal(err)
	}
	if want := []string{"create", "write", "sync", "name", "sync folder"}; !slices.Equal(steps, want) {
		t.Errorf("%q, want %q", steps, want)
	}
}

// TestFaults: whatever fails, the old file stays and nothing is left over, but
// after the last step.
func TestFaults(t *testing.T) {
	fault := errors.New("fault")
	for name, d := range disks {
		for _, fail := range []string{"create", "write", "sync", "name", "sync folder"} {
			folder := t.TempDir()
			path := filepath.Join(folder, "a")
			put(t, path, "old")
			d.fault = func(step string) error {
				if step == fail {
					return fault
				}
				return nil
			}
			if err := d.write(path, 0, text("new")); !errors.Is(err, fault) {
				t.Errorf("%s, %s: got %v", name, fail, err)
			}
			expectOnly(t, folder, "a")
			if fail == "sync folder" {
				expect(t, path, "new")
			} else {
				expect(t, path, "old")
			}
		}
	}
}

// TestSet: of two files both appear, or none while the others are not whole.
func TestSet(t *testing.T) {
	fault := errors.New("fault")
	for name, d := range disks {
		for _, fail := range []string{"create 2", "write 2", "sync 2", "name 1", "nothing"} {
			folder := t.TempDir()
			a, b := filepath.Join(folder, "a"), filepath.Join(folder, "b")
			put(t, a, "old a")
			count := map[string]int{}
			d.fault = func(step string) error {
				count[step]++
				if fmt.Sprint(step, " ", count[step]) == fail {
					return fault
				}
				return nil
			}
			s := Set{disk: d}
			err := s.Write(a, 0, text("new a"))
			expect(t, a, "old a")
			if err == nil {
				err = s.Write(b, 0, text("new b"))
			}
			if err == nil {
				err = s.Place()
			}
			s.End()
			if fail == "nothing" {
				expectOnly(t, folder, "a", "b")
				expect(t, a, "new a")
				expect(t, b, "new b")
			} else {
				expectOnly(t, folder, "a")
				expect(t, a, "old a")
			}
			if (err == nil) != (fail == "nothing") {
				t.Errorf("%s, %s: %v", name, fail, err)
			}
		}
	}
}

// TestPlaceTaken: a folder stands at the path in the end.
func TestPlaceTaken(t *testing.T) {
	for name, d := range disks {
		folder := t.TempDir()
		path := filepath.Join(folder, "a")
		err := d.write(path, 0, func(io.Writer) error { return os.Mkdir(path, 0o777) })
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		expectOnly(t, folder, "a")
	}
}

func TestNotWritable(t *testing.T) {
	if err := Check(filepath.Join(t.TempDir(), "gone"), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	if err := Check(folder, 0); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "not writable") {
		t.Errorf("got %v", err)
	}
}

// TestKilledWriter kills writers: an unnamed file goes with its writer, and a
// named one with the next writer, which leaves that of a living one.
func TestKilledWriter(t *testing.T) {
	for name, d := range disks {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "a")
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), childVariable+"="+path)
			if d.named {
				c.Env = append(c.Env, "GARAPH_WHOLEFILE_NAMED=1")
			}
			out, err := c.StdoutPipe()
			if err == nil {
				err = c.Start()
			}
			if err == nil {
				_, err = io.ReadFull(out, make([]byte, 5))
			}
			if err != nil {
				t.Fatal(err)
			}
			begun := listing(t, folder)
			if f, err := unnamed(folder, "x"); err == nil {
				_ = f.end()
			} else if !d.named {
				t.Skip("there are no unnamed files")
			}
			if d.named != (len(begun) == 1) {
				t.Fatalf("a writer begins with %q", begun)
			}
			if err := Write(filepath.Join(folder, "b"), 0, text("b")); err != nil {
				t.Fatal(err)
			}
			expectOnly(t, folder, append(begun, "b")...)
			_ = c.Process.Kill()
			_ = c.Wait()
			if err := Write(filepath.Join(folder, "b"), 0, text("c")); err != nil {
				t.Fatal(err)
			}
			expectOnly(t, folder, "b")
		})
	}
}

// TestTidy removes what is a killed writer's, and no other file.
func TestTidy(t *testing.T) {
	folder, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "linked")
	put(t, elsewhere, "mine")
	const left = ".garaph-0123456789abcde%.tmp"
	nth := func(s string) string { return strings.Replace(left, "%", s, 1) }
	put(t, filepath.Join(folder, nth("0")), "left")
	put(t, filepath.Join(folder, nth("1")), "read-only")
	if err := os.Chmod(filepath.Join(folder, nth("1")), 0o400); err != nil {
		t.Fatal(err)
	}
	stay := []string{
		nth("00"), nth(""), nth("g"), nth("A"), "x" + nth("0"), nth("0") + ".tmp", // not our names
		nth("2"), // locked
		nth("3"), nth("4"), nth("5"),
	}
	for _, name := range stay[:7] {
		put(t, filepath.Join(folder, name), "stays")
	}
	f, err := os.Open(filepath.Join(folder, nth("2")))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !lock(f, unix.LOCK_NB) {
		t.Fatal("not locked")
	}
	if err := errors.Join(os.Symlink(elsewhere, filepath.Join(folder, nth("3"))), os.Mkdir(filepath.Join(folder, nth("4")), 0o777),
		unix.Mkfifo(filepath.Join(folder, nth("5")), 0o666)); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // another user's
		put(t, filepath.Join(folder, nth("6")), "stays")
		if err := os.Chown(filepath.Join(folder, nth("6")), 12345, -1); err != nil {
			t.Fatal(err)
		}
		stay = append(stay, nth("6"))
	}
	tidy(folder)
	slices.Sort(stay)
	expectOnly(t, folder, stay...)
	expect(t, elsewhere, "mine")
}

// TestManyWriters write at once, each of which looks for what others left.
func TestManyWriters(t *testing.T) {
	for name, d := range disks {
		folder := t.TempDir()
		path := filepath.Join(folder, "a")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 50 {
					if err := d.write(path, 0, text("whole")); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
			})
		}
		all.Wait()
		expectOnly(t, folder, "a")
		expect(t, path, "whole")
	}
}
