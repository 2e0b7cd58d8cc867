package testgraph

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/garaph/garaph/internal/oracle"
)

// LDBC is an example graph of LDBC Graphalytics with the parameters that its
// expected outputs were made with. Weights are rounded to 32-bit floats.
type LDBC struct {
	IDs            []int64 // in ascending order; vertex i of Graph is IDs[i]
	Graph          oracle.Graph
	Directed       bool    // otherwise Graph has each edge in both directions
	Source         int64   // of BFS and SSSP
	Damping        float64 // of PR
	Iterations     int     // of PR
	CDLPIterations int
}

// LoadLDBC reads shared/data/ldbc/NAME.v, .e and .properties; NAME is
// "example-directed" or "example-undirected".
func LoadLDBC(t testing.TB, name string) LDBC {
	t.Helper()
	path := filepath.Join(Shared(t), "ldbc", name)
	properties := map[string]string{}
	eachRow(t, path+".properties", func(row []string) {
		if key, ok := strings.CutPrefix(row[0], "graph."+name+"."); ok && len(row) > 2 && row[1] == "=" {
			properties[key] = row[2]
		}
	})
	var vertices []int64
	eachRow(t, path+".v", func(row []string) { vertices = append(vertices, parseID(t, row[0])) })
	d := LDBC{
		Directed:       properties["directed"] == "true",
		Source:         parseID(t, properties["bfs.source-vertex"]),
		Damping:        parseValue(t, properties["pr.damping-factor"]),
		Iterations:     int(parseID(t, properties["pr.num-iterations"])),
		CDLPIterations: int(parseID(t, properties["cdlp.max-iterations"])),
	}
	d.IDs, d.Graph = edgesOf(t, path+".e", vertices, !d.Directed)
	return d
}

// LoadLDBCExpected reads shared/data/ldbc/NAME, for example
// "example-directed-PR": the value of each id, +Inf where unreached.
func LoadLDBCExpected(t testing.TB, name string) map[int64]float64 {
	t.Helper()
	return valuesOf(t, filepath.Join(Shared(t), "ldbc", name))
}
