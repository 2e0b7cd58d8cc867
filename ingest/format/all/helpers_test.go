package all_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/read"
)

// edgeSeen is an edge as a sink got it; ids are text, so that one type serves
// integers and strings.
type edgeSeen struct {
	U, V string
	W    float32
}

// collector is a sink that keeps everything.
type collector struct {
	schema   read.Schema
	begun    int
	beginErr error
	addErr   error // what every Add returns
	mu       sync.Mutex
	edges    []edgeSeen
	vertices []string
	open     int // workers that are not closed
	closed   int
	broken   error // what broke the contract of a Worker
}

func (c *collector) Begin(s read.Schema) error {
	c.schema = s
	c.begun++
	return c.beginErr
}

func (c *collector) Worker() read.Worker {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open++
	return &collectorWorker{c: c}
}

type collectorWorker struct{ c *collector }

func (w *collectorWorker) AddInts(src, dst []uint64, weight []float64) error {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	if err := w.c.check(len(src), len(dst), weight); err != nil {
		return err
	}
	for i := range src {
		if s := w.c.schema; s.IDs == read.IDDense {
			limit := uint64(read.MaxDense + 1)
			if s.Vertices >= 0 {
				limit = uint64(s.Vertices)
			}
			if src[i] >= limit || dst[i] >= limit {
				w.c.broken = fmt.Errorf("edge %d %d out of range", src[i], dst[i])
			}
		}
		e := edgeSeen{U: fmt.Sprint(int64(src[i])), V: fmt.Sprint(int64(dst[i]))}
		if weight != nil {
			e.W = float32(weight[i])
		}
		w.c.edges = append(w.c.edges, e)
	}
	return w.c.addErr
}

func (w *collectorWorker) AddStrings(src, dst [][]byte, weight []float64) error {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	if err := w.c.check(len(src), len(dst), weight); err != nil {
		return err
	}
	for i := range src {
		e := edgeSeen{U: string(src[i]), V: string(dst[i])}
		if weight != nil {
			e.W = float32(weight[i])
		}
		w.c.edges = append(w.c.edges, e)
	}
	return w.c.addErr
}

// check compares a call with the contract of Worker.
func (c *collector) check(src, dst int, weight []float64) error {
	switch {
	case src == 0 || src != dst || src > 64<<10:
		c.broken = fmt.Errorf("batch of %d sources and %d destinations", src, dst)
	case c.schema.Weighted != (weight != nil) || weight != nil && len(weight) != src:
		c.broken = fmt.Errorf("%d weights for %d edges, weighted: %v", len(weight), src, c.schema.Weighted)
	}
	for _, w := range weight {
		if !(w >= 0 && w <= math.MaxFloat32) {
			c.broken = fmt.Errorf("weight %v", w)
		}
	}
	return c.broken
}

func (w *collectorWorker) AddVertices(ids []uint64) error {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	for _, id := range ids {
		w.c.vertices = append(w.c.vertices, fmt.Sprint(int64(id)))
	}
	return w.c.addErr
}

func (w *collectorWorker) AddVertexNames(names [][]byte) error {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	for _, name := range names {
		w.c.vertices = append(w.c.vertices, string(name))
	}
	return w.c.addErr
}

func (w *collectorWorker) Close() error {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	w.c.closed++
	return nil
}

// sorted returns the edges in an order of their own.
func (c *collector) sorted() []edgeSeen {
	slices.SortFunc(c.edges, compareSeen)
	return c.edges
}

func compareSeen(a, b edgeSeen) int {
	return cmp.Or(cmp.Compare(a.U, b.U), cmp.Compare(a.V, b.V), cmp.Compare(a.W, b.W))
}

// readOutcome is everything that one reading gave.
type readOutcome struct {
	schema read.Schema
	stats  read.Stats
	sink   *collector
	warns  []string
	err    error
}

// readFiles reads the given contents as files of these names, in a folder of
// the test.
func readFiles(t testing.TB, o read.Options, files ...testFile) readOutcome {
	t.Helper()
	dir := t.TempDir()
	var names []string
	for _, f := range files {
		name := filepath.Join(dir, f.name)
		if err := os.WriteFile(name, f.content, 0o600); err != nil {
			t.Fatal(err)
		}
		if !f.hidden {
			names = append(names, name)
		}
	}
	r := readNames(t, o, names)
	r.trim(dir + string(filepath.Separator))
	return r
}

type testFile struct {
	name    string
	content []byte
	hidden  bool // written, but not named as an input
}

func textFile(name, content string) testFile { return testFile{name: name, content: []byte(content)} }

// table returns options of text in columns.
func table(delimiter byte, header read.HeaderMode, columns ...string) read.Options {
	return read.Options{Table: read.TableOptions{Delimiter: delimiter, Header: header, Columns: columns}}
}

// trim cuts the folder off what the reading said.
func (r *readOutcome) trim(dir string) {
	cut := func(s string) string { return string(bytes.ReplaceAll([]byte(s), []byte(dir), nil)) }
	for i := range r.warns {
		r.warns[i] = cut(r.warns[i])
	}
	switch e := r.err.(type) {
	case *read.SyntaxError:
		e.File, e.Expected = cut(e.File), cut(e.Expected)
	case *read.InputError:
		e.File, e.Problem, e.Advice = cut(e.File), cut(e.Problem), cut(e.Advice)
	case *read.DamagedError:
		e.File = cut(e.File)
	}
}

func readNames(t testing.TB, o read.Options, names []string) readOutcome {
	t.Helper()
	r := readOutcome{sink: &collector{}}
	o.Warn = func(msg string) { r.warns = append(r.warns, msg) }
	r.schema, r.stats, r.err = format.Read(context.Background(), names, o, r.sink)
	if r.sink.broken != nil {
		t.Fatal(r.sink.broken)
	}
	if r.err == nil && r.sink.closed != r.sink.open {
		t.Fatalf("%d of %d workers closed", r.sink.closed, r.sink.open)
	}
	if r.err != nil && r.sink.closed != 0 {
		t.Fatal("workers closed in spite of an error")
	}
	return r
}

// readBytes reads b as an input of the given name, without a file.
func readBytes(t testing.TB, name string, b []byte, o read.Options) readOutcome {
	t.Helper()
	in := &read.Input{Name: name, Size: int64(len(b)), Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b)), nil
	}, OpenAt: func() (read.ReaderAtCloser, error) {
		return struct {
			io.ReaderAt
			io.Closer
		}{bytes.NewReader(b), io.NopCloser(nil)}, nil
	}}
	r := readOutcome{sink: &collector{}}
	o.Warn = func(msg string) { r.warns = append(r.warns, msg) }
	r.schema, r.stats, r.err = read.Inputs(context.Background(), []*read.Input{in}, o, format.Plan, r.sink)
	if r.sink.broken != nil {
		t.Fatal(r.sink.broken)
	}
	return r
}

func gzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zstandard(t testing.TB, b []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	return z.EncodeAll(b, nil)
}
