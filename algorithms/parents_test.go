package algorithms

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
)

// parentsOf are the parents of distances, found one vertex after another.
func parentsOf(g oracle.Graph, distance []float64, source uint32) []gas.VertexID {
	parents := make([]gas.VertexID, g.N)
	for v := range parents {
		parents[v] = NoParent
	}
	tight := func(e oracle.Edge) bool {
		return !math.IsInf(distance[e.Src], 1) && distance[e.Src]+float64(e.Weight) == distance[e.Dst] && e.Dst != source
	}
	take := func(from oracle.Edge, settled func(uint32) bool, to []gas.VertexID) {
		if u := gas.VertexID(from.Src); settled(from.Src) && u < to[from.Dst] {
			to[from.Dst] = u
		}
	}
	for _, e := range g.Edges {
		if tight(e) {
			take(e, func(u uint32) bool { return distance[u] < distance[e.Dst] }, parents)
		}
	}
	for {
		round := append([]gas.VertexID(nil), parents...)
		changed := false
		for _, e := range g.Edges {
			if tight(e) && parents[e.Dst] == NoParent {
				take(e, func(u uint32) bool { return u == source || parents[u] != NoParent }, round)
				changed = changed || round[e.Dst] != NoParent
			}
		}
		parents = round
		if !changed {
			return parents
		}
	}
}

// shortest are the parents that are to be found from distances.
func shortest(distance []float64, source uint32, weighted bool) Parents[float64] {
	return Parents[float64]{
		Values: distance, Weights: weighted,
		Reached: func(v uint32) bool { return !math.IsInf(distance[v], 1) },
		Begins:  func(v uint32) bool { return v == source },
		Nearer:  func(a, b float64) bool { return a < b },
		Over:    func(src float64, w float64, value float64) bool { return src+w == value },
	}
}

// TestParents compares parents with those of a serial search, in any layout, with any number of
// threads and little memory; and they lead to the source along edges whose weights are what the
// distances differ by.
func TestParents(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		g := testgraph.Draw(rt)
		for i := range g.Edges {
			if rapid.IntRange(0, 2).Draw(rt, "nothing") == 0 {
				g.Edges[i].Weight = 0 // many vertices are equally near
			}
		}
		o := teststore.Draw(rt)
		s, err := teststore.BuildIn(folder, g, o)
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		if o.Symmetric {
			g = teststore.Mirrored(g)
		}
		if !o.Weighted {
			for i := range g.Edges {
				g.Edges[i].Weight = 1
			}
		}
		source := rapid.Uint32Range(0, uint32(g.N-1)).Draw(rt, "source")
		distance := oracle.SSSP(g, source)
		options := Options{Threads: rapid.IntRange(1, 4).Draw(rt, "threads")}
		p := shortest(distance, source, o.Weighted)
		if rapid.Bool().Draw(rt, "little memory") {
			options.Memory = 1
			_, err := Run(context.Background(), s, p, options)
			var least *MemoryError
			if !errors.As(err, &least) {
				rt.Fatal(err)
			}
			options.Memory = least.Least()
		}
		out, err := Run(context.Background(), s, p, options)
		if err != nil {
			rt.Fatal(err)
		}
		defer out.Close()
		for v, want := range parentsOf(g, distance, source) {
			if out.Values[v] != want {
				rt.Fatalf("the parent of %d at %v is %d, want %d", v, distance[v], out.Values[v], want)
			}
			steps := 0
			for u := gas.VertexID(v); p.Reached(uint32(v)) && uint32(u) != source; u = out.Values[u] {
				if steps++; out.Values[u] == NoParent || steps > g.N {
					rt.Fatalf("the parents of %d at %v do not lead to the source", v, distance[v])
				}
			}
		}
	})
}

// TestParentsOfNone checks that distances that are none of paths have no parents, and end no run.
func TestParentsOfNone(t *testing.T) {
	g := oracle.Graph{
		N: 3, Edges: []oracle.Edge{{Src: 0, Dst: 1, Weight: 1}, {Src: 1, Dst: 2, Weight: 1}, {Src: 2, Dst: 1, Weight: 1}},
	}
	s := teststore.Build(t, g, teststore.Options{Weighted: true})
	out, err := Run(context.Background(), s, shortest([]float64{0, 5, 7}, 0, true), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if out.Values[1] != NoParent || out.Values[2] != NoParent {
		t.Error(out.Values)
	}
}
