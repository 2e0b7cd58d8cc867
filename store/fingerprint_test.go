package store_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// TestFingerprint checks that it is equal for equal graphs, whatever the order of their
// edges, and different as soon as anything is that a result may depend on.
func TestFingerprint(t *testing.T) {
	print := func(g oracle.Graph, o teststore.Options) string {
		path := filepath.Join(memoryDir(t), "g")
		write(t, path, g, o)
		return open(t, path).Catalogue().Fingerprint
	}
	changed := func(change func(*oracle.Graph)) oracle.Graph {
		g := testgraph.MultiEdges()
		change(&g)
		return g
	}
	plain := teststore.Options{Weighted: true}
	sound := print(testgraph.MultiEdges(), plain)
	if len(sound) != 32 {
		t.Errorf("fingerprint %q", sound)
	}
	if got := print(changed(func(g *oracle.Graph) { slices.Reverse(g.Edges) }), plain); got != sound {
		t.Errorf("the same edges in another order: %s, want %s", got, sound)
	}
	seen := map[string]string{sound: "the graph itself"}
	for _, c := range []struct {
		name string
		g    oracle.Graph
		o    teststore.Options
	}{
		{"an edge more", changed(func(g *oracle.Graph) { g.Edges = append(g.Edges, g.Edges[0]) }), plain},
		{"an edge less", changed(func(g *oracle.Graph) { g.Edges = g.Edges[1:] }), plain},
		{"another source", changed(func(g *oracle.Graph) { g.Edges[3].Src = 3 }), plain},
		{"another destination", changed(func(g *oracle.Graph) { g.Edges[3].Dst = 3 }), plain},
		{"an edge reversed", changed(func(g *oracle.Graph) {
			g.Edges[3].Src, g.Edges[3].Dst = g.Edges[3].Dst,
				g.Edges[3].Src
		}), plain},
		{"another weight", changed(func(g *oracle.Graph) { g.Edges[3].Weight = 2.5 }), plain},
		{"a vertex more", changed(func(g *oracle.Graph) { g.N++ }), plain},
		{"other ids", testgraph.MultiEdges(), teststore.Options{Weighted: true, Base: 1}},
		{"no weights", testgraph.MultiEdges(), teststore.Options{}},
		{"both directions", testgraph.MultiEdges(), teststore.Options{Weighted: true, Symmetric: true}},
		{"both directions, no weights", testgraph.MultiEdges(), teststore.Options{Symmetric: true}},
	} {
		got := print(c.g, c.o)
		if before, ok := seen[got]; ok {
			t.Errorf("%s has the fingerprint of %s", c.name, before)
		}
		seen[got] = c.name
	}
}

// TestFingerprintOfIDs checks that ids count, the kind among them.
func TestFingerprintOfIDs(t *testing.T) {
	seen := map[string]string{}
	for _, c := range []struct {
		name string
		kind store.IDKind
		fill func(*store.IDWriter) error
	}{
		{"0, 1", store.IDBase, none},
		{"0, 1 as integers", store.IDInt, ints([]int64{0, 1})},
		{"0, 1 as unsigned integers", store.IDUint, ints([]uint64{0, 1})},
		{"0, 2", store.IDInt, ints([]int64{0, 2})},
		{"0, 1 as names", store.IDString, texts([]string{"0", "1"})},
		{"0, 10 as names", store.IDString, texts([]string{"0", "10"})},
		{"01 cut elsewhere", store.IDString, texts([]string{"", "01"})},
	} {
		got := edgeless(t, filepath.Join(memoryDir(t), "g"), 2, c.kind, 0, c.fill).Catalogue().Fingerprint
		if before, ok := seen[got]; ok {
			t.Errorf("%s has the fingerprint of %s", c.name, before)
		}
		seen[got] = c.name
	}
}
