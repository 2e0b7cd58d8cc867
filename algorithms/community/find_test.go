package community

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stored returns a random graph on disk: each edge in a random direction, some of them twice, and
// with loops.
func stored(t *testing.T, g *graph, r *rand.Rand) *store.Store {
	t.Helper()
	o := oracle.Graph{N: g.n}
	for _, e := range g.edges {
		for range 1 + r.IntN(5)/4 {
			i := r.IntN(2)
			o.Edges = append(o.Edges, oracle.Edge{Src: e[i], Dst: e[1-i]})
		}
	}
	for range r.IntN(3) {
		v := uint32(r.IntN(g.n))
		o.Edges = append(o.Edges, oracle.Edge{Src: v, Dst: v})
	}
	return teststore.Build(t, o, teststore.Options{Symmetric: r.IntN(2) == 0, ShardVertices: 5})
}

// TestFind compares the answers of all queries over stored graphs, of 1 to 4 threads, with the best
// connected subgraphs. On an emulated GPU, the CPU searches.
func TestFind(t *testing.T) {
	for seed := range graphs(t, 24, 240) / 6 {
		o := Options{Threads: 1 + seed%4, Device: algorithms.CPU}
		if seed%2 == 1 {
			o.Device, o.GPU = algorithms.GPU, device.EmulatedName
		}
		findAll(t, seed, o)
	}
}

// findAll answers all queries over a graph.
func findAll(t *testing.T, seed int, o Options) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(seed), 18))
	g := randomGraph(r)
	best := g.optima()
	queries, want := g.queries(&best)
	answered := 0
	_, err := Find(t.Context(), stored(t, g, r), queries, o, func(i int, r *Result) error {
		answered++
		set := uint32(0)
		for _, v := range r.Members {
			set |= 1 << v
		}
		n := len(r.Members)
		ok := r.MinDegree == want[i] && r.Proven && (n > 0) == (want[i] >= 0)
		if ok && n > 0 {
			ok = n >= queries[i].Low && n <= queries[i].High && slices.Contains(r.Members, r.Query.Vertex) && g.connected(set) &&
				g.least(set) == want[i]
		}
		if !ok {
			t.Errorf("graph %d, %v: %+v, want minimum degree %d", seed, queries[i], r, want[i])
		}
		return nil
	})
	if err != nil || answered != len(queries) {
		t.Fatalf("graph %d: %d answers to %d queries, %v", seed, answered, len(queries), err)
	}
}

// TestHugeSizes checks that bounds far above the number of vertices, and beyond what kernels count
// to, mean the number.
func TestHugeSizes(t *testing.T) {
	s := teststore.Build(t,
		oracle.Graph{N: 4, Edges: []oracle.Edge{{Src: 0, Dst: 1}, {Src: 1, Dst: 2}, {Src: 2, Dst: 0}, {Src: 2, Dst: 3}}},
		teststore.Options{})
	queries := []Query{{0, 1, math.MaxInt64}, {3, 2, 1<<32 + 1}, {0, 1<<32 + 1, math.MaxInt64},
		{0, math.MaxInt64, math.MaxInt64}}
	var got []int
	_, err := Find(t.Context(), s, queries, Options{Device: algorithms.CPU}, func(i int, r *Result) error {
		if got = append(got, r.MinDegree); !r.Proven || r.Query != queries[i] {
			t.Errorf("%+v", r)
		}
		return nil
	})
	if want := []int{2, 1, -1, -1}; err != nil || !slices.Equal(got, want) {
		t.Errorf("minimum degrees %d, want %d; error %v", got, want, err)
	}
}

// TestSearchParallel checks that the optimum, with workers that give each other nodes all the time.
func TestSearchParallel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		p := sparse(t, r, 60, 6)
		var one, many Best
		Search(context.Background(), []Open{{p, Root(p)}}, &one, new(int64))
		room := int64(r.IntN(3)) * 50_000 // none, for some threads and nodes, for more
		rest, visited, err := SearchParallel(context.Background(), []Open{{p, Root(p)}}, 8, room, 0, &many, func(Progress) {})
		if err != nil || len(rest) > 0 || many.K() != one.K() || visited == 0 {
			t.Fatalf("minimum degree %d, %d nodes open, %d visited, %v; want %d", many.K(), len(rest), visited, err, one.K())
		}
	}
}

// sparse returns a problem of random edges.
func sparse(t testing.TB, r *rand.Rand, n, degree int) *Problem {
	t.Helper()
	var edges [][2]uint32
	for range n * degree / 2 {
		edges = append(edges, [2]uint32{uint32(r.IntN(n)), uint32(r.IntN(n))})
	}
	p := newProblem(n, edges, 0, 5, 9)
	return p
}

// TestStopped checks that a search that has no time gives back what is open, from which another one
// finds the optimum.
func TestStopped(t *testing.T) {
	p := sparse(t, rand.New(rand.NewPCG(5, 6)), 400, 12)
	var whole Best
	Search(context.Background(), []Open{{p, Root(p)}}, &whole, new(int64))
	var b Best
	open := []Open{{p, Root(p)}}
	for limit := time.Millisecond; len(open) > 0; limit *= 2 {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		var err error
		if open, _, err = SearchParallel(ctx, open, 3, 0, 0, &b, nil); err != nil {
			t.Fatal(err)
		}
		cancel()
	}
	if b.K() != whole.K() {
		t.Errorf("minimum degree %d, want %d", b.K(), whole.K())
	}
}

// TestFindEnds checks that Find ends with the error of its context, of an answer and of a budget,
// and with none when its time is up.
func TestFindEnds(t *testing.T) {
	_, g := testgraph.LoadEdges(t, "as-Caida20071105", true)
	s := teststore.Build(t, g, teststore.Options{})
	hard := []Query{{0, 12, 15}}
	wrong := errors.New("wrong")
	none := func(int, *Result) error { return nil }
	if _, err := Find(t.Context(), s, hard, Options{TimeLimit: time.Millisecond}, func(int, *Result) error {
		return wrong
	}); !errors.Is(err, wrong) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Find(ctx, s, hard, Options{}, none); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	_, err := Find(t.Context(), s, hard, Options{Memory: 1}, none)
	if !errors.Is(err, hostmem.ErrBudget) {
		t.Fatalf("got %v", err)
	}
	mib := int64(0)
	_, named, _ := strings.Cut(err.Error(), "a budget of ")
	_, _ = fmt.Sscanf(named, "%dMiB", &mib)
	if _, err := Find(t.Context(), s, hard, Options{Memory: mib << 20, TimeLimit: time.Millisecond}, none); err != nil {
		t.Errorf("with the %d MiB that were named: %v", mib, err)
	}
	for _, q := range []Query{{0, 3, 2}, {0, 0, 2}, {1 << 20, 1, 2}} {
		if _, err := Find(t.Context(), s, []Query{q}, Options{}, none); err == nil {
			t.Errorf("%v was searched", q)
		}
	}
}

// TestCrowded checks that a search without room for levels shares what it cannot hold, and finds
// the same optimum.
func TestCrowded(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	most := int64(0)
	for range 30 {
		p := sparse(t, r, 60, 10) // which is not compacted
		var one, other Best
		Search(t.Context(), []Open{{p, Root(p)}}, &one, new(int64))
		var open []Open
		w := worker{best: &other, stopped: func() bool { return false }, room: 1}
		w.share = func(o Open) { open = append(open, o) }
		for open = append(open, Open{p, Root(p)}); len(open) > 0; {
			o := open[len(open)-1]
			open = open[:len(open)-1]
			w.search(o)
		}
		if len(w.levels) != 1 || other.K() != one.K() {
			t.Fatalf("%d levels, minimum degree %d; want 1, %d", len(w.levels), other.K(), one.K())
		}
		most = max(most, w.visited)
	}
	if most < 10 {
		t.Fatalf("no search has more than %d nodes", most)
	}
}
