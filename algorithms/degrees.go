package algorithms

import (
	"context"
	"slices"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Degrees counts the edges of each vertex as they are stored, parallel edges and self-loops among them: those that
// lead to it, those that lead away, or both. In an undirected graph these are the same edges, which count once.
// It reads no edges, but the degrees that lie beside them.
type Degrees struct {
	NotIn, NotOut bool // edges of a directed graph that don't count
}

// Plan returns the sums.
func (Degrees) Plan(g *store.Catalogue, _ int) Plan {
	return Plan{Places: true, Arrays: []Array{{"the degrees", 8 * int64(g.Vertices)}}}
}

// Run adds up.
func (d Degrees) Run(ctx context.Context, e *Env) ([]int64, error) {
	sums, err := Make[int64](e, int(e.Graph.Vertices))
	if err != nil {
		return nil, err
	}
	var sides []shard.Direction
	if !d.NotIn {
		sides = append(sides, shard.In)
	}
	if !d.NotOut {
		sides = append(sides, shard.Out)
	}
	if err := eachDegree(ctx, e, sides, nil, func(v, degree uint32) { sums[v] += int64(degree) }); err != nil {
		return nil, err
	}
	e.Total("largest degree", slices.Max(sums))
	return sums, nil
}

// eachDegree calls f with the degrees of vertices on each of some sides, at least of an ascending list of vertices, or
// of all if it is nil. One goroutine calls it for a vertex. The sides of a symmetric graph are one.
func eachDegree(ctx context.Context, e *Env, sides []shard.Direction, list []uint32, f func(v, degree uint32)) error {
	buffers := make([][]uint32, e.Threads)
	if e.Graph.Symmetric {
		sides = BothRows(e.Graph)
	}
	return e.Each(ctx, len(e.Graph.Shards), func(worker, i int) (err error) {
		first := e.Graph.Shards[i].First
		if at, _ := slices.BinarySearch(list, first); list != nil && !e.renames() &&
			(at == len(list) || list[at] >= first+uint32(e.Graph.Shards[i].Vertices)) {
			return nil
		}
		for _, dir := range sides {
			if buffers[worker], err = e.store.DegreesInto(buffers[worker], dir, i); err != nil {
				return err
			}
			for k, n := range buffers[worker] {
				f(e.vertex(first+uint32(k)), n)
			}
		}
		return nil
	})
}

// ColumnName returns "degree".
func (Degrees) ColumnName() string { return "degree" }

// DegreesCommand describes garaph run degrees.
var DegreesCommand = registry.Command{
	Name: "degrees", Value: Degrees{}, Short: "number of edges of every vertex, as they are stored",
	Long: `Parallel edges and self-loops count. In an undirected graph, --along makes no
difference. Edges are not read: their numbers lie beside them.`,
	Example: `  garaph run degrees web.graph --along in --top 10
  garaph run degrees web.graph --report degrees.html`,
	Setup: func(fs *pflag.FlagSet) registry.Make {
		along := flags.Along(fs, "edges that lead to the vertex, out of it, or both")
		return func(registry.Env) (any, error) {
			return Degrees{NotIn: *along == "out", NotOut: *along == "in"}, nil
		}
	},
}
