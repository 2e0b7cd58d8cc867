package ingest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
	named, plain, dense := [][2]string{{"a b", "c"}, {"c", "d"}}, [][2]string{{"1", "2"}, {"2", "3"}}, [][2]string{{"0", "1"}, {"1", "2"}}
	for _, c := range []struct {
		name, needs string
		make        func(t *testing.T, path string)
		want        [][2]string
	}{
		{"xz", "xz --version", pack("xz"), plain},
		{"lz4", "lz4 --version", pack("lz4"), plain},
		{"gexf", "/usr/bin/python3 -c 'import networkx'", python(strings.ReplaceAll(networkX, "%s", "gexf")), named},
		{"gml", "/usr/bin/python3 -c 'import networkx'", python(strings.ReplaceAll(networkX, "%s", "gml")), named},
		{"npz", "/usr/bin/python3 -c 'import scipy'", python(`import sys, scipy.sparse as s; s.save_npz(sys.argv[1], s.coo_matrix(([1, 1], ([0, 1], [1, 2])), shape=(3, 3)))`), dense},
		{"json", "jq --version", write(`{"edges": [{"source": "a b", "target": "c"}, {"source": "c", "target": "d"}]}`), named},
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
			if out, err := shell(command); err != nil {
				t.Fatalf("%s\n%v\n%s", command, err, out)
			}
			o := ReadOptions{}
			if found { // with the flags that it says
				o = table('\t', HeaderNo)
				if strings.TrimPrefix(then, "; if it is an edge list nevertheless, use --format text") != "" {
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
				got = append(got, [2]string{e.U, e.V})
			}
			slices.SortFunc(got, func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) })
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s: %s", command, diff)
			}
		})
	}
}
