package algorithms_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
)

// TestCorenessMemory checks that rows of the whole graph are read once where they fit, and where they do not, in
// each pass.
func TestCorenessMemory(t *testing.T) {
	g := oracle.Graph{N: 30_000}
	random := rand.New(rand.NewPCG(1, 2))
	for range 12 * g.N {
		g.Edges = append(g.Edges, oracle.Edge{Src: random.Uint32N(uint32(g.N)), Dst: random.Uint32N(uint32(g.N))})
	}
	s := teststore.Build(t, g, teststore.Options{})
	want := oracleCoreness(g)
	read := func(memory int64) int64 {
		got, report := run(t, s, algorithms.Coreness{}, algorithms.Options{Threads: 2, Memory: memory})
		if !slices.Equal(got, want) {
			t.Fatalf("with memory %d, core numbers differ", memory)
		}
		return report.Requested
	}
	if once, often := read(0), read(starved); often < 3*once {
		t.Errorf("%d bytes were read in memory, %d with the least memory", once, often)
	}
}

// TestCorenessReal compares core numbers with those of NetworkX, on many threads that lower bounds at once.
func TestCorenessReal(t *testing.T) {
	for _, c := range []struct {
		name       string
		undirected bool
	}{{"ego-Facebook", true}, {"as-Caida20071105", true}, {"soc-Slashdot0902", false}} {
		t.Run(c.name, func(t *testing.T) {
			ids, g := testgraph.LoadEdges(t, c.name, c.undirected)
			expected := testgraph.LoadExpected(t, c.name+"-kcore")
			s := teststore.Build(t, g, teststore.Options{ShardVertices: 1000})
			for _, x := range numberings[3:] {
				got, _ := run(t, s, x.algorithm, algorithms.Options{Threads: 8})
				for v, id := range ids {
					if float64(got[v]) != expected[id] {
						t.Fatalf("%T: vertex %d: core number %d, want %v", x.algorithm, id, got[v], expected[id])
					}
				}
			}
		})
	}
}
