// Package garaph processes graphs that are larger than memory on one machine.
//
// A graph is imported once from edge lists into a folder, and vertex programs
// (package gas) run over it:
//
//	g, err := garaph.Open("web.graph")
//	...
//	defer g.Close()
//	res, err := garaph.Run(ctx, g, programs.BFS{Source: s}, garaph.RunOptions{})
//	...
//	defer res.Close()
//	err = res.WriteFile("hops.tsv", "")
//
// What is not a vertex program is an algorithm (package algorithms), and
// [RunAlgorithm] runs it.
//
// It follows Garaph: Efficient GPU-accelerated Graph Processing on a Single
// Machine with Balanced Replication (Ma et al., USENIX ATC 2017).
package garaph

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/scratch"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Types of the parts that a user of the library sees.
type (
	// ImportReport says what an import did; [ingest.Report] has its fields.
	ImportReport = ingest.Report
	// Iteration says what one iteration of a job did; [dispatcher.Iteration] has its fields.
	Iteration = dispatcher.Iteration
	// MemoryError says how much memory a job would take; [dispatcher.MemoryError] has its fields and methods.
	MemoryError = dispatcher.MemoryError
	// OverflowError reports values that are wrong because numbers left their range, see [dispatcher.OverflowError].
	OverflowError = dispatcher.OverflowError
	// Job is a run that is recorded in the folder of its graph; [checkpoint.Job] has its methods.
	Job = checkpoint.Job
	// JobSpec is what is recorded of a job for people; [checkpoint.Spec] has its fields.
	JobSpec = checkpoint.Spec
	// JobInfo is a job as [Graph.Jobs] lists it; [checkpoint.Listed] has its fields.
	JobInfo = checkpoint.Listed
	// JobStatus is how a job stands: a [checkpoint.Status].
	JobStatus = checkpoint.Status
	// AlgorithmReport says what an algorithm did; [algorithms.Report] has its fields.
	AlgorithmReport = algorithms.Report
	// Catalogue describes a stored graph; [store.Catalogue] has its fields.
	Catalogue = store.Catalogue
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
	// ErrGraphExists: a graph is there, and Force is not set.
	ErrGraphExists = store.ErrGraphExists
	// ErrNoCheckpoint: no checkpoint of a job is sound.
	ErrNoCheckpoint = checkpoint.ErrDamaged
)

// How jobs stand.
const (
	Running     = checkpoint.Running
	Done        = checkpoint.Done
	Failed      = checkpoint.Failed
	Interrupted = checkpoint.Interrupted
)

// Import reads edge lists (files, or "-" for standard input) into a new graph
// at path. With Force, the jobs of an older graph there go with it, as the log
// says; the error is [ErrRunning] when one of them is running.
func Import(ctx context.Context, inputs []string, path string, o ImportOptions) (report ImportReport, err error) {
	if ctx == nil {
		return ImportReport{}, errNoContext
	}
	defer ofContext(ctx, &err)
	return ingest.Import(ctx, inputs, path, o.read())
}

// Graph is a stored graph, open for reading. Several processes may have it
// open.
type Graph struct {
	store     *store.Store
	uses      uses
	temporary *scratch.Dir // that Close removes; nil: the graph stays

	reading sync.Mutex // guards ids
	ids     *store.IDs // of ID; nil: it was not called yet
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

// Close releases the graph, and removes a temporary one; after it, calls end with [ErrClosed]. It may be called at any
// time, from a callback or a loop too, and waits for nothing: jobs, readings and exports that are under way are not
// ended by it, and the last of them releases the graph, with the errors of that among its own. A context ends a job.
func (g *Graph) Close() error {
	if g.missing() {
		return errNoGraph
	}
	return g.uses.close(func() error {
		err := g.store.Close()
		if g.temporary != nil {
			err = errors.Join(err, g.temporary.Remove())
		}
		return err
	})
}

// Catalogue describes the graph, with the numbers of its Vertices and Edges; it must not be changed. It stays after Close.
// That of a nil or zero Graph is nil.
func (g *Graph) Catalogue() *Catalogue {
	if g.missing() {
		return nil
	}
	return g.store.Catalogue()
}

// Store is the stored graph itself, for measurements and tools. That of a nil or zero Graph is nil.
func (g *Graph) Store() *store.Store {
	if g.missing() {
		return nil
	}
	return g.store
}

// Vertex returns the dense id of the vertex with the user's id, or [ErrNoVertex].
func (g *Graph) Vertex(id string) (v uint32, err error) {
	if err := g.beginUse(); err != nil {
		return 0, err
	}
	defer g.endUse(&err)
	return g.store.Lookup(id)
}

// MaxInDegree is the largest number of edges that lead to a vertex.
func (g *Graph) MaxInDegree() (most uint32, err error) {
	if err := g.beginUse(); err != nil {
		return 0, err
	}
	defer g.endUse(&err)
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
func (g *Graph) ID(v gas.VertexID) (id string, err error) {
	if err := g.beginUse(); err != nil {
		return "", err
	}
	defer g.endUse(&err)
	g.reading.Lock()
	defer g.reading.Unlock()
	if g.ids == nil {
		g.ids = g.store.IDs()
	}
	return g.ids.Text(uint32(v))
}

// Verify reads everything that is stored and calls damaged, one call at a time,
// for every blob that is not what was written; nobody looks on where progress is nil. The error is that of the
// verification itself.
func (g *Graph) Verify(ctx context.Context, progress func(bytes int64), damaged func(error)) (err error) {
	if damaged == nil {
		return errors.New("verify: the function that is told of damage is nil")
	}
	if progress == nil {
		progress = func(int64) {}
	}
	if err := g.beginUseIn(ctx); err != nil {
		return err
	}
	defer g.endUse(&err)
	defer ofContext(ctx, &err)
	return g.store.Verify(ctx, runtime.GOMAXPROCS(0), progress, damaged)
}
