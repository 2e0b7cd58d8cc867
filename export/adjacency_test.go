package export

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/ingest"
	edgeformat "github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/format/adjacency"
	"github.com/garaph/garaph/ingest/format/graphml"
	"github.com/garaph/garaph/ingest/format/text"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/store"
)

// What stands before and behind the edges of GraphML.
const (
	graphmlHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml " +
		"xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
	graphmlWeight = "<key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
	graphmlTail   = "</graph>\n</graphml>\n"
)

// TestAdjacency compares the files of a small graph byte by byte.
func TestAdjacency(t *testing.T) {
	undirected := ingest.Options{Edges: ingest.EdgeOptions{Undirected: true}}
	triangle := imported(t, "5 6 2\n6 9 3\n5 9 4\n9 11 1\n", undirected)
	directed := imported(t, "a b 1.5\na \"c<&\"\"\" 2\n\"c<&\"\"\" a 0\n", ingest.Options{})
	parallel := imported(t, "1 2\n1 2\n", undirected)
	for _, c := range []struct {
		s        *store.Store
		o        Options
		want     string
		flags    []string
		directed bool
	}{
		{triangle, Options{Format: adjacency.METIS}, "4 4 001\n2 2 3 4\n1 2 3 3\n1 4 2 3 4 1\n3 1\n", nil, false},
		{triangle, Options{Format: adjacency.METIS, NoWeights: true}, "4 4\n2 3\n1 3\n1 2 4\n3\n", nil, false},
		{triangle, Options{Format: adjacency.Ligra, NoWeights: true},
			"AdjacencyGraph\n4\n8\n0\n2\n4\n7\n1\n2\n0\n2\n0\n1\n3\n2\n",
			[]string{"--undirected", "--dedup"}, false},
		{triangle, Options{Format: adjacency.Ligra},
			"WeightedAdjacencyGraph\n4\n8\n0\n2\n4\n7\n1\n2\n0\n2\n0\n1\n3\n2\n2\n4\n2\n3\n4\n3\n1\n1\n",
			[]string{"--undirected", "--dedup"}, false},
		{directed, Options{Format: adjacency.Ligra},
			"WeightedAdjacencyGraph\n3\n3\n0\n2\n2\n1\n2\n0\n1.5\n2\n0\n", nil, false},
		{parallel, Options{Format: adjacency.Ligra}, "AdjacencyGraph\n2\n4\n0\n2\n1\n1\n0\n0\n", nil, true},
		{parallel, Options{Format: adjacency.METIS}, "2 2\n2 2\n1 1\n", nil, false},
		{directed, Options{Format: graphml.Name}, graphmlHead + graphmlWeight + `<graph edgedefault="directed">
<node id="a"/>
<node id="b"/>
<node id="c&lt;&amp;&#34;"/>
<edge source="a" target="b"><data key="weight">1.5</data></edge>
<edge source="a" target="c&lt;&amp;&#34;"><data key="weight">2</data></edge>
<edge source="c&lt;&amp;&#34;" target="a"><data key="weight">0</data></edge>
` + graphmlTail, []string{"--ids", "string"}, false},
		{parallel, Options{Format: graphml.Name}, graphmlHead + `<graph edgedefault="undirected">
<node id="1"/>
<node id="2"/>
<edge source="1" target="2"/>
<edge source="1" target="2"/>
` + graphmlTail, nil, false},
	} {
		var b bytes.Buffer
		r, err := Write(context.Background(), c.s, &b, c.o)
		if err != nil || b.String() != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.o.Format, err, &b, c.want)
		}
		if !slices.Equal(r.Import, c.flags) || r.Directed != c.directed {
			t.Errorf("%s: import flags %q, want %q; it makes a directed graph: %v", c.o.Format, r.Import, c.flags, r.Directed)
		}
	}
}

// TestAdjacencyRefused checks graphs that these formats cannot hold.
func TestAdjacencyRefused(t *testing.T) {
	both := ingest.Options{Edges: ingest.EdgeOptions{Undirected: true}}
	names := ingest.Options{
		Format: text.Text, IDs: ingest.IDsString, Table: ingest.TableOptions{Header: ingest.HeaderNo},
	}
	for _, c := range []struct {
		text string
		in   ingest.Options
		f    Format
		is   error
		want string
	}{
		{"1 2\n", ingest.Options{}, adjacency.METIS, nil,
			"every edge is at both of its ends: choose ligra or text, or import the graph with --undirected"},
		{"7 8\n8 8\n", both, adjacency.METIS, nil,
			"vertex 2 leads to itself: the format has no edges from a vertex to itself; " +
				"choose another format, or import the graph with --drop-self-loops"},
		{"1 2 0.5\n", both, adjacency.METIS, edgeformat.ErrWeight, "the weight 0.5: the format has whole numbers below 2^31"},
		{"1 2 0\n", both, adjacency.METIS, edgeformat.ErrWeight, "the weight 0:"},
		{"a\x01 b\n", names, graphml.Name, nil, `the id "a\x01" has a character that XML cannot have`},
		{"a\xff b\n", names, graphml.Name, nil, `the id "a\xff" is no UTF-8`},
	} {
		s := imported(t, c.text, c.in)
		_, err := Write(context.Background(), s, &bytes.Buffer{}, Options{Format: c.f})
		if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%q as %s: got %v, want %q", c.text, c.f, err, c.want)
		}
	}
	weighted := imported(t, "1 2 0.5\n", ingest.Options{Storage: ingest.StorageOptions{Layout: store.CSC}})
	if _, err := Write(context.Background(), weighted, &bytes.Buffer{}, Options{Format: adjacency.Ligra}); err == nil {
		t.Error("out-rows without weights are written as weighted ones")
	}
	_, err := Write(context.Background(), weighted, &bytes.Buffer{}, Options{Format: adjacency.Ligra, NoWeights: true})
	if err != nil {
		t.Error(err)
	}
}

// TestMETISRoundTrip writes graphs with rows of all lengths, and reads them.
func TestMETISRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := testgraph.Draw(t)
		g.Edges = slices.DeleteFunc(g.Edges, func(e oracle.Edge) bool { return e.Src == e.Dst })
		for i := range g.Edges {
			g.Edges[i].Weight = float32(int(g.Edges[i].Weight)) + 1
		}
		if len(g.Edges) == 0 {
			return
		}
		o := ingest.Options{IDs: ingest.IDsDense, Edges: ingest.EdgeOptions{Undirected: rapid.Bool().Draw(t, "undirected")}}
		o.Storage.ShardVertices = rapid.IntRange(1, 40).Draw(t, "shard")
		weighted := rapid.Bool().Draw(t, "weighted")
		graphs := newGraphs(t)
		defer graphs.close()
		text := textOf(g, kinds["dense"], weighted)
		if !o.Edges.Undirected {
			text = mirroredText(g, kinds["dense"], weighted) // directed, and the same both ways
		}
		s := graphs.imported(text, o)
		var b bytes.Buffer
		r, err := Write(context.Background(), s, &b, Options{Format: adjacency.METIS, Threads: 3})
		if !o.Edges.Undirected && !s.Catalogue().Mirrored { // nobody has looked
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		again := graphs.again(b.Bytes(), r, o.Storage, s)
		if want := s.Catalogue(); shardsOf(again) != shardsOf(s) || again.Catalogue().Vertices != want.Vertices ||
			!again.Catalogue().Symmetric {
			t.Fatalf("another graph:\n%s", &b)
		}
	})
}

// TestLongLine checks a line of METIS that is written in several pieces.
func TestLongLine(t *testing.T) {
	var text strings.Builder
	for i := range 200_000 {
		text.WriteString("7 " + kinds["gaps"](i+100) + "\n")
	}
	s := imported(t, text.String(), ingest.Options{Edges: ingest.EdgeOptions{Undirected: true}})
	var b bytes.Buffer
	r, err := Write(context.Background(), s, &b, Options{Format: adjacency.METIS, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b.Bytes(), []byte("\n")); n != int(s.Catalogue().Vertices)+1 {
		t.Errorf("%d lines of %d vertices", n, s.Catalogue().Vertices)
	}
	graphs := newGraphs(t)
	defer graphs.close()
	if other := graphs.again(b.Bytes(), r, ingest.StorageOptions{}, s); shardsOf(other) != shardsOf(s) {
		t.Error("another graph")
	}
}
