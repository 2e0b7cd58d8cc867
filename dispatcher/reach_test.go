package dispatcher

import (
	"strings"
	"testing"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// listed is the number of vertices of graphs of edgesStore.
const listed = 4000

// edgesStore returns a symmetric graph of edges with weights.
func edgesStore(t *testing.T, edges int, edge func(i uint32) (src, dst uint32)) *store.Store {
	g := oracle.Graph{N: listed}
	for i := range uint32(edges) {
		src, dst := edge(i)
		g.Edges = append(g.Edges, oracle.Edge{Src: src, Dst: dst, Weight: 1})
	}
	return teststore.Build(t, g, teststore.Options{ShardVertices: 256, Layout: store.Packed, Weighted: true,
		Symmetric: true})
}

// TestReach checks the reach of jobs from their active vertices.
func TestReach(t *testing.T) {
	const n = listed
	graph := func(edges int, edge func(i uint32) (src, dst uint32)) *store.Store { return edgesStore(t, edges, edge) }
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

// TestMethodsOfJobs checks by which methods the first job over an open graph goes, the second one, and one after a job
// that was to take frontiers: the letters of the methods, one for each run of iterations.
func TestMethodsOfJobs(t *testing.T) {
	path := func(i uint32) (uint32, uint32) { return i, i + 1 }
	dense := func(i uint32) (uint32, uint32) { return i / 16, i * 2654435761 >> 8 % listed }
	star := func(i uint32) (uint32, uint32) { return 0, i + 1 }
	pairs := func(i uint32) (uint32, uint32) { return 2 * i, 2*i + 1 }
	every := func(k uint32) (list []uint32) {
		for v := k; v < listed; v += k {
			list = append(list, v)
		}
		return list
	}
	for _, c := range []struct {
		name  string
		edges int
		edge  func(i uint32) (uint32, uint32)
		p     any
		want  [3]string
	}{
		{"labels along a path", listed - 1, path, programs.WCC{}, [3]string{"f", "f", "f"}},
		{"labels of a dense graph", 16 * listed, dense, programs.WCC{}, [3]string{"p", "p", "f"}},
		{"from a source", 16 * listed, dense, programs.SSSP[float32]{}, [3]string{"f", "f", "f"}},
		{"from an eighth", 16 * listed, dense, programs.SSSP[float32]{More: every(8)}, [3]string{"f", "f", "f"}},
		{"from everywhere", 16 * listed, dense, programs.SSSP[float32]{More: every(1)}, [3]string{"p", "p", "f"}},
		{"from a center", listed - 1, star, programs.SSSP[float32]{}, [3]string{"p", "p", "f"}},
		{"in a pair", listed / 2, pairs, programs.SSSP[float32]{}, [3]string{"p", "p", "f"}},
		{"in many pairs", listed / 2, pairs, programs.SSSP[float32]{More: every(8)}, [3]string{"f", "f", "f"}},
	} {
		s := edgesStore(t, c.edges, c.edge)
		for i, want := range c.want {
			if i == 2 {
				methodsOf(t, s, c.p, Frontier)
			}
			if got := methodsOf(t, s, c.p, Auto); got != want {
				t.Errorf("%s, job %d: got %s, want %s", c.name, i, got, want)
			}
		}
	}
}

// TestDirectedSearch checks that a search of a directed graph pushes small frontiers along the rows that there are and
// pulls the others, until rows in both directions are loaded.
func TestDirectedSearch(t *testing.T) {
	s := teststore.Build(t, skewed(14, 16), teststore.Options{ShardVertices: 128, Layout: store.Packed})
	bfs := programs.BFS{Source: 77}
	for i, want := range []string{"fpf", "fpf", "f"} {
		if i == 2 {
			methodsOf(t, s, bfs, Frontier)
		}
		if got := methodsOf(t, s, bfs, Auto); got != want {
			t.Errorf("job %d: got %s, want %s", i, got, want)
		}
	}
}

// methodsOf runs a job and returns the letters of its methods.
func methodsOf(t *testing.T, s *store.Store, p any, m Method) (letters string) {
	t.Helper()
	var r Report
	var err error
	switch o := (Options{Method: m, Threads: 2}); p := p.(type) {
	case programs.SSSP[float32]:
		_, r, err = runJob[float32, float32](s, p, o)
	case programs.BFS:
		_, r, err = runJob[uint32, uint32](s, p, o)
	case programs.WCC:
		_, r, err = runJob[uint32, uint32](s, p, o)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range r.Iterations {
		if letter := string(it.Method[0]); !strings.HasSuffix(letters, letter) {
			letters += letter
		}
	}
	return letters
}
