package results

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func small() *memory {
	return &memory{
		name: "rank", rows: 2,
		batches: []*Batch{{IDs: IDs{Ints: []int64{1, 2}}, Columns: []Values{{F32: []float32{0.25, 0.75}}}}},
	}
}

const smallTSV = "1\t0.25\n2\t0.75\n"

func listing(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func put(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestWriteFile(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "new.tsv")
	if err := WriteFile(file, TSV, small()); err != nil {
		t.Fatal(err)
	}
	if got := content(t, file); got != smallTSV {
		t.Errorf("new: got %q", got)
	}

	private := filepath.Join(folder, "private.tsv")
	put(t, private, "old", 0o600)
	if err := WriteFile(private, TSV, small()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(private)
	if err != nil {
		t.Fatal(err)
	}
	if got := content(t, private); got != smallTSV || info.Mode() != 0o600 {
		t.Errorf("replaced: got %q, %v", got, info.Mode())
	}

	old, link := filepath.Join(folder, "old"), filepath.Join(folder, "link.tsv")
	put(t, old, "old", 0o644)
	if err := os.Symlink("old", link); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, TSV, small()); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != "old" || content(t, old) != smallTSV {
		t.Errorf("a link is %q, %v; it leads to %q", to, err, content(t, old))
	}
	dangling := filepath.Join(folder, "dangling.tsv")
	if err := os.Symlink(filepath.Join(folder, "later.tsv"), dangling); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(CheckFile("the results", dangling), WriteFile(dangling, TSV, small())); err != nil {
		t.Fatal(err)
	}
	if got := content(t, filepath.Join(folder, "later.tsv")); got != smallTSV {
		t.Errorf("behind a link to nothing: got %q", got)
	}

	longest := filepath.Join(folder, strings.Repeat("n", 251)+".tsv")
	if err := WriteFile(longest, TSV, small()); err != nil {
		t.Error(err)
	}
	t.Chdir(folder)
	if err := WriteFile("relative.tsv", TSV, small()); err != nil {
		t.Error(err)
	}
	want := []string{"dangling.tsv", "later.tsv", "link.tsv", "new.tsv", filepath.Base(longest), "old",
		"private.tsv", "relative.tsv"}
	if diff := cmp.Diff(want, listing(t, folder)); diff != "" {
		t.Error(diff)
	}
}

func TestWriteFileCompressesBySuffix(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.gz")
	for f, ok := range map[Format]bool{TSV: true, "tsv.gz": true, "tsv.zst": false, Parquet: false} {
		if err := WriteFile(file, f, small()); (err == nil) != ok {
			t.Errorf("%s: got %v", f, err)
		} else if ok && !strings.HasPrefix(content(t, file), "\x1f\x8b") {
			t.Errorf("%s is not compressed", f)
		}
	}
}

func TestStreams(t *testing.T) {
	if err := WriteFile("/dev/null", TSV, small()); err != nil {
		t.Error(err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if err := CheckFile("the results", pipe); err != nil {
		t.Error(err)
	}
	done := make(chan error, 1)
	go func() { done <- WriteFile(pipe, TSV, small()) }()
	if got := content(t, pipe); got != smallTSV {
		t.Errorf("got %q", got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}

	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func(f *os.File) { os.Stdout = f }(os.Stdout)
	os.Stdout = write
	if err := WriteFile("/dev/stdout", TSV, small()); err != nil {
		t.Error(err)
	}
	if err := write.Close(); err != nil {
		t.Error(err)
	}
	if got, _ := io.ReadAll(read); string(got) != smallTSV {
		t.Errorf("stdout: got %q", got)
	}
}

// TestPipeOfNobody checks that a writer to a pipe that nobody reads, or of which nobody reads
// more, ends with the context.
func TestPipeOfNobody(t *testing.T) {
	for _, opened := range []bool{false, true} {
		pipe := filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Skip(err)
		}
		if opened { // a reader that never reads
			f, err := os.OpenFile(pipe, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		write := func(w io.Writer) error { // more than a pipe holds
			_, err := w.Write(make([]byte, 4<<20))
			return err
		}
		if err := writeStream(ctx, pipe, write); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("opened %v: %v", opened, err)
		}
	}
}

// TestRefusedPaths checks that both functions refuse the same, with a sentence that says
// why.
func TestRefusedPaths(t *testing.T) {
	folder := t.TempDir()
	put(t, filepath.Join(folder, "file"), "", 0o644)
	toFolder := filepath.Join(folder, "to-folder")
	if err := os.Symlink(".", toFolder); err != nil {
		t.Fatal(err)
	}
	loop := filepath.Join(folder, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	before := listing(t, folder)
	cases := map[string]string{
		"":                                     "path of the results is empty",
		folder:                                 "it is a folder",
		toFolder:                               "it is a folder",
		folder + "/none/":                      "names a folder",
		filepath.Join(folder, "none", "a.tsv"): "none does not exist; create it first",
		filepath.Join(folder, "file", "a.tsv"): "not a directory",
		loop:                                   "too many levels",
		"/dev/zero":                            "not a file",
		"/proc/a.tsv":                          "no file can be created in the folder /proc",
		filepath.Join(folder, strings.Repeat("n", 300)): "file name too long",
	}
	if os.Geteuid() != 0 { // root may write anywhere
		locked := filepath.Join(folder, "locked")
		if err := os.Mkdir(locked, 0o555); err != nil {
			t.Fatal(err)
		}
		before = listing(t, folder)
		cases[filepath.Join(locked, "a.tsv")] = "is not writable"
	}
	for path, want := range cases {
		for name, err := range map[string]error{"CheckFile": CheckFile("the results", path),
			"WriteFile": WriteFile(path, TSV, small())} {
			if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "cannot write") > 1 {
				t.Errorf("%s(%q): got %v, want %q", name, path, err, want)
			}
		}
	}
	if diff := cmp.Diff(before, listing(t, folder)); diff != "" {
		t.Error(diff)
	}
}

func TestCheckWritableLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "a.tsv")
	put(t, file, "old", 0o644)
	for _, path := range []string{file, filepath.Join(folder, "b.tsv"), "/dev/stdout", "/dev/null"} {
		if err := CheckFile("the results", path); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]string{"a.tsv"}, listing(t, folder)); diff != "" || content(t, file) != "old" {
		t.Error(diff)
	}
}

// failingWriter accepts a number of bytes and fails then.
type failingWriter struct {
	left  int
	cause error
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		n := w.left
		w.left = 0
		return n, w.cause
	}
	w.left -= len(p)
	return len(p), nil
}

// TestFullDisk checks that every format reports the error of its writer, wherever it
// comes.
func TestFullDisk(t *testing.T) {
	cause := errors.New("disk full")
	m := &memory{ids: IDString, name: "rank"}
	m.setStrings(strange)
	large := small()
	ids, values := make([]int64, 100_000), make([]float32, 100_000)
	for i := range ids {
		ids[i], values[i] = int64(i)*int64(i), float32(i)/7
	}
	large.batches, large.rows = []*Batch{{IDs: IDs{Ints: ids}, Columns: []Values{{F32: values}}}}, int64(len(ids))
	for _, f := range allFormats {
		size := len(write(t, f, m))
		for n := range size {
			if err := Write(&failingWriter{n, cause}, f, m); !errors.Is(err, cause) {
				t.Fatalf("%s, %d bytes of %d: got %v", f, n, size, err)
			}
		}
		size = len(write(t, f, large))
		for n := 0; n < size; n += size/9 + 1 {
			if err := Write(&failingWriter{n, cause}, f, large); !errors.Is(err, cause) {
				t.Fatalf("%s, %d bytes of %d: got %v", f, n, size, err)
			}
		}
		if err := Write(&failingWriter{size, cause}, f, large); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
	var b bytes.Buffer
	if err := Write(&b, "tsv.zst", m); err != nil {
		t.Error(err)
	}
}
