package ingest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph/internal/testsize"
)

// TestEdgesAmong: which arrays of an archive are edges.
func TestEdgesAmong(t *testing.T) {
	for names, want := range map[string]string{
		"weight,dst,src": "src,dst,weight", "x,edge_index,y": "edge_index", "edge_weight,edges": "edges,edge_weight", "arr_0": "arr_0", "a,b": "a,b",
		"arr_0,arr_1,arr_2": "arr_0,arr_1,arr_2", "a,b,c": "", "row,col,data": "row,col,data", "data,column,n,row,w": "row,column,data", "col,row,n,w": "row,col,w", "row,col,x": "row,col", "adj_data,adj_indices,adj_indptr,adj_shape": "",
	} {
		if got := strings.Join(edgesAmong(strings.Split(names, ",")), ","); got != want {
			t.Errorf("%s: got %q, want %q", names, got, want)
		}
	}
	var z bytes.Buffer
	w := zip.NewWriter(&z)
	for _, name := range []string{"a.npy", "b.npy", "c.npy"} {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, npyOf("{'descr': '<i8', 'fortran_order': False, 'shape': (9,), }")); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const want = `with the names of two of its arrays, a, b, c, in place of SRC and DST (and of one of weights behind them): python3 -c '`
	if r := readBytes(t, "g.npz", z.Bytes(), ReadOptions{}); r.err == nil || !strings.Contains(r.err.Error(), want) ||
		!strings.Contains(r.err.Error(), "' 'g.npz' edges.csv SRC DST, and import edges.csv with") {
		t.Errorf("got %v", r.err)
	}
}

// npyOf is an array with this header, without its values.
func npyOf(header string) string {
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header
}

// TestNoArrayOfEdges: what is neither edges nor a matrix is told by its shape and its type.
func TestNoArrayOfEdges(t *testing.T) {
	const reads = "; garaph takes rows of source, target and perhaps weight, an array for each of these, or a square matrix: write one of these"
	for header, want := range map[string]string{
		"{'descr': '<i8', 'fortran_order': False, 'shape': (5,), }":                       "it has the shape (5,)" + reads,
		"{'descr': '<i8', 'fortran_order': False, 'shape': (), }":                         "it has the shape ()" + reads,
		"{'descr': '<f8', 'fortran_order': True, 'shape': (5, 7), }":                      "it has the shape (5, 7)" + reads,
		"{'descr': '<f8', 'fortran_order': True, 'shape': (5, 5, 2), }":                   "it has the shape (5, 5, 2)" + reads,
		"{'descr': '|O', 'fortran_order': False, 'shape': (5, 2), }":                      "it is of the type |O, neither real numbers nor strings: make it of these, as astype(str) does",
		"{'descr': [('u', '<i8'), ('v', '|O')], 'fortran_order': False, 'shape': (5,), }": "its field v is of the type |O, neither real numbers nor strings: make it of these, as astype(str) does",
		"{'descr': [('u', '<i8')], 'fortran_order': False, 'shape': (5,), }":              "its field u has the shape (5,)" + reads,
		"{'shape': (5, 2)}": "it does not say which: its header is none that NumPy writes",
	} {
		r := readBytes(t, "g", []byte(npyOf(header)), ReadOptions{})
		if want = "g: is an array of NumPy, which cannot be read; " + want; r.err == nil || r.err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", header, r.err, want)
		}
	}
	var z bytes.Buffer
	w := zip.NewWriter(&z)
	for name, shape := range map[string]string{"src": "(9,)", "dst": "(9,)", "weight": "()"} {
		f, err := w.Create(name + ".npy")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, npyOf("{'descr': '<i8', 'fortran_order': False, 'shape': "+shape+", }")); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := readBytes(t, "no name", z.Bytes(), ReadOptions{})
	if want := "no name: is an archive of NumPy, which cannot be read; its array weight has the shape (), and no value for each of 9 edges" + reads; r.err == nil || r.err.Error() != want {
		t.Errorf("got %v, want %s", r.err, want)
	}
}

// TestHintsOfPipes: commands that read a file by its name are not told of pipes.
func TestHintsOfPipes(t *testing.T) {
	for content, want := range map[string]string{
		"[[1, 2]]\n":          "standard input: is JSON, which cannot be read; write it to a file and import that: the error then has a command for that file; if it is an edge list nevertheless, use --format text",
		"1 2 {'weight': 2}\n": "write it to a file and import that: the error then has a command for that file; or use --weights no",
		npyOf("{'descr': '<i8', 'fortran_order': False, 'shape': (5, 2), }"): "standard input: is an array of NumPy, which cannot be read; write it to a file and import that: the error then has a command for that file",
		"PK\x03\x04" + strings.Repeat("\x00", 22) + "\x05\x00\x00\x00a.npy":  "write it to a file and import that",
		"graph [\n node [\n":            "write it to a file and import that",
		"digraph { a -> b }\n":          "write it to a file and import that",
		"\xff\xfe1\x00 \x002\x00\n\x00": "is UTF-16 text; write it to a file and import that",
		"SQLite format 3\x00":           "write it to a file and import that",
		"\xfd7zXZ\x00\x00":              "is compressed with xz, which cannot be read; put xz -dc into the pipe before garaph",
	} {
		r := readNames(t, ReadOptions{Stdin: strings.NewReader(content)}, []string{StdinName})
		if r.err == nil || !strings.Contains(r.err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", content, r.err, want)
		}
		for _, name := range []string{"/dev/stdin", "/dev/fd/63"} { // of a file too, as a shell opens it
			if r := readBytes(t, name, []byte(content), ReadOptions{}); r.err == nil || strings.Contains(r.err.Error(), "'"+name+"'") {
				t.Errorf("%q: got %v", content, r.err)
			}
		}
	}
}

// TestHintsBeside: no command writes over the file that it reads.
func TestHintsBeside(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"d/edges.csv": {"[[1, 2]]", " 'd/edges.csv' > new-edges.csv, and import new-edges.csv with "},
		"d/edges.tsv": {"1->2\n", " 'd/edges.tsv' > new-edges.tsv, and import new-edges.tsv with "},
		"edges.csv":   {"\xff\xfe1\x00", " 'edges.csv' > new-edges.csv, and import new-edges.csv"},
		"edges.txt":   {"\xfd7zXZ\x00", " 'edges.txt' > new-edges.txt"},
		"graph.mtx":   {npyOf("{'descr': '<i8', 'fortran_order': False, 'shape': (5, 5), }"), "' 'graph.mtx' new-graph.mtx, and import new-graph.mtx, where row 0 is vertex 1"},
		"U.CSV.old":   {"\xff\xfe1\x00", " 'U.CSV.old' > edges.old, and import edges.old"},
		"u.c v":       {"\xff\xfe1\x00", " 'u.c v' > edges.txt, and import edges.txt"},
	} {
		if r := readBytes(t, name, []byte(c.content), ReadOptions{}); r.err == nil || !strings.HasSuffix(strings.Split(r.err.Error(), "--delimiter")[0], c.want) {
			t.Errorf("%s:\n got %v\nwant %s", name, r.err, c.want)
		}
	}
}

// TestAttributesLeftOut: --weights no reads the edges that NetworkX writes by default, with attributes in braces.
func TestAttributesLeftOut(t *testing.T) {
	r := readBytes(t, "g.txt", []byte("1 2 {'weight': 4}\n2 3 {}\n"), ReadOptions{Weights: WeightsNo})
	if r.err != nil || !slices.Equal(edgesOf(r), []string{"1-2", "2-3"}) {
		t.Error(edgesOf(r), r.err)
	}
	content := []byte("a|b|{'weight': 2}\nb|c|{}\n")
	r = readBytes(t, "g.txt", content, ReadOptions{})
	if r.err == nil || !strings.HasSuffix(r.err.Error(), "; or use --delimiter '|' --weights no to leave out the attributes, weights too") {
		t.Error(r.err)
	}
	r = readBytes(t, "g.txt", content, ReadOptions{Weights: WeightsNo, Table: TableOptions{Delimiter: '|'}})
	if r.err != nil || !slices.Equal(edgesOf(r), []string{"a-b", "b-c"}) {
		t.Error(edgesOf(r), r.err)
	}
}

// TestUnknownJSON: JSON whose edges cannot be told is described, in place of a command that writes others.
func TestUnknownJSON(t *testing.T) {
	const write = "; write each edge as a line of two ids, with a weight behind these if there are any; if it is an edge list nevertheless, use --format text"
	for content, want := range map[string]string{
		`{"person": {"0": "a", "1": "b"}, "friend": {"0": "b", "1": "c"}}`: "which of its keys are source and target cannot be told: they are person, friend",
		`{"person": ["a", "b"], "friend": ["b", "c"]}`:                     "which of its keys are source and target cannot be told: they are person, friend",
		`[{"a": 1, "b": 2, "c": 3}]`:                                       "which of its keys are source and target cannot be told: they are a, b, c",
		`{"columns": ["x", "y"], "index": [0], "data": [[1, 2]]}`:          "which of its keys are source and target cannot be told: they are columns, index, data",
		`{"type": "Point", "coordinates": [[1, 2]]}`:                       "which of its keys are source and target cannot be told: they are type, coordinates",
		`{'a': ['b']}`:                "no edges are to be found in it",
		`{}`:                          "no edges are to be found in it",
		`[[0, 1, 0, 0]]`:              "no edges are to be found in it",
		strings.Repeat("[", 1000_000): "no edges are to be found in it",
	} {
		if r := readBytes(t, "g.json", []byte(content), ReadOptions{}); r.err == nil || r.err.Error() != "g.json: is JSON, which cannot be read; "+want+write {
			t.Errorf("%.100s:\n got %v\nwant %s", content, r.err, want)
		}
	}
}

// TestLoneVertices: a command that leaves out vertices without edges says so, where there may be some.
func TestLoneVertices(t *testing.T) {
	for content, want := range map[string]bool{
		`{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}`:                       true,
		`{"elements": {"nodes": [], "edges": [{"data": {"source": 1, "target": 2}}]}}`:        true,
		`{"nodes": [{"id": 1}, {"id": 2}], "adjacency": [[{"id": 2}], []], "directed": true}`: true,
		`{"vertices": [], "edges": [[1, 2, 3]]}`:                                              true,
		`{"a": ["b"], "b": [], "c": []}`:                                                      true,
		`{"edges": [{"source": 1, "target": 2}]}`:                                             false,
		`[{"source": 1, "target": 2}]`:                                                        false,
		"*Vertices 3\n*Arcs\n1 2\n":                                                           true,
	} {
		if r := readBytes(t, "g", []byte(content), ReadOptions{}); r.err == nil || strings.Contains(r.err.Error(), "; write its edges, without vertices that have none, as lines of two ") != want {
			t.Errorf("%s: %v", content, r.err)
		}
	}
}

// TestLargeJSON: the error reports ids that older versions of jq round, and its command fails in such a version.
func TestLargeJSON(t *testing.T) {
	const early = ", with jq 1.7 or later, for earlier ones round its long integers: "
	for id, want := range map[string]bool{"9007199254740993": true, "-12345678901234567890": true, "9007199254740991": false, "0.12345678901234567": false, "1e300": false, `"9007199254740993"`: false} {
		content := []byte(`{"links": [{"source": 1, "target": ` + id + `}]}` + "\n" + `{"links": [{"source": 2, "target": ` + id + `}]}`)
		r := readBytes(t, "g.json", content, ReadOptions{})
		if r.err == nil || !strings.Contains(r.err.Error(), "jq -r '") || strings.Contains(r.err.Error(), early) != want {
			t.Errorf("%s: %v", id, r.err)
			continue
		}
		if exec.Command("jq", "--version").Run() != nil {
			continue
		}
		_, command, _ := strings.Cut(r.err.(*InputError).Advice, ": ")
		command, _, _ = strings.Cut(command, thenCommas)
		sh := exec.Command("sh", "-c", command)
		sh.Dir = t.TempDir()
		if err := os.WriteFile(filepath.Join(sh.Dir, "g.json"), content, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := sh.CombinedOutput()
		if want && err != nil && string(out) == "this jq rounds long integers; use version 1.7 or later\n" {
			continue
		}
		edges, readErr := os.ReadFile(filepath.Join(sh.Dir, "edges.csv"))
		if err != nil || readErr != nil || !strings.ContainsAny(id, ".e") && string(edges) != "1,"+id+"\n2,"+id+"\n" {
			t.Errorf("%s: %v, %v\n%s%s", id, err, readErr, out, edges)
		}
	}
}

// TestLongJSON: the edges are found behind many vertices, and only as far as a first look goes.
func TestLongJSON(t *testing.T) {
	for n, want := range map[int]string{
		10_000:    "jq -r '.links[] | [.source, .target, .value // 1] | @csv'",
		4_000_000: "jq -r '(.edges // .links)[] | [.source, .target, .weight // .value // empty] | @csv'",
	} {
		content := `{"nodes": [{}` + strings.Repeat(`,{"id":1}`, n) + `], "links": [{"source": 1, "target": 1, "value": 3}]}`
		if r := readBytes(t, "g.json", []byte(content), ReadOptions{}); r.err == nil || !strings.Contains(r.err.Error(), want) {
			t.Errorf("%d:\n got %v\nwant %s", n, r.err, want)
		}
	}
}

// TestHints runs the commands that errors about other formats tell, as they are pasted into a shell, and reads what
// these write. A command whose tools are not there is passed over.
func TestHints(t *testing.T) {
	const file = "it's a graph"
	python := func(script string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			if b, err := exec.Command("/usr/bin/python3", "-c", script, path).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, b)
			}
		}
	}
	write := func(content string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	pack := func(tool string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			stem := strings.TrimSuffix(path, "."+tool)
			write("1 2\n2 3\n")(t, stem)
			args := []string{"-k", "--", stem}
			if tool == "lz4" {
				args = []string{"--", stem, path}
			}
			if b, err := exec.Command(tool, args...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, b)
			}
			if err := os.Remove(stem); err != nil {
				t.Fatal(err)
			}
		}
	}
	const networkX = `import sys, networkx as x; x.write_%s(x.relabel_nodes(x.path_graph(3, x.DiGraph), {0: "a b", 1: "c", 2: "d"}), sys.argv[1])`
	named, plain, dense := [][2]string{{"a b", "c"}, {"c", "d"}}, [][2]string{{"1", "2"}, {"2", "3"}}, [][2]string{{"0", "1 1"}, {"1", "2 1"}}
	weighted := [][2]string{{"a b", "c 2"}, {"c", "d 3"}}
	const withWeights = `import sys, networkx as x; g = x.DiGraph(); g.add_edge("a b", "c", weight=2, k="other"); g.add_edge("c", "d", weight=3); x.write_%s(g, sys.argv[1])`
	const someWeights = `import sys, networkx as x; g = x.DiGraph(); g.add_edge("a b", "c", weight=2); g.add_edge("c", "d"); x.write_%s(g, sys.argv[1])`
	partly := [][2]string{{"a b", "c 2"}, {"c", "d 1"}}
	const oddNames = `import sys, networkx as x; g = x.DiGraph(); g.add_weighted_edges_from([("#ops", "# x", 2), ("# x", "%% a", 3), ("%% a", "\"Q\"", 1), ("\"Best\" Ltd", "Zürich & <b>", .5)]); g.add_nodes_from(["alone", "a,b"]); x.write_%s(g, sys.argv[1])`
	odd := [][2]string{{`"Best" Ltd`, "Zürich & <b> 0.5"}, {"# x", "%% a 3"}, {"#ops", "# x 2"}, {"%% a", `"Q" 1`}, {"a,b", ""}, {"alone", ""}}
	const frame = `import sys, json, pandas; d = pandas.DataFrame({"source": ["a b", "c"], "target": ["c", "d"], "note": ["x", "y"], "weight": [2, 3]}); `
	const tarred = `import sys, os, tarfile; f = sys.argv[1] + ".d"; os.mkdir(f); open(f + "/README", "w").write("#"); open(f + "/edges it's", "w").write("1 2\n2 3\n"); t = tarfile.open(sys.argv[1], `
	for _, c := range testsize.Some([]struct {
		name, needs string
		make        func(t *testing.T, path string)
		want        [][2]string
	}{
		{"xz", "xz --version", pack("xz"), plain},
		{"lz4", "lz4 --version", pack("lz4"), plain},
		{"gexf", "/usr/bin/python3 -c 'import networkx'", python(strings.ReplaceAll(networkX, "%s", "gexf")), named},
		{"gml", "/usr/bin/python3 -c 'import networkx'", python(strings.ReplaceAll(networkX, "%s", "gml")), named},
		{"gexf", "/usr/bin/python3 -c 'import networkx'", python(strings.ReplaceAll(oddNames, "%s", "gexf")), odd},
		{"gml", "/usr/bin/python3 -c 'import networkx'", python(strings.ReplaceAll(oddNames, "%s", "gml")), odd},
		{"gexf", "/usr/bin/python3 -c 'import networkx'", python(`import sys, networkx as x; g = x.MultiDiGraph([("a b", "c"), ("a b", "c"), ("c", "d")]); x.write_gexf(g, sys.argv[1])`), [][2]string{{"a b", "c"}, {"a b", "c"}, {"c", "d"}}},
		{"gml", "/usr/bin/python3 -c 'import networkx'", write("Creator \"a graph [ of mine\"\ndirected 1\n  Graph\n[ directed 1 node [ id 1 ] node [ id 2 ] node [ id 3 label \"x\" ] node [ id 4 ]\nedge [ source 1 target 2 ] edge [ source 1 target 2 ] edge [ source 2 target 3 ] ]\n"), [][2]string{{"1", "2"}, {"1", "2"}, {"2", "3"}, {"4", ""}}},
		{"gml", "/usr/bin/python3 -c 'import networkx'", write("graph [\n directed 1\n node [ id 1 label \"x\" graphics [ x 1.5 ] ] node [ id 2 label \"x\" ] node [ id 3 label \"y\" ]\n edge [ source 1 target 2 label \"l\" ] edge [ source 2 target 3 ] ]\n"), plain},
		{"gml", "/usr/bin/python3 -c 'import networkx'", write("graph [\n directed 1\n node [ id 1 label \"Zürich\" ] node [ id 2 label 7 ]\n edge [ source 1 target 2 weight \"2\" ] ]\n"), [][2]string{{"Zürich", "7 2"}}},
		{"gml", "/usr/bin/python3 -c 'import networkx'", write("graph [\n node [ id 1 ] node [ id 2 ] node [ id 3 ]\n edge [ source 1 target 2 km 4 ] edge [ source 2 target 3 ] ]\n"), [][2]string{{"1", "2"}, {"2", "3"}, {"mirrored", ""}}},
		{"adjlist", "awk 'BEGIN {}'", write("#k.py\n# GMT Thu Nov 26 13:05:14 2026\n# \n%a \"Q\" #b\n\"Q\" a\\b,c\n#b\na\\b,c\n"), [][2]string{{`"Q"`, `a\b,c`}, {"%a", `"Q"`}, {"%a", "#b"}}},
		{"adjlist", "awk 'BEGIN {}'", write("#k.py\n# GMT Thu Nov 26 13:05:14 2026\n# \n1 2\n2 3\n3\n"), plain},
		{"adjlist", "/usr/bin/python3 -c 'import networkx'", python(`import sys, networkx as x; x.write_adjlist(x.DiGraph([(1, 2), (2, 3)]), sys.argv[1])`), plain},
		{"adjlist", "/usr/bin/python3 -c 'import networkx'", python(`import sys, networkx as x; x.write_multiline_adjlist(x.DiGraph([(1, 2, {"weight": 2}), (2, 3, {"weight": 3})]), sys.argv[1])`), [][2]string{{"1", "2 2"}, {"2", "3 3"}}},
		{"adjlist", "/usr/bin/python3 -c 'import networkx'", python(`import sys, networkx as x; x.write_adjlist(x.DiGraph([("New York", "a b"), ("a b", "c")]), sys.argv[1], delimiter=",")`), [][2]string{{"New York", "a b"}, {"a b", "c"}}},
		{"adjlist", "/usr/bin/python3 -c 'import networkx'", python(`import sys, networkx as x; x.write_adjlist(x.DiGraph([("a,b", "c"), ("c", "d,e")]), sys.argv[1], delimiter=" | ")`), [][2]string{{"a,b", "c"}, {"c", "d,e"}}},
		{"adjlist", "/usr/bin/python3 -c 'import networkx'", python(`import sys, networkx as x; x.write_adjlist(x.DiGraph([("Doe,J", "b"), ("b", "c")]), sys.argv[1])`), [][2]string{{"Doe,J", "b"}, {"b", "c"}}},
		{"adjlist", "/usr/bin/python3 -c 'import networkx'", python(`import sys, networkx as x; x.write_adjlist(x.DiGraph([("a b", "c"), ("c", "d")]), sys.argv[1], delimiter="\t")`), named},
		{"adjlist", "/usr/bin/python3 -c ''", python(`import sys, networkx as x; x.write_multiline_adjlist(x.DiGraph([("a b", "c", {"weight": 2, "k": "x, {y}"}), ("c", "d", {})]), sys.argv[1], delimiter=",")`), [][2]string{{"a b", "c 2"}, {"c", "d 1"}}},
		{"adjlist", "/usr/bin/python3 -c ''", python(`import sys, networkx as x; x.write_multiline_adjlist(x.DiGraph([(1, "b c"), ("b c", "d,1")]), sys.argv[1], delimiter="|")`), [][2]string{{"1", "b c"}, {"b c", "d,1"}}},
		{"adjlist", "/usr/bin/python3 -c ''", python(`import sys, networkx as x; x.write_multiline_adjlist(x.DiGraph([("a b", "c"), ("c", "d")]), sys.argv[1])`), named},
		{"edgelist", "/usr/bin/python3 -c 'import networkx'", python(`import sys, networkx as x; x.write_edgelist(x.DiGraph([(1, 2, {"weight": 2}), (2, 3, {"weight": 0.5, "kind": "a weight: b"})]), sys.argv[1])`), [][2]string{{"1", "2 2"}, {"2", "3 0.5"}}},
		{"edgelist", "/usr/bin/python3 -c ''", write("a b {'weight': 5, 'x': {'a': 1, 'weight': 4}, 'note': \"q, 'weight': 9\"}\nb c {'weight': np.float64(0.5)}\nc d {}\n"), [][2]string{{"a", "b 5"}, {"b", "c 0.5"}, {"c", "d 1"}}},
		{"edgelist", "/usr/bin/python3 -c 'import networkx'", python(`import sys, networkx as x; x.write_edgelist(x.DiGraph([("a", "b"), ("b", "c")]), sys.argv[1], delimiter=",")`), [][2]string{{"a", "b"}, {"b", "c"}}},
		{"edgelist", "/usr/bin/python3 -c ''", write("\"Q\" \"Best\" {'weight': 2}\n% #x {'weight': 3}\n"), [][2]string{{`"Q"`, `"Best" 2`}, {"%", "#x 3"}}},
		{"edgelist", "sed --version", write("# of a graph\n1\t2\t{'kind': 'a, b', 'weight': np.float64(2.5), 'k': 1}\n2\t3\t{'weight': 1e-05}\n"), [][2]string{{"1", "2 2.5"}, {"2", "3 1e-05"}}},
		{"npz", "/usr/bin/python3 -c 'import scipy'", python(`import sys, scipy.sparse as s; s.save_npz(sys.argv[1], s.coo_matrix(([1, 1], ([0, 1], [1, 2])), shape=(3, 3)))`), dense},
		{"npz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy; numpy.savez(sys.argv[1], src=numpy.array(["a b", "c"]), dst=numpy.array(["c", "d"]), w=numpy.array([2, 3]))`), weighted},
		{"npz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy; numpy.savez(sys.argv[1], numpy.array([[1, 2], [2, 3]]))`), plain},
		{"npz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy; numpy.savez(open(sys.argv[1], "wb"), row=[1, 2], col=[2, 3], data=[2, .5])`), [][2]string{{"1", "2 2"}, {"2", "3 0.5"}}},
		{"npz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy; numpy.savez(open(sys.argv[1], "wb"), u=["#ops", "\"Q\"", "a\tb"], v=["# x", "\"Best\" Ltd", "c,d"])`), [][2]string{{`"Q"`, `"Best" Ltd`}, {"#ops", "# x"}, {"a\tb", "c,d"}}},
		{"npy", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy; numpy.save(sys.argv[1], numpy.array([[1.0, 2.0], [2.0, 3.0]]))`), plain},
		{"npz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy as n; n.savez(open(sys.argv[1], "wb"), weight=n.array([2, .5], "f4"), target=[2., 3], source=[1, 2])`), [][2]string{{"1", "2 2"}, {"2", "3 0.5"}}},
		{"npz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy as n; n.savez(open(sys.argv[1], "wb"), label=[1, 2], kind=["x"], **{"from": ["a b", "c"], "to": ["c", "d"]})`), named},
		{"npz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy as n; n.savez(open(sys.argv[1], "wb"), [1, 2], [2, 3])`), plain},
		{"npz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy as n; n.savez(open(sys.argv[1], "wb"), [1., 2], [2, 3], [2, .5])`), [][2]string{{"1", "2 2"}, {"2", "3 0.5"}}},
		{"npz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy as n; n.savez(open(sys.argv[1], "wb"), edge_index=[[1, 2, 3, 4], [2, 3, 4, 5]], x=n.eye(5), num_nodes=5)`), [][2]string{{"1", "2"}, {"2", "3"}, {"3", "4"}, {"4", "5"}}},
		{"npz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy as n; n.savez(open(sys.argv[1], "wb"), edge_index=[[1, 2, 3], [2, 3, 1]], edge_attr=n.eye(3))`), [][2]string{{"1", "2"}, {"2", "3"}, {"3", "1"}}},
		{"npy", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy; numpy.save(open(sys.argv[1], "wb"), numpy.array([[b"a b", b"c"], [b"c", b"d"]]))`), named},
		{"npy", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy; numpy.save(open(sys.argv[1], "wb"), numpy.array([("a b", "c", 2), ("c", "d", 3)], dtype=[("u", "S3"), ("v", "S3"), ("w", "i4")]))`), weighted},
		{"npz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy as n; n.savez(open(sys.argv[1], "wb"), edges=[[1, 2], [2, 3]], edge_weight=[2, .5])`), [][2]string{{"1", "2 2"}, {"2", "3 0.5"}}},
		{"npz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy as n; n.savez(open(sys.argv[1], "wb"), n.array([[1, 2, 2], [2, 3, .5]]))`), [][2]string{{"1", "2 2"}, {"2", "3 0.5"}}},
		{"npy", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy; numpy.save(open(sys.argv[1], "wb"), numpy.array([[1, 2, 2], [2, 3, .5]]))`), [][2]string{{"1", "2 2"}, {"2", "3 0.5"}}},
		{"npy", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy; numpy.save(open(sys.argv[1], "wb"), numpy.array([(1, 2, 2), (2, 3, .5)], dtype=[("u", "f8"), ("v", "i4"), ("w", "f4")]))`), [][2]string{{"1", "2 2"}, {"2", "3 0.5"}}},
		{"npy", "/usr/bin/python3 -c 'import scipy'", python(`import sys, numpy as n; n.save(open(sys.argv[1], "wb"), n.array([[0, 2, 0, 0], [0, 0, .5, 0], [0, 0, 0, 0], [0, 0, 0, 0]]))`), [][2]string{{"0", "1 2"}, {"1", "2 0.5"}}},
		{"npz", "/usr/bin/python3 -c 'import scipy'", python(`import sys, numpy as n; n.savez(open(sys.argv[1], "wb"), labels=[1, 2, 3, 4], adj=n.eye(4, k=2) > 0)`), [][2]string{{"0", "2"}, {"1", "3"}}},
		{"npz", "/usr/bin/python3 -c 'import scipy'", python(`import sys, numpy as n; n.savez(open(sys.argv[1], "wb"), n.eye(4, k=2, dtype="u1"))`), [][2]string{{"0", "2 1"}, {"1", "3 1"}}},
		{"npz", "/usr/bin/python3 -c 'import scipy'", python(`import sys, scipy.sparse as s; s.save_npz(sys.argv[1], s.csr_matrix(([2, 1], ([0, 1], [1, 2])), shape=(3, 3)) > 0)`), [][2]string{{"0", "1"}, {"1", "2"}}},
		{"npz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy as n; n.savez(open(sys.argv[1], "wb"), format=[1, 2], shape=[1, 2], data=[3, 4], source=["Zürich", "c"], target=["c", "東"])`), [][2]string{{"Zürich", "c"}, {"c", "東"}}},
		{"npz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy as n; n.savez(open(sys.argv[1], "wb"), src=[1, 2], dst=[[2], [3]], w=[True, True])`), [][2]string{{"1", "2 1"}, {"2", "3 1"}}},
		{"npy", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy as n; n.save(open(sys.argv[1], "wb"), n.array([[1, 2, 3, 4], [2, 3, 4, 5], [2, 2, 2, .5]]))`), [][2]string{{"1", "2 2"}, {"2", "3 2"}, {"3", "4 2"}, {"4", "5 0.5"}}},
		{"npy", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy as n; n.save(open(sys.argv[1], "wb"), n.array([(7, 1, 2, 3.), (7, 2, 3, 4.)], dtype=[("k", "i4"), ("source", "i4"), ("target", "i4"), ("weight", "f4")]))`), [][2]string{{"1", "2 3"}, {"2", "3 4"}}},
		{"data", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy; numpy.save(open(sys.argv[1], "wb"), numpy.array([[1, 2], [2, 3]]))`), plain},
		{"data", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy; numpy.savez(open(sys.argv[1], "wb"), [1, 2], [2, 3])`), plain},
		{"npy.gz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, gzip, numpy; numpy.save(gzip.open(sys.argv[1], "wb"), numpy.array([[1, 2], [2, 3]]))`), plain},
		{"npz.gz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, gzip, io, numpy; f = io.BytesIO(); numpy.savez(f, [1, 2], [2, 3]); gzip.open(sys.argv[1], "wb").write(f.getvalue())`), plain},
		{"packed", "/usr/bin/python3 -c 'import numpy'", python(`import sys, gzip, numpy; numpy.save(gzip.open(sys.argv[1], "wb"), numpy.array([[1, 2], [2, 3]]))`), plain},
		{"edgelist.gz", "/usr/bin/python3 -c 'import networkx'", python(`import sys, networkx as x; x.write_edgelist(x.DiGraph([(1, 2, {"weight": 2}), (2, 3, {"weight": 3})]), sys.argv[1])`), [][2]string{{"1", "2 2"}, {"2", "3 3"}}},
		{"edgelist.bz2", "/usr/bin/python3 -c 'import networkx'", python(`import sys, networkx as x; x.write_adjlist(x.DiGraph([(1, 2), (2, 3)]), sys.argv[1])`), plain},
		{"edgelist", "/usr/bin/python3 -c 'import networkx'", python(`import sys, networkx as x; from decimal import Decimal as D; from fractions import Fraction as F; x.write_edgelist(x.DiGraph([("a b", "c", {"weight": D("2.5")}), ("c", "d", {"weight": F(1, 4)}), ("d", "e", {"weight": True})]), sys.argv[1], delimiter="|")`),
			[][2]string{{"a b", "c 2.5"}, {"c", "d 0.25"}, {"d", "e 1"}}},
		{"edgelist", "/usr/bin/python3 -c ''", write("a|b|{'weight': 2}\nNew York|c|{'weight': 3}\n"), [][2]string{{"New York", "c 3"}, {"a", "b 2"}}},
		{"edgelist", "/usr/bin/python3 -c ''", write("a\tb\t{'weight': 2}\nNew York\tc\t{'weight': 3}\n"), [][2]string{{"New York", "c 3"}, {"a", "b 2"}}},
		{"json", "jq --version", write(`{"edges": [{"source": "a b", "target": "c"}, {"source": "c", "target": "d"}]}`), named},
		{"json", "jq --version", write(`{"edges": [{"source": "a b", "target": "c", "weight": 2}, {"source": "c", "target": "d", "weight": 3}]}`), weighted},
		{"json", "jq --version", write("{\"kind\": 1, \"from\": \"a b\", \"to\": \"c\", \"cost\": 2}\n{\"kind\": 1, \"from\": \"c\", \"to\": \"d\", \"cost\": 3}\n"), weighted},
		{"json", "jq --version", write("{\"day\": 1, \"payee\": \"c\", \"payer\": \"a b\", \"amount\": 2}\n{\"day\": 1, \"payee\": \"d\", \"payer\": \"c\", \"amount\": 3}\n"), weighted},
		{"json", "jq --version", write("{\"it's\": \"a b\", \"%[1]s\": \"c\"}\n{\"it's\": \"c\", \"%[1]s\": \"d\"}\n"), named},
		{"json", "jq --version", write(`[{"source": "a b", "target": "c"}, {"source": "c", "target": "d"}]`), named},
		{"json", "jq --version", write(`[["a b", "c", 2], ["c", "d", 3]]`), weighted},
		{"json", "jq --version", write(`[["a b", "c", {"weight": 2}], ["c", "d", {"weight": 3}]]`), weighted},
		{"json", "/usr/bin/python3 -c 'import pandas'; jq --version", python(frame + `d.to_json(sys.argv[1], orient="columns")`), weighted},
		{"json", "/usr/bin/python3 -c 'import pandas'; jq --version", python(frame + `d.to_json(sys.argv[1], orient="split")`), weighted},
		{"json", "/usr/bin/python3 -c 'import pandas'; jq --version", python(frame + `d.to_json(sys.argv[1], orient="records")`), weighted},
		{"json", "/usr/bin/python3 -c 'import pandas'; jq --version", python(frame + `d.to_json(sys.argv[1], orient="index")`), weighted},
		{"json", "/usr/bin/python3 -c 'import pandas'; jq --version", python(frame + `del d["note"]; d.to_json(sys.argv[1], orient="values")`), weighted},
		{"json", "/usr/bin/python3 -c 'import pandas'; jq --version", python(frame + `d.to_json(sys.argv[1], orient="table")`), weighted},
		{"json", "/usr/bin/python3 -c 'import pandas'; jq --version", python(frame + `d.to_json(sys.argv[1], orient="records", lines=True)`), weighted},
		{"json", "/usr/bin/python3 -c 'import pandas'; jq --version", python(frame + `json.dump(d.to_dict("list"), open(sys.argv[1], "w"))`), weighted},
		{"json", "/usr/bin/python3 -c 'import pandas'; jq --version", python(frame + `json.dump(d.to_dict("split"), open(sys.argv[1], "w"))`), weighted},
		{"json", "/usr/bin/python3 -c 'import networkx'; jq --version", python(`import sys, json, networkx as x; g = x.DiGraph(); g.add_edge("a b", "c", weight=2); g.add_edge("c", "d"); json.dump(x.node_link_data(g), open(sys.argv[1], "w"))`), partly},
		{"json", "/usr/bin/python3 -c 'import networkx'; jq --version", python(`import sys, json, networkx as x; g = x.DiGraph(); g.add_edge("a b", "c", weight=2); g.add_edge("c", "d"); json.dump(x.adjacency_data(g), open(sys.argv[1], "w"))`), partly},
		{"json", "/usr/bin/python3 -c 'import networkx'; jq --version", python(`import sys, json, networkx as x; g = x.DiGraph(); g.add_edge("a b", "c", weight=2); g.add_edge("c", "d"); json.dump(x.cytoscape_data(g), open(sys.argv[1], "w"))`), partly},
		{"json", "/usr/bin/python3 -c 'import networkx'; jq --version", python(`import sys, json, networkx as x; g = x.DiGraph(); g.add_edge("a b", "c", weight=2); g.add_edge("c", "d"); json.dump(x.to_dict_of_dicts(g), open(sys.argv[1], "w"))`), partly},
		{"json", "/usr/bin/python3 -c 'import networkx'; jq --version", python(`import sys, json, networkx as x; json.dump(x.to_dict_of_lists(x.DiGraph([("a b", "c"), ("c", "d")])), open(sys.argv[1], "w"))`), named},
		{"json", "jq --version", write(`{"nodes": [{"id": "a b", "value": 7}], "links": [{"source": "a b", "target": "c", "value": 2}, {"source": "c", "target": "d", "value": 3}]}`), weighted},
		{"json", "jq --version", write(`{"nodes": [], "links": [{"source": {"id": "a b", "weight": 1}, "target": {"id": "c"}, "index": 0, "cost": 2}, {"source": {"id": "c"}, "target": {"id": "d"}, "distance": 9, "cost": 3}]}`), weighted},
		{"json", "jq --version", write(`{"nodes": [{"key": "a b"}], "edges": [{"key": 1, "source": "a b", "target": "c", "attributes": {"w": 2}}, {"source": "c", "target": "d", "attributes": {"w": 3}}]}`), weighted},
		{"json", "jq --version", write(`{"graph": {"nodes": {"a b": {}}, "edges": [{"source": "a b", "target": "c", "metadata": {"cost": 2}}, {"source": "c", "target": "d", "metadata": {"cost": 3}}]}}`), weighted},
		{"json", "jq --version", write(`{"elements": [{"data": {"id": "a b"}}, {"data": {"source": "a b", "target": "c", "weight": 2}}, {"data": {"source": "c", "target": "d", "weight": 3}}]}`), weighted},
		{"json", "jq --version", write(`[{"person": "a b", "friend": "c", "score": 2}, {"person": "c", "friend": "d", "score": 3}]`), weighted},
		{"json", "jq --version", write(`{"a b": {"c": 2}, "c": {"d": 3}, "d": {}}`), weighted},
		{"json", "jq --version", write(`{"edges": [["a b", "c", 2], ["c", "d"]]}`), partly},
		{"json", "jq --version", write(`{"Source ID": {"0": "a b", "1": "c"}, "Target ID": {"0": "c", "1": "d"}, "Edge Weight": {"0": 2, "1": 3}}`), weighted},
		{"json", "jq --version", write(`[{"the edge": {"Source ID": "a b", "Target ID": "c", "Edge Weight": 2}}, {"the edge": {"Source ID": "c", "Target ID": "d", "Edge Weight": 3}}]`), weighted},
		{"json", "jq --version", write(`[["a b", "c"], ["c", "d"]]`), named},
		{"json", "jq --version", write(`[["CORP\\ann", "#food"], ["#food", "say \"x, y\""], ["%", "\ta"], ["007", " b "], ["007", 7]]`),
			[][2]string{{"#food", `say "x, y"`}, {"%", "\ta"}, {"007", " b "}, {"007", "7"}, {`CORP\ann`, "#food"}}},
		{"json", "jq --version", write("[1, 2]\n[2, 3]\n"), plain},
		{"json", "jq --version", write("{\"id\":1,\"hops\":0,\"parent\":null}\n{\"id\":2,\"hops\":1,\"parent\":1}\n{\"id\":3,\"hops\":2,\"parent\":2}\n"), plain},
		{"json", "jq --version", write(`{"directed": false, "multigraph": false, "graph": [], "nodes": [{"id": "a b"}, {"id": "c"}, {"id": "d"}], "adjacency": [[{"weight": 2, "id": "c"}], [{"weight": 2, "id": "a b"}, {"weight": 3, "id": "d"}], [{"weight": 3, "id": "c"}]]}`), weighted},
		{"json", "jq --version", write(`{"data": [], "elements": {"nodes": [], "edges": [{"data": {"source": "a b", "target": "c"}}, {"data": {"source": "c", "target": "d"}}]}}`), named},
		{"gexf", "/usr/bin/python3 -c 'import networkx'", python(strings.ReplaceAll(someWeights, "%s", "gexf")), partly},
		{"gml", "/usr/bin/python3 -c 'import networkx'", python(strings.ReplaceAll(someWeights, "%s", "gml")), partly},
		{"gml", "/usr/bin/python3 -c 'import networkx'", python(strings.ReplaceAll(strings.ReplaceAll(someWeights, "%s", "gml"), "weight=", "value=")), partly},
		{"edgelist", "/usr/bin/python3 -c ''", write("a b {'value': 2.5}\nb c {}\n"), [][2]string{{"a", "b 2.5"}, {"b", "c 1"}}},
		{"gexf", "/usr/bin/python3 -c 'import networkx'", python(strings.ReplaceAll(withWeights, "%s", "gexf")), weighted},
		{"gml", "/usr/bin/python3 -c 'import networkx'", python(strings.ReplaceAll(withWeights, "%s", "gml")), weighted},
		{"npy", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy; numpy.save(open(sys.argv[1], "wb"), numpy.array([[1, 2], [2, 3]]))`), plain},
		{"npy", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy; numpy.save(open(sys.argv[1], "wb"), numpy.array([[1, 2, 3, 4], [2, 3, 4, 5]]))`), [][2]string{{"1", "2"}, {"2", "3"}, {"3", "4"}, {"4", "5"}}},
		{"npy", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy; numpy.save(open(sys.argv[1], "wb"), numpy.array([("a b", "c", 2), ("c", "d", 3)], dtype=[("u", "U3"), ("v", "U3"), ("w", "f4")]))`), weighted},
		{"sqlite", "sqlite3 -version", python(`import sys, sqlite3; c = sqlite3.connect(sys.argv[1]); c.execute("create table edges (source text, target text)"); c.executemany("insert into edges values (?, ?)", [("a b", "c"), ("c", "d")]); c.commit()`), named},
		{"tar", "tar --version", python(tarred + `"w"); t.add(f, "it's"); t.close()`), plain},
		{"tar.gz", "tar --version", python(tarred + `"w:gz"); t.add(f, "it's"); t.close()`), plain},
		{"json", "jq --version", write(`{"nodes": [], "links": [{"source": "a b", "target": "c"}, {"source": "c", "target": "d"}]}`), named},
		{"dot", "gvpr -V", write("digraph g { \"a b\" -> c; c -> d }\n"), named},
		{"net", "/usr/bin/python3 -c ''", write("\ufeff*Network it's\r\n*Vertices 3\r\n1 \"a b\" 0.1 0.2 ic Red\r\n2 \"#c, d\"\r\n3 O'Brien\r\n*Arcs :1 \"rel\"\r\n% c\r\n1 2 2 l \"x y\"\r\n*Edges\r\n2 3\r\n3 3\r\n"),
			[][2]string{{"#c, d", "O'Brien 1"}, {"O'Brien", "#c, d 1"}, {"O'Brien", "O'Brien 1"}, {"a b", "#c, d 2"}}},
		{"net", "/usr/bin/python3 -c ''", write("*vertices 3\n1 \"a\"\n2 \"a\"\n*edges\n1 2 1\n2 3 1\n"), plain},
		{"net", "/usr/bin/python3 -c ''", write("*Vertices 3\n*Arcslist\n1 2 3\n2 3\n"), [][2]string{{"1", "2"}, {"1", "3"}, {"2", "3"}}},
		{"net", "/usr/bin/python3 -c ''", write("*Vertices 3\n1 \"a b\"\n2 c\n3 d\n*Matrix\n0 2 0\n0 0 3\n0 0 0\n"), weighted},
		{"net", "/usr/bin/python3 -c 'import networkx'", python(strings.ReplaceAll(withWeights, "%s", "pajek")), weighted},
		{"net", "/usr/bin/python3 -c ''", write("*Vertices 3\n1 \"2\"\n*Arcs\n1 2\n2 3\n"), plain},
		{"net", "/usr/bin/python3 -c ''", write("*Vertices 4 2\n1 \"\"\n*Matrix\n1 0\n0 1\n1 0\n"), [][2]string{{"1", "4"}, {"2", "5"}, {"3", "4"}}},
		{"csv", "/usr/bin/python3 -c 'import pandas'", python(`import sys, pandas; d = pandas.DataFrame(0, ["a b", "c", "d"], ["a b", "c", "d"]); d.loc["a b", "c"] = 2; d.loc["c", "d"] = 3; d.to_csv(sys.argv[1])`), weighted},
		{"txt", "/usr/bin/python3 -c ''", write("\"\";\"a b\";\"c\";d\r\n\"a b\";0;2;0\r\nc;0;0.0;3\r\nd;;;\r\n"), weighted},
		{"tsv", "/usr/bin/python3 -c ''", write("\ta b\tc\td\na b\t0\t2\t0\nc\t0\t0\t3\nd\t\t\t\n"), weighted},
		{"txt", "sed --version", write("1->2;\n2->3\n"), plain},
		{"txt", "awk 'BEGIN {}'", write("1: 2\n2: 3\n"), plain},
		{"txt", "awk 'BEGIN {}'", write("a: b\r\nb: c\r\nc:\r\n"), [][2]string{{"a", "b"}, {"b", "c"}}},
		{"adjlist", "awk 'BEGIN {}'", write("#k.py\r\n# GMT Thu Nov 26 13:05:14 2026\r\n# \r\na,b\r\nb,c\r\nc\r\n"), [][2]string{{"a", "b"}, {"b", "c"}}},
		{"txt", "awk 'BEGIN {}'", write("\"Q\": \"R\" b,c\n%d: \"Q\"\n"), [][2]string{{`"Q"`, `"R"`}, {`"Q"`, "b,c"}, {"%d", `"Q"`}}},
		{"csv", "iconv --version", write("\xff\xfe1\x00 \x002\x00\n\x002\x00 \x003\x00\n\x00"), plain},
	}, 8, 0) {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			shell := func(command string) ([]byte, error) {
				cmd := exec.Command("sh", "-c", command)
				cmd.Dir, cmd.Env = folder, append(os.Environ(), "PATH=/usr/bin:/bin")
				return cmd.CombinedOutput()
			}
			if _, err := shell(c.needs); err != nil {
				t.Skipf("%s fails", c.needs)
			}
			path := filepath.Join(folder, file+"."+c.name)
			c.make(t, path)
			r := readNames(t, ReadOptions{}, []string{path})
			for hints := 0; hints < 2; hints++ { // the first may be to unpack
				refused, ok := r.err.(*InputError)
				if !ok {
					break
				}
				_, command, ok := strings.Cut(refused.Advice, ": ")
				if !ok {
					t.Fatalf("no command in %q", refused.Advice)
				}
				command, _, _ = strings.Cut(command, thenPlain)
				command, _, _ = strings.Cut(command, thenMatrix)
				command, _, _ = strings.Cut(command, thenGraphML)
				command, then, commas := strings.Cut(command, thenCommas)
				command, _, _ = strings.Cut(command, ", and import edges.csv")
				command, afterTabs, tabs := strings.Cut(command, thenImport)
				then += afterTabs
				command, flags, piped := strings.Cut(command, " | garaph import ")
				if piped {
					command += " > edges.txt"
				}
				if out, err := shell(command); err != nil {
					t.Fatalf("%s\n%v\n%s", command, err, out)
				}
				o := ReadOptions{}
				if strings.HasPrefix(flags, "--delimiter , --no-header ") {
					o = table(',', HeaderNo)
				}
				if commas {
					o = table(',', HeaderNo)
				}
				if tabs {
					o = table('\t', HeaderNo)
				}
				if commas || tabs { // with the flags that it says
					if then != "" && !strings.HasPrefix(then, "; if it is an edge list nevertheless, use --format text") && !strings.HasPrefix(then, "; or use --") {
						t.Errorf("the hint goes on: %q", then)
					}
				}
				written := strings.TrimSuffix(path, filepath.Ext(path)) // beside what was packed
				for _, name := range []string{"edges.txt", "edges.csv", "edges.tsv", "graph.mtx", "graph.graphml"} {
					if _, err := os.Stat(filepath.Join(folder, name)); err == nil && strings.Contains(command, name) {
						written = filepath.Join(folder, name)
					}
				}
				path = written
				r = readNames(t, o, []string{path})
			}
			again := r
			if again.err != nil {
				t.Fatal(again.err)
			}
			var got [][2]string
			for _, e := range again.sink.sorted() {
				if e.W != 0 {
					e.V += fmt.Sprint(" ", e.W)
				}
				got = append(got, [2]string{e.U, e.V})
			}
			if strings.HasSuffix(path, ".graphml") {
				for _, v := range again.sink.vertices {
					if !slices.ContainsFunc(again.sink.edges, func(e edgeSeen) bool { return e.U == v || e.V == v }) {
						got = append(got, [2]string{v, ""})
					}
				}
				if again.schema.Mirrored {
					got = append(got, [2]string{"mirrored", ""})
				}
			}
			slices.SortFunc(got, func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) })
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s", diff)
			}
		})
	}
}

// TestJoinedLines runs the command that joins lines which end in quotes: what comes out has the edges that the file says, and quotes
// that no field begins with, or that comments have, join nothing.
func TestJoinedLines(t *testing.T) {
	if exec.Command("python3", "-c", "").Run() != nil {
		t.Skip("there is no python3")
	}
	for _, c := range []struct {
		name, content string
		o             ReadOptions
		want          string
	}{
		{"it's.csv", "payer,payee,remark\nAnn,Bob,\"two\r\nlines, see x\"\nBob,Cid,ok\n", table(0, HeaderAuto, "payer", "payee"), "Ann Bob, Bob Cid"},
		{"edges.csv", "\ufeff\"pay\ner\",payee,amount\nAnn,\"Bob\n\n\"\"x\"\", Ltd\",5\n#note, \"x\nCid 6\",Ann,7\n", ReadOptions{}, `Ann Bob·"x",·Ltd 5, Cid·6" Ann 7`},
		{"g.tsv", "1\t\"a\nb\"\t5\n2\t5\" disk\t6\n", table(0, HeaderNo), "1 a·b 5, 2 5\"·disk 6"},
		{"g.txt", "1;2;\"a\n3;4\"\n2;3;\n", table(';', HeaderNo, "1", "2"), "1 2, 2 3"},
		{"g.txt", "\"a\nb\" c\nd e\n", ReadOptions{}, "a·b c, d e"},
	} {
		folder := t.TempDir()
		t.Chdir(folder)
		path := filepath.Join(folder, c.name)
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		r := readNames(t, c.o, []string{path})
		refused, ok := r.err.(*SyntaxError)
		if !ok {
			t.Errorf("%q: got %v", c.content, r.err)
			continue
		}
		_, command, _ := strings.Cut(refused.Advice, ": ")
		command, _, ok = strings.Cut(command, ", and import ")
		if !ok {
			t.Errorf("no command in %q", refused.Advice)
			continue
		}
		cmd := exec.Command("sh", "-c", command)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s\n%v\n%s", command, err, out)
			continue
		}
		r = readNames(t, c.o, []string{filepath.Join(folder, "new-"+c.name)})
		if got := joinEdges(r.sink.sorted(), r.schema.Weighted); r.err != nil || got != c.want {
			t.Errorf("%q: got %s, %v, want %s", c.content, got, r.err, c.want)
		}
	}
}

// TestIDsWithPoints: integers that became fractions, as those of a column of pandas that has empty cells, are no names, nor edges of other
// vertices than those beside them; unless that is said.
func TestIDsWithPoints(t *testing.T) {
	const want = `: "2.0": expected an integer without a point, or a name; pandas writes integers so, of a column with empty cells; `
	for _, content := range []string{"source,target\n1,2.0\n2,3.0\n3,\n", "1,2.0,0.5\n", "2.0,3.00\n"} {
		if r := readBytes(t, "a.csv", []byte(content), ReadOptions{SkipBadLines: true}); r.err == nil || !strings.Contains(r.err.Error(), want) {
			t.Errorf("%q: got %v", content, r.err)
		}
		if r := readBytes(t, "a.csv", []byte(content), ReadOptions{SkipBadLines: true, IDs: IDsString}); r.err != nil {
			t.Errorf("%q: %v", content, r.err)
		}
	}
	for _, content := range []string{"1,2.5\n3,2.0\n", "a,2.0\n", "1e5 2e7\n", "1.5e+00 2.3e+01\n", "1.0e5 2e7\n"} {
		if r := readBytes(t, "a.csv", []byte(content), ReadOptions{}); r.err != nil {
			t.Errorf("%q: %v", content, r.err)
		}
	}
	r := readBytes(t, "a.txt", []byte("1.0e+00 2.0e+00\n"), ReadOptions{IDs: IDsInt})
	if want := "; write integers without a point and an exponent, as numpy.savetxt does with fmt='%d', or use --ids string"; r.err == nil || !strings.Contains(r.err.Error(), want) {
		t.Errorf("got %v", r.err)
	}
}

// TestIDsOfSavetxt runs the command for integers as numpy.savetxt writes them.
func TestIDsOfSavetxt(t *testing.T) {
	if exec.Command("python3", "-c", "").Run() != nil {
		t.Skip("there is no python3")
	}
	for _, c := range []struct{ name, content, want string }{
		{"it's.txt", "# 1.0e+00 by 2\n0.000000000000000000e+00 1.000000000000000000e+00\n-2.300000000000000000e+01 9.007199254740991000e+15\r\n", "-23 9007199254740991, 0 1"},
		{"edges.csv", "1.000000000000000000e+00,2.0,5.000000000000000000e-01\n2.000000000000000000e+00,1.200000000000000000e+01,1.000000000000000000e+00\n", "1 2 0.5, 2 12 1"},
	} {
		t.Chdir(t.TempDir())
		if err := os.WriteFile(c.name, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		r := readNames(t, ReadOptions{}, []string{c.name})
		refused, ok := r.err.(*SyntaxError)
		if !ok || !strings.Contains(refused.Advice, "fmt='%d'") {
			t.Errorf("%q: got %v", c.content, r.err)
			continue
		}
		_, command, _ := strings.Cut(refused.Advice, ": ")
		command, _, _ = strings.Cut(command, "; or use --ids string")
		if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
			t.Errorf("%s\n%v\n%s", command, err, out)
			continue
		}
		_, written, _ := strings.Cut(command, " > ")
		r = readNames(t, ReadOptions{}, []string{written})
		if got := joinEdges(r.sink.sorted(), r.schema.Weighted); r.err != nil || got != c.want {
			t.Errorf("%q: got %s, %v, want %s", c.content, got, r.err, c.want)
		}
	}
}
