package wholefile

import (
	"errors"
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
		err := Write(path, 0, func(w io.Writer) error {
			_, err := io.WriteString(w, "half")
			_, _ = os.Stdout.WriteString("half\n")
			time.Sleep(time.Minute)
			return err
		})
		panic(err)
	}
	os.Exit(m.Run())
}

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
	folder := t.TempDir()
	path := filepath.Join(folder, strings.Repeat("a", 255))
	for _, want := range []string{"new", "newer"} {
		if err := Write(path, 0o640, text(want)); err != nil {
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
	s := Set{Ready: func(temporary string) { expect(t, temporary, "newest") }}
	defer s.End()
	if err := errors.Join(s.Write(path, 0, text("newest")), s.Place()); err != nil {
		t.Error(err)
	}
}

// TestSet checks that of two files both appear, or none while one is not whole.
func TestSet(t *testing.T) {
	fault := errors.New("fault")
	for _, fails := range []string{"write", "disk", "place", "panic", "nothing"} {
		folder := t.TempDir()
		a, b := filepath.Join(folder, "a"), filepath.Join(folder, "b")
		put(t, a, "old a")
		err := func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = fault
				}
			}()
			s := Set{Ready: func(temporary string) { // the first time
				if fails == "place" {
					_ = os.Remove(temporary)
				}
			}}
			defer s.End()
			if err := s.Write(a, 0, text("new a")); err != nil {
				return err
			}
			expect(t, a, "old a")
			err = s.Write(b, 0, func(w io.Writer) error {
				switch fails {
				case "write":
					return fault
				case "panic":
					panic(fault)
				case "disk":
					_ = w.(*os.File).Close()
				}
				return text("new b")(w)
			})
			if err != nil {
				return err
			}
			return s.Place()
		}()
		if (err == nil) != (fails == "nothing") {
			t.Errorf("%s: %v", fails, err)
		}
		if fails == "disk" && !strings.Contains(err.Error(), b) {
			t.Errorf("%v names another file than %s", err, b)
		}
		if fails == "nothing" {
			expectOnly(t, folder, "a", "b")
			expect(t, a, "new a")
			expect(t, b, "new b")
		} else {
			expectOnly(t, folder, "a")
			expect(t, a, "old a")
		}
	}
}

// TestPlaceTaken checks that a folder stands at the path in the end.
func TestPlaceTaken(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	if err := Write(path, 0, func(io.Writer) error { return os.Mkdir(path, 0o777) }); err == nil {
		t.Error("no error")
	}
	expectOnly(t, folder, "a")
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

// TestKilledWriter checks that the file of a killed writer goes with the next one, which leaves
// that of a living one.
func TestKilledWriter(t *testing.T) {
	folder := t.TempDir()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childVariable+"="+filepath.Join(folder, "a"))
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
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(elsewhere, filepath.Join(folder, nth("3"))),
		os.Mkdir(filepath.Join(folder, nth("4")), 0o777),
		unix.Mkfifo(filepath.Join(folder, nth("5")), 0o666)); err != nil {
		t.Fatal(err)
	}
	tidy(folder)
	slices.Sort(stay)
	expectOnly(t, folder, stay...)
	expect(t, elsewhere, "mine")
}

// TestManyWriters write at once, each of which looks for what others left.
func TestManyWriters(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				if err := Write(path, 0, text("whole")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	expectOnly(t, folder, "a")
	expect(t, path, "whole")
}
