package all_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/read"
)

// streamOf reads b as an input whose size is not known beforehand, and whose
// beginning is short of its end.
func streamOf(t *testing.T, name string, b []byte) readOutcome {
	t.Helper()
	in := &read.Input{Name: name, Size: -1, Once: true, Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b)), nil
	}}
	r := readOutcome{sink: &collector{}}
	r.schema, r.stats, r.err = read.Inputs(context.Background(), []*read.Input{in}, read.Options{BlockBytes: 64},
		format.Plan, r.sink)
	return r
}

// TestTruncated cuts compressed inputs short at every byte: the edges of an
// input are all there, or there is an error that names the file.
func TestTruncated(t *testing.T) {
	plain := bytes.Repeat([]byte("1\t2\n3\t4\n"), 40)
	for name, packed := range map[string][]byte{"g.gz": gzipped(t, plain), "g.zst": zstandard(t, plain)} {
		for cut := len(packed) - 1; cut >= 4; cut-- {
			r := readBytes(t, name, packed[:cut], read.Options{BlockBytes: 64})
			var damaged *read.DamagedError
			if !errors.As(r.err, &damaged) || !errors.Is(r.err, io.ErrUnexpectedEOF) {
				t.Fatalf("%s cut to %d of %d bytes: %v", name, cut, len(packed), r.err)
			}
			kind := map[string]string{"g.gz": "gzip", "g.zst": "zstd"}[name]
			want := name + ": the " + kind + " stream is truncated, or something was appended to it: it ends in the middle"
			if r.err.Error() != want {
				t.Fatalf("got %q, want %q", r.err, want)
			}
		}
	}
}

// TestDamaged changes bytes of compressed inputs.
func TestDamaged(t *testing.T) {
	plain := bytes.Repeat([]byte("1\t2\n3\t4\n5 6\n"), 4000)
	for name, packed := range map[string][]byte{"g.gz": gzipped(t, plain), "g.zst": zstandard(t, plain)} {
		for at := 4; at < len(packed); at += 7 {
			spoiled := bytes.Clone(packed)
			spoiled[at] ^= 0x5a
			r := readBytes(t, name, spoiled, read.Options{BlockBytes: 4096})
			if r.err == nil && r.stats.Entries != 12000 {
				t.Fatalf("%s: byte %d of %d changed, %d edges and no error", name, at, len(packed), r.stats.Entries)
			}
			if r.err != nil && !strings.HasPrefix(r.err.Error(), name+":") {
				t.Fatalf("%s: %v", name, r.err)
			}
		}
	}
}

// TestDamageBehindBadLine checks that a bad line before the damage is the first error.
func TestDamageBehindBadLine(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("1 2\nx 2\n")
	for i := range 200_000 {
		b.WriteString(strings.Repeat("1", 1+i%9) + " 2\n")
	}
	packed := gzipped(t, b.Bytes())
	r := readBytes(t, "g.gz", packed[:len(packed)-20], read.Options{BlockBytes: 100, IDs: read.IDsInt})
	if r.err == nil || !strings.HasPrefix(r.err.Error(), `g.gz:2: "x"`) {
		t.Fatal(r.err)
	}
}

// TestLongLines reads lines that are longer than a block, and than many.
func TestLongLines(t *testing.T) {
	for _, n := range []int{50, 5000, read.MaxLine - 10} {
		content := "1 2\n1" + strings.Repeat(" ", n) + "3\n# " + strings.Repeat("x", n) + "\n4 5\n"
		for _, block := range []int{16, 1 << 12} {
			r := readBytes(t, "g.txt", []byte(content), read.Options{BlockBytes: block, Threads: 2})
			if r.err != nil {
				t.Fatal(r.err)
			}
			if diff := cmp.Diff("1 2, 1 3, 4 5", joinEdges(r.sink.sorted(), false)); diff != "" {
				t.Fatalf("lines of %d bytes (-want +got):\n%s", n, diff)
			}
		}
	}
}

// endless gives lines for ever, and cancels after some.
type endless struct {
	given  int
	cancel func()
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = "1 2\n"[(e.given+i)%4]
	}
	e.given += len(p)
	if e.given > 2<<20 {
		e.cancel()
	}
	return len(p), nil
}

// TestCancel ends the reading of an input that does not end.
func TestCancel(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	in := &endless{cancel: func() { cancel(cause) }}
	sink := &collector{}
	_, _, err := format.Read(ctx, []string{"-"}, read.Options{Stdin: in, BlockBytes: 4096, Threads: 3}, sink)
	if !errors.Is(err, cause) {
		t.Fatal(err)
	}
	if sink.closed != 0 {
		t.Fatal("workers closed after a cancellation")
	}
}

// TestCancelWhileBlocked ends the wait for a standard input that gives nothing.
func TestCancelWhileBlocked(t *testing.T) {
	defer goleak.VerifyNone(t)
	r, w := io.Pipe()
	defer w.Close() // ends the one Read that was left alone
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, _, err := format.Read(ctx, []string{"-"}, read.Options{Stdin: r}, &collector{})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// TestCancelBefore does not touch the sink.
func TestCancelBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	sink := &collector{}
	_, _, err := format.Read(ctx, []string{"stream_test.go"}, read.Options{}, sink)
	if !errors.Is(err, context.Canceled) || sink.begun != 0 {
		t.Fatal(err, sink.begun)
	}
}

// TestSinkErrors returns the sink's errors back, and leaves no goroutine.
func TestSinkErrors(t *testing.T) {
	defer goleak.VerifyNone(t)
	full := errors.New("disk full")
	content := bytes.Repeat([]byte("1 2\n"), 100_000)
	for _, c := range []struct {
		name string
		b    []byte
		o    read.Options
	}{
		{"g.txt", content, read.Options{}},
		{"g.txt", content, read.Options{IDs: read.IDsString}},
		{"g.txt", content[:40], read.Options{}},
		{"x.v", []byte("1\n2\n"), read.Options{}},
		{"x.v", []byte("1\n2\n"), read.Options{IDs: read.IDsString}},
		{"g.bin", content, read.Options{}},
		{"g.sg", writeSG(fourEdges, 4, false, false), read.Options{}},
	} {
		in := func() []*read.Input {
			return []*read.Input{{Name: c.name, Size: int64(len(c.b)), Open: func(context.Context) (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(c.b)), nil
			}}}
		}
		sink := &collector{beginErr: full}
		if _, _, err := read.Inputs(context.Background(), in(), c.o, format.Plan, sink); !errors.Is(err, full) ||
			sink.open != 0 {
			t.Fatalf("%s: %v after %d workers", c.name, err, sink.open)
		}
		sink = &collector{addErr: full}
		if _, _, err := read.Inputs(context.Background(), in(), c.o, format.Plan, sink); !errors.Is(err, full) ||
			sink.closed != 0 {
			t.Fatalf("%s: %v", c.name, err)
		}
	}
}

// TestReadFailure returns the error of a file that cannot be read to its end.
func TestReadFailure(t *testing.T) {
	broken := errors.New("input/output error")
	in := &read.Input{Name: "g.txt", Size: -1, Once: true, Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(bytes.NewReader(bytes.Repeat([]byte("1000000 2000000\n"), 1<<17)),
			failing{broken})), nil
	}}
	_, _, err := read.Inputs(context.Background(), []*read.Input{in}, read.Options{}, format.Plan, &collector{})
	if !errors.Is(err, broken) || err.Error() != "g.txt: cannot be read: input/output error" {
		t.Fatal(err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
