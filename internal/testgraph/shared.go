package testgraph

import (
	"bufio"
	"compress/gzip"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/garaph/garaph/internal/oracle"
)

// Shared returns the path of the folder shared/data, which lies beside the
// module's root or in it, and skips the test where there is none.
func Shared(t testing.TB) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if filepath.Dir(root) == root {
			t.Skip("the real graphs are not here: no go.mod above the test's folder")
		}
		root = filepath.Dir(root)
	}
	for _, folder := range []string{filepath.Join(root, "..", "shared", "data"), filepath.Join(root, "shared", "data")} {
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			return folder
		}
	}
	t.Skipf("the real graphs are not here: there is no folder shared/data in or beside %s", root)
	return ""
}

// LoadEdges reads shared/data/NAME.txt.gz. It returns the vertices' ids in
// ascending order, and the graph whose vertex i is ids[i]. The weight is the
// third column, or 1. With undirected, each edge also becomes its reverse,
// except self-loops.
func LoadEdges(t testing.TB, name string, undirected bool) (ids []int64, g oracle.Graph) {
	t.Helper()
	return edgesOf(t, filepath.Join(Shared(t), name+".txt.gz"), nil, undirected)
}

// LoadExpected reads shared/data/expected/NAME.tsv.gz, for example
// "ego-Facebook-pagerank": the value of each id, +Inf where unreached.
func LoadExpected(t testing.TB, name string) map[int64]float64 {
	t.Helper()
	return valuesOf(t, filepath.Join(Shared(t), "expected", name+".tsv.gz"))
}

// eachRow splits a file, compressed if it ends with .gz, into the fields of its
// lines, without comments and empty lines.
func eachRow(t testing.TB, path string, row func(fields []string)) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(file)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		lines = bufio.NewScanner(z)
	}
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); len(fields) > 0 && !strings.HasPrefix(fields[0], "#") {
			row(fields)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// edgesOf makes a graph of rows "src dst [weight]" and of vertices that need
// not have edges.
func edgesOf(t testing.TB, path string, vertices []int64, undirected bool) (ids []int64, g oracle.Graph) {
	t.Helper()
	var ends [][2]int64
	var weights []float32
	eachRow(t, path, func(row []string) {
		weight := 1.0
		if len(row) > 2 {
			weight = parseValue(t, row[2])
		}
		ends = append(ends, [2]int64{parseID(t, row[0]), parseID(t, row[1])})
		weights = append(weights, float32(weight))
	})

	dense := map[int64]uint32{}
	for _, id := range vertices {
		dense[id] = 0
	}
	for _, e := range ends {
		dense[e[0]], dense[e[1]] = 0, 0
	}
	ids = slices.Sorted(maps.Keys(dense))
	for i, id := range ids {
		dense[id] = uint32(i)
	}

	g.N = len(ids)
	for i, e := range ends {
		edge := oracle.Edge{Src: dense[e[0]], Dst: dense[e[1]], Weight: weights[i]}
		g.Edges = append(g.Edges, edge)
		if undirected && edge.Src != edge.Dst {
			edge.Src, edge.Dst = edge.Dst, edge.Src
			g.Edges = append(g.Edges, edge)
		}
	}
	return ids, g
}

func valuesOf(t testing.TB, path string) map[int64]float64 {
	t.Helper()
	values := map[int64]float64{}
	eachRow(t, path, func(row []string) { values[parseID(t, row[0])] = parseValue(t, row[1]) })
	return values
}

func parseID(t testing.TB, s string) int64 {
	t.Helper()
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// parseValue also knows "inf", "Infinity" and 2⁶³-1, all of which mean
// unreached.
func parseValue(t testing.TB, s string) float64 {
	t.Helper()
	if s == strconv.Itoa(math.MaxInt64) {
		return math.Inf(1)
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
