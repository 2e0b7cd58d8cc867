package garaph_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/programs"
)

func ExampleFromEdges() {
	follows := map[string]string{"ann": "bob", "bob": "cid", "dan": "cid"}
	err := func() error {
		g, err := garaph.FromEdges(context.Background(), func(yield func(from, to string) bool) {
			for from, to := range follows {
				if !yield(from, to) {
					return
				}
			}
		}, garaph.GraphOptions{})
		if err != nil {
			return err
		}
		defer g.Close() // removes the graph, which is temporary
		neighbors, err := garaph.NeighborsOf[string](g)
		if err != nil {
			return err
		}
		for id := range neighbors.In("cid") {
			fmt.Println(id)
		}
		return neighbors.Err()
	}()
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// bob
	// dan
}

// arc is an edge as neighbours are compared.
type arc struct {
	from, to string
	weight   float64
}

// arcsOf returns all edges of a graph, ascending, read along out-edges and along in-edges.
func arcsOf[I garaph.ID](t *testing.T, g *garaph.Graph) (out, in []arc) {
	t.Helper()
	n, err := garaph.NeighborsOf[I](g)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := garaph.IDsOf[I](g)
	if err != nil {
		t.Fatal(err)
	}
	for v, id := range ids {
		if text, err := g.ID(gas.VertexID(v)); err != nil || text != fmt.Sprint(id) {
			t.Fatalf("vertex %d is %v, and %q: %v", v, id, text, err)
		}
		for to, w := range n.Out(id) {
			out = append(out, arc{fmt.Sprint(id), fmt.Sprint(to), w})
		}
		if n.Err() != nil {
			t.Fatal(n.Err())
		}
		for from, w := range n.In(id) {
			in = append(in, arc{fmt.Sprint(from), fmt.Sprint(id), w})
		}
		if n.Err() != nil {
			t.Fatal(n.Err())
		}
	}
	return sortedArcs(out), sortedArcs(in)
}

func sortedArcs(list []arc) []arc {
	slices.SortFunc(list, func(a, b arc) int {
		return cmp.Or(strings.Compare(a.from, b.from), strings.Compare(a.to, b.to), cmp.Compare(a.weight, b.weight))
	})
	return list
}

// TestFromEdges makes graphs of edges between ids of every type, in each way, and reads the edges back.
func TestFromEdges(t *testing.T) {
	testFromEdges[int64](t, 0, func(i int) int { return i })
	testFromEdges[int64](t, 1, func(i int) int32 { return int32(7*i - 300) })
	testFromEdges[int64](t, 2, func(i int) int64 { return math.MinInt64 + int64(i) })
	testFromEdges[int64](t, 3, func(i int) uint32 { return math.MaxUint32 - uint32(i) })
	testFromEdges[uint64](t, 4, func(i int) uint64 { return math.MaxUint64 - uint64(3*i) })
	type page string
	testFromEdges[string](t, 5, func(i int) page { return page(fmt.Sprintf("page %d", i)) })
}

func testFromEdges[G garaph.ID, I ingest.EdgeID](t *testing.T, turn int, id func(int) I) {
	const vertices, n = 150, 20_000 // more than a batch
	random := rand.New(rand.NewPCG(1, 2))
	edges, weights := make([][2]I, n), make([]float64, n)
	var plain, heavy, both []arc
	for i := range edges {
		from, to := id(random.IntN(vertices)), id(random.IntN(vertices))
		edges[i], weights[i] = [2]I{from, to}, float64(random.IntN(5))
		plain = append(plain, arc{fmt.Sprint(from), fmt.Sprint(to), 1})
		heavy = append(heavy, arc{fmt.Sprint(from), fmt.Sprint(to), weights[i]})
		both = append(both, heavy[i])
		if from != to {
			both = append(both, arc{fmt.Sprint(to), fmt.Sprint(from), weights[i]})
		}
	}
	seq := func(yield func(I, I) bool) {
		for _, e := range edges {
			if !yield(e[0], e[1]) {
				return
			}
		}
	}
	weighted := func(yield func([2]I, float64) bool) {
		for i, e := range edges {
			if !yield(e, weights[i]) {
				return
			}
		}
	}
	ctx := t.Context()
	type way struct {
		name string
		make func(o garaph.GraphOptions) (*garaph.Graph, error)
		o    garaph.GraphOptions
		want []arc
	}
	ways := []way{
		{"iterator", func(o garaph.GraphOptions) (*garaph.Graph, error) { return garaph.FromEdges(ctx, seq, o) },
			garaph.GraphOptions{}, plain},
		{"with weights", func(o garaph.GraphOptions) (*garaph.Graph, error) { return garaph.FromWeighted(ctx, weighted, o) },
			garaph.GraphOptions{}, heavy},
		{"slice", func(o garaph.GraphOptions) (*garaph.Graph, error) { return garaph.FromSlice(ctx, edges, nil, o) },
			garaph.GraphOptions{Threads: 3}, plain},
		{"slice, weights",
			func(o garaph.GraphOptions) (*garaph.Graph, error) { return garaph.FromSlice(ctx, edges, weights, o) },
			garaph.GraphOptions{Memory: 256 << 20}, heavy},
		{"both directions",
			func(o garaph.GraphOptions) (*garaph.Graph, error) { return garaph.FromSlice(ctx, edges, weights, o) },
			garaph.GraphOptions{Undirected: true, Threads: 2}, both},
	}
	for _, c := range testsize.Some(ways, 3, turn) {
		t.Run(fmt.Sprintf("%T/%s", *new(I), c.name), func(t *testing.T) {
			c.o.Scratch = t.TempDir()
			g, err := c.make(c.o)
			if err != nil {
				t.Fatal(err)
			}
			out, in := arcsOf[G](t, g)
			want := sortedArcs(slices.Clone(c.want))
			if !slices.Equal(out, want) || !slices.Equal(in, want) {
				t.Errorf("%d edges out of vertices, %d into them, of %d", len(out), len(in), len(want))
			}
			if err := g.Close(); err != nil {
				t.Fatal(err)
			}
			isEmpty(t, c.o.Scratch)
		})
	}
}

// TestNegativeZero checks that a weight of -0 is 0, as it is read from files.
func TestNegativeZero(t *testing.T) {
	zero := math.Copysign(0, -1)
	g, err := garaph.FromSlice(t.Context(), [][2]int{{1, 2}}, []float64{zero}, garaph.GraphOptions{Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if out, _ := arcsOf[int64](t, g); len(out) != 1 || math.Signbit(out[0].weight) {
		t.Errorf("got %v", out)
	}
}

// isEmpty reports what is left in a folder.
func isEmpty(t *testing.T, folder string) {
	t.Helper()
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
}

// TestFromEdgesStays checks that a graph in a folder of its own stays, and is replaced only where
// that was asked for.
func TestFromEdgesStays(t *testing.T) {
	o := garaph.GraphOptions{Folder: filepath.Join(t.TempDir(), "g")}
	edges := [][2]string{{"a", "b"}, {"b", "c"}}
	for n := 1; n <= len(edges); n++ {
		g, err := garaph.FromSlice(t.Context(), edges[:n], nil, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		if g, err = garaph.Open(o.Folder); err != nil {
			t.Fatal(err)
		}
		if c := g.Catalogue(); c.Edges != uint64(n) || !slices.Equal(c.Source, []string{"edges of a Go program"}) {
			t.Errorf("%d edges of %v", c.Edges, c.Source)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := garaph.FromSlice(t.Context(), edges, nil, garaph.GraphOptions{Folder: o.Folder}); !errors.Is(err,
			garaph.ErrGraphExists) {
			t.Errorf("got %v", err)
		}
		o.Replace = true
	}
}

// TestFromEdgesRefused checks that what is no edge is named with its place, and nothing stays.
func TestFromEdgesRefused(t *testing.T) {
	o := garaph.GraphOptions{Scratch: t.TempDir()}
	ctx, cancel := context.WithCancel(t.Context())
	many := make([][2]string, 30_000)
	for i := range many {
		many[i] = [2]string{"a", "b"}
	}
	long := slices.Clone(many)
	long[12_345][1], long[29_999][1] = strings.Repeat("x", 1<<16), ""
	endless := func(yield func(int, int) bool) {
		for i := 0; yield(i, i+1); i++ {
			if i == 100_000 {
				cancel()
			}
		}
	}
	_, empty := garaph.FromSlice(t.Context(), [][2]string{{"a", "b"}, {"a", ""}}, nil, o)
	_, zero := garaph.FromSlice(t.Context(), [][2]string{{"a", "b\x00"}}, nil, o)
	_, tooLong := garaph.FromSlice(t.Context(), long, nil, o)
	_, nan := garaph.FromSlice(t.Context(), [][2]int{{1, 2}, {3, 4}}, []float64{1, math.NaN()}, o)
	_, negative := garaph.FromSlice(t.Context(), [][2]int{{1, 2}, {3, 4}}, []float64{-1, 1}, o)
	_, fewer := garaph.FromSlice(t.Context(), [][2]int{{1, 2}, {3, 4}}, []float64{1}, o)
	_, weightless := garaph.FromSlice(t.Context(), [][2]int{{1, 2}}, []float64{}, o)
	_, none := garaph.FromSlice[int](t.Context(), nil, nil, o)
	_, stopped := garaph.FromEdges(ctx, endless, o)
	_, little := garaph.FromSlice(t.Context(), many, nil, garaph.GraphOptions{Scratch: o.Scratch, Memory: 1 << 20})
	for want, err := range map[string]error{
		`edge 2, from "a" to "", has the id ""; expected an id that is not empty`:             empty,
		"expected an id without zero bytes":                                                   zero,
		`edge 12346, from "a" to "xxxx`:                                                       tooLong,
		"edge 2, from 3 to 4, has the weight NaN; expected a finite one that is not negative": nan,
		"edge 1, from 1 to 2, has the weight -1":                                              negative,
		"there are 1 weights of 2 edges":                                                      fewer,
		"there are 0 weights of 1 edges":                                                      weightless,
		"the input has no vertex":                                                             none,
		"context canceled":                                                                    stopped,
		"below the least one of":                                                              little,
	} {
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 400 {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	func() {
		defer func() {
			if recover() != "no more edges" {
				t.Error("the panic is gone")
			}
		}()
		_, err := garaph.FromEdges(t.Context(), func(yield func(int, int) bool) {
			yield(1, 2)
			panic("no more edges")
		}, o)
		t.Errorf("got %v", err)
	}()
	isEmpty(t, o.Scratch)
}

// TestNeighborsOf checks that neighbours of no vertex, and ids of another type, are refused.
func TestNeighborsOf(t *testing.T) {
	g := made(t, [][2]string{{"a", "b"}, {"a", "c"}}, garaph.GraphOptions{})
	if _, err := garaph.NeighborsOf[int64](g); err == nil || !strings.Contains(err.Error(), "of type string") {
		t.Errorf("got %v", err)
	}
	n, err := garaph.NeighborsOf[string](g)
	if err != nil {
		t.Fatal(err)
	}
	for range n.Out("d") {
		t.Error("d has a neighbour")
	}
	if !errors.Is(n.Err(), garaph.ErrNoVertex) {
		t.Errorf("got %v", n.Err())
	}
	for id := range n.Out("a") {
		if id != "b" {
			t.Errorf("got %q", id)
		}
		break
	}
	if n.Err() != nil {
		t.Error(n.Err())
	}
}

// TestSlog checks that a job writes to a slog.Logger what it writes to a zap.Logger.
func TestSlog(t *testing.T) {
	var text bytes.Buffer
	log := garaph.Slog(slog.New(slog.NewTextHandler(&text,
		&slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})))
	g, err := garaph.FromSlice(t.Context(), [][2]string{{"a", "b"}}, nil, garaph.GraphOptions{Log: log})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if want := "level=INFO msg=read entries=1 ids=strings vertices=2\n"; !strings.Contains(text.String(), want) {
		t.Errorf("got %s", text.String())
	}
	text.Reset()
	log.With(zap.Error(errors.New("broken"))).Warn("less", zap.Duration("took", 1500*time.Millisecond))
	if got := text.String(); got != "level=WARN msg=less error=broken took=1.5s\n" {
		t.Errorf("got %s", got)
	}
	quiet := garaph.Slog(slog.New(slog.NewTextHandler(&text, nil)))
	text.Reset()
	quiet.Debug("nobody listens")
	if text.Len() > 0 {
		t.Errorf("got %s", text.String())
	}
}

// TestBlocks checks that blocks and slices have the values of All, windows of memory where the
// types are those of the job.
func TestBlocks(t *testing.T) {
	r, err := garaph.Run(t.Context(), valuesGraph(t, func(i int) string { return fmt.Sprint(3*i - 700) }),
		paths{allColumns()}, garaph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sameBlocks[int64, int64](t, r, "hops")
	sameBlocks[string, int64](t, r, "hops")
	sameBlocks[int64, int64](t, r, "predecessor")
	sameBlocks[int64, string](t, r, "predecessor")
	sameBlocks[int64, float64](t, r, "distance")
}

func sameBlocks[I garaph.ID, V garaph.Value](t *testing.T, r *garaph.Result, column string) {
	t.Helper()
	values, err := garaph.ValuesOf[I, V](r, column)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		id    I
		value V
	}
	var want, got []row
	for id, v := range values.All() {
		want = append(want, row{id, v})
	}
	blocks := 0
	for ids, vs := range values.Blocks() {
		blocks++
		for i, id := range ids {
			got = append(got, row{clone(id), vs[i]})
		}
	}
	if err := values.Err(); err != nil || !slices.Equal(got, want) || blocks > 10 {
		t.Errorf("%s as %T: %d rows in %d blocks, want %d: %v", column, *new(V), len(got), blocks, len(want), err)
	}
	for range values.Blocks() {
		break
	}
	if values.Err() != nil {
		t.Error(values.Err())
	}
}

// clone copies an id that is a window of memory.
func clone[I garaph.ID](id I) I {
	if text, is := any(id).(string); is {
		return any(strings.Clone(text)).(I)
	}
	return id
}

// TestSlice checks that values that are results are not copied, others are computed.
func TestSlice(t *testing.T) {
	g := made(t, [][2]string{{"a", "b"}, {"b", "c"}, {"d", "a"}}, garaph.GraphOptions{})
	r, err := garaph.Run(t.Context(), g, programs.SSSP[float32]{Source: 0}, garaph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	own, wide := slice[float32](t, r), slice[float64](t, r)
	inf := float32(math.Inf(1))
	if want := []float32{0, 1, 2, inf}; !slices.Equal(own, want) || &own[0] != &slice[float32](t, r)[0] {
		t.Errorf("got %v", own)
	}
	if want := []float64{0, 1, 2, math.Inf(1)}; !slices.Equal(wide, want) || &wide[0] == &slice[float64](t, r)[0] {
		t.Errorf("got %v", wide)
	}
	far, err := garaph.ValuesOf[string, float32](r, "")
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range [][]garaph.Ranked[string, float32]{nil, {{ID: "c", Value: 2}},
		{{ID: "c", Value: 2}, {ID: "b", Value: 1}}, {{ID: "c", Value: 2}, {ID: "b", Value: 1}, {ID: "a", Value: 0}},
		{{ID: "c", Value: 2}, {ID: "b", Value: 1}, {ID: "a", Value: 0}}} {
		if got, err := far.Top(n); err != nil || !slices.Equal(got, want) {
			t.Errorf("the first %d are %v: %v", n, got, err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := far.Slice(); err == nil {
		t.Error("a closed result has values")
	}
}

func slice[V garaph.Value](t *testing.T, r *garaph.Result) []V {
	t.Helper()
	values, err := garaph.ValuesOf[string, V](r, "")
	if err != nil {
		t.Fatal(err)
	}
	list, err := values.Slice()
	if err != nil {
		t.Fatal(err)
	}
	return list
}
