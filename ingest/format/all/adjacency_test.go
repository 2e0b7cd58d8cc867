package all_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/ingest/read"
)

// TestMETIS reads the graphs of the manual's figures, and other headers.
func TestMETIS(t *testing.T) {
	plain := []edgeSeen{{"0", "1", 0}, {"0", "2", 0}, {"1", "0", 0}, {"2", "0", 0}}
	weighted := []edgeSeen{{"0", "1", 5}, {"0", "2", 0.5}, {"1", "0", 5}, {"2", "0", 0.5}}
	for _, test := range []struct {
		name, content string
		o             read.Options
		want          []edgeSeen
	}{
		{"plain", "% of four vertices, the last without edges\n4 2\n2 3\n1\n 1\t\n\n", read.Options{}, plain},
		{"crlf", "4 2\r\n2 3\r\n1\r\n1\r\n\r\n% end\r\n", read.Options{}, plain},
		{"weights", "4 2 1\n2 5 3 0.5\n1 5\n% between\n1 0.5\n\n", read.Options{}, weighted},
		{"no weights", "4 2 001\n2 5 3 0.5\n1 5\n1 0.5\n\n", read.Options{Weights: read.WeightsNo}, plain},
		{"of vertices", "4 2 10 2\n7 7 2 3\n7 7 1\n7 7 1\n7 7", read.Options{}, plain},
		{"all", "4 2 111\n1 7 2 5 3 0.5\n1 7 1 5\n1 7 1 0.5\n1 7\n", read.Options{}, weighted},
	} {
		r := readFiles(t, test.o, textFile("g.metis", test.content))
		if r.err != nil {
			t.Errorf("%s: %v", test.name, r.err)
			continue
		}
		if diff := cmp.Diff(test.want, r.sink.sorted()); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
		want := read.Schema{
			Format: "metis", IDs: read.IDDense, Base: 1, Vertices: 4, Weighted: test.want[0].W != 0, Both: true,
		}
		if r.schema != want {
			t.Errorf("%s: got %+v", test.name, r.schema)
		}
	}
	r := readFiles(t, read.Options{IDs: read.IDsInt}, textFile("g.graph", "2 1\n2\n1\n"))
	if diff := cmp.Diff([]edgeSeen{{"1", "2", 0}, {"2", "1", 0}}, r.sink.sorted()); r.err != nil || diff != "" {
		t.Errorf("ids as they are: %v %s", r.err, diff)
	}
}

// TestLigra reads an empty row, weights behind all destinations, and any white space.
func TestLigra(t *testing.T) {
	plain := []edgeSeen{{"0", "1", 0}, {"0", "2", 0}, {"2", "0", 0}}
	weighted := []edgeSeen{{"0", "1", 5}, {"0", "2", 0.5}, {"2", "0", 7}}
	for _, test := range []struct {
		name, content string
		o             read.Options
		want          []edgeSeen
	}{
		{"g.txt", "AdjacencyGraph\n3\n3\n0\n2\n2\n1\n2\n0\n", read.Options{}, plain},
		{"g.adj", "AdjacencyGraph 3 3\r\n0 2 2\r\n1 2 0", read.Options{}, plain},
		{"w.txt", "WeightedAdjacencyGraph\n3\n3\n0\n2\n2\n1\n2\n0\n5\n0.5\n7\n", read.Options{}, weighted},
		{"w.adj", "WeightedAdjacencyGraph\n3\n3\n0\n2\n2\n1\n2\n0\n5\n0.5\n7\n",
			read.Options{Weights: read.WeightsNo}, plain},
	} {
		r := readFiles(t, test.o, textFile(test.name, test.content))
		if r.err != nil {
			t.Errorf("%q: %v", test.content, r.err)
			continue
		}
		if diff := cmp.Diff(test.want, r.sink.sorted()); diff != "" {
			t.Errorf("%q: %s", test.content, diff)
		}
		want := read.Schema{Format: "ligra", IDs: read.IDDense, Vertices: 3, Weighted: test.want[0].W != 0}
		if r.schema != want {
			t.Errorf("%q: got %+v", test.content, r.schema)
		}
	}
}

// TestAdjacencyErrors checks that errors have the file, the line, and what was expected.
func TestAdjacencyErrors(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"g.metis", "x y\n", `g.metis:1: "x y": expected the header "vertices edges`},
		{"g.metis", "2 1 2\n2\n1\n", `g.metis:1: `},
		{"g.metis", "% nothing\n", `the header "vertices edges`},
		{"g.metis", "2 1\n2\n", "is truncated: it ends in line 2"},
		{"g.metis", "2 1\n3\n1\n", "g.metis:2: "},
		{"g.metis", "2 1\n3\n1\n", "a neighbour from 1 to 2"},
		{"g.metis", "2 1\n0\n1\n", "a neighbour from 1 to 2"},
		{"g.metis", "2 2\n2\n1\n", "has 2 neighbours in its lines, but its header promises 2 edges"},
		{"g.metis", "3 1\n2\n3\n\n", "has an edge at one of its ends only"},
		{"g.metis", "2 1 1\n2 5\n1 6\n", "or with another weight at the other"},
		{"g.metis", "2 1 1\n2\n1 6\n", "g.metis:2: \"the end of the line\": expected a weight behind each neighbour"},
		{"g.metis", "2 1 1\n2 -1\n1 6\n", "a weight that is not negative"},
		{"g.metis", "2 1 10\n1 2\n\n", "g.metis:3: \"the end of the line\": expected sizes and weights of the vertex"},
		{"g.metis", "2 1\n2\n1\n1 2\n", "the end of the file"},
		{"g.metis", "9999999999 0\n", "at most 4294967295 are possible"},
		{"g.adj", "1 2\n", "expected AdjacencyGraph or WeightedAdjacencyGraph"},
		{"g.adj", "AdjacencyGraph\n3\n", "the numbers of vertices and edges behind AdjacencyGraph"},
		{"g.adj", "AdjacencyGraph\n2\n1\n0\n", "is truncated: it ends in line"},
		{"g.adj", "AdjacencyGraph\n2\n1\n0\n1\n", "is truncated: it ends in line"},
		{"g.adj", "AdjacencyGraph\n2\n1\n0\n1\n2\n", "a neighbour from 0 to 1"},
		{"g.adj", "AdjacencyGraph\n2\n1\n0\n2\n1\n", "g.adj:5: "},
		{"g.adj", "AdjacencyGraph\n2\n1\n1\n1\n1\n", "an offset from 0 to 0"},
		{"g.adj", "AdjacencyGraph\n2\n1\n0\n1\n1\n5\n", "the end of the file"},
		{"g.adj", "AdjacencyGraph\n0\n1\n0\n", "promises 1 edges and no vertices"},
		{"g.adj", "WeightedAdjacencyGraph\n2\n1\n0\n1\n1\n", "is truncated: it ends in line"},
		{"g.adj", "WeightedAdjacencyGraph\n2\n1\n0\n1\n1\nnan\n", "expected a finite weight"},
	} {
		r := readFiles(t, read.Options{}, textFile(test.name, test.content))
		if r.err == nil || !strings.Contains(r.err.Error(), test.want) {
			t.Errorf("%q: got %v, want %q", test.content, r.err, test.want)
		}
	}
	for name, o := range map[string]read.Options{"whose ids are numbers": {IDs: read.IDsString},
		"has no weights": {Weights: read.WeightsYes}} {
		for _, file := range []testFile{textFile("g.metis", "2 1\n2\n1\n"), textFile("g.adj", "AdjacencyGraph\n1\n0\n0\n")} {
			if r := readFiles(t, o, file); r.err == nil || !strings.Contains(r.err.Error(), name) {
				t.Errorf("%s: got %v", file.name, r.err)
			}
		}
	}
}

// TestAdjacencyAnyGraph checks that any graph comes back, with any blocks and goroutines; no beginning of a file is
// taken for a whole one, but for its last line end.
func TestAdjacencyAnyGraph(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(rt, "n")
		weighted := rapid.Bool().Draw(rt, "weighted")
		rows, m := make([][]edgeSeen, n), 0
		for u := range n {
			for v := range u {
				if rapid.IntRange(0, 2).Draw(rt, "edge") > 0 {
					continue
				}
				w := float32(0)
				if weighted {
					w = float32(rapid.IntRange(1, 1000).Draw(rt, "weight")) / 8
				}
				rows[u] = append(rows[u], edgeSeen{fmt.Sprint(u), fmt.Sprint(v), w})
				rows[v] = append(rows[v], edgeSeen{fmt.Sprint(v), fmt.Sprint(u), w})
				m++
			}
		}
		want := slices.Concat(rows...)
		slices.SortFunc(want, compareSeen)
		for name, content := range map[string]string{"g.metis": metisText(rows, m, weighted),
			"g.adj": ligraText(rows, m, weighted)} {
			r := sameOutcome(t, rt, name, []byte(content), read.Options{},
				read.Options{BlockBytes: rapid.IntRange(16, 99).Draw(rt, "block"), Threads: 3})
			if r.err != nil {
				rt.Fatal(r.err)
			}
			if diff := cmp.Diff(want, r.sink.sorted()); len(want) > 0 && diff != "" {
				rt.Fatal(diff)
			}
			cut := rapid.IntRange(1, len(content)-2).Draw(rt, "cut")
			r = readBytes(t, name, []byte(content[:cut]), read.Options{})
			if inNumber := content[cut-1] >= '0' && content[cut] >= '0' || weighted; r.err == nil && !inNumber &&
				strings.TrimSpace(content[cut:]) != "" && m > 0 {
				rt.Fatalf("%q was read as a whole file", content[:cut])
			}
		}
	})
}

func metisText(rows [][]edgeSeen, m int, weighted bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d %03d\n", len(rows), m, map[bool]int{true: 1}[weighted])
	for _, row := range rows {
		for _, e := range row {
			v := 0
			_, _ = fmt.Sscan(e.V, &v)
			fmt.Fprintf(&b, "%d ", v+1)
			if weighted {
				fmt.Fprintf(&b, "%v ", e.W)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func ligraText(rows [][]edgeSeen, m int, weighted bool) string {
	var b, targets, weights strings.Builder
	fmt.Fprintf(&b,
		"%s\n%d\n%d\n", map[bool]string{true: "WeightedAdjacencyGraph", false: "AdjacencyGraph"}[weighted], len(rows), 2*m)
	offset := 0
	for _, row := range rows {
		fmt.Fprintf(&b, "%d\n", offset)
		offset += len(row)
		for _, e := range row {
			targets.WriteString(e.V + "\n")
			fmt.Fprintf(&weights, "%v\n", e.W)
		}
	}
	b.WriteString(targets.String())
	if weighted {
		b.WriteString(weights.String())
	}
	return b.String()
}
