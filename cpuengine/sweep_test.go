package cpuengine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/programs"
)

// tiny draws a graph of up to 12 vertices, some of which have no edges, with loops and
// parallel edges.
func tiny(r *rand.Rand) oracle.Graph {
	g := oracle.Graph{N: 1 + r.IntN(12)}
	ends := uint32(1 + r.IntN(g.N))
	for range r.IntN(3 * g.N) {
		g.Edges = append(g.Edges, oracle.Edge{Src: r.Uint32N(ends), Dst: r.Uint32N(ends), Weight: float32(r.IntN(6))})
	}
	return g
}

// TestEverySource searches from every source of many tiny graphs, on one and on three
// goroutines, with all limits small and as they are. GARAPH_SEARCHES is how many searches
// there are of each program.
func TestEverySource(t *testing.T) {
	searches, err := strconv.Atoi(cmp.Or(os.Getenv("GARAPH_SEARCHES"), "4000"))
	if err != nil {
		t.Fatal(err)
	}
	for seed, done := uint64(0), 0; done < searches; seed++ {
		g := tiny(rand.New(rand.NewPCG(seed, 1)))
		done += g.N
		if err := everySource(g, seed); err != nil {
			t.Fatalf("graph %d, %d vertices, %v: %v", seed, g.N, g.Edges, err)
		}
	}
}

// everySource compares the searches from all sources of a graph with the oracles.
func everySource(g oracle.Graph, seed uint64) error {
	for source := range uint32(g.N) {
		levels := oracle.BFS(g, source)
		hops := func(v int, got uint32) bool {
			return levels[v] == gas.Unreached && got == math.MaxUint32 || int64(got) == levels[v]
		}
		if err := searchAs(g, gas.Program[uint32, uint32](programs.BFS{Source: source}), seed, hops); err != nil {
			return fmt.Errorf("BFS from %d: %w", source, err)
		}
		distances := oracle.SSSP(g, source)
		if err := searchAs(g, gas.Program[float32, float32](programs.SSSP[float32]{Source: source}), seed, func(v int, got float32) bool { return float64(got) == distances[v] }); err != nil {
			return fmt.Errorf("SSSP from %d: %w", source, err)
		}
	}
	return nil
}

// searchAs compares a search with what is right.
func searchAs[V, A any](g oracle.Graph, p gas.Program[V, A], seed uint64, right func(v int, got V) bool) error {
	loops, _ := LoopsOf(p)
	out, in := rowsOf(g, loops.Weighs)
	a, err := vertices.New[V](uint32(g.N), nil)
	if err != nil {
		return err
	}
	defer a.Free()
	var begin Stats
	for v := range uint32(g.N) {
		a.Degree[v] = uint32(out.Off[v+1] - out.Off[v])
		value, active := p.Init(gas.Vertex{ID: v, N: uint32(g.N)})
		if a.Cur[v] = value; active {
			a.Active.Add(v)
			begin.Add(Stats{Activated: 1, Degrees: uint64(a.Degree[v])})
		}
	}
	e, err := New(loops, a, 1+2*int(seed&1))
	if err != nil {
		return err
	}
	f, err := NewAdvancer(e, out, in)
	if err != nil {
		return err
	}
	defer f.Free()
	if seed&2 != 0 {
		f.limits = limits{alone: seed >> 2 & 3, hub: uint32(1 + seed>>4&3), task: int(1 + seed>>6&1)}
	}
	next := f.Advance
	if loops.Relax != nil && seed&4 != 0 {
		next = f.AdvanceOrdered
	}
	if _, err = next(context.Background(), gas.Step{}, begin, math.MaxInt, time.Now().Add(time.Hour)); err != nil {
		return err
	}
	for v, got := range a.Cur[:g.N] {
		if !right(v, got) {
			return fmt.Errorf("vertex %d has %v after a search on %d goroutines, limits %+v", v, got, len(e.workers), f.limits)
		}
	}
	return nil
}
