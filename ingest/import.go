// Package ingest makes a stored graph from edge lists: it reads the formats of
// this field, maps the user's ids to dense ones, and sorts the edges into
// shards, on all cores and within a memory budget.
package ingest

import (
	"context"
	"fmt"
	"io"

	"go.uber.org/zap"

	"github.com/garaph/garaph/ingest/build"
	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/read"
	"github.com/garaph/garaph/store"
)

// Options of an import.
type Options struct {
	Format       Format     // "" is Auto
	IDs          IDMode     // "" is IDsAuto
	Weights      WeightMode // "" is WeightsAuto
	Table        TableOptions
	Vertices     int64 // of raw edges, whose ids are dense; if 0, the largest id + 1
	SkipBadLines bool
	AllowEmpty   bool // an input without a vertex is a graph without vertices, and no error
	Edges        EdgeOptions
	Storage      StorageOptions
	Force        bool  // replace an existing graph
	Threads      int   // if 0, GOMAXPROCS
	Memory       int64 // bytes of resident memory for the whole process; if 0, half of the available memory
	Stdin        io.Reader
	Progress     func(Progress)
	Log          *zap.Logger // if nil, nothing is logged
}

// Import reads inputs (files, or "-" for standard input) into a new graph at
// path. After an error, or when the process is killed, no half graph stands
// there, and an older one is as it was.
func Import(ctx context.Context, inputs []string, path string, o Options) (Report, error) {
	if err := read.CheckInputs(inputs, o.Stdin); err != nil { // before memory is planned
		return Report{}, err
	}
	return build.Graph(ctx, inputs, path,
		o.building(), func(ctx context.Context, b *build.Builder) (read.Schema, read.Stats, error) {
			r := b.Reading()
			r.Format, r.IDs, r.Weights, r.Table = o.Format, o.IDs, o.Weights, o.Table
			r.Vertices, r.SkipBadLines, r.Stdin = o.Vertices, o.SkipBadLines, o.Stdin
			return format.Read(ctx, inputs, r, b)
		})
}

// building returns the options for building the graph from the edges.
func (o *Options) building() build.Options {
	return build.Options{
		Edges: o.Edges, Storage: o.Storage, AllowEmpty: o.AllowEmpty, Force: o.Force, Wide: o.Weights == read.WeightsFloat64,
		Threads: o.Threads, Memory: o.Memory, Progress: o.Progress, Log: o.Log,
	}
}

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
