package algorithms_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// TestKCore compares cores with those of an oracle on random graphs, stored in any way, in memory and in passes.
func TestKCore(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		g := testgraph.Draw(r)
		if rapid.Bool().Draw(r, "dense") {
			g = drawDense(r)
		}
		o := teststore.Draw(r)
		s, err := teststore.BuildIn(folder, g, o)
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		k := rapid.Uint32Range(0, 12).Draw(r, "k")
		if o.Symmetric {
			g = teststore.Mirrored(g)
		}
		sameCore(r, t, s, k, oracle.KCore(g, int(k), o.Symmetric))
	})
}

// TestKCorePath checks that a path vanishes from both its ends, longer than what a task removes; parallel edges
// between two of its vertices remain.
func TestKCorePath(t *testing.T) {
	for _, n := range []int{2000, 40_000} {
		g := path(n)
		g.Edges = append(g.Edges, oracle.Edge{Src: 0, Dst: 1009})
		s := teststore.Build(t, g, teststore.Options{ShardVertices: 500, Layout: store.Packed})
		sameCore(t, t, s, 2, oracle.KCore(g, 2, false))
	}
}

func sameCore(r interface{ Fatalf(string, ...any) }, t *testing.T, s *store.Store, k uint32, core []bool) {
	want := make([]int64, len(core))
	for v, in := range core {
		if in {
			want[v] = 1
		}
	}
	all := []algorithms.Algorithm[int64]{algorithms.KCore{K: k}, algorithms.KCoreInPasses{KCore: algorithms.KCore{K: k}}}
	if len(core) > 10_000 { // which would take many passes
		all = all[:1]
	}
	for _, a := range all {
		for _, threads := range []int{1, 7} {
			if got, _ := run(t, s, a, algorithms.Options{Threads: threads}); !slices.Equal(got, want) {
				r.Fatalf("%T, k %d, %d threads: %v, want %v", a, k, threads, got, want)
			}
		}
	}
}
