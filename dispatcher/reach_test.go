package dispatcher

import (
	"testing"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// TestReach checks the reach of jobs from their active vertices.
func TestReach(t *testing.T) {
	const n = 4000
	graph := func(edges int, edge func(i uint32) (src, dst uint32)) *store.Store {
		g := oracle.Graph{N: n}
		for i := range uint32(edges) {
			src, dst := edge(i)
			g.Edges = append(g.Edges, oracle.Edge{Src: src, Dst: dst, Weight: 1})
		}
		return teststore.Build(t, g, teststore.Options{ShardVertices: 256, Layout: store.Packed, Weighted: true,
			Symmetric: true})
	}
	path := graph(n-1, func(i uint32) (uint32, uint32) { return i, i + 1 })
	star := graph(n-1, func(i uint32) (uint32, uint32) { return 0, i + 1 })
	pairs := graph(n/2, func(i uint32) (uint32, uint32) { return 2 * i, 2*i + 1 })
	dense := graph(16*n, func(i uint32) (uint32, uint32) { return i / 16, i * 2654435761 >> 8 % n })
	ends := graph(n-2000, func(i uint32) (uint32, uint32) { return i, i + 1 }) // the others have no edges
	few, slow := policy.Reach{Few: true}, policy.Reach{Slow: true}
	for _, c := range []struct {
		name   string
		store  *store.Store
		labels policy.Reach
		source policy.Reach // from vertex 7
	}{
		{"path", path, slow, slow}, {"star", star, policy.Reach{}, policy.Reach{}}, {"pairs", pairs, few, few},
		{"dense", dense, policy.Reach{}, policy.Reach{}}, {"ends", ends, slow, slow},
	} {
		checkReach(t, c.name+", labels", c.store, programs.WCC{}, Options{}, c.labels)
		checkReach(t, c.name+", a source", c.store, programs.SSSP[float32]{Source: 7}, Options{}, c.source)
		checkReach(t, c.name+", pulls", c.store, programs.WCC{}, Options{Method: Pull}, policy.Reach{})
		checkReach(t, c.name+", no frontiers", c.store, programs.Heat{Step: 1}, Options{Iterations: 1}, policy.Reach{})
	}
	alone := graph(n-2000, func(i uint32) (uint32, uint32) { return i, i + 1 }) // of which no job has loaded rows
	checkReach(t, "a source without edges", alone, programs.SSSP[float32]{Source: n - 1}, Options{}, few)
}

func checkReach[V, A any](t *testing.T, name string, s *store.Store, p gas.Program[V, A], o Options,
	want policy.Reach) {
	t.Helper()
	j, err := New(s, p, o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := j.Run(t.Context()); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if got := j.state.policy.known.Counts.Reach; got != want {
		t.Errorf("%s: got %+v, want %+v", name, got, want)
	}
}
