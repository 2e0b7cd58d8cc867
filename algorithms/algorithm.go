// Package algorithms is for what is not a vertex program: algorithms that go over
// the adjacency of a stored graph in their own way and return a value for each vertex.
// An [Algorithm] declares first what memory it needs, and gets an [Env]:
//
//   - Rows: the adjacency as rows, in-neighbours, out-neighbours or both of each vertex,
//     ascending. [Rows.Each] leases blocks of consecutive rows to the threads of the run.
//     A lease ends when the function that got the block returns. Rows that the budget has
//     no room for are read again in each pass.
//   - Edges: all edges instead, in the order in which they are stored, from [Edges.Each].
//   - Threads: how many goroutines compute. [Env.Each] shares work out to them, and
//     [Rows.Each] does so by itself. Both start the goroutines and wait for their end.
//   - Arrays: [Make] allocates outside the Go heap, within the plan. All arrays belong to the
//     run: the one that Run returns is freed with the result, the others at the end of Run
//     unless [Free] has freed them before. After Run, no goroutine may use any.
//   - Temporary files: [Env.Scratch] makes the planned ones, for data that outgrows the budget.
//   - Results: the slice that Run returns, a value for each vertex. [AddColumn] adds more columns,
//     and [Env.Keys] makes them a table of other rows, such as the edges of a forest.
//   - Progress and totals: [Env.Progress] reports how far a stage is, [Env.Total] a number
//     about the whole graph that a user wants to see beside the values.
//   - The context: Run ends soon after it, with its error. Env.Each, Rows.Each and Edges.Each look at
//     it between two tasks, each of which should take milliseconds.
//
// Run checks the plan against the budget of memory before anything is read, and
// refuses with a [MemoryError] that names the least budget. A panic on the run's
// goroutines becomes an error. Results must not depend on the number of threads or
// the budget.
//
// Algorithms that spread from few vertices or edges have the rows of the whole graph in
// memory, from [Env.Load] or made of Rows, and advance along them by the operators of package
// frontier, whose goroutines are those of [Env.Each].
//
// A [Resumable] algorithm has checkpoints: [Env.Steps] calls its steps, and saves and restores their state. A
// [GPUAlgorithm] runs on a GPU, too, as [Components] does.
// docs/algorithms.md shows how to write an algorithm; triangles.go, truss.go and
// components.go are some.
package algorithms

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"time"
	"unsafe"

	"go.uber.org/zap"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/store"
)

// Value is what an algorithm returns for a vertex. A [gas.VertexID] is written as
// the user's id of that vertex.
type Value interface {
	int64 | float32 | float64 | gas.VertexID
}

// Algorithm computes a value for each vertex.
type Algorithm[T Value] interface {
	// Plan returns what Run reads and allocates at most, on a graph and with a number of
	// threads. It may be called without Run.
	Plan(g *store.Catalogue, threads int) Plan
	// Run returns the values by dense vertex id, in an array that [Make] has allocated.
	Run(ctx context.Context, e *Env) ([]T, error)
}

// Options of a run. The zero value runs on all processors, without a limit of memory.
type Options struct {
	Threads int   // if 0, GOMAXPROCS
	Memory  int64 // bytes of resident memory for the whole process; if 0, no limit
	// Progress, when not nil, may be called from many goroutines.
	Progress func(Progress)
	Log      *zap.Logger // if nil, silent

	// Scratch is the folder for temporary files, of algorithms for which the budget has too little room. If "", it is
	// the system's.
	Scratch string

	Device    Device // "": AutoDevice
	GPU       string // its name, or several for [Divided], as in [device.Split]
	GPUMemory int64  // bytes of the memory of each; if 0, all that is free, but for a small reserve

	// Job records the run of a [Resumable] algorithm once it has begun. If nil, the run is not recorded.
	Job         *checkpoint.Job
	Checkpoints checkpoint.Policy // of a recorded run; of a GPU, there are none

	open func(name string) (device.Device, error) // if nil, device.Open
}

// Progress is the progress of a stage of a run.
type Progress struct {
	Stage       string
	Done, Total int64
	BytesRead   int64 // by the process from disks, since the run began
}

// Total is a number about the whole graph.
type Total struct {
	Name  string
	Value any // an int64 or a float64
}

// Report describes a run.
type Report struct {
	Totals    []Total
	Load      time.Duration // until Run began
	Duration  time.Duration // of Run
	InMemory  bool          // all that was read stayed there
	BytesRead int64         // by the process from disks, for any purpose
	Requested int64         // of the graph; the system may have had it in memory
	Scratch   int64         // bytes that were written to temporary files

	GPU       string        // the devices that have computed; "": the CPU has
	GPUMemory int64         // bytes of them that were allocated
	Kernels   time.Duration // how long their kernels ran
}

// Column is a further column of results.
type Column struct {
	Name   string
	Values any // []int64, []float32, []float64 or []gas.VertexID, of the length of the first column
}

// Outcome is the result of a run. Its values are valid until Close.
type Outcome[T Value] struct {
	Values  []T
	Columns []Column
	// Keys are the vertices of the rows, and KeyName is the name of their column. If KeyName is
	// "", row v is that of vertex v.
	Keys    []gas.VertexID
	KeyName string
	Report  Report
	// Free is how much of the budget is left beside the values, in bytes.
	Free int64
	env  *Env
}

// Close frees the values.
func (o *Outcome[T]) Close() {
	o.env.free()
	o.Values, o.Columns, o.Keys = nil, nil, nil
}

// Run runs an algorithm over a graph.
func Run[T Value](ctx context.Context, s *store.Store, a Algorithm[T], o Options) (*Outcome[T], error) {
	begin := time.Now()
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("algorithm %T: %w", a, err)
	}
	o.complete()
	if s.Catalogue().Vertices == 0 {
		return &Outcome[T]{env: new(Env), Report: Report{InMemory: true}}, nil
	}
	e, err := newEnv(s, a, o)
	if err != nil {
		return nil, err
	}
	defer e.freeIDs()
	e.recorded = newRecorded(a, o)
	out := &Outcome[T]{env: e, Report: Report{Load: time.Since(begin), InMemory: e.read.inMemory() && e.some == nil}}
	if !out.Report.InMemory {
		enough := ""
		if e.enough > 0 {
			enough = fmt.Sprintf("; --memory %dMiB has room for them", (e.enough+1<<20-1)>>20)
		}
		o.Log.Info("the edges do not fit into memory: they are read from disk in each pass"+enough,
			zap.Int64("memory", o.Memory))
	}
	out.Values, err = compute(ctx, e, a, &out.Report)
	if err == nil {
		err = checkValues(e, a, out.Values)
	}
	err = e.endReading(err)
	if err == nil && e.ids != nil && e.plan.Places {
		out.Values, err = arrange(ctx, e, out.Values)
		for i := 0; i < len(e.columns) && err == nil; i++ {
			e.columns[i].Values, err = e.arrange(ctx, e.columns[i])
		}
	}
	if err != nil {
		e.free()
		return nil, err
	}
	out.Columns, out.Keys, out.KeyName = e.columns, e.keys, e.keyName
	kept := []unsafe.Pointer{address(out.Values), address(out.Keys)}
	for _, c := range e.columns {
		kept = append(kept, addressOf(c))
	}
	e.freeBut(kept...)
	out.Report.Duration = time.Since(begin) - out.Report.Load
	e.freeIDs()
	out.Report.Totals, out.Report.Requested, out.Report.Scratch = e.totals, e.requested(), e.spilled
	out.Report.BytesRead = store.DiskBytes() - e.disk
	out.Free = e.left()
	return out, nil
}

// check names the number that is wrong.
func (o *Options) check() error {
	switch {
	case o.Memory < 0:
		return fmt.Errorf("memory %d: expected a number of bytes ≥ 0", o.Memory)
	case o.GPUMemory < 0:
		return fmt.Errorf("GPU memory %d: expected a number of bytes ≥ 0", o.GPUMemory)
	}
	return hostmem.CheckThreads(o.Threads)
}

// complete replaces zero values by what they stand for.
func (o *Options) complete() {
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Device == "" {
		o.Device = AutoDevice
	}
	if o.open == nil {
		o.open = device.Open
	}
}

// compute runs an algorithm on the GPU of the run, if there is one. Under AutoDevice the CPU
// begins again with what a GPU has failed at.
func compute[T Value](ctx context.Context, e *Env, a Algorithm[T], r *Report) (values []T, err error) {
	if g := e.gpu; g != nil {
		err = panics.Guard(a, func() (err error) {
			values, err = a.(GPUAlgorithm[T]).RunGPU(ctx, e, g)
			return err
		})
		g.report(r)
		if err = errors.Join(err, g.Close()); err == nil || ctx.Err() != nil || e.options.Device == GPU {
			return values, err
		}
		r.GPU, r.GPUMemory, r.Kernels = "", 0, 0
		e.withoutGPU(err)
		e.free()
		e.totals, e.columns, e.keys, e.keyName = nil, nil, nil, ""
	}
	err = panics.Guard(a, func() (err error) {
		values, err = a.Run(ctx, e)
		return err
	})
	return values, err
}

// checkValues refuses columns that are not of one length, or not the run's.
func checkValues[T Value](e *Env, a Algorithm[T], values []T) error {
	rows, what := int(e.Graph.Vertices), "vertices"
	columns := append([]Column{{"", values}}, e.columns...)
	if e.keyName != "" {
		rows, what = len(e.keys), "rows"
		columns = append(columns, Column{e.keyName, e.keys})
	}
	for _, c := range columns {
		n := reflect.ValueOf(c.Values).Len()
		if n != rows {
			return fmt.Errorf("algorithm %T returned %d values for %d %s", a, n, rows, what)
		}
		if _, ours := e.arrays[addressOf(c)]; !ours && n > 0 {
			return fmt.Errorf("algorithm %T returned values not allocated by algorithms.Make, or already freed", a)
		}
	}
	return nil
}

// addressOf returns the address of the values of a column.
func addressOf(c Column) unsafe.Pointer { return reflect.ValueOf(c.Values).UnsafePointer() }
