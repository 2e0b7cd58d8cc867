//go:build cuda

package community

import (
	"context"
	"flag"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

var (
	communityScale   = flag.Int("community.scale", 14, "scale of the RMAT graph of TestCUDACommunitySpeed")
	communityDegree  = flag.Int("community.degree", 16, "its degree")
	communityQueries = flag.Int("community.queries", 100, "queries of it")
	communityLimit   = flag.Duration("community.limit", 60*time.Second, "time for each processor and bounds")
	communityLow     = flag.Int("community.low", 0, "least size; 0: 6 and 9, with 12 and 15 as the largest")
	communityHigh    = flag.Int("community.high", 0, "largest size")
)

func openCUDA(t testing.TB) device.Device {
	d, err := device.Open("0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// TestCUDACommunity compares a GPU with brute force, and with the CPU.
func TestCUDACommunity(t *testing.T) {
	d := openCUDA(t)
	for _, o := range []DeviceOptions{{}, {most: 1}, {most: 2, capacity: 5}} {
		eachBatch(t, graphs(t, 40, 200), func(t *testing.T, queries []*DeviceQuery) {
			if err := SearchDevice(t.Context(), d, queries, o); err != nil {
				t.Fatal(err)
			}
		})
	}
	rapid.Check(t, func(r *rapid.T) { compareWithCPU(r, d) })
}

// rmatProblems are the reduced problems of random queries of core number 3 and more, whose first
// community is no optimum.
func rmatProblems(t *testing.T, scale, degree, queries, low, high int) (problems []*Problem, bests []*Best) {
	t.Helper()
	r := rand.New(rand.NewPCG(17, uint64(scale)))
	g := oracle.Graph{N: 1 << scale}
	for range degree << scale {
		u, v := uint32(0), uint32(0)
		for range scale {
			x := r.IntN(100)
			u, v = u<<1, v<<1
			if x >= 76 {
				u |= 1
			}
			if x >= 57 && x < 76 || x >= 95 {
				v |= 1
			}
		}
		if u != v {
			g.Edges = append(g.Edges, oracle.Edge{Src: u, Dst: v})
		}
	}
	s := teststore.Build(t, g, teststore.Options{Layout: store.CSC, Symmetric: true, ShardVertices: 12288})
	f := &drawing{finder: finder{graph: "rmat"}, r: r, queries: queries, low: low, high: high}
	if err := algorithms.Visit(t.Context(), s, f, algorithms.Options{}); err != nil {
		t.Fatal(err)
	}
	return f.problems, f.bests
}

// drawing draws queries from a graph.
type drawing struct {
	finder
	r                  *rand.Rand
	queries, low, high int
	problems           []*Problem
	bests              []*Best
}

func (f *drawing) Visit(ctx context.Context, e *algorithms.Env) error {
	b, err := newBase(ctx, e, f.graph, 0, f.room(e.Graph, e.Threads))
	if err != nil {
		return err
	}
	for drawn := 0; len(f.problems) < f.queries && drawn < 1000*f.queries; drawn++ {
		q := Query{Vertex: uint32(f.r.IntN(int(e.Graph.Vertices))), Low: f.low, High: f.high}
		if b.core[q.Vertex] < 3 {
			continue
		}
		best := &Best{}
		p, err := b.start(ctx, q, best, func() bool { return false })
		if err != nil {
			return err
		}
		if p != nil {
			f.problems, f.bests = append(f.problems, p), append(f.bests, best)
		}
	}
	return nil
}

// again is a copy of what a search begins with.
func again(b *Best) *Best {
	c := &Best{}
	c.Offer(b.K(), b.Members())
	return c
}

// TestCUDACommunitySpeed prints how long a batch of queries takes on a GPU, and on all
// processors of the host, one query after another and its nodes shared.
func TestCUDACommunitySpeed(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes")
	}
	bounds := [][2]int{{6, 12}, {9, 15}}
	if *communityLow > 0 {
		bounds = [][2]int{{*communityLow, *communityHigh}}
	}
	d := openCUDA(t)
	t.Logf("%s, and %d processors", d.Info().Name, runtime.GOMAXPROCS(0))
	for _, x := range bounds {
		problems, bests := rmatProblems(t, *communityScale, *communityDegree, *communityQueries, x[0], x[1])
		largest, sum := 0, 0
		for _, p := range problems {
			largest, sum = max(largest, p.N), sum+p.N
		}
		t.Logf("sizes %d to %d: %d queries, %d vertices in the mean, %d at most", x[0], x[1], len(problems), sum/max(1, len(problems)), largest)
		var queries []*DeviceQuery
		for i, p := range problems {
			queries = append(queries, &DeviceQuery{Open: []Open{{p, Root(p)}}, Best: again(bests[i]), Stats: &Stats{}})
		}
		gpu, gpuOpen := searchTimed(t, queries, func(ctx context.Context) {
			rounds := 0
			o := DeviceOptions{Progress: func(open, visited int64) {
				if rounds++; rounds&(rounds-1) == 0 {
					t.Logf("  round %d: %d nodes are open, %d were visited", rounds, open, visited)
				}
			}}
			if err := SearchDevice(ctx, d, queries, o); err != nil {
				t.Fatal(err)
			}
			t.Logf("  %d rounds", rounds)
		})
		var same []*DeviceQuery // what the GPU has proved
		var on []int
		for i, q := range queries {
			if len(q.Open) == 0 {
				same, on = append(same, &DeviceQuery{Open: []Open{{problems[i], Root(problems[i])}}, Best: again(bests[i]), Stats: &Stats{}}), append(on, i)
			}
		}
		cpu, cpuOpen := searchTimed(t, same, func(ctx context.Context) {
			for _, q := range same {
				rest, st, err := SearchParallel(ctx, q.Open, AllRules, runtime.GOMAXPROCS(0), 0, 0, q.Best, nil)
				if err != nil {
					t.Fatal(err)
				}
				q.Open, *q.Stats = rest, st
			}
		})
		for i, q := range same {
			if got := queries[on[i]].Best; len(q.Open) == 0 && got.K() != q.Best.K() {
				t.Errorf("query %d: minimum degree %d on the GPU, %d on the CPU", on[i], got.K(), q.Best.K())
			}
		}
		t.Logf("sizes %d to %d: GPU %.2f s (%d of %d queries not proved), CPU %.2f s (%d of %d); ratio %.1f", x[0], x[1],
			gpu.Seconds(), gpuOpen, len(queries), cpu.Seconds(), cpuOpen, len(same), cpu.Seconds()/gpu.Seconds())
	}
}

// searchTimed searches within the limit, and counts the queries that are not proved.
func searchTimed(t *testing.T, queries []*DeviceQuery, search func(ctx context.Context)) (taken time.Duration, open int) {
	ctx, cancel := context.WithTimeout(t.Context(), *communityLimit)
	defer cancel()
	begin := time.Now()
	search(ctx)
	taken = time.Since(begin)
	branches := int64(0)
	for _, q := range queries {
		branches += q.Stats.Branches
		if len(q.Open) > 0 {
			open++
		}
	}
	t.Logf("  %d branches, %.0f a second", branches, float64(branches)/taken.Seconds())
	return taken, open
}
