// Package garaph processes graphs that are larger than memory on one machine.
//
// A graph is imported once from edge lists into a folder, and vertex programs (package gas) and other algorithms
// (package algorithms) run over it:
//
//	g, err := garaph.Open("web.graph")
//	...
//	defer g.Close()
//	res, err := garaph.Run(ctx, g, programs.BFS{Source: s}, garaph.RunOptions{})
//	...
//	defer res.Close()
//	err = res.WriteFile("hops.tsv", "")
//
// It follows Garaph: Efficient GPU-accelerated Graph Processing on a Single
// Machine with Balanced Replication (Ma et al., USENIX ATC 2017).
package garaph

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"

	"go.uber.org/zap"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/scratch"
	"github.com/garaph/garaph/internal/slogcore"
	"github.com/garaph/garaph/internal/uses"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Types of errors, events and jobs.
type (
	// Iteration is the report of one iteration of a job, or of several merged ones.
	Iteration = dispatcher.Iteration
	// MemoryError is the error of a budget that is too small. It says how much memory the job needs.
	MemoryError = dispatcher.MemoryError
	// OverflowError is the error of values that are wrong because numbers left their range.
	OverflowError = dispatcher.OverflowError
	// Job is a run that is recorded in the folder of its graph.
	Job = checkpoint.Job
)

// Errors that a caller may test for with errors.Is.
var (
	ErrNotGraph = store.ErrNotGraph
	ErrExists   = store.ErrExists
	ErrDamaged  = store.ErrDamaged
	ErrReplaced = store.ErrReplaced
	ErrClosed   = store.ErrClosed
	ErrNoVertex = store.ErrNoVertex
	ErrNoSpace  = store.ErrNoSpace
	ErrBusy     = store.ErrBusy
	ErrMemory   = dispatcher.ErrMemory
	ErrEmpty    = ingest.ErrEmpty
	ErrNoJob    = checkpoint.ErrNoJob
	ErrRunning  = checkpoint.ErrRunning
	ErrDiffers  = checkpoint.ErrDiffers
	// ErrGraphExists is the error of an import without Force to the path of a graph.
	ErrGraphExists = store.ErrGraphExists
	// ErrNoCheckpoint reports that all checkpoints of a job are damaged.
	ErrNoCheckpoint = checkpoint.ErrDamaged
	// ErrInUse is the error of closing a graph or a result while a call that uses it is in progress.
	ErrInUse = uses.ErrInUse
	// ErrNoPath is the error of a vertex to which no path leads.
	ErrNoPath = errors.New("no path leads there")
)

// Slog returns a logger for the options of this package that passes all entries to l.
//
//	garaph.RunOptions{Log: garaph.Slog(slog.Default())}
func Slog(l *slog.Logger) *zap.Logger { return slogcore.New(l) }

// Import reads edge lists (files, or "-" for standard input) into a new graph
// at path. With Force, the jobs of an older graph there go with it, as the log
// says; the error is [ErrRunning] when one of them is running.
func Import(ctx context.Context, inputs []string, path string, o ImportOptions) (report ingest.Report, err error) {
	defer ofContext(ctx, &err)
	return ingest.Import(ctx, inputs, path, o)
}

// Graph is a stored graph, open for reading. Several processes may have it
// open.
type Graph struct {
	store     *store.Store
	uses      uses.Count
	temporary *scratch.Dir // removed by Close; nil if the graph stays

	reading sync.Mutex // guards ids
	ids     *store.IDs // of ID; nil before its first call
}

// Open opens the graph at path.
func Open(path string) (*Graph, error) { return OpenNamed(path, path) }

// OpenNamed is [Open] for a graph that errors are to call by another name than
// its path: a temporary one by the edge files that it was made of.
func OpenNamed(path, name string) (*Graph, error) {
	s, err := store.OpenNamed(path, name)
	if err != nil {
		return nil, err
	}
	return &Graph{store: s}, nil
}

// Close releases the graph, and removes a temporary one; calls after it return [ErrClosed]. While a job, an export or
// another call uses the graph, or a loop reads from it, Close does nothing and returns [ErrInUse].
func (g *Graph) Close() error {
	err := g.uses.Close(func() error {
		err := g.store.Close()
		if g.temporary != nil {
			err = errors.Join(err, g.temporary.Remove())
		}
		return err
	})
	if errors.Is(err, ErrInUse) {
		return fmt.Errorf("close graph %s: %w", g.store.Name(), err)
	}
	return err
}

// Catalogue describes the graph, with the numbers of its Vertices and Edges; it must not be
// changed. It stays after Close.
func (g *Graph) Catalogue() *store.Catalogue { return g.store.Catalogue() }

// Store returns the stored graph itself, for measurements and tools.
func (g *Graph) Store() *store.Store { return g.store }

// Vertex returns the dense id of the vertex with the user's id, or [ErrNoVertex].
func (g *Graph) Vertex(id string) (uint32, error) {
	if err := g.begin(); err != nil {
		return 0, err
	}
	defer g.uses.End()
	return g.store.Lookup(id)
}

// MaxInDegree returns the largest number of edges that lead to a vertex.
func (g *Graph) MaxInDegree() (most uint32, err error) {
	if err := g.begin(); err != nil {
		return 0, err
	}
	defer g.uses.End()
	for i := range g.Catalogue().Shards {
		degrees, err := g.store.Degrees(shard.In, i)
		if err != nil {
			return 0, err
		}
		most = max(most, slices.Max(degrees))
	}
	return most, nil
}

// ID returns the user's id of a vertex. [IDsOf] has those of all.
func (g *Graph) ID(v gas.VertexID) (string, error) {
	if err := g.begin(); err != nil {
		return "", err
	}
	defer g.uses.End()
	g.reading.Lock()
	defer g.reading.Unlock()
	if g.ids == nil {
		g.ids = g.store.IDs()
	}
	return g.ids.Text(uint32(v))
}

// Verify reads everything that is stored and calls damaged, one call at a time,
// for every blob that differs from the bytes that were written. The error is about the verification itself.
func (g *Graph) Verify(ctx context.Context, progress func(bytes int64), damaged func(error)) (err error) {
	if err := g.begin(); err != nil {
		return err
	}
	defer g.end(ctx, &err)
	return g.store.Verify(ctx, runtime.GOMAXPROCS(0), progress, damaged)
}

// begin keeps the graph open until [Graph.end].
func (g *Graph) begin() error {
	if !g.uses.Begin() {
		return fmt.Errorf("graph %s: %w", g.store.Name(), ErrClosed)
	}
	return nil
}

// end ends a use of the graph under a context. After a cancellation the error is, for errors.Is, both the context's
// and its cause, whichever of them ended the work.
func (g *Graph) end(ctx context.Context, err *error) {
	g.uses.End()
	ofContext(ctx, err)
}

func ofContext(ctx context.Context, err *error) {
	why, cause := ctx.Err(), context.Cause(ctx)
	if *err == nil || why == nil {
		return
	}
	switch is, has := errors.Is(*err, why), errors.Is(*err, cause); {
	case is && !has:
		*err = fmt.Errorf("%w: %w", *err, cause)
	case has && !is:
		*err = fmt.Errorf("%w: %w", why, *err)
	}
}
