package garaph

import (
	"io"
	"time"

	"go.uber.org/zap"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/algorithms/community"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/export"
	"github.com/garaph/garaph/gpuengine"
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

// GPUOptions are those of a run that may use a GPU. The zero value takes the first GPU, and what is free of its memory.
type GPUOptions struct {
	Name      string              // "0", "1" … or "emulated"; "": the first one
	Memory    int64               // bytes of the GPU's memory; 0: all that is free, but for a small reserve
	Streams   int                 // of copies and computations, which overlap; 0: 4, or 2 where edges are streamed
	Gather    gpuengine.Gather    // how a block of threads adds up; "": [gpuengine.GatherAuto]
	Advancing gpuengine.Advancing // how frontiers are advanced
}

// Checkpoints say when a job writes its state to disk while it runs. The zero value is never; an interrupted job
// writes it in any case.
type Checkpoints struct {
	Every    int           // after that many iterations; 0: not by their number
	Interval time.Duration // when so much time has passed since the last; 0: not by time
	Pages    int           // of an async job, after that many pages; 0: not by pages
	Keep     int           // how many of the newest are kept; 0: [checkpoint.DefaultKeep]
}

// Wanted reports whether checkpoints are written while the job runs.
func (c Checkpoints) Wanted() bool { return checkpoint.Policy(c).Wanted() }

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
		Progress: o.Progress, Trace: o.Trace, Log: o.Log, Device: o.Device, GPU: dispatcher.GPUOptions(o.GPU), MoreThreads: o.MoreThreads,
		Job: o.Job, Checkpoints: checkpoint.Policy(o.Checkpoints),
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

// ExportOptions say how a graph is written as an edge list. The zero value writes text.
type ExportOptions struct {
	Format export.Format // "": [export.Text]
	// Both writes the two directions of an edge of an undirected graph. Without it, edge lists have one,
	// which an import as undirected makes both again. Those of GAP, METIS and Ligra have both in any case.
	Both      bool
	NoWeights bool                     // leave the weights of a weighted graph out
	Threads   int                      // 0: GOMAXPROCS
	Memory    int64                    // bytes of resident memory for the whole process; 0: no limit
	Progress  func(edges, total int64) // may be called from many goroutines; nil: nobody looks on
	Printable func(string) string      // makes a name fit for a terminal; nil: as it is
}

// CommunityOptions say how to search for communities. The zero value searches on all processors, without limits.
type CommunityOptions struct {
	Threads   int             // 0: GOMAXPROCS
	Memory    int64           // bytes of resident memory for the whole process; 0: no limit
	TimeLimit time.Duration   // of the search for one query; 0: none
	Without   community.Rules // that are not applied
	With      community.Rules // that are applied beside [community.AllRules]
	Log       *zap.Logger     // nil: silent; [Slog] makes one of a [log/slog.Logger]

	// Device is where queries are searched; "": [algorithms.AutoDevice], under which the CPU begins with each
	// query, and a GPU searches those that are not soon proved. A GPU searches many queries at
	// once: what Progress says is about a batch, whose first query it gets, and TimeLimit
	// is that of the batch. Without and With are not for a GPU.
	Device    algorithms.Device
	GPU       string // its name; "": the first one
	GPUMemory int64  // bytes of its memory; 0: what is free, but for a small reserve

	// Saving is for a search that a later process can continue; [RecordCommunities] sets it.
	Saving community.Saving

	// Stage, when not nil, is called while the graph is prepared, and Progress while the given
	// query is searched, both from other goroutines.
	Stage    func(algorithms.Progress)
	Progress func(query int, p community.Progress)
}

func (o CommunityOptions) search() community.Options {
	return community.Options{
		Threads: o.Threads, Memory: o.Memory, TimeLimit: o.TimeLimit, Without: o.Without, With: o.With, Log: o.Log,
		Device: o.Device, GPU: o.GPU, GPUMemory: o.GPUMemory, Saving: o.Saving, Stage: o.Stage, Progress: o.Progress,
	}
}
