package ingest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEdgesAmong: which arrays of an archive are edges.
func TestEdgesAmong(t *testing.T) {
	for names, want := range map[string]string{
		"weight,dst,src": "src,dst,weight", "x,edge_index,y": "edge_index", "edge_weight,edges": "edges,edge_weight", "arr_0": "arr_0", "a,b": "a,b",
		"arr_0,arr_1,arr_2": "arr_0,arr_1,arr_2", "a,b,c": "", "adj_data,adj_indices,adj_indptr,adj_shape": "",
	} {
		if got := strings.Join(edgesAmong(strings.Split(names, ",")), ","); got != want {
			t.Errorf("%s: got %q, want %q", names, got, want)
		}
	}
	var z bytes.Buffer
	w := zip.NewWriter(&z)
	for _, name := range []string{"a.npy", "b.npy", "c.npy"} {
		if _, err := w.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const want = `' 'g.npz' edges.tsv SRC DST, with the names of two of its arrays, a, b, c (and of one of weights), and import edges.tsv with`
	if r := readBytes(t, "g.npz", z.Bytes(), ReadOptions{}); r.err == nil || !strings.Contains(r.err.Error(), want) {
		t.Errorf("got %v", r.err)
	}
}

// TestAttributesLeftOut: --weights no reads the edges that NetworkX writes by default, with attributes in braces.
func TestAttributesLeftOut(t *testing.T) {
	r := readBytes(t, "g.txt", []byte("1 2 {'weight': 4}\n2 3 {}\n"), ReadOptions{Weights: WeightsNo})
	if r.err != nil || !slices.Equal(edgesOf(r), []string{"1-2", "2-3"}) {
		t.Error(edgesOf(r), r.err)
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
	const tarred = `import sys, os, tarfile; f = sys.argv[1] + ".d"; os.mkdir(f); open(f + "/README", "w").write("#"); open(f + "/edges it's", "w").write("1 2\n2 3\n"); t = tarfile.open(sys.argv[1], `
	for _, c := range []struct {
		name, needs string
		make        func(t *testing.T, path string)
		want        [][2]string
	}{
		{"xz", "xz --version", pack("xz"), plain},
		{"lz4", "lz4 --version", pack("lz4"), plain},
		{"gexf", "/usr/bin/python3 -c 'import networkx'", python(strings.ReplaceAll(networkX, "%s", "gexf")), named},
		{"gml", "/usr/bin/python3 -c 'import networkx'", python(strings.ReplaceAll(networkX, "%s", "gml")), named},
		{"adjlist", "awk 'BEGIN {}'", write("#k.py\n# GMT Thu Nov 26 13:05:14 2026\n# \n1 2\n2 3\n3\n"), plain},
		{"adjlist", "/usr/bin/python3 -c 'import networkx'", python(`import sys, networkx as x; x.write_adjlist(x.DiGraph([(1, 2), (2, 3)]), sys.argv[1])`), plain},
		{"adjlist", "/usr/bin/python3 -c 'import networkx'", python(`import sys, networkx as x; x.write_multiline_adjlist(x.DiGraph([(1, 2, {"weight": 2}), (2, 3, {"weight": 3})]), sys.argv[1])`), [][2]string{{"1", "2 2"}, {"2", "3 3"}}},
		{"edgelist", "/usr/bin/python3 -c 'import networkx'", python(`import sys, networkx as x; x.write_edgelist(x.DiGraph([(1, 2, {"weight": 2}), (2, 3, {"weight": 0.5, "kind": "a weight: b"})]), sys.argv[1])`), [][2]string{{"1", "2 2"}, {"2", "3 0.5"}}},
		{"edgelist", "/usr/bin/python3 -c ''", write("a b {'weight': 5, 'x': {'a': 1, 'weight': 4}, 'note': \"q, 'weight': 9\"}\nb c {'weight': np.float64(0.5)}\nc d {}\n"), [][2]string{{"a", "b 5"}, {"b", "c 0.5"}, {"c", "d 1"}}},
		{"edgelist", "/usr/bin/python3 -c 'import networkx'", python(`import sys, networkx as x; x.write_edgelist(x.DiGraph([("a", "b"), ("b", "c")]), sys.argv[1], delimiter=",")`), [][2]string{{"a", "b"}, {"b", "c"}}},
		{"edgelist", "sed --version", write("# of a graph\n1\t2\t{'kind': 'a, b', 'weight': np.float64(2.5), 'k': 1}\n2\t3\t{'weight': 1e-05}\n"), [][2]string{{"1", "2 2.5"}, {"2", "3 1e-05"}}},
		{"npz", "/usr/bin/python3 -c 'import scipy'", python(`import sys, scipy.sparse as s; s.save_npz(sys.argv[1], s.coo_matrix(([1, 1], ([0, 1], [1, 2])), shape=(3, 3)))`), dense},
		{"npz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy; numpy.savez(sys.argv[1], src=numpy.array(["a b", "c"]), dst=numpy.array(["c", "d"]), w=numpy.array([2, 3]))`), weighted},
		{"npz", "/usr/bin/python3 -c 'import numpy'", python(`import sys, numpy; numpy.savez(sys.argv[1], numpy.array([[1, 2], [2, 3]]))`), plain},
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
		{"json", "jq --version", write(`{"edges": [{"source": "a b", "target": "c"}, {"source": "c", "target": "d"}]}`), named},
		{"json", "jq --version", write(`{"edges": [{"source": "a b", "target": "c", "weight": 2}, {"source": "c", "target": "d", "weight": 3}]}`), weighted},
		{"json", "jq --version", write("{\"kind\": 1, \"from\": \"a b\", \"to\": \"c\", \"cost\": 2}\n{\"kind\": 1, \"from\": \"c\", \"to\": \"d\", \"cost\": 3}\n"), weighted},
		{"json", "jq --version", write("{\"it's\": \"a b\", \"%[1]s\": \"c\"}\n{\"it's\": \"c\", \"%[1]s\": \"d\"}\n"), named},
		{"json", "jq --version", write(`[{"source": "a b", "target": "c"}, {"source": "c", "target": "d"}]`), named},
		{"json", "jq --version", write(`[["a b", "c", 2], ["c", "d", 3]]`), weighted},
		{"json", "jq --version", write(`[["a b", "c", {"weight": 2}], ["c", "d", {"weight": 3}]]`), weighted},
		{"json", "jq --version", write(`[["a b", "c"], ["c", "d"]]`), named},
		{"json", "jq --version", write("[1, 2]\n[2, 3]\n"), plain},
		{"json", "jq --version", write("{\"id\":1,\"hops\":0,\"parent\":null}\n{\"id\":2,\"hops\":1,\"parent\":1}\n{\"id\":3,\"hops\":2,\"parent\":2}\n"), plain},
		{"json", "jq --version", write(`{"directed": false, "multigraph": false, "graph": [], "nodes": [{"id": "a b"}, {"id": "c"}, {"id": "d"}], "adjacency": [[{"weight": 2, "id": "c"}], [{"weight": 2, "id": "a b"}, {"weight": 3, "id": "d"}], [{"weight": 3, "id": "c"}]]}`), weighted},
		{"json", "jq --version", write(`{"data": [], "elements": {"nodes": [], "edges": [{"data": {"source": "a b", "target": "c"}}, {"data": {"source": "c", "target": "d"}}]}}`), named},
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
		{"txt", "sed --version", write("1->2;\n2->3\n"), plain},
		{"txt", "awk 'BEGIN {}'", write("1: 2\n2: 3\n"), plain},
		{"txt", "iconv --version", write("\xff\xfe1\x00 \x002\x00\n\x002\x00 \x003\x00\n\x00"), plain},
	} {
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
			refused, ok := r.err.(*InputError)
			if !ok {
				t.Fatalf("got %v", r.err)
			}
			_, command, ok := strings.Cut(refused.Advice, ": ")
			if !ok {
				t.Fatalf("no command in %q", refused.Advice)
			}
			command, then, found := strings.Cut(command, thenImport)
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
			if found { // with the flags that it says
				o = table('\t', HeaderNo)
				others := []string{"", "; if it is an edge list nevertheless, use --format text", "; or use --weights no to leave out the attributes, weights too"}
				if !slices.Contains(others, then) {
					t.Errorf("the hint goes on: %q", then)
				}
			}
			written := ""
			for _, name := range []string{"edges.tsv", "edges.txt", "graph.mtx"} {
				if _, err := os.Stat(filepath.Join(folder, name)); err == nil && strings.Contains(command, name) {
					written = name
				}
			}
			if written == "" { // beside what was packed
				written = file
			}
			again := readNames(t, o, []string{filepath.Join(folder, written)})
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
			slices.SortFunc(got, func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) })
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s: %s", command, diff)
			}
		})
	}
}
