package all_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph/ingest/read"
)

// graphmlText returns a graph with a key w of weights.
func graphmlText(direction, content string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="n" for="node" attr.name="weight" attr.type="double"><default>9</default></key>
<key id="w" for="edge" attr.name="weight" attr.type="double"/>
<graph id="G" edgedefault="` + direction + `">
` + content + `
</graph></graphml>
`
}

func TestGraphML(t *testing.T) {
	const nodes = `<node id="a"/><node id="b &amp; c"><data key="n">3</data></node><node id="alone"/>`
	for _, test := range []struct {
		name, content string
		o             read.Options
		want          []edgeSeen
		vertices      []string
		ids           read.IDKind
		mirrored      bool
	}{
		{"weights", graphmlText("directed", nodes+`<edge id="e" source="a" target="b &amp; c"><data key="n">7</data><data `+
			`key="w"> 2.5 </data></edge>`), read.Options{},
			[]edgeSeen{{"a", "b & c", 2.5}}, []string{"a", "alone", "b & c"}, read.IDString, false},
		{"passed over", graphmlText("undirected", nodes+`<edge source="a" target="a"/>`),
			read.Options{Weights: read.WeightsNo},
			[]edgeSeen{{"a", "a", 0}}, []string{"a", "alone", "b & c"}, read.IDString, true},
		{"integers", strings.Replace(graphmlText("directed", `<edge source="5" target="-1"/>`),
			`attr.name="weight" attr.type="double"/>`, `attr.name="cost" attr.type="double"/>`, 1), read.Options{},
			[]edgeSeen{{"5", "-1", 0}}, nil, read.IDInt, false},
		{"large", strings.Replace(
			graphmlText("directed", `<node id="18446744073709551615"/><edge source="9223372036854775808" target="1"/>`),
			`attr.name="weight" attr.type="double"/>`, `attr.name="cost" attr.type="double"/>`, 1,
		), read.Options{},
			[]edgeSeen{{"-9223372036854775808", "1", 0}}, []string{"-1"}, read.IDInt, false}, // the same 64 bits
		{"default", strings.Replace(
			graphmlText("directed", `<edge source="5" target="1"/><edge source="6" target="1"><data key="w">1</data></edge>`),
			`attr.type="double"/>`, `attr.type="int"><default>4</default></key>`, 1,
		), read.Options{},
			[]edgeSeen{{"5", "1", 4}, {"6", "1", 1}}, nil, read.IDInt, false},
		{"a key for each type", strings.Replace(graphmlText(
			"directed",
			`<edge source="5" target="1"><data key="w">0.5</data></edge><edge source="6" target="1"><data `+
				`key="i">1</data></edge>`,
		), `<key id="w"`, `<key id="i" for="edge" attr.name="weight" attr.type="long"/><key id="w"`, 1), read.Options{},
			[]edgeSeen{{"5", "1", 0.5}, {"6", "1", 1}}, nil, read.IDInt, false},
		{"weights of nodes alone", strings.Replace(graphmlText("directed", `<node id="70"><data `+
			`key="n">1</data></node><edge source="70" target="71"/>`), `for="edge"`, `for="graph"`, 1), read.Options{},
			[]edgeSeen{{"70", "71", 0}}, []string{"70"}, read.IDInt, false},
		{"of yEd", graphmlText("directed", `<node id="1"><data key="d"><y:ShapeNode xmlns:y="y"><node `+
			`id="no"/></y:ShapeNode></data></node><edge source="1" target="1"><data key="w">1</data></edge>`),
			read.Options{IDs: read.IDsString},
			[]edgeSeen{{"1", "1", 1}}, []string{"1"}, read.IDString, false},
		{"control characters", graphmlText("directed", strings.Repeat("\x7f", 20)+`<node id="1"/>`),
			read.Options{Weights: read.WeightsNo}, nil, []string{"1"}, read.IDInt, false},
		{"attributes of others", graphmlText("directed", `<node id="b" y:id="c"/><edge source="a" y:source="c" target="b"/>`),
			read.Options{Weights: read.WeightsNo}, []edgeSeen{{"a", "b", 0}}, []string{"b"}, read.IDString, false},
		{"dense", graphmlText("directed", `<node id="3"/>`), read.Options{IDs: read.IDsDense, Weights: read.WeightsNo}, nil,
			[]string{"3"}, read.IDDense, false},
	} {
		r := readFiles(t, test.o, textFile("g.xml", test.content))
		if r.err != nil {
			t.Errorf("%s: %v", test.name, r.err)
			continue
		}
		slices.Sort(r.sink.vertices)
		if diff := cmp.Diff(test.want, r.sink.sorted()) + cmp.Diff(test.vertices, r.sink.vertices); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
		if s := r.schema; s.Format != "graphml" || s.IDs != test.ids || s.Mirrored != test.mirrored {
			t.Errorf("%s: got %+v", test.name, s)
		}
	}
}

func TestGraphMLErrors(t *testing.T) {
	bomb := `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>`
	for _, test := range []struct{ content, want string }{
		{graphmlText("sideways", ""), `g.xml:5: "sideways": expected one graph`},
		{graphmlText("directed", `<node/>`), `g.xml:6: "": expected an id that is not empty`},
		{graphmlText("directed", `<node id="`+strings.Repeat("x", read.MaxName+1)+`"/>`),
			`expected an id of at most 65535 bytes`},
		{strings.Replace(graphmlText("directed", ""), `attr.name="weight" attr.type="double"/>`,
			`attr.name="weight" attr.type="string"/>`, 1), `has no key for edges "weight" that is a number`},
		{graphmlText("directed", `<edge source="a" target="b"/>`), `g.xml:6: "": expected a number as weight`},
		{graphmlText("directed", `<edge source="a" target="b"><data key="w">1</data><data key="w">2</data></edge>`),
			`g.xml:6: "a → b": expected one weight of an edge`},
		{graphmlText("directed", `<edge source="a" target="b"><data key="w">-1</data></edge>`),
			"a weight that is not negative"},
		{graphmlText("directed", `<edge source="a" target="b" directed="false"><data key="w">1</data></edge>`),
			"all directed or all undirected"},
		{graphmlText("directed", `<hyperedge/>`), "edges between two nodes"},
		{graphmlText("directed", `<edge source="a" target="b"><graph edgedefault="directed"/></edge>`),
			"edges without graphs in them"},
		{graphmlText("directed", "") + "<x/>", "nothing behind the element graphml"},
		{`<?xml version="1.0" encoding="ISO-8859-1"?>` + "\n" + graphmlText("directed", ""), "convert it to UTF-8"},
		{graphmlText("directed", `</graph><graph edgedefault="directed">`), "one graph in the file"},
		{graphmlText("directed", `<node id="a"></edge>`), "is no whole XML in UTF-8, in line 6"},
		{strings.Replace(graphmlText("directed", `<node id="&b;"/>`), "<graphml", bomb+"<graphml", 1),
			"is no whole XML in UTF-8, in line 6"},
		{strings.Replace(graphmlText("directed", ""), "UTF-8", "ISO-8859-1", 1), "is no whole XML in UTF-8"},
		{graphmlText("directed", `<edge source="a"/>`), `expected an id that is not empty`},
		{strings.Replace(graphmlText("directed", ""), ` edgedefault="directed"`, "", 1),
			`g.xml:5: "graph without edgedefault": expected one graph`},
		{"<graphml></graphml>", "has no <graph> element"},
		{graphmlText("directed", "<node id=\"-1\"/>\n<node id=\"18446744073709551615\"/>"),
			`g.xml: has ids of no one range: some are negative, and some above 9223372036854775807`},
	} {
		r := readFiles(t, read.Options{}, textFile("g.xml", test.content))
		if r.err == nil || !strings.Contains(r.err.Error(), test.want) {
			t.Errorf("%.300q: got %v, want %q", test.content, r.err, test.want)
		}
	}
	// An integer is expected where the first mebibyte has nothing else.
	many := strings.Repeat("<node id='1'/>\n", 1<<20/15+1)
	r := readFiles(t, read.Options{}, textFile("g.xml", graphmlText("directed", many+"<node id='x'/>")))
	if r.err == nil || !strings.Contains(r.err.Error(), `"x": expected an integer`) {
		t.Errorf("a late name: %v", r.err)
	}
}

// TestGraphMLColumns checks that the ends of edges and the key of their weights can be chosen.
func TestGraphMLColumns(t *testing.T) {
	content := strings.Replace(graphmlText("directed",
		`<edge source="a" target="b"><data key="w">2</data><data key="k">3</data><data key="t">x</data></edge>`),
		"<graph ", `<key id="k" for="edge" attr.name="km" attr.type="int"/><key id="t" for="edge" attr.name="town" `+
			`attr.type="string"/><graph `, 1)
	for _, c := range []struct {
		columns []string
		want    edgeSeen
		err     string
	}{
		{nil, edgeSeen{"a", "b", 2}, ""},
		{[]string{"source", "target"}, edgeSeen{"a", "b", 0}, ""},
		{[]string{"Target", "Source", "km"}, edgeSeen{"b", "a", 3}, ""},
		{[]string{"source", "target", "weight"}, edgeSeen{"a", "b", 2}, ""},
		{[]string{"source", "target", "town"}, edgeSeen{}, `has no key for edges "town" that is a number`},
		{[]string{"source", "target", "no"}, edgeSeen{}, `has no key for edges "no" that is a number`},
		{[]string{"source", "km"}, edgeSeen{}, "edges have a source and a target"},
	} {
		r := readFiles(t, read.Options{Table: read.TableOptions{Columns: c.columns}}, textFile("g.xml", content))
		switch {
		case c.err == "" &&
			(r.err != nil || len(r.sink.edges) != 1 || r.sink.edges[0] != c.want || r.schema.Weighted != (c.want.W != 0)):
			t.Errorf("%q: %v, %v, %+v", c.columns, r.err, r.sink.edges, r.schema)
		case c.err != "" && (r.err == nil || !strings.Contains(r.err.Error(), c.err)):
			t.Errorf("%q: got %v, want %q", c.columns, r.err, c.err)
		}
	}
	value := strings.ReplaceAll(content, `attr.name="weight"`, `attr.name="value"`)
	r := readFiles(t, read.Options{}, textFile("g.xml", value))
	if len(r.warns) != 1 || !strings.Contains(r.warns[0], "no key for edges has the name weight") {
		t.Errorf("warned %q", r.warns)
	}
	if r := readFiles(t, read.Options{Weights: read.WeightsNo}, textFile("g.xml", value)); r.err != nil ||
		len(r.warns) > 0 {
		t.Error(r.err, r.warns)
	}
	if r := readFiles(t, table(',', ""), textFile("g.xml", content)); r.err == nil ||
		!strings.Contains(r.err.Error(), "format graphml, which has no delimiter or header to choose") {
		t.Error(r.err)
	}
}

// TestGraphMLTruncated checks that no beginning of a file is a whole one.
func TestGraphMLTruncated(t *testing.T) {
	whole := strings.TrimSpace(graphmlText("directed",
		`<node id="a"/><edge source="a" target="b"><data key="w">1</data></edge>`))
	for n := 1; n < len(whole); n++ {
		r := readBytes(t, "g.graphml", []byte(whole[:n]), read.Options{})
		if r.err == nil {
			t.Fatalf("%q was read", whole[:n])
		}
		checkKind(t, r)
	}
}

// TestGraphMLNetworkX reads what NetworkX writes, and compares it with its edge list.
func TestGraphMLNetworkX(t *testing.T) {
	const script = `
import sys, networkx as x
g = x.gnm_random_graph(60, 300, seed=7, directed=sys.argv[1] == "directed")
for i, (u, v) in enumerate(g.edges): g[u][v]["weight"] = i / 4 if i % 3 else i # a key for floats and one for integers
if sys.argv[2] == "names": g = x.relabel_nodes(g, {v: "vertex <%d> & ü" % v for v in g})
x.write_graphml(g, sys.argv[3])
for u, v, w in g.edges(data="weight"): print(u, v, w, sep="\t")
`
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import networkx").Run() != nil {
		t.Skip("there is no NetworkX")
	}
	for _, direction := range []string{"directed", "undirected"} {
		for _, ids := range []string{"numbers", "names"} {
			file := filepath.Join(t.TempDir(), "g.graphml")
			list, err := exec.Command(python, "-c", script, direction, ids, file).Output()
			if err != nil {
				t.Fatal(err)
			}
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := readBytes(t, "g.graphml", content, read.Options{BlockBytes: 64})
			want := readBytes(t, "g.tsv", list, table('\t', read.HeaderNo))
			if err := errors.Join(got.err, want.err); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.sink.sorted(), got.sink.sorted()); diff != "" {
				t.Errorf("%s, %s: %s", direction, ids, diff)
			}
			if len(got.sink.vertices) != 60 || got.schema.Mirrored != (direction == "undirected") ||
				got.schema.IDs != want.schema.IDs {
				t.Errorf("%s, %s: %d vertices, %+v", direction, ids, len(got.sink.vertices), got.schema)
			}
		}
	}
}
