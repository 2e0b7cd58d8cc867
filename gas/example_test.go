package gas_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
)

// WidestPath gives how wide a load can travel from Source to each vertex: the
// largest w such that there is a path whose edges all have weights ≥ w.
type WidestPath struct{ Source uint32 } // dense id

// Init lets anything through at the source, and nothing elsewhere.
func (p WidestPath) Init(v gas.Vertex) (width float32, active bool) {
	if v.ID == p.Source {
		return float32(math.Inf(1)), true
	}
	return 0, false
}

func (WidestPath) Zero() float32 { return 0 }
func (WidestPath) Gather(src float32, e gas.Edge, _ float32) float32 {
	return min(src, float32(e.Weight))
}
func (WidestPath) Sum(a, b float32) float32                                 { return max(a, b) }
func (WidestPath) Apply(_ gas.Vertex, old, acc float32, _ gas.Step) float32 { return max(old, acc) }
func (WidestPath) Activate(_ gas.Vertex, old, new float32) (changed bool)   { return new != old }

const roads = "mill lock 3.5\nmill ford 2\nlock town 3\nford town 4.5\ntown port 2.5\nport mill 1\n"

// A program of one's own, from an edge list to a value for each vertex.
func Example() {
	dir, err := os.MkdirTemp("", "widest-")
	check(err)
	defer os.RemoveAll(dir)
	edges, path, out := filepath.Join(dir, "roads.txt"), filepath.Join(dir, "roads.graph"),
		filepath.Join(dir, "widths.tsv")
	check(os.WriteFile(edges, []byte(roads), 0o666))

	ctx := context.Background()
	_, err = garaph.Import(ctx, []string{edges}, path, garaph.ImportOptions{})
	check(err)
	g, err := garaph.Open(path)
	check(err)
	defer g.Close()
	source, err := g.Vertex("mill")
	check(err)
	result, err := garaph.Run(ctx, g, WidestPath{source}, garaph.RunOptions{})
	check(err)
	defer result.Close()
	check(result.WriteFile(out, ""))

	widths, err := os.ReadFile(out)
	check(err)
	fmt.Print(string(widths))
	// Output:
	// ford	2
	// lock	3.5
	// mill	inf
	// port	2.5
	// town	3
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
