package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func generate(t *testing.T, o GenOptions) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := Generate(t.Context(), &buf, o, nil); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// edge is an edge as read back.
type edge struct {
	src, dst uint64
	weight   float64
}

// read parses all that Generate makes.
func read(t *testing.T, o GenOptions) []edge {
	t.Helper()
	data := generate(t, o)
	var edges []edge
	switch o.Format {
	case Raw, RawW:
		width := 8
		if o.Format == RawW {
			width = 12
		}
		if len(data)%width != 0 {
			t.Fatalf("%d bytes", len(data))
		}
		for ; len(data) > 0; data = data[width:] {
			e := edge{uint64(binary.LittleEndian.Uint32(data)), uint64(binary.LittleEndian.Uint32(data[4:])), 1}
			if o.Format == RawW {
				e.weight = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[8:])))
			}
			edges = append(edges, e)
		}
	default:
		for line := range strings.Lines(string(data)) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			e, format, targets := edge{weight: 1}, "%d\t%d\n", 2
			if o.Weights {
				format, targets = "%d\t%d\t%g\n", 3
			}
			if n, err := fmt.Sscanf(line, format, []any{&e.src, &e.dst, &e.weight}[:targets]...); n != targets || err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			edges = append(edges, e)
		}
	}
	return edges
}

// small has a graph of each kind, of one block and of several.
var small = map[string]GenOptions{
	"rmat":          {Kind: RMAT, Scale: 10, Degree: 8, Seed: 1},
	"rmat-blocks":   {Kind: RMAT, Scale: 13, Degree: 17, Seed: 2, Weights: true},
	"rmat-permuted": {Kind: RMAT, Scale: 7, Degree: 3, Permute: true},
	"rmat-least":    {Kind: RMAT, Scale: 1, Degree: 1},
	"uniform":       {Kind: Uniform, Vertices: 1000, Edges: edgesPerBlock + 1, Weights: true},
	"uniform-one":   {Kind: Uniform, Vertices: 1, Edges: 3},
	"uniform-wide":  {Kind: Uniform, Vertices: maxVertices, Edges: 5000},
	"grid":          {Kind: Grid, Rows: 17, Cols: 31, Weights: true},
	"grid-blocks":   {Kind: Grid, Rows: 300, Cols: 300},
	"grid-row":      {Kind: Grid, Rows: 1, Cols: 9},
	"grid-column":   {Kind: Grid, Rows: 9, Cols: 1},
}

func TestCountsAndRanges(t *testing.T) {
	for name, o := range small {
		t.Run(name, func(t *testing.T) {
			vertices, edges, err := o.Size()
			if err != nil {
				t.Fatal(err)
			}
			got := read(t, o)
			if uint64(len(got)) != edges {
				t.Errorf("got %d edges, want %d", len(got), edges)
			}
			for _, e := range got {
				if e.src >= vertices || e.dst >= vertices {
					t.Fatalf("%v is out of range", e)
				}
				if o.Weights && (e.weight < 1 || e.weight > 255 || e.weight != math.Trunc(e.weight)) || !o.Weights &&
					e.weight != 1 {
					t.Fatalf("%v has a wrong weight", e)
				}
			}
		})
	}
}

// TestFormatsAgree checks that the same edges come from each format, with and without weights.
func TestFormatsAgree(t *testing.T) {
	for name, o := range small {
		if o.Vertices > math.MaxUint32 {
			continue
		}
		o.Weights = true
		text := read(t, o)
		o.Format = RawW
		weighted := read(t, o)
		o.Format, o.Weights = Raw, false
		raw := read(t, o)
		for i, e := range text {
			if weighted[i] != e || raw[i].src != e.src || raw[i].dst != e.dst {
				t.Fatalf("%s: edge %d is %v, %v and %v", name, i, e, weighted[i], raw[i])
			}
		}
	}
}

func TestThreadsDoNotMatter(t *testing.T) {
	for name, o := range small {
		o.Threads = 1
		want := generate(t, o)
		for _, o.Threads = range []int{0, 2, 3, 16} {
			if !bytes.Equal(generate(t, o), want) {
				t.Errorf("%s: other bytes with %d threads", name, o.Threads)
			}
		}
	}
}

// TestGolden checks that the bytes are a promise; recorded results name graphs by their
// options.
func TestGolden(t *testing.T) {
	for name, want := range map[string]string{
		"rmat":          "281667196d158866",
		"rmat-blocks":   "57f6476082bda75c",
		"rmat-permuted": "7c31d54a80bd8e86",
		"uniform":       "3ccaa25bef7190ba",
		"uniform-wide":  "9cc2fb4adb95662b",
		"grid":          "fc0308746ac52545",
	} {
		sum := sha256.Sum256(generate(t, small[name]))
		if got := hex.EncodeToString(sum[:8]); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
	const want = "# grid graph: 6 vertices, 7 edges; undirected, each edge once; 2 rows, 3 columns, seed 0; made by " +
		"garaph\n" +
		"# source, destination\n0\t1\n0\t3\n1\t2\n1\t4\n2\t5\n3\t4\n4\t5\n"
	if got := string(generate(t, GenOptions{Kind: Grid, Rows: 2, Cols: 3})); got != want {
		t.Errorf("got %q", got)
	}
}

func TestRefusals(t *testing.T) {
	rmat := GenOptions{Kind: RMAT, Scale: 4, Degree: 4}
	with := func(change func(*GenOptions)) GenOptions {
		o := rmat
		change(&o)
		return o
	}
	for _, c := range []struct {
		o    GenOptions
		want string
	}{
		{GenOptions{}, `"" is not a kind of graph`},
		{GenOptions{Kind: RMAT, Degree: 4}, "a scale of 1 to 40"},
		{GenOptions{Kind: RMAT, Scale: 41, Degree: 4}, "a scale of 1 to 40"},
		{GenOptions{Kind: RMAT, Scale: 4}, "a degree of 1 to"},
		{GenOptions{Kind: RMAT, Scale: 33, Degree: 1, Format: Raw}, "ids of 32 bits"},
		{with(func(o *GenOptions) { o.A, o.B, o.C = 0.5, 0.3, 0.2 }), "less than 1"},
		{with(func(o *GenOptions) { o.A, o.B, o.C = 0.5, -0.1, 0.2 }), "must be ≥ 0"},
		{with(func(o *GenOptions) { o.A = math.NaN() }), "less than 1"},
		{with(func(o *GenOptions) { o.Threads = -1 }), "-1 threads"},
		{with(func(o *GenOptions) { o.Format = "csv" }), `"csv" is not a format`},
		{with(func(o *GenOptions) { o.Format, o.Weights = Raw, true }), "no room for weights"},
		{GenOptions{Kind: Uniform, Edges: 1}, "1 to 2^40 vertices"},
		{GenOptions{Kind: Uniform, Vertices: 1}, "1 to 2^56 edges"},
		{GenOptions{Kind: Uniform, Vertices: 1 << 41, Edges: 1}, "1 to 2^40 vertices"},
		{GenOptions{Kind: Grid, Rows: 3}, "1 to 2^40 vertices"},
		{GenOptions{Kind: Grid, Rows: 1, Cols: 1}, "2^56 edges"},
		{GenOptions{Kind: Grid, Rows: 1 << 32, Cols: 1 << 32}, "1 to 2^40 vertices"},
		{GenOptions{Kind: Grid, Rows: 1 << 32, Cols: 1 << 31}, "1 to 2^40 vertices"},
		{GenOptions{Kind: Grid, Rows: 1 << 17, Cols: 1 << 17, Format: Raw}, "ids of 32 bits"},
	} {
		var buf bytes.Buffer
		if err := Generate(t.Context(), &buf, c.o, nil); err == nil || !strings.Contains(err.Error(), c.want) ||
			buf.Len() > 0 {
			t.Errorf("%+v: got %v, want %q", c.o, err, c.want)
		}
	}
}

// stopper runs a function at a write and passes its error on.
type stopper struct {
	after int
	stop  func() error
}

func (s *stopper) Write(p []byte) (int, error) {
	if s.after--; s.after < 0 {
		return 0, s.stop()
	}
	return len(p), nil
}

// TestStops checks that at the end of the context and at an error of the writer Generate
// ends soon and leaves no goroutine.
func TestStops(t *testing.T) {
	defer goleak.VerifyNone(t)
	huge := GenOptions{Kind: RMAT, Scale: 40, Degree: 1, Threads: 3}
	full := errors.New("disk full")
	for after := range 4 {
		if err := Generate(t.Context(), &stopper{after, func() error { return full }}, huge, nil); !errors.Is(err, full) {
			t.Errorf("got %v", err)
		}
		cause := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		var last uint64
		w := &stopper{after + 1, func() error { cancel(cause); return nil }}
		if err := Generate(ctx, w, huge, func(edges uint64) { last = edges }); !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
		if want := uint64(after+1) * edgesPerBlock; last != want {
			t.Errorf("got %d edges, want %d", last, want)
		}
	}
}

func TestProgress(t *testing.T) {
	var got []uint64
	o := GenOptions{Kind: Uniform, Vertices: 2, Edges: 2*edgesPerBlock + 5, Threads: 2}
	if err := Generate(t.Context(), new(bytes.Buffer), o, func(edges uint64) { got = append(got, edges) }); err != nil {
		t.Fatal(err)
	}
	if want := []uint64{edgesPerBlock, 2 * edgesPerBlock, 2*edgesPerBlock + 5}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
