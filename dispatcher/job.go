package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// processBytes is what the process takes beside arrays and pages: the program
// itself, Badger's tables, the Go runtime.
const processBytes = 42 << 20

// Job is one run of a program over a graph.
type Job[V, A any] struct {
	program gas.Program[V, A]
	store   *store.Store
	cat     *store.Catalogue
	opt     Options

	arrays *vertices.Arrays[V]
	pages  *page.Cache
	cpu    *cpuengine.Engine[V, A]

	device        device.Device           // nil: the job runs on the CPU
	gpu, lost     *gpuengine.Engine[V, A] // nil: there is none; gpu becomes lost when it fails
	residentEdges uint64                  // that stay on the GPU
	hostStale     []bool                  // by shard: the GPU has newer values
	gpuStale      []bool                  // by shard: the host has
	behind        bool                    // hostStale, or the host's active set is not the newest
	safe          position                // of the host's values and active set
	safeCounts    policy.Counts

	firsts      []uint32          // first vertex of each shard
	edges       []uint64          // that a pull gathers along, by shard
	pullEdges   uint64            // all of them
	notifySides []shard.Direction // along which active vertices notify
	notifyEdges uint64            // edges on those sides
	aggregable  gas.Aggregable[V] // nil without the ability, as is aggregates
	aggregates  []float64         // by shard
	restless    bool              // active vertices gather again themselves: the program is not gas.Idempotent
	oneSide     bool              // vertices notify by sides that are gathered along too
	settleable  gas.Settleable[V] // nil without the ability
	unsettled   []uint32          // by shard, the first vertex that was not settled when last looked

	position
	began time.Time // the run
	// ordering: that was done in this iteration, and took long.
	ordering bool
	ranks    []int // of pages: the CPU begins with the last one
	policy   decider
	report   Report

	epochs *epochs[V] // nil unless the run is recorded
}

// New plans a job and takes its memory. Close returns it.
func New[V, A any](s *store.Store, p gas.Program[V, A], o Options) (*Job[V, A], error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	j := &Job[V, A]{program: p, store: s, cat: s.Catalogue(), opt: o, began: time.Now()}
	j.hostStale, j.gpuStale = make([]bool, len(j.cat.Shards)), make([]bool, len(j.cat.Shards))
	for _, info := range j.cat.Shards {
		j.firsts = append(j.firsts, info.First)
	}
	err := j.openGPU()
	if err == nil {
		err = j.plan()
	}
	if err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// plan divides the memory: vertex arrays first, then pages.
func (j *Job[V, A]) plan() (err error) {
	fixed := vertices.Bytes[V](j.cat.Vertices) + processBytes
	var checkpoints int64
	if j.opt.Job != nil {
		checkpoints = epochBytes[V](j.cat.Vertices, j.opt.Checkpoints)
	}
	po := page.Options{Threads: j.opt.Threads, PageBytes: j.opt.pageBytes}
	var loops gas.Loops[V, A]
	var facts policy.Facts
	err = panics.Guard(j.program, func() error {
		loops, j.report.Compiled = cpuengine.LoopsOf(j.program)
		if c, ok := j.program.(gas.Compiled[V, A]); ok && !j.report.Compiled && c.Loops().Program == nil {
			j.opt.Log.Warn(fmt.Sprintf("the compiled loops of %T are of an older text of it, and not used: run go generate", j.program))
		}
		if j.opt.Generic {
			loops, j.report.Compiled = cpuengine.GenericLoops(j.program), false
		}
		po.SourceOrder = loops.Scatter != nil
		_, facts.Saturates = j.program.(gas.Saturable[A])
		idempotent, able := j.program.(gas.Idempotent)
		j.restless = !able || !idempotent.Idempotent()
		po.Gather, po.Notify = sides(gas.DirectionOf(j.program))
		return nil
	})
	if err != nil {
		return err
	}
	j.notifySides = po.Notify
	if j.cat.Symmetric {
		j.notifySides = []shard.Direction{shard.In}
	}
	j.notifyEdges = j.cat.Edges * uint64(len(j.notifySides))
	j.countEdges(po.Gather)
	j.oneSide = j.cat.Symmetric || len(po.Gather) == 2
	if j.device != nil {
		if err = j.planGPU(po, fixed, checkpoints); err != nil && j.opt.Device != AutoDevice {
			return err
		}
		if err != nil {
			j.withoutGPU(errors.Join(err, j.closeGPU()))
		}
	}
	if j.gpu == nil {
		if err = j.take(po, fixed, checkpoints, nil); err != nil {
			return err
		}
	}
	if j.cpu, err = cpuengine.New(loops, j.arrays, j.cat.Symmetric, j.opt.Threads); err != nil {
		return fmt.Errorf("program %T: %w", j.program, err)
	}
	if j.aggregable, _ = j.program.(gas.Aggregable[V]); j.aggregable != nil {
		j.aggregates = make([]float64, len(j.firsts))
	}
	if j.settleable, _ = j.program.(gas.Settleable[V]); j.settleable != nil {
		j.unsettled = append([]uint32(nil), j.firsts...)
	}
	facts.Method, facts.Device = j.opt.Method, j.opt.Device
	facts.Vertices, facts.ValueBytes = uint64(j.cat.Vertices), uint64(j.valueBytes())
	facts.PullEdges, facts.NotifyEdges, facts.Pages = j.pullEdges, j.notifyEdges, len(j.pages.Spans())
	facts.InMemory, facts.OneSide, facts.Aggregates, facts.Ordered = j.pages.InMemory(), j.oneSide, j.aggregable != nil, j.pages.Ordered()
	j.policy = decider{facts: facts, look: j.opt.decided}
	j.policy.set(policy.New(facts))
	if j.opt.Job != nil {
		j.epochs, err = newEpochs[V](j.cat.Vertices, j.opt)
	}
	return err
}

// countEdges counts what a pull gathers along.
func (j *Job[V, A]) countEdges(gather []shard.Direction) {
	j.edges = make([]uint64, len(j.cat.Shards))
	for i, info := range j.cat.Shards {
		for _, dir := range gather {
			n := info.In
			if dir == shard.Out && !j.cat.Symmetric {
				n = info.Out
			}
			j.edges[i] += uint64(n)
			if j.cat.Symmetric {
				break // one side is both
			}
		}
		j.pullEdges += j.edges[i]
	}
}

// take takes the memory of arrays and pages.
func (j *Job[V, A]) take(po page.Options, fixed, checkpoints int64, m vertices.Memory) (err error) {
	if j.opt.Memory > 0 {
		po.Budget = max(1, j.opt.Memory-fixed-checkpoints)
	}
	j.pages, err = page.New(j.store, po)
	if err == nil {
		j.ranks = j.rank()
	}
	var need *page.NeedError
	if errors.As(err, &need) {
		return &MemoryError{Graph: j.store.Name(), Budget: j.opt.Memory, Vertices: fixed - processBytes, Pages: need.Need, Checkpoints: checkpoints}
	}
	if err != nil {
		return err
	}
	if j.arrays, err = vertices.New[V](j.cat.Vertices, m); err != nil {
		return fmt.Errorf("program %T: %w", j.program, err)
	}
	return nil
}

// sides gives the sides of shards that a program gathers from, and those by
// which a changed vertex finds who gathers from it.
func sides(d gas.Direction) (gather, notify []shard.Direction) {
	switch d {
	case gas.Out:
		return []shard.Direction{shard.Out}, []shard.Direction{shard.In}
	case gas.Both:
		both := []shard.Direction{shard.In, shard.Out}
		return both, both
	default:
		return []shard.Direction{shard.In}, []shard.Direction{shard.Out}
	}
}

// Close frees the memory of the job; its values are gone. It waits for an epoch
// whose writing Run has called off.
func (j *Job[V, A]) Close() {
	if j.epochs != nil {
		j.waitEpoch()
	}
	if err := j.closeGPU(); err != nil {
		j.opt.Log.Warn("the memory of the job was not all given back", zap.Error(err))
	}
	if j.epochs != nil {
		j.epochs.free()
	}
	j.free()
}

// free returns the arrays.
func (j *Job[V, A]) free() {
	if j.arrays != nil {
		j.arrays.Free()
		j.arrays = nil
	}
}

// Trim gives back what a job that Run has done does not need for its results:
// pages and the arrays of iterations. It tells how much of the budget that
// leaves, in bytes; without a budget there is no limit. The job cannot run any
// more.
func (j *Job[V, A]) Trim() (free int64) {
	if err := j.closePages(); err != nil {
		j.opt.Log.Warn("the memory of the job was not all given back", zap.Error(err))
	}
	free = j.opt.Memory - processBytes
	reading := false // an epoch, perhaps from Next
	if j.epochs != nil {
		reading = j.epochs.taken != nil
		free -= epochBytes[V](j.cat.Vertices, j.opt.Checkpoints)
	}
	j.arrays.FreeSpare(!reading)
	if j.opt.Memory == 0 {
		return math.MaxInt64
	}
	return max(0, free-j.arrays.Bytes())
}

// Run iterates until no vertex is active, or as often as the options allow.
// After a cancellation the error is the context's, and the report covers what
// was done; values that overflowed are an [OverflowError]. A recorded job goes on from its newest epoch; after an error it
// leaves one.
func (j *Job[V, A]) Run(ctx context.Context) (Report, error) {
	err := j.run(ctx)
	j.keepSpeeds()
	j.endEpochs(err)
	return j.report, err
}

func (j *Job[V, A]) run(ctx context.Context) error {
	start := time.Now()
	resumed, err := j.restore(ctx)
	if err != nil {
		return err
	}
	if err := j.init(ctx, resumed); err != nil {
		return err
	}
	j.report.InMemory = j.pages.InMemory()
	if j.policy.Limit == 0 { // that of the job's first run holds, wherever it goes on
		if !j.report.InMemory {
			j.report.AccessRatio = j.store.AccessRatio()
		}
		j.policy.set(policy.Start(j.policy.facts, j.policy.State, j.report.AccessRatio))
	}
	j.report.NotifyLimit = j.policy.Limit
	if !j.report.InMemory {
		j.opt.Log.Info("the graph does not fit into memory: pages are streamed from disk",
			zap.Int64("memory", j.opt.Memory), zap.Float64("notify limit", j.policy.Limit))
		j.cpu.Yield = true
	}
	if n := j.waiting(); n > 0 && j.opt.MoreThreads != nil {
		defer j.opt.MoreThreads(n)()
	}
	if j.gpu != nil {
		err := j.startGPU(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			j.lose(err)
		}
	}
	j.report.Load = time.Since(start)
	j.beginEpochs()
	for {
		if j.done() {
			start := time.Now()
			err := j.fetch()
			j.report.Duration += time.Since(start)
			if err == nil {
				j.report.Converged = j.activated == 0
				return j.overflowed(ctx)
			}
			j.lose(err)
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := j.iterate(ctx); err != nil {
			return err
		}
	}
}

// done reports whether no iteration is left to do.
func (j *Job[V, A]) done() bool {
	return j.activated == 0 || j.opt.Iterations > 0 && j.step.Iteration == j.opt.Iterations
}

// waiting is how many goroutines wait for a disk or a GPU while others compute.
func (j *Job[V, A]) waiting() (n int) {
	if !j.report.InMemory {
		n += page.Readers
	}
	if j.gpu != nil {
		n += gpuengine.Goroutines
	}
	return n
}

// init gives every vertex its degree, which the shards' offsets tell, and,
// unless the job was resumed, its first value.
func (j *Job[V, A]) init(ctx context.Context, resumed bool) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(j.opt.Threads)
	degrees := make([]uint64, len(j.firsts))
	for i := range j.firsts {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return j.eachVertex(i, func(v gas.Vertex) {
				j.arrays.Degree[v.ID] = j.degree(v)
				if j.gpu != nil {
					j.gpu.Vertex(v)
				}
				if resumed && j.arrays.Active.Has(v.ID) || !resumed && j.first(i, v) {
					degrees[i] += uint64(j.arrays.Degree[v.ID])
				}
			})
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, d := range degrees {
		j.degrees += d
	}
	j.activated = uint64(j.arrays.Active.Count(0, j.cat.Vertices))
	if !resumed {
		j.step = gas.Step{Aggregate: j.aggregate()}
	}
	return nil
}

// first gives a vertex of shard i its first value, and tells whether it is
// active.
func (j *Job[V, A]) first(i int, v gas.Vertex) (active bool) {
	value, active := j.program.Init(v)
	j.arrays.Cur[v.ID] = value
	if active {
		j.arrays.Active.Add(v.ID)
	}
	if j.aggregable != nil {
		j.aggregates[i] += j.aggregable.Aggregate(v, value)
	}
	return active
}

// degree is the number of edges along which v notifies.
func (j *Job[V, A]) degree(v gas.Vertex) uint32 {
	var d uint32
	for _, side := range j.notifySides {
		if side == shard.In {
			d += v.In
		} else {
			d += v.Out
		}
	}
	return d
}

// eachVertex calls f for the vertices of shard i. A panic of the program ends
// as an error.
func (j *Job[V, A]) eachVertex(i int, f func(gas.Vertex)) error {
	in, err := j.store.ReadOffsets(shard.In, i)
	if err != nil {
		return err
	}
	out := in
	if !j.cat.Symmetric {
		if out, err = j.store.ReadOffsets(shard.Out, i); err != nil {
			return err
		}
	}
	return panics.Guard(j.program, func() error {
		for v := range in.Vertices() {
			f(gas.Vertex{
				ID: in.First + uint32(v), N: j.cat.Vertices,
				In: in.Off[v+1] - in.Off[v], Out: out.Off[v+1] - out.Off[v],
			})
		}
		return nil
	})
}

// Values calls yield for each shard's vertices and values, in order; the slices
// are the job's.
func (j *Job[V, A]) Values(yield func(vs []gas.Vertex, values []V) error) error {
	return j.ValuesOf(0, j.cat.Vertices, yield)
}

// ValuesOf is Values of the vertices in [from, to).
func (j *Job[V, A]) ValuesOf(from, to uint32, yield func(vs []gas.Vertex, values []V) error) error {
	var vs []gas.Vertex
	for i := range j.firsts {
		first, end := j.interval(i)
		if first, end = max(first, from), min(end, to); first >= end {
			continue
		}
		vs = vs[:0]
		err := j.eachVertex(i, func(v gas.Vertex) {
			if v.ID >= first && v.ID < end {
				vs = append(vs, v)
			}
		})
		if err != nil {
			return err
		}
		if err := yield(vs, j.arrays.Cur[first:end]); err != nil {
			return err
		}
	}
	return nil
}
