package graphalytics

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	ints := Output{IDs: []int64{2, 5, 9}, Ints: []int64{2, 2, math.MaxInt64}}
	floats := Output{IDs: []int64{2, 5, 9}, Floats: []float64{1, 0.5, math.Inf(1)}}
	for _, c := range []struct {
		o                Output
		algorithm, lines string
		ok               bool
	}{
		{ints, "bfs", "2 2\n5 2\n9 9223372036854775807\n", true},
		{ints, "bfs", "2 2\n5 2\n9 9\n", false},
		{ints, "bfs", "2 2\n5 2\n", false},
		{ints, "bfs", "2 2\n5 2\n8 3\n", false},
		{ints, "bfs", "2 2\n5 2 1\n", false},
		{ints, "wcc", "2 7\n5 7\n9 4\n", true},
		{ints, "wcc", "2 7\n5 4\n9 4\n", false},
		{ints, "wcc", "2 7\n5 7\n9 7\n", false},
		{floats, "pr", "2 1.0\n5 0.50004\n9 Infinity\n", true},
		{floats, "pr", "2 1.0\n5 0.5006\n9 infinity\n", false},
		{floats, "pr", "9 infinity\n5 x\n", false},
	} {
		if err := c.o.Validate(c.algorithm, strings.NewReader(c.lines)); (err == nil) != c.ok {
			t.Errorf("%s, %q: %v", c.algorithm, c.lines, err)
		}
	}
	var b strings.Builder
	if err := floats.Write(&b); err != nil || floats.Validate("sssp", strings.NewReader(b.String())) != nil {
		t.Errorf("%s: %v", b.String(), err)
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "small")
	text := "# a graph\ngraph.small.vertex-file = small.v\ngraph.small.edge-file = small.e\n" +
		"graph.small.directed = true\ngraph.small.algorithms = sssp, bfs\ngraph.small.bfs.source-vertex = 7\n" +
		"graph.other.directed = false\n"
	if err := os.WriteFile(path+".properties", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := Read(path + ".properties")
	if err != nil {
		t.Fatal(err)
	}
	if !d.Directed || d.Weighted || strings.Join(d.Algorithms, " ") != "bfs sssp" || d.Files()[1] != path+".e" {
		t.Errorf("%+v", d)
	}
	if source, err := d.Number("bfs.source-vertex"); source != 7 || err != nil {
		t.Error(source, err)
	}
	if _, err := d.Number("pr.damping-factor"); err == nil {
		t.Error("a property that is missing has a value")
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("no error for a file that is missing")
	}
}
