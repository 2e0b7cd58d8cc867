package dispatcher

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// plenty is memory in which every test graph has room.
const plenty = 1 << 30

// storedAsByPull is asByPull where rows are read as they are needed, if the graph has them.
func storedAsByPull[V comparable, A any](t *rapid.T, s *store.Store, p gas.Program[V, A], o Options) {
	t.Helper()
	o.Method = Frontier
	j, err := New(s, p, o)
	if err != nil {
		if !strings.Contains(err.Error(), "not stored as packed rows") && !strings.Contains(err.Error(),
			"no rows of in-edges") {
			t.Fatal(err)
		}
		return
	}
	if j.plan.front.stored == nil {
		t.Fatalf("%T: rows are not read as they are needed", p)
	}
	j.Close()
	asByPull(t, s, p, o)
}

// TestStoredFrontier checks that frontiers over rows that are read as they are needed give what
// pulls give, whatever part of the rows stays.
func TestStoredFrontier(t *testing.T) {
	graphs := testgraph.All()
	rapid.Check(t, func(rt *rapid.T) {
		g := testgraph.Draw(rt)
		if k := rapid.IntRange(0, 2*len(graphs)).Draw(rt, "named"); k < len(graphs) {
			g = graphs[k].Graph
		}
		o := teststore.Draw(rt)
		o.Layout = store.Packed
		s := teststore.Build(t, g, o)
		source := rapid.Uint32Range(0, uint32(g.N-1)).Draw(rt, "source")
		by := Options{
			Threads: rapid.IntRange(1, 3).Draw(rt, "threads"), Memory: plenty,
			hooks: hooks{generic: rapid.Bool().Draw(rt, "generic"), rowsStay: rapid.SampledFrom([]int64{1, 9 << 10,
				plenty}).Draw(rt, "bytes that stay")},
		}
		storedAsByPull(rt, s, gas.Program[uint32, uint32](programs.BFS{Source: source}), by)
		storedAsByPull(rt, s, gas.Program[uint32, uint32](backwards{programs.BFS{Source: source}}), by)
		if o.Symmetric || !o.Weighted || !by.hooks.generic { // generic loops might read weights
			storedAsByPull(rt, s, gas.Program[uint32, uint32](programs.WCC{}), by)
		}
		storedAsByPull(rt, s, gas.Program[float32, float32](programs.SSWP[float32]{Source: source}), by)
		storedAsByPull(rt, s, gas.Program[float32, float32](programs.SSSP[float32]{Source: source}), by)
		storedAsByPull(rt, s, gas.Program[float64, float64](programs.SSSP[float64]{Source: source}), by)
	})
}

// skewed returns a graph like those of RMAT, of which some vertices have very many edges and most few, in a random
// order and without isolated vertices.
func skewed(scale, degree int) oracle.Graph {
	g := testgraph.Skewed(scale, degree<<scale, 1)
	used, number := make([]bool, g.N), make([]uint32, g.N)
	for _, e := range g.Edges {
		used[e.Src], used[e.Dst] = true, true
	}
	n := uint32(0)
	for _, v := range rand.New(rand.NewPCG(1, 2)).Perm(g.N) {
		if number[v] = n; used[v] {
			n++
		}
	}
	for i, e := range g.Edges {
		g.Edges[i].Src, g.Edges[i].Dst = number[e.Src], number[e.Dst]
	}
	g.N = int(n)
	return g
}

// quarter returns the memory for a quarter of a stored graph, beside what a job takes for the
// process and over vertices.
func quarter[V any](s *store.Store) int64 {
	cat, bytes := s.Catalogue(), int64(0)
	for _, dir := range cat.Sides() {
		for i := range cat.Shards {
			bytes += cat.Bytes(dir, i)
		}
	}
	return processBytes + vertices.Bytes[V](cat.Vertices) + 8*int64(cat.Vertices) + bytes/4
}

// lattice returns a grid with so many rows and columns.
func lattice(side int) oracle.Graph {
	g := oracle.Graph{N: side * side}
	for v := range uint32(g.N) {
		if (int(v)+1)%side > 0 {
			g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: v + 1, Weight: float32(1 + v%7)})
		}
		if int(v)+side < g.N {
			g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: v + uint32(side), Weight: float32(1 + v%5)})
		}
	}
	return g
}

// TestQuarter checks that with memory for a quarter of the graph, searches read at most half as
// much again as the bytes of the rows that they need, and results are those of pulls.
func TestQuarter(t *testing.T) {
	for name, g := range map[string]oracle.Graph{"skewed": skewed(14, 32), "grid": lattice(300)} {
		s := teststore.Build(t, g, teststore.Options{ShardVertices: 128, Symmetric: true, Layout: store.Packed})
		weighted := teststore.Build(t, g, teststore.Options{ShardVertices: 128, Symmetric: true, Layout: store.Packed,
			Weighted: true})
		for _, method := range []Method{Frontier, Auto} {
			bfs := searched[uint32, uint32](t, s, programs.BFS{Source: 77}, method)
			if bfs.Reads.RowsNeeded == 0 || 2*bfs.Reads.RowsRead > 3*bfs.Reads.RowsNeeded {
				t.Errorf("%s, %s: BFS read %d bytes of rows, and needed %d", name, method, bfs.Reads.RowsRead, bfs.Reads.RowsNeeded)
			}
			if name != "skewed" {
				continue
			}
			searched[uint32, uint32](t, s, programs.WCC{}, method)
			searched[float32, float32](t, weighted, programs.SSSP[float32]{Source: 77}, method)
		}
	}
}

// TestLocal checks that with memory for a quarter of a graph most of whose edges stay in their shards, shards are done
// one after another, in few iterations, and results are those of pulls. With a limit of iterations they are not. With
// more memory, frontiers are taken from the start, too.
func TestLocal(t *testing.T) {
	s := teststore.Build(t, lattice(200), teststore.Options{ShardVertices: 1000, Symmetric: true, Layout: store.Packed,
		Weighted: true})
	for _, method := range []Method{Frontier, Auto} {
		for _, r := range []Report{
			searched[uint32, uint32](t, s, programs.WCC{}, method),
			searched[float32, float32](t, s, programs.SSSP[float32]{Source: 77}, method),
			searched[float64, float64](t, s, programs.SSSP[float64]{Source: 20_100}, method),
		} {
			if r.Done() > 60 || r.Iterations[0].Method != Frontier {
				t.Errorf("%s: %d iterations, the first a %s", method, r.Done(), r.Iterations[0].Method)
			}
		}
	}
	p := gas.Program[uint32, uint32](programs.WCC{})
	for more := int64(0); more < 4<<20; more += 64 << 10 {
		_, r := run(t, s, p, setting{opt: Options{Threads: 2, Memory: quarter[uint32](s) + more}})
		if r.Iterations[0].Method != Frontier {
			t.Errorf("with %d bytes more, the first iteration is a %s", more, r.Iterations[0].Method)
		}
	}
	opt := Options{Threads: 2, Memory: quarter[uint32](s), Iterations: 100}
	if _, r := run(t, s, p, setting{opt: opt}); r.Done() < 100 {
		t.Errorf("%d iterations with a limit of 100", r.Done())
	}
}

// searched runs a program with memory for a quarter of the graph, and compares with pulls.
func searched[V comparable, A any](t *testing.T, s *store.Store, p gas.Program[V, A], method Method) Report {
	t.Helper()
	o := Options{Threads: 2, Memory: quarter[V](s), Method: method}
	got, r := run(t, s, p, setting{opt: o})
	want, _ := run(t, s, p, setting{opt: Options{Threads: 2, Method: Pull}})
	if i := differs(got, want); i >= 0 {
		t.Fatalf("%T, %s: vertex %d: got %v, want %v", p, method, i, got[i], want[i])
	}
	if r.InMemory || r.Reads.RowsRead == 0 {
		t.Fatalf("%T, %s: in memory %v, %d bytes of rows were read", p, method, r.InMemory, r.Reads.RowsRead)
	}
	return r
}

// flip flips a bit of a shard's side in the store, wherever it was read from.
func flip(t *testing.T, s *store.Store, dir shard.Direction, i int, at int64) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(s.Path(), "payload"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b [1]byte
	place := s.Catalogue().Blob(dir, i).Off + at
	if _, err := f.ReadAt(b[:], place); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 4
	if _, err := f.WriteAt(b[:], place); err != nil {
		t.Fatal(err)
	}
}

// TestStoredDamage checks that damage of what a frontier needs ends the job with an error that
// names the shard. The job goes on from there when the graph is sound again, and values after so
// many iterations are those of pulls.
func TestStoredDamage(t *testing.T) {
	g := chain(2000)
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 100, Weighted: true, Layout: store.Packed})
	cat, p := s.Catalogue(), gas.Program[float32, float32](programs.SSSP[float32]{})
	for _, limit := range []int{0, 1990} {
		want, _ := run(t, s, p, setting{opt: Options{Method: Pull, Iterations: limit}})
		for name, damage := range map[string]func(){
			"the index": func() { flip(t, s, shard.Out, 7, shard.HeaderBytes+9) },
			"a row":     func() { flip(t, s, shard.Out, 7, cat.Bytes(shard.Out, 7)-100) },
			"a weight":  func() { flip(t, s, shard.OutWeights, 7, cat.Bytes(shard.OutWeights, 7)-30) },
		} {
			o := Options{Device: CPU, Method: Frontier, Threads: 2, Memory: plenty, hooks: hooks{rowsStay: 1}, Iterations: limit}
			o.Checkpoints = checkpoint.Policy{Every: 1 << 30}
			folder := memoryDir(t)
			damage()
			_, r, err := recorded(t.Context(), t, s, p, folder, o)
			if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "shard 7 (out") {
				t.Fatalf("%s: after %d iterations: %v", name, r.Done(), err)
			}
			damage()
			got, r, err := recorded(t.Context(), t, s, p, folder, o)
			if err != nil || limit > 0 && r.Before < 600 { // without a limit, shards may be done one after another
				t.Fatalf("%s: resumed after %d iterations: %v", name, r.Before, err)
			}
			if i := differs(got, want); i >= 0 {
				t.Fatalf("%s, %d iterations: vertex %d: got %v, want %v", name, limit, i, got[i], want[i])
			}
		}
	}
}

// TestStoredCancelled checks that a job that is stopped while it reads rows goes on from there.
func TestStoredCancelled(t *testing.T) {
	s := teststore.Build(t, chain(2000), teststore.Options{ShardVertices: 100, Layout: store.Packed})
	p := gas.Program[uint32, uint32](programs.BFS{})
	want, _ := run(t, s, p, setting{opt: Options{Method: Pull}})
	folder := memoryDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := Options{Device: CPU, Method: Frontier, Memory: plenty, hooks: hooks{rowsStay: 1},
		Checkpoints: checkpoint.Policy{Every: 50}}
	o.Progress = func(it Iteration) {
		if it.Iteration > 300 {
			cancel()
		}
	}
	if _, _, err := recorded(ctx, t, s, p, folder, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	o.Progress = nil
	got, r, err := recorded(t.Context(), t, s, p, folder, o)
	if i := differs(got, want); err != nil || i >= 0 || r.Before < 300 {
		t.Fatalf("resumed after %d iterations: %v; differs at %d", r.Before, err, i)
	}
}

// TestLeastOfFrontiers checks that where neither pages nor rows have room, the budget that the
// error names has room for both.
func TestLeastOfFrontiers(t *testing.T) {
	s := teststore.Build(t, skewed(14, 16), teststore.Options{ShardVertices: 128, Symmetric: true, Layout: store.Packed})
	p := gas.Program[uint32, uint32](programs.BFS{Source: 77})
	o := Options{Threads: 2, Method: Frontier, Memory: 1}
	_, err := New(s, p, o)
	var need *MemoryError
	if !errors.As(err, &need) || need.Rows == 0 || !strings.Contains(err.Error(), " for rows, ") {
		t.Fatalf("%v: names no memory for rows", err)
	}
	o.Memory = need.Least()
	j, err := New(s, p, o)
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
}

// TestHintDisk checks that a search along a long path from disk warns once; one in memory does not,
// nor does a short one.
func TestHintDisk(t *testing.T) {
	for _, c := range []struct {
		long  uint32
		least bool
		want  int
	}{{130, true, 1}, {130, false, 0}, {50, true, 0}} {
		g := oracle.Graph{N: 20_000}
		for v := range uint32(g.N) - 1 {
			g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: (v + 1) % c.long, Weight: 1})
		}
		s := teststore.Build(t, g, teststore.Options{Layout: store.Packed})
		core, logs := observer.New(zap.WarnLevel)
		o := Options{Device: CPU, Log: zap.New(core)}
		if c.least {
			_, err := New(s, programs.BFS{}, Options{Device: CPU, Memory: 1})
			var least *MemoryError
			if !errors.As(err, &least) {
				t.Fatal(err)
			}
			o.Memory = least.Least()
		}
		if _, _, err := runJob[uint32, uint32](s, programs.BFS{}, o); err != nil {
			t.Fatal(err)
		}
		if logs.Len() != c.want {
			t.Errorf("%+v: warned %d times: %v", c, logs.Len(), logs.All())
		}
	}
}
