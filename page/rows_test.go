package page

import (
	"errors"
	"fmt"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// arc is an edge as the row of from has it.
type arc struct {
	from, to uint32
	weight   float32
}

// arcsOf counts the edges of rows, and refuses offsets that are none.
func arcsOf(r *frontier.Rows, vertices int) (map[arc]int, error) {
	if len(r.Off) != vertices+1 || r.Off[0] != 0 || r.Off[vertices] != uint64(len(r.Nbr)+len(r.Arcs)) {
		return nil, fmt.Errorf("offsets %v of %d vertices and %d edges", r.Off, vertices, len(r.Nbr)+len(r.Arcs))
	}
	got := map[arc]int{}
	for v := range uint32(vertices) {
		for k := r.Off[v]; k < r.Off[v+1]; k++ {
			to, weight := r.Arc(k)
			got[arc{v, to, float32(weight)}]++
		}
	}
	return got, nil
}

// checkRows compares the rows of all sides, with weights and without, with the edges of a
// graph that was stored with options.
func checkRows(t *rapid.T, s *store.Store, g oracle.Graph, o teststore.Options, threads int) {
	if o.Symmetric {
		g = teststore.Mirrored(g)
	}
	for _, sides := range [][]shard.Direction{in, out, both} {
		for _, weighted := range []bool{false, true} {
			if weighted && (!o.Weighted || len(sides) > 1) || len(sides) > 1 && o.Symmetric {
				continue // which jobs do not want
			}
			want := map[arc]int{}
			for _, e := range g.Edges {
				if !weighted {
					e.Weight = 1
				}
				for _, dir := range sides {
					if dir == shard.In {
						want[arc{e.Dst, e.Src, e.Weight}]++
					} else {
						want[arc{e.Src, e.Dst, e.Weight}]++
					}
				}
			}
			w := WholeRows{Sides: sides, Weighted: weighted, Threads: threads}
			rows, err := w.Load(t.Context(), s)
			if err != nil {
				t.Fatalf("%+v, sides %v: %v", o, sides, err)
			}
			got, err := arcsOf(rows, g.N)
			err = errors.Join(err, w.Free(rows))
			if err != nil || !maps.Equal(got, want) {
				t.Fatalf("%+v, sides %v, weighted %v: rows %v, want %v (%v)", o, sides, weighted, got, want, err)
			}
		}
	}
}

// TestWholeRows checks that the rows of a whole graph are its edges, whatever its layout.
func TestWholeRows(t *testing.T) {
	graphs := testgraph.All()
	folder := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		g := testgraph.Draw(r)
		if k := rapid.IntRange(0, 2*len(graphs)).Draw(r, "named"); k < len(graphs) {
			g = graphs[k].Graph
		}
		o := teststore.Draw(r)
		s, err := teststore.BuildIn(folder, g, o)
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		checkRows(r, s, g, o, rapid.IntRange(1, 4).Draw(r, "threads"))
	})
}

// TestForgedRows checks that weighted rows are made of in-edges, and those of a graph whose
// out-degrees are others are refused.
func TestForgedRows(t *testing.T) {
	g := oracle.Graph{N: 6, Edges: []oracle.Edge{{Src: 0, Dst: 5, Weight: 2}, {Src: 1, Dst: 5, Weight: 1},
		{Src: 4, Dst: 0, Weight: 3}}}
	for _, forged := range [][]oracle.Edge{
		{{Src: 1, Dst: 5, Weight: 2}, {Src: 1, Dst: 5, Weight: 1}, {Src: 4, Dst: 0, Weight: 3}},
		{{Src: 5, Dst: 5, Weight: 2}, {Src: 5, Dst: 4, Weight: 1}, {Src: 5, Dst: 0, Weight: 3}},
	} {
		s := teststore.Build(t, g, teststore.Options{Weighted: true, Layout: store.CSC, Out: forged})
		w := WholeRows{Sides: out, Weighted: true, Threads: 2}
		rows, err := w.Load(t.Context(), s)
		if !errors.Is(err, store.ErrDamaged) {
			t.Errorf("got %v, %v", rows, err)
			_ = w.Free(rows)
		}
	}
}
