package ingest

import (
	"context"
	"fmt"

	"github.com/garaph/garaph/ingest/build"
	"github.com/garaph/garaph/ingest/read"
	"github.com/garaph/garaph/store"
)

// An EdgeSource supplies edges derived from an existing graph. Its vertices are numbered from 0, in the order
// of their ids.
type EdgeSource struct {
	Name      string // its name in the catalogue
	Vertices  uint32
	Weighted  bool
	Symmetric bool // each edge comes in both directions, a self-loop once
	// IDs writes the ids of the vertices.
	IDs func(ctx context.Context, w *store.Writer) error
	// Each yields all edges, from at most threads goroutines: each has a worker, hands edges to it by
	// [Worker.AddInts], and closes it, unless there was an error.
	Each func(ctx context.Context, threads int, worker func() Worker) error
}

// ImportSource makes a new graph at path from the edges of a source, as [Import] does from files and within the
// same budget.
func ImportSource(ctx context.Context, source EdgeSource, path string, o Options) (Report, error) {
	if source.Vertices == 0 {
		return Report{}, fmt.Errorf("%s: %w", source.Name, build.ErrEmpty)
	}
	fill := func(ctx context.Context, b *build.Builder) (read.Schema, read.Stats, error) {
		b.WriteIDs = source.IDs
		s := read.Schema{
			Format: inMemory, IDs: read.IDDense, Vertices: int64(source.Vertices), Weighted: source.Weighted,
			Both: source.Symmetric,
		}
		if err := b.Begin(s); err != nil {
			return s, read.Stats{}, err
		}
		return s, read.Stats{}, source.Each(ctx, b.Threads(), b.Worker)
	}
	return build.Graph(ctx, []string{source.Name}, path, o.building(), fill)
}
