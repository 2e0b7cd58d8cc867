package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// setting is one way to run a job.
type setting struct {
	opt     Options
	starved bool // with the least memory that the job accepts
}

func (s setting) String() string {
	return fmt.Sprintf("%s,%s,%d threads,starved=%v", s.opt.Mode, s.opt.Method, s.opt.Threads, s.starved)
}

// settings returns all of them.
func settings() []setting {
	var list []setting
	for _, mode := range []Mode{Sync, Async} {
		for _, method := range []Method{Auto, Pull, NotifyPull} {
			for _, threads := range []int{1, 3} {
				for _, starved := range []bool{false, true} {
					list = append(list, setting{Options{Mode: mode, Method: method, Threads: threads}, starved})
				}
			}
		}
	}
	return list
}

// enough iterations for any job on the tests' graphs: one that circles for ever is to
// fail, not to hang.
const enough = 20000

// run returns the values of all vertices after a job.
func run[V, A any](t rapid.TB, s *store.Store, p gas.Program[V, A], set setting) ([]V, Report) {
	t.Helper()
	if set.starved {
		set.opt.Memory = least(t, s, p)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	progress := set.opt.Progress
	set.opt.Progress = func(it Iteration) {
		if it.Iteration >= enough {
			cancel()
		}
		if progress != nil {
			progress(it)
		}
	}
	j, err := New(s, p, set.opt)
	if err != nil {
		t.Fatalf("%s: %v", set, err)
	}
	defer j.Close()
	r, err := j.Run(ctx)
	if err != nil {
		t.Fatalf("%s: %T, after %d iterations: %v", set, p, r.Done(), err)
	}
	return slices.Clone(j.state.arrays.Cur), r
}

// least returns the smallest budget that a job accepts, as its error says.
func least[V, A any](t rapid.TB, s *store.Store, p gas.Program[V, A]) int64 {
	t.Helper()
	j, err := New(s, p, Options{Memory: 1})
	var need *MemoryError
	switch {
	case err == nil: // a byte is enough for no pages
		j.Close()
		return 1
	case !errors.As(err, &need) || !errors.Is(err, ErrMemory):
		t.Fatal(err)
	}
	if _, err := New(s, p, Options{Memory: need.Least() - 1}); !errors.Is(err, ErrMemory) {
		t.Fatalf("a byte less than the smallest budget: %v", err)
	}
	return need.Least()
}

// check runs every program in the given settings over g and compares with the
// oracles.
func check(t rapid.TB, s *store.Store, g oracle.Graph, source uint32, sets []setting) {
	t.Helper()
	hops, dist, labels := oracle.BFS(g, source), oracle.SSSP(g, source), oracle.WCC(g)
	rank, personal := oracle.PageRank(g, 0.85, -1, 0, 1e-13), oracle.PageRank(g, 0.85, int(source), 0, 1e-13)
	ten := oracle.PageRank(g, 0.85, -1, 10, 0)
	for _, set := range sets {
		bfs := programs.BFS{Source: source}
		values, _ := run[uint32, uint32](t, s, bfs, set)
		for v, x := range values {
			if got := bfs.Result(gas.Vertex{}, x); got != hops[v] {
				t.Fatalf("%s: bfs of vertex %d: got %d, want %d", set, v, got, hops[v])
			}
		}
		lengths, _ := run[float32, float32](t, s, programs.SSSP[float32]{Source: source}, set)
		for v, x := range lengths {
			if !near(float64(x), dist[v], 1e-5) {
				t.Fatalf("%s: sssp of vertex %d: got %v, want %v", set, v, x, dist[v])
			}
		}
		components, _ := run[uint32, uint32](t, s, programs.WCC{}, set)
		if !slices.Equal(components, labels) {
			t.Fatalf("%s: wcc: got %v, want %v", set, components, labels)
		}
		exact := programs.PageRank[float64]{Damping: 0.85, Tolerance: 1e-13}
		checkRanks(t, s, g, exact, set, rank, 1e-9)
		exact.Personalised, exact.Source = true, source
		checkRanks(t, s, g, exact, set, personal, 1e-9)
		set.opt.Iterations = 200
		checkRanks(t, s, g, programs.PageRank[float32]{Damping: 0.85, Tolerance: 1e-7}, set, rank, 1e-4)
		if set.opt.Mode == Sync && set.opt.Method == Pull {
			set.opt.Iterations = 10
			checkRanks(t, s, g, programs.PageRank[float64]{Damping: 0.85}, set, ten, 1e-12)
		}
	}
}

func checkRanks[F float32 | float64](t rapid.TB, s *store.Store, g oracle.Graph, p programs.PageRank[F], set setting,
	want []float64, tolerance float64) {
	t.Helper()
	_, out := oracle.Degrees(g)
	values, _ := run[F, int64](t, s, p, set)
	for v, x := range values {
		got := float64(p.Result(gas.Vertex{ID: uint32(v), N: uint32(g.N), Out: out[v]}, x))
		if math.Abs(got-want[v]) > tolerance {
			t.Fatalf("%s: %T of vertex %d: got %v, want %v", set, p, v, got, want[v])
		}
	}
}

func near(got, want, tolerance float64) bool {
	return got == want || math.Abs(got-want) <= tolerance*math.Abs(want)
}

var layouts = []store.Layout{store.CSC, store.Packed}

func TestNamedGraphs(t *testing.T) {
	for turn, named := range testgraph.All() {
		t.Run(named.Name, func(t *testing.T) {
			for i, symmetric := range []bool{false, true} {
				g := named.Graph
				if symmetric {
					g = teststore.Mirrored(g)
				}
				for k, layout := range layouts {
					s := teststore.Build(t, named.Graph, teststore.Options{Weighted: true, Symmetric: symmetric, Layout: layout})
					check(t, s, g, 0, testsize.Some(settings(), 7, turn+2*i+4*k))
				}
			}
		})
	}
}

func TestRandomGraphs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := testgraph.Draw(rt)
		symmetric := rapid.Bool().Draw(rt, "symmetric")
		s := teststore.Build(t, g, teststore.Options{
			Weighted: true, Symmetric: symmetric, Layout: rapid.SampledFrom(layouts).Draw(rt, "layout"),
			ShardVertices: rapid.IntRange(1, 9).Draw(rt, "vertices per shard"),
		})
		if symmetric {
			g = teststore.Mirrored(g)
		}
		sets := rapid.SliceOfN(rapid.SampledFrom(settings()), 4, 4).Draw(rt, "settings")
		check(rt, s, g, uint32(rapid.IntRange(0, g.N-1).Draw(rt, "source")), sets)
	})
}
