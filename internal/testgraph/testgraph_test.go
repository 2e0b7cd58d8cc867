package testgraph

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/internal/oracle"
)

func valid(g oracle.Graph) bool {
	for _, e := range g.Edges {
		if int(e.Src) >= g.N || int(e.Dst) >= g.N || !(e.Weight >= 0) {
			return false
		}
	}
	return g.N > 0
}

func TestAll(t *testing.T) {
	seen := map[string]bool{}
	for _, n := range All() {
		if !valid(n.Graph) || n.Graph.N > 10 || seen[n.Name] {
			t.Errorf("%s: %v", n.Name, n.Graph)
		}
		seen[n.Name] = true
	}
}

// TestSkewed: the edges are there, a hub has many, and the same seed gives the same.
func TestSkewed(t *testing.T) {
	g := Skewed(10, 4096, 1)
	if !valid(g) || len(g.Edges) != 4096 || g.N != 1024 {
		t.Fatalf("%d edges of %d vertices", len(g.Edges), g.N)
	}
	if _, out := oracle.Degrees(g); out[0] < 4*4 {
		t.Errorf("vertex 0 has %d out-edges, of 4 on average", out[0])
	}
	if other := Skewed(10, 4096, 1); !slices.Equal(g.Edges, other.Edges) {
		t.Error("the same seed gives other edges")
	}
}

// TestDraw: the graphs are valid, and of the shapes that Draw promises or that tests
// of random graphs need each comes up.
func TestDraw(t *testing.T) {
	shapes := map[string]int{}
	check := func(t *rapid.T) {
		g := Draw(t)
		if !valid(g) {
			t.Fatal(g)
		}
		in, out := oracle.Degrees(g)
		seen := map[[2]uint32]bool{}
		var hasLoop, hasParallel, hasIsolated, hasHub, isSplit bool
		for _, e := range g.Edges {
			hasLoop = hasLoop || e.Src == e.Dst
			hasParallel = hasParallel || seen[[2]uint32{e.Src, e.Dst}]
			seen[[2]uint32{e.Src, e.Dst}] = true
		}
		for v := range in {
			hasIsolated = hasIsolated || in[v]+out[v] == 0
			hasHub = hasHub || g.N > 10 && len(g.Edges) > 10 && int(in[v]) > len(g.Edges)/4
		}
		for _, component := range oracle.WCC(g) {
			isSplit = isSplit || len(g.Edges) > 0 && component != 0
		}
		for shape, is := range map[string]bool{
			"single vertex": g.N == 1, "self-loop": hasLoop, "parallel edges": hasParallel, "isolated vertex": hasIsolated, "hub": hasHub,
			"no edges": len(g.Edges) == 0, "large": g.N > 64, "edges and several components": isSplit, "triangle": slices.Max(oracle.Triangles(g)) > 0,
		} {
			if shapes[shape] += 0; is { // one that never comes is there with 0
				shapes[shape]++
			}
		}
	}
	for range 10 { // a hundred graphs each
		rapid.Check(t, check)
	}
	for shape, n := range shapes {
		if n == 0 {
			t.Errorf("no graph had: %s", shape)
		}
	}
}

func TestEdgesOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "edges")
	if err := os.WriteFile(path, []byte("# comment\n30\t-5\t7\n\n-5 20\n20 20 0.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ids, g := edgesOf(t, path, []int64{99, 20}, true)
	if diff := cmp.Diff([]int64{-5, 20, 30, 99}, ids); diff != "" {
		t.Error(diff)
	}
	want := oracle.Graph{N: 4, Edges: []oracle.Edge{
		{Src: 2, Dst: 0, Weight: 7}, {Src: 0, Dst: 2, Weight: 7}, {Src: 0, Dst: 1, Weight: 1}, {Src: 1, Dst: 0, Weight: 1}, {Src: 1, Dst: 1, Weight: 0.5},
	}}
	if diff := cmp.Diff(want, g); diff != "" {
		t.Error(diff)
	}
}

func TestShared(t *testing.T) {
	for _, c := range []struct {
		name            string
		undirected      bool
		vertices, edges int
	}{
		{"ego-Facebook", true, 4_039, 2 * 88_234},
		{"as-Caida20071105-weighted", true, 26_475, 2 * 53_381},
		{"soc-Slashdot0902", false, 82_168, 948_464},
	} {
		ids, g := LoadEdges(t, c.name, c.undirected)
		if len(ids) != c.vertices || g.N != c.vertices || len(g.Edges) != c.edges || !valid(g) {
			t.Errorf("%s: got %d vertices and %d edges", c.name, g.N, len(g.Edges))
		}
	}
	if d := LoadLDBC(t, "example-directed"); d.Graph.N != 10 || len(d.Graph.Edges) != 17 || !d.Directed || d.Source != 1 || d.Damping != 0.85 || d.Iterations != 2 {
		t.Errorf("got %+v", d)
	}
	if d := LoadLDBC(t, "example-undirected"); d.Graph.N != 9 || len(d.Graph.Edges) != 24 || d.Directed || d.IDs[0] != 2 || d.Source != 2 {
		t.Errorf("got %+v", d)
	}
}
