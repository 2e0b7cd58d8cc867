package export

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/ingest"
	edgeformat "github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/format/adjacency"
	"github.com/garaph/garaph/ingest/format/columns"
	"github.com/garaph/garaph/ingest/format/gap"
	"github.com/garaph/garaph/ingest/format/graphml"
	"github.com/garaph/garaph/ingest/format/mtx"
	"github.com/garaph/garaph/ingest/format/text"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// kinds are ids of vertices, as text and in an ascending order.
var kinds = map[string]func(i int) string{
	"dense":    strconv.Itoa,
	"from one": func(i int) string { return strconv.Itoa(i + 1) },
	"gaps":     func(i int) string { return strconv.Itoa(7*i - 40) },
	"large":    func(i int) string { return strconv.FormatUint(math.MaxUint64-uint64(7*i), 10) },
	"beyond":   func(i int) string { return strconv.Itoa(i<<33 + 5) },
	"names": func(i int) string {
		odd := []string{"#", "%", "a b", `"`, `a"b`, "a,b", "ä", "source", "7", "007", `""`, " ", "x\ty", "-",
			"0x1", "target"}
		if i < len(odd) {
			return odd[i]
		}
		return fmt.Sprint("n", i)
	},
}

// graphs are stored ones, for the time of a test.
type graphs struct {
	rapid.TB
	folder string
	open   []*store.Store
}

func newGraphs(t rapid.TB) *graphs {
	t.Helper()
	folder, err := os.MkdirTemp("", "garaph-export-")
	if err != nil {
		t.Fatal(err)
	}
	return &graphs{TB: t, folder: folder}
}

func (t *graphs) close() {
	for _, s := range t.open {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	os.RemoveAll(t.folder)
}

// imported returns a graph that an import makes of text.
func imported(t *testing.T, text string, o ingest.Options) *store.Store {
	t.Helper()
	all := newGraphs(t)
	t.Cleanup(all.close)
	return all.imported(text, o)
}

func (t *graphs) imported(text string, o ingest.Options) *store.Store {
	t.Helper()
	folder, err := os.MkdirTemp(t.folder, "")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "edges")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return t.importedFrom(filepath.Join(folder, "graph"), o, file)
}

func (t *graphs) importedFrom(path string, o ingest.Options, files ...string) *store.Store {
	t.Helper()
	o.Threads, o.Memory = 2, 512<<20
	if _, err := ingest.Import(context.Background(), files, path, o); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.open = append(t.open, s)
	return s
}

// textOf returns a graph under ids of a kind, as an import reads it.
func textOf(g oracle.Graph, id func(int) string, weighted bool) string {
	var b []byte
	for _, e := range g.Edges {
		b, _ = quoted(b, id(int(e.Src)))
		b, _ = quoted(append(b, '\t'), id(int(e.Dst)))
		if weighted {
			b = strconv.AppendFloat(append(b, '\t'), float64(e.Weight), 'g', -1, 32)
		}
		b = append(b, '\n')
	}
	return string(b)
}

// again imports an export as its report says.
func (t *graphs) again(text []byte, r Report, layout ingest.StorageOptions, s *store.Store) *store.Store {
	t.Helper()
	return t.againFrom([][]byte{text}, r, layout, s)
}

// againFrom imports an export in parts: as a folder, unless there is one.
func (t *graphs) againFrom(parts [][]byte, r Report, layout ingest.StorageOptions, s *store.Store) *store.Store {
	t.Helper()
	folder, err := os.MkdirTemp(t.folder, "")
	if err != nil {
		t.Fatal(err)
	}
	suffix := Extension(r.Format)
	file := filepath.Join(folder, "edges")
	o := ingest.Options{Storage: layout}
	if r.Format == text.LDBC {
		var ids bytes.Buffer
		if err := WriteIDs(context.Background(), s, &ids); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file+".v", ids.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file += suffix
	for i := 0; i < len(r.Import); i++ {
		value := func() string { i++; return r.Import[i] }
		switch r.Import[i] {
		case "--format":
			o.Format = ingest.Format(value())
		case "--ids":
			o.IDs = ingest.IDMode(value())
		case "--header":
			o.Table.Header = ingest.HeaderYes
		case "--no-header":
			o.Table.Header = ingest.HeaderNo
		case "--weights":
			o.Weights = ingest.WeightMode(value())
		case "--vertices":
			o.Vertices, err = strconv.ParseInt(value(), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
		case "--undirected":
			o.Edges.Undirected = true
		case "--dedup":
			o.Edges.Parallel = ingest.ParallelMin
		default:
			t.Fatalf("the flag %s is not known", r.Import[i])
		}
	}
	input := file
	if len(parts) > 1 {
		input = filepath.Join(folder, "parts")
		file = filepath.Join(input, "part"+suffix)
		if err := os.Mkdir(input, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for i, text := range parts {
		if i > 0 {
			file = filepath.Join(input, fmt.Sprint("part-", i, suffix))
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return t.importedFrom(filepath.Join(folder, "graph"), o, input)
}

// writeDrawn writes a graph as one file, or in parts if the format has them.
func writeDrawn(t *rapid.T, s *store.Store, o Options) (parts [][]byte, r Report, err error) {
	n := rapid.IntRange(0, 5).Draw(t, "parts")
	if n == 0 || !HasParts(o.Format) {
		var b bytes.Buffer
		r, err = Write(context.Background(), s, &b, o)
		return [][]byte{b.Bytes()}, r, err
	}
	total := uint64(0)
	r, err = WriteParts(context.Background(), s, Parts{N: n, Create: func(write func(io.Writer) (uint64, error)) error {
		var b bytes.Buffer
		edges, err := write(&b)
		if edges > 0 {
			parts = append(parts, b.Bytes())
		}
		total += edges
		return err
	}}, o)
	if err == nil && (total != r.Edges || len(parts) > n || len(parts) == 0) {
		t.Fatalf("%d parts with %d edges; want %d with %d", len(parts), total, n, r.Edges)
	}
	return parts, r, err
}

// shardsOf returns the part of the fingerprint that depends on the edges.
func shardsOf(s *store.Store) string {
	var b strings.Builder
	for _, i := range s.Catalogue().Shards {
		fmt.Fprintln(&b, i.First, i.Vertices, i.In, i.Out, i.InSum, i.OutSum)
	}
	return b.String()
}

// TestRoundTrip checks that an import of an export is an equal graph: the same edges and weights, under the same ids
// where the format has them.
func TestRoundTrip(t *testing.T) {
	names := []string{"dense", "from one", "gaps", "large", "beyond", "names"}
	rapid.Check(t, func(t *rapid.T) {
		g := testgraph.Draw(t)
		if len(g.Edges) == 0 {
			return
		}
		weighted, undirected := rapid.Bool().Draw(t, "weighted"), rapid.Bool().Draw(t, "undirected")
		kind := rapid.SampledFrom(names).Draw(t, "ids")
		o := ingest.Options{
			Edges:   ingest.EdgeOptions{Undirected: undirected},
			Storage: ingest.StorageOptions{ShardVertices: rapid.IntRange(1, 40).Draw(t, "shard")},
		}
		o.Storage.Layout = rapid.SampledFrom([]store.Layout{store.CSC, store.Packed}).Draw(t, "layout")
		if kind == "names" {
			o.IDs, o.Table.Header = ingest.IDsString, ingest.HeaderNo
		}
		if kind == "dense" {
			o.IDs = ingest.IDsDense
		}
		graphs := newGraphs(t)
		defer graphs.close()
		s := graphs.imported(textOf(g, kinds[kind], weighted), o)
		format := rapid.SampledFrom(Formats()).Draw(t, "format")
		x := Options{Format: format, Threads: rapid.IntRange(1, 4).Draw(t, "threads")}
		if err := x.Check("g", s.Catalogue()); err != nil {
			return
		}
		parts, r, err := writeDrawn(t, s, x)
		if weighted && errors.Is(err, edgeformat.ErrWeight) && (format == gap.WSG || format == adjacency.METIS) {
			return
		}
		if format == adjacency.METIS && err != nil && strings.Contains(err.Error(), "leads to itself") &&
			slices.ContainsFunc(g.Edges, func(e oracle.Edge) bool { return e.Src == e.Dst }) {
			return
		}
		noRows := weighted && writerOf(format).Half == edgeformat.Whole && o.Storage.Layout == store.CSC && !undirected
		if noRows {
			if err == nil {
				t.Fatal("out-rows have no weights, and are written")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		other := graphs.againFrom(parts, r, o.Storage, s)
		if r.Isolated > 0 && !strings.Contains(fmt.Sprint(r.Import), "dense") ||
			r.Isolated > 0 && writerOf(format).Labels == edgeformat.IDs32 {
			t.Fatalf("%d vertices without edges are lost", r.Isolated) // of an import that has none
		}
		if r.Directed != (undirected && format == adjacency.Ligra && hasParallel(g)) {
			t.Fatalf("the import is directed: %v", r.Directed)
		}
		if r.Directed { // the same edges, in a directed graph
			o.Edges.Undirected = false
			s = graphs.imported(mirroredText(g, kinds[kind], weighted), o)
		}
		same := s.Catalogue().Fingerprint == other.Catalogue().Fingerprint
		if r.Renumbered {
			same = shardsOf(s) == shardsOf(other) && s.Catalogue().Symmetric == other.Catalogue().Symmetric
		}
		if !same {
			t.Fatalf("%s of ids %s: the import is another graph; import flags %q\n%s", format, kind, r.Import, parts)
		}
	})
}

// hasParallel reports whether a pair of vertices has several edges, of whichever direction.
func hasParallel(g oracle.Graph) bool {
	pairs := map[[2]uint32]bool{}
	for _, e := range g.Edges {
		pairs[[2]uint32{min(e.Src, e.Dst), max(e.Src, e.Dst)}] = true
	}
	return len(pairs) < len(g.Edges)
}

// mirroredText returns each edge in both directions, and self-loops once.
func mirroredText(g oracle.Graph, id func(int) string, weighted bool) string {
	both := oracle.Graph{N: g.N, Edges: slices.Clone(g.Edges)}
	for _, e := range g.Edges {
		if e.Src != e.Dst {
			both.Edges = append(both.Edges, oracle.Edge{Src: e.Dst, Dst: e.Src, Weight: e.Weight})
		}
	}
	return textOf(both, id, weighted)
}

// TestMagicNames checks that names that look like the beginning of another kind of file, or of none, stay names.
func TestMagicNames(t *testing.T) {
	for _, names := range testsize.Some([][2]string{
		{"\ufeffa", "b"}, {"\ufeffa", "a"}, {"\ufeff", "x"}, {"AdjacencyGraph", "1"}, {"WeightedAdjacencyGraph", "x"},
		{"p", "sp"}, {"PAR1", "x"}, {"ARROW1", "x"},
		{"BZh91AY&SY", "x"}, {"\x1f\x8b\x08", "x"}, {"(\xb5/\xfd", "x"}, {"P*M\x18", "x"}, {"\xff\xfea", "x"}, {"{", "}"},
		{"a", "->"}, {"*vertices", "3"},
		{"<graphml>", "x"}, {"a:", "b"}, {"\x01\x02\x03\x04\x05\x06", "x"},
	}, 3, 0) {
		edges := fmt.Sprintf("\"%s\" \"%s\"\n\"%[1]s\" \"%[1]s\"\n", names[0], names[1])
		s := imported(t, edges,
			ingest.Options{Format: text.Text, IDs: ingest.IDsString, Table: ingest.TableOptions{Header: ingest.HeaderNo}})
		graphs := newGraphs(t)
		for _, f := range []Format{text.Text, text.CSV, text.LDBC} {
			var b bytes.Buffer
			r, err := Write(context.Background(), s, &b, Options{Format: f})
			if err != nil {
				t.Fatal(err)
			}
			other := graphs.again(b.Bytes(), r, ingest.StorageOptions{}, s)
			if s.Catalogue().Fingerprint != other.Catalogue().Fingerprint {
				t.Errorf("%s of %q: the import is another graph; import flags %q\n%s", f, names, r.Import, &b)
			}
		}
		graphs.close()
	}
}

// TestMagicNumbers checks raw numbers with which another kind of file begins.
func TestMagicNumbers(t *testing.T) {
	for _, magic := range []string{"PAR1", "ARRO", "Adja"} {
		s := imported(t, fmt.Sprintln(binary.LittleEndian.Uint32([]byte(magic)), 5), ingest.Options{})
		var b bytes.Buffer
		r, err := Write(context.Background(), s, &b, Options{Format: gap.Raw})
		if err != nil {
			t.Fatal(err)
		}
		graphs := newGraphs(t)
		other := graphs.again(b.Bytes(), r, ingest.StorageOptions{}, s)
		if s.Catalogue().Fingerprint != other.Catalogue().Fingerprint {
			t.Errorf("%s: the import is another graph", magic)
		}
		graphs.close()
	}
}

// TestBoth checks that both directions of an undirected graph are the edges that are stored.
func TestBoth(t *testing.T) {
	s := imported(t, "1 2\n2 3\n3 3\n", ingest.Options{Edges: ingest.EdgeOptions{Undirected: true}})
	for format, want := range map[Format]string{
		text.Text:   "1\t2\n2\t1\n2\t3\n3\t2\n3\t3\n",
		mtx.Name:    "%%MatrixMarket matrix coordinate pattern general\n3 3 5\n1 2\n2 1\n2 3\n3 2\n3 3\n",
		text.DIMACS: "p sp 3 5\na 1 2 1\na 2 1 1\na 2 3 1\na 3 2 1\na 3 3 1\n",
	} {
		var b bytes.Buffer
		if _, err := Write(context.Background(), s, &b, Options{Format: format, Both: true}); err != nil ||
			b.String() != want {
			t.Errorf("%s: %v\n%s", format, err, &b)
		}
	}
	for format, want := range map[Format]string{
		text.CSV: "source,target\n1,2\n2,3\n3,3\n",
		mtx.Name: "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 2\n3 3\n",
		text.EL:  "0 1\n1 2\n2 2\n",
	} {
		var b bytes.Buffer
		r, err := Write(context.Background(), s, &b, Options{Format: format})
		if err != nil || b.String() != want || r.Edges != 3 || r.Renumbered != (format == text.EL) {
			t.Errorf("%s: %v %+v\n%s", format, err, r, &b)
		}
	}
}

// TestLittleMemory checks that ids that do not fit are read in windows, and ids of a long row one by one. The
// text is the same as with all memory.
func TestLittleMemory(t *testing.T) {
	long := strings.Repeat("x", 60_000)
	name := func(i int) string { return fmt.Sprintf("%03d%s", i, long) }
	g := oracle.Graph{N: 64}
	for i := range uint32(64) {
		g.Edges = append(g.Edges, oracle.Edge{Src: 5, Dst: i}, oracle.Edge{Src: i, Dst: (i + 1) % 64},
			oracle.Edge{Src: i, Dst: i / 2})
	}
	s := imported(t, textOf(g, name, false),
		ingest.Options{IDs: ingest.IDsString, Storage: ingest.StorageOptions{ShardVertices: 20}})
	var want bytes.Buffer
	if _, err := Write(context.Background(), s, &want, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, f := range []Format{columns.Parquet, columns.Arrow} {
		littleColumns(t, s, f)
	}
	o := Options{Memory: 1, Threads: 2}
	_, err := Write(context.Background(), s, &bytes.Buffer{}, o)
	var least *algorithms.MemoryError
	if !errors.As(err, &least) || !errors.Is(err, hostmem.ErrBudget) {
		t.Fatal(err)
	}
	for _, o.Memory = range []int64{least.Least(), least.Least() + 1<<20, least.Least() + 4<<20, least.Least() + 64<<20} {
		var got bytes.Buffer
		if _, err := Write(context.Background(), s, &got, o); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("with %d bytes of memory the text is another one, of %d bytes and not %d", o.Memory, got.Len(), want.Len())
		}
	}
}

// littleColumns writes a graph within the least budget that it accepts, as an equal one.
func littleColumns(t *testing.T, s *store.Store, f Format) {
	t.Helper()
	o := Options{Memory: 1, Threads: 2, Format: f}
	var least *algorithms.MemoryError
	if _, err := Write(context.Background(), s, &bytes.Buffer{}, o); !errors.As(err, &least) {
		t.Fatal(err)
	}
	graphs := newGraphs(t)
	defer graphs.close()
	for _, o.Memory = range []int64{least.Least(), least.Least() + 64<<20} {
		var b bytes.Buffer
		r, err := Write(context.Background(), s, &b, o)
		if err != nil {
			t.Fatal(err)
		}
		again := graphs.again(b.Bytes(), r, ingest.StorageOptions{ShardVertices: 20}, s)
		if again.Catalogue().Fingerprint != s.Catalogue().Fingerprint {
			t.Errorf("%s with %d bytes of memory is another graph", f, o.Memory)
		}
	}
}

// TestRefused checks that a graph that a format cannot hold is refused, with advice.
func TestRefused(t *testing.T) {
	weighted := imported(t, "a b 1.5\nb c 2\n", ingest.Options{})
	plain := imported(t, "1 2\n", ingest.Options{})
	for _, c := range []struct {
		s    *store.Store
		o    Options
		want string
	}{
		{weighted, Options{Format: text.EL}, "choose wel, or leave them out with --no-weights"},
		{weighted, Options{Format: gap.SG}, "choose wsg"},
		{weighted, Options{Format: gap.Raw}, "choose raww"},
		{weighted, Options{Format: gap.WSG}, "the weight 1.5: the format has whole numbers below 2^31 as weights"},
		{plain, Options{Format: text.WEL}, "choose el"},
		{plain, Options{Format: "xls"}, `"xls" is no format that garaph writes edges in; expected text, csv,`},
	} {
		if _, err := Write(context.Background(), c.s, &bytes.Buffer{}, c.o); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.o.Format, err, c.want)
		}
	}
	_, err := Write(context.Background(), weighted, &bytes.Buffer{}, Options{Format: text.EL, NoWeights: true})
	if err != nil {
		t.Error(err)
	}
}

// failing is a writer that fails after some bytes.
type failing struct{ left int }

var errFull = errors.New("no space")

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestFails checks that an error of the writer, and the end of the context, end an export soon.
func TestFails(t *testing.T) {
	var lines strings.Builder
	for i := range 100_000 {
		fmt.Fprintln(&lines, i%1000, i*7919%100_003)
	}
	s := imported(t, lines.String(), ingest.Options{Storage: ingest.StorageOptions{ShardVertices: 100}})
	for _, bytes := range []int{0, 10, 300_000} {
		for _, f := range []Format{text.Text, columns.Arrow} {
			if _, err := Write(context.Background(), s, &failing{bytes}, Options{Threads: 4, Format: f}); !errors.Is(err,
				errFull) {
				t.Errorf("%s: %v", f, err)
			}
		}
	}
	if _, err := Write(context.Background(), s, &failing{1000},
		Options{Threads: 4, Format: columns.Parquet}); !errors.Is(err,
		errFull) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Write(ctx, s, writerFunc(func(b []byte) (int, error) { cancel(); return len(b), nil }), Options{Threads: 4})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	_, err = Write(ctx, s, writerFunc(func(b []byte) (int, error) { cancel(); return len(b), nil }),
		Options{Threads: 4, Format: columns.Arrow})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestIsolated checks that vertices that the edges do not mention are counted, where the format has no others.
func TestIsolated(t *testing.T) {
	s := imported(t, "%%MatrixMarket matrix coordinate pattern general\n6 6 2\n2 3\n3 3\n",
		ingest.Options{Format: mtx.Name})
	for format, want := range map[Format]uint32{
		text.Text: 4, text.CSV: 4, text.EL: 3, gap.Raw: 4, mtx.Name: 0, text.DIMACS: 0, gap.SG: 0, text.LDBC: 0,
		adjacency.Ligra: 0, graphml.Name: 0,
	} {
		var b bytes.Buffer
		r, err := Write(context.Background(), s, &b, Options{Format: format})
		if err != nil || r.Isolated != want {
			t.Errorf("%s: %d are left out, want %d (%v)", format, r.Isolated, want, err)
		}
	}
}

// TestReal writes a real graph of integer weights to every format, and reads it.
func TestReal(t *testing.T) {
	testsize.OnlyLong(t, "exports of a real graph in every format")
	d := testgraph.LoadLDBC(t, "example-directed")
	var lines strings.Builder
	for _, e := range d.Graph.Edges {
		fmt.Fprintln(&lines, d.IDs[e.Src], d.IDs[e.Dst], math.Ceil(float64(e.Weight)))
	}
	graphs := newGraphs(t)
	defer graphs.close()
	s := graphs.imported(lines.String(), ingest.Options{})
	for _, f := range Formats() {
		if f == adjacency.METIS {
			continue // the graph is directed
		}
		o := Options{Format: f, NoWeights: slices.Contains([]Format{text.EL, gap.SG, gap.Raw}, f)}
		var b bytes.Buffer
		r, err := Write(context.Background(), s, &b, o)
		if err != nil {
			t.Error(err)
			continue
		}
		other := graphs.again(b.Bytes(), r, ingest.StorageOptions{}, s)
		if c := other.Catalogue(); c.Edges != s.Catalogue().Edges || !o.NoWeights && shardsOf(other) != shardsOf(s) {
			t.Errorf("%s: another graph", f)
		}
	}
}
