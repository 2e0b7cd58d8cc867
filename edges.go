package garaph

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"go.uber.org/zap"

	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/scratch"
)

// GraphOptions configures graphs of edges in memory. The zero value makes a temporary one,
// with all edges as they are.
type GraphOptions struct {
	Folder  string // of a graph that stays; if "", a temporary one, which Close removes
	Scratch string // where the folder of a temporary graph is made; if "", the system's place for such
	Replace bool   // a graph that is in Folder already

	Undirected    bool            // store both directions of every edge
	Parallel      ingest.Parallel // how parallel edges are stored; if "", ParallelKeep
	DropSelfLoops bool
	ExactWeights  bool // else weights are rounded to float32, but for whole numbers up to 2^53

	Threads  int   // if 0, GOMAXPROCS
	Memory   int64 // bytes of resident memory for the whole process; if 0, half of the available memory
	Progress func(ingest.Progress)
	Log      *zap.Logger // if nil, silent; [Slog] makes one of a slog.Logger
}

// FromEdges creates a graph of the edges (from, to) that an iterator yields, and opens it. The edges need not fit
// into memory. Like all graphs it lies on disk, in a folder of GraphOptions; its ids are the ids of the edges.
// Integers of any type are returned as int64, or as uint64 where some are above its range ([ID]): of edges
// of int, ValuesOf[int64, float64]. After a cancellation the error is the context's, and its cause.
func FromEdges[I ingest.EdgeID](ctx context.Context, edges iter.Seq2[I, I], o GraphOptions) (*Graph, error) {
	return fromEdges(ctx, ingest.Edges[I]{Seq: edges}, o)
}

// FromWeighted is [FromEdges] of edges with their weights, which are finite and not negative.
func FromWeighted[I ingest.EdgeID](
	ctx context.Context, edges iter.Seq2[[2]I, float64], o GraphOptions,
) (*Graph, error) {
	return fromEdges(ctx, ingest.Edges[I]{Weighted: edges}, o)
}

// FromSlice is [FromEdges] of a slice of edges, which goroutines share. Weights, if not nil, has
// the same length; otherwise the edges have none.
//
// Results and neighbours have the ids as one of the types of [ID], int64 for an I of int:
//
//	g, err := garaph.FromSlice(ctx, [][2]int{{1, 2}, {2, 3}}, nil, garaph.GraphOptions{})
//	...
//	ranks, err := garaph.ValuesOf[int64, float64](res, "")
func FromSlice[I ingest.EdgeID](ctx context.Context, edges [][2]I, weights []float64, o GraphOptions) (*Graph, error) {
	return fromEdges(ctx, ingest.Edges[I]{List: edges, Weights: weights}, o)
}

func fromEdges[I ingest.EdgeID](ctx context.Context, edges ingest.Edges[I], o GraphOptions) (g *Graph, err error) {
	path, name := o.Folder, o.Folder
	var temporary *scratch.Dir
	if path == "" {
		scratch.RemoveKilled(o.Scratch, nil)
		if temporary, err = scratch.New(o.Scratch); err != nil {
			return nil, fmt.Errorf("make a folder for a temporary graph: %w", err)
		}
		path, name = temporary.Graph(), "of "+ingest.MemorySource
	}
	defer func() {
		if g == nil && temporary != nil { // after an error, or a panic of the iterator
			err = errors.Join(err, temporary.Remove())
		}
	}()
	defer ofContext(ctx, &err)
	mode := ingest.WeightsAuto
	if o.ExactWeights {
		mode = ingest.WeightsFloat64
	}
	_, err = ingest.ImportEdges(ctx, edges, path, ingest.Options{
		Weights: mode, Edges: ingest.EdgeOptions{
			Undirected: o.Undirected, Parallel: o.Parallel, DropSelfLoops: o.DropSelfLoops,
		}, Force: o.Replace,
		Threads: o.Threads, Memory: o.Memory, Progress: o.Progress, Log: o.Log,
	})
	if err != nil {
		return nil, err
	}
	if g, err = OpenNamed(path, name); err != nil {
		return nil, err
	}
	g.temporary = temporary
	return g, nil
}
