//go:build cuda

package community

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
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
		eachBatch(t, graphs(t, 40, 200), func(queries []*DeviceQuery) {
			if err := SearchDevice(t.Context(), d, queries, o); err != nil {
				t.Fatal(err)
			}
		})
	}
	rapid.Check(t, func(r *rapid.T) { compareWithCPU(r, d) })
}

// rooted returns a query that has its root alone.
func rooted(p *Problem) *DeviceQuery { return &DeviceQuery{Open: []Open{{p, Root(p)}}, Best: &Best{}} }

// eachBatch calls search with all problems of a random graph, one query each, and checks what it finds.
func eachBatch(t *testing.T, graphs int, search func(queries []*DeviceQuery)) {
	t.Helper()
	for seed := range graphs {
		g := randomGraph(rand.New(rand.NewPCG(uint64(seed), 18)))
		best := g.optima()
		all, wants := g.queries(&best)
		var queries []*DeviceQuery
		var problems []*Problem
		for _, q := range all {
			p := newProblem(g.n, g.edges, q.Vertex, q.Low, q.High)
			queries, problems = append(queries, rooted(p)), append(problems, p)
		}
		search(queries)
		for i, q := range queries {
			if len(q.Open) > 0 {
				t.Errorf("%d nodes are open", len(q.Open))
			}
			if checkCommunity(t, g, problems[i], q.Best, wants[i]); t.Failed() {
				t.Fatalf("graph %d: %d vertices, edges %v, %v", seed, g.n, g.edges, all[i])
			}
		}
	}
}

// compareWithCPU searches a random batch on a device and on the CPU.
func compareWithCPU(r *rapid.T, d device.Device) {
	n := rapid.IntRange(20, 400).Draw(r, "vertices")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
	var edges [][2]uint32
	group := rapid.IntRange(2, 40).Draw(r, "group")
	for range n * rapid.IntRange(1, 8).Draw(r, "degree") {
		u := random.IntN(n)
		v := random.IntN(n)
		if random.IntN(4) > 0 {
			v = min(n-1, u/group*group+random.IntN(group))
		}
		edges = append(edges, [2]uint32{uint32(u), uint32(v)})
	}
	low := rapid.IntRange(1, 8).Draw(r, "low")
	high := low + rapid.IntRange(0, 4).Draw(r, "more")
	var queries []*DeviceQuery
	var want []int
	for range rapid.IntRange(1, 5).Draw(r, "queries") {
		p := newProblem(n, edges, uint32(random.IntN(n)), low, high)
		var b Best
		Search(context.Background(), []Open{{p, Root(p)}}, &b, new(int64))
		queries, want = append(queries, rooted(p)), append(want, b.K())
	}
	o := DeviceOptions{
		most: uint32(rapid.IntRange(1, 100).Draw(r, "most")), capacity: int64(rapid.IntRange(0, 50).Draw(r, "capacity")),
	}
	if err := SearchDevice(context.Background(), d, queries, o); err != nil {
		r.Fatal(err)
	}
	for i, q := range queries {
		if q.Best.K() != want[i] || len(q.Open) > 0 {
			r.Fatalf("minimum degree %d, want %d; %d nodes are open", q.Best.K(), want[i], len(q.Open))
		}
	}
}

// TestCUDALeaves checks that a query that is not proved when its time is up, or whose sets are too
// large for a block, is left as it was, and those beside it are searched.
func TestCUDALeaves(t *testing.T) {
	d := openCUDA(t)
	large := sparse(t, rand.New(rand.NewPCG(5, 6)), 12000, 24)
	large.Low, large.High = 11000, 11500
	for _, c := range []struct {
		p        *Problem
		limit    time.Duration
		searched bool
	}{
		{sparse(t, rand.New(rand.NewPCG(5, 6)), 2000, 24), time.Millisecond, true}, {large, 0, false},
	} {
		hard, easy := rooted(c.p), rooted(&Problem{N: 1, Low: 1, High: 1, Offsets: []uint32{0, 0}, IDs: []uint32{7}})
		err := SearchDevice(t.Context(), d, []*DeviceQuery{hard, easy}, DeviceOptions{TimeLimit: c.limit, most: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(hard.Open) != 1 || hard.Open[0].Problem != c.p || hard.Searched != c.searched {
			t.Errorf("%d nodes are open, searched: %t", len(hard.Open), hard.Searched)
		}
		if len(easy.Open) > 0 || easy.Best.K() != 0 || !slices.Equal(easy.Best.Members(), []uint32{7}) {
			t.Errorf("one vertex: %d nodes are open, minimum degree %d of %v",
				len(easy.Open), easy.Best.K(), easy.Best.Members())
		}
	}
}

// TestCUDAFind compares answers with brute force, resumed and not, and on a real graph with the CPU's, whose
// times it prints beside them.
func TestCUDAFind(t *testing.T) {
	openCUDA(t) // searches open it again, which takes no time while it is open
	on := Options{Threads: 2, Device: algorithms.GPU, hooks: hooks{easy: time.Nanosecond}}
	for seed := range graphs(t, 4, 40) {
		findAll(t, seed, on)
	}
	resumeAll(t, func(*rand.Rand) Options {
		return Options{Threads: 2, Device: algorithms.AutoDevice, GPU: "0", hooks: hooks{easy: time.Nanosecond, most: 1}}
	})
	_, g := testgraph.LoadEdges(t, "as-Caida20071105", true)
	s := teststore.Build(t, g, teststore.Options{})
	r := rand.New(rand.NewPCG(17, 1))
	var queries []Query
	for range 8 {
		queries = append(queries, Query{g.Edges[r.IntN(len(g.Edges))].Src, 6, 12})
	}
	found := map[algorithms.Device][]*Result{}
	for _, device := range []algorithms.Device{algorithms.CPU, algorithms.GPU} {
		begin, branches := time.Now(), int64(0)
		_, err := Find(t.Context(), s, queries,
			Options{Device: device, TimeLimit: 2 * time.Second}, func(_ int, r *Result) error {
				found[device] = append(found[device], r)
				branches += r.Branches
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.2f s, %d branches", device, time.Since(begin).Seconds(), branches)
	}
	for i, c := range found[algorithms.CPU] {
		if g := found[algorithms.GPU][i]; c.Proven && g.Proven && c.MinDegree != g.MinDegree {
			t.Errorf("%v: minimum degree %d on the GPU, %d on the CPU", queries[i], g.MinDegree, c.MinDegree)
		}
	}
}
