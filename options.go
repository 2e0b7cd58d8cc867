package garaph

import (
	"io"

	"go.uber.org/zap"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/store"
)

// RunOptions say how to run a job. The zero value is a sync job on the devices that finish
// soonest, without a limit of memory or iterations.
type RunOptions struct {
	Name       string            // of the program in errors; "": its type
	Mode       dispatcher.Mode   // when other vertices see a new value; "": [dispatcher.Sync]
	Method     dispatcher.Method // how an iteration finds the vertices to process; "": [dispatcher.Auto]
	Threads    int               // 0: GOMAXPROCS
	Memory     int64             // bytes of resident memory for the whole process; 0: no limit
	Iterations int               // at most; 0: until no vertex is active; [Forever]
	Progress   func(Iteration)   // called after each iteration; nil: nobody looks on
	Trace      dispatcher.Trace  // who sees phases, pages and copies as well
	Log        *zap.Logger       // nil: silent; [Slog] makes one of a [log/slog.Logger]

	Device dispatcher.Device // "": [dispatcher.AutoDevice]
	GPU    GPUOptions        // of a job that may use a GPU
	// MoreThreads, when not nil, is called with the number of goroutines that will wait
	// for a disk or a GPU all the time: see [dispatcher.Options].
	MoreThreads func(n int) (end func())

	// Job is what the run is recorded as: it goes on from the job's newest
	// checkpoint, and leaves one when it is interrupted. Nil: nothing is recorded,
	// but where Checkpoints are wanted.
	Job         *Job
	Checkpoints Checkpoints // when they are written while the job runs

	inner
}

// inner are options of this package and its tests.
type inner struct {
	generic bool
	end     *uint32 // see [dispatcher.Options.EndAt]
}

// Forever, as RunOptions.Iterations, lets a program that is [gas.Endless] run until the context ends. Of
// others it is as 0.
const Forever = -1

// Generically makes a job run through the generic loops even if the program is compiled,
// to compare the two.
func (o *RunOptions) Generically() { o.generic = true }

func (o RunOptions) job() dispatcher.Options {
	d := dispatcher.Options{
		Name: o.Name, Mode: o.Mode, Method: o.Method, Threads: o.Threads, Memory: o.Memory, Iterations: o.Iterations,
		Progress: o.Progress, Trace: o.Trace, Log: o.Log, Device: o.Device, GPU: o.GPU, MoreThreads: o.MoreThreads,
		Job: o.Job, Checkpoints: o.Checkpoints,
	}
	if o.generic {
		d.Generically()
	}
	if o.end != nil {
		d.EndAt(*o.end)
	}
	return d
}

// AlgorithmOptions say how to run an algorithm. The zero value runs on the devices that
// finish soonest, without a limit of memory.
type AlgorithmOptions struct {
	Threads  int                       // 0: GOMAXPROCS
	Memory   int64                     // bytes of resident memory for the whole process; 0: no limit
	Progress func(algorithms.Progress) // may be called from many goroutines; nil: nobody looks on
	Log      *zap.Logger               // nil: silent; [Slog] makes one of a [log/slog.Logger]

	Device    algorithms.Device // "": [algorithms.AutoDevice]
	GPU       string            // its name, as package device lists them; "": the first one
	GPUMemory int64             // bytes of its memory; 0: all that is free, but for a small reserve
}

func (o AlgorithmOptions) run() algorithms.Options {
	return algorithms.Options{
		Threads: o.Threads, Memory: o.Memory, Progress: o.Progress, Log: o.Log,
		Device: o.Device, GPU: o.GPU, GPUMemory: o.GPUMemory,
	}
}

// ImportOptions say how to read edge lists. The zero value finds out what the files are.
type ImportOptions struct {
	Format       ingest.Format       // "": as names and first bytes say
	IDs          ingest.IDMode       // "": numbers, unless one is none
	Weights      ingest.WeightMode   // "": as the input has them
	Table        ingest.TableOptions // of text: delimiter, header, columns
	Vertices     int64               // raw edges: ids are dense, and this many; 0: none said so
	SkipBadLines bool
	Edges        EdgeOptions
	Storage      StorageOptions
	Force        bool  // replace an existing graph
	Threads      int   // 0: GOMAXPROCS
	Memory       int64 // bytes of resident memory for the whole process; 0: half of what is available
	Stdin        io.Reader
	Progress     func(ImportProgress)
	Log          *zap.Logger // nil: silent; [Slog] makes one of a [log/slog.Logger]
}

// EdgeOptions say which edges a graph gets of those that are read.
type EdgeOptions struct {
	Undirected    bool // both directions of every edge
	Dedup         bool // one of parallel edges, the lightest
	DropSelfLoops bool
}

// StorageOptions say how a graph is stored.
type StorageOptions struct {
	Layout        store.Layout // "": [store.Packed]
	Rows          bool         // store rows of in-edges too, where the layout has none
	ShardVertices int          // of a shard at most; 0: as many as suit the memory
	PythonIDs     string       // a word that [store.PythonIDs] has, too, for whose ids those of the graph stand; "": they are the user's
}

func (o ImportOptions) read() ingest.Options {
	return ingest.Options{
		Format: o.Format, IDs: o.IDs, Weights: o.Weights, Table: o.Table, Vertices: o.Vertices, SkipBadLines: o.SkipBadLines,
		Edges: ingest.EdgeOptions(o.Edges), Storage: ingest.StorageOptions(o.Storage), Force: o.Force,
		Threads: o.Threads, Memory: o.Memory, Stdin: o.Stdin, Progress: o.Progress, Log: o.Log,
	}
}

// UpgradeOptions say how a graph is upgraded.
type UpgradeOptions struct {
	Force    bool  // also where jobs that can be resumed go with the old graph
	Rows     bool  // store rows of in-edges too
	Threads  int   // 0: GOMAXPROCS
	Memory   int64 // bytes of resident memory for the whole process; 0: half of what is available
	Progress func(ImportProgress)
	Log      *zap.Logger // nil: silent; [Slog] makes one of a [log/slog.Logger]
}
