package programs_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
)

// TestSSWP: widths are weights, so that nothing is rounded.
func TestSSWP(t *testing.T) {
	everyGraph(t, func(t rapid.TB, g oracle.Graph, source uint32) {
		want := oracle.SSWP(g, source)
		for _, groups := range []int{1, 4} {
			x := newInterpreter[float32, float32](g, programs.SSWP{Source: source})
			x.groups = groups
			x.run(0)
			for v := range want {
				if float64(x.values[v]) != want[v] {
					t.Fatalf("%d groups, vertex %d: got %v, want %v", groups, v, x.values[v], want[v])
				}
			}
		}
	})
}

// TestSSWPZero: a path of weight 0 has the width 0, which is not none.
func TestSSWPZero(t *testing.T) {
	g := oracle.Graph{N: 3, Edges: []oracle.Edge{{Src: 0, Dst: 1}}}
	p := programs.SSWP{}
	x := newInterpreter[float32, float32](g, p)
	x.run(0)
	for v, null := range []bool{false, false, true} {
		if got := p.Null(gas.Vertex{}, x.values[v]); got != null || v == 1 && x.values[v] != 0 {
			t.Errorf("vertex %d: got %v, null: %v", v, x.values[v], got)
		}
	}
}

// TestKCore: the same core as by taking away one vertex after another, for
// every k that has one, and the first that has none.
func TestKCore(t *testing.T) {
	everyGraph(t, func(t rapid.TB, g oracle.Graph, _ uint32) {
		for k, some := 0, true; some; k++ {
			want := oracle.KCore(g, k, false)
			some = false
			for _, groups := range []int{1, 4} {
				x := newInterpreter[uint32, uint32](g, programs.KCore{K: uint32(k)})
				x.groups = groups
				x.run(0)
				for v := range want {
					some = some || want[v]
					if (x.values[v] == 1) != want[v] {
						t.Fatalf("k = %d, %d groups, vertex %d: got %v, want %v", k, groups, v, x.values[v], want[v])
					}
				}
			}
		}
	})
}

// TestKCoreOfComplete: each vertex of K₅ has four neighbours, and two edges with each.
func TestKCoreOfComplete(t *testing.T) {
	complete := oracle.Graph{N: 5}
	for v := range uint32(5) {
		for u := range v {
			complete.Edges = append(complete.Edges, oracle.Edge{Src: u, Dst: v, Weight: 1})
		}
	}
	for _, c := range []struct {
		g    oracle.Graph
		k    int
		want bool
	}{{complete, 4, true}, {complete, 5, false}, {teststore.Mirrored(complete), 8, true}, {teststore.Mirrored(complete), 9, false}} {
		if got := oracle.KCore(c.g, c.k, false)[0]; got != c.want {
			t.Errorf("%d edges, k = %d: %v", len(c.g.Edges), c.k, got)
		}
	}
}

// TestKCoreAbilities: an accumulator that is saturated removes nothing,
// whatever comes on top of it.
func TestKCoreAbilities(t *testing.T) {
	p := programs.KCore{K: 3}
	for acc := range uint32(10) {
		if full := p.Saturated(acc, gas.Step{}); full != (p.Apply(gas.Vertex{}, 1, acc, gas.Step{}) == 1) {
			t.Errorf("%d edges: saturated %v", acc, full)
		}
	}
	if p.Settled(1, gas.Step{}) || !p.Settled(p.Apply(gas.Vertex{}, 1, 2, gas.Step{}), gas.Step{}) {
		t.Error("what is there is settled, or what is removed is not")
	}
}
