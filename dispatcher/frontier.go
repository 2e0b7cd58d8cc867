package dispatcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/page"
)

// frontiers is what a job has for iterations from one frontier to the next.
type frontiers[V, A any] struct {
	unfit    error // why it has none; nil: it may
	rows, in page.WholeRows
	bytes    int64            // of memory
	edges    uint64           // in rows; with weights they count twice
	ordered  bool             // by priorities, where iterations are not limited
	few      int              // iterations in a row from disk with few active vertices
	asked    int              // levels, or rounds of ordered ones, between the last two times that the job asked whether it has arrived
	seeks    bool             // vertices settle: each is active once
	stored   *page.StoredRows // that are read as they are needed; nil: all are brought into memory
	held     heldRows         // that are not unpacked there; no rows: they are
	advancer *cpuengine.Advancer[V, A]
	gpu      gpuFrontier[V, A]
}

// slice is how long the engine goes on by itself at least, before the job looks at what
// else is due: reports, progress, checkpoints.
const slice = time.Millisecond

// orderedSlice is the same where buckets are filled and emptied at both ends.
const orderedSlice = 200 * time.Millisecond

// wantFrontier says what rows the job advances frontiers along, if it can.
func (j *Job[V, A]) wantFrontier(loops compiled.Loops[V, A]) {
	f := &j.front
	if f.unfit = j.frontierUnfit(loops); f.unfit != nil {
		return
	}
	weighted := j.cat.Weighted && loops.Weighs
	f.rows = page.WholeRows{Sides: j.notifySides, Weighted: weighted, Threads: j.opt.Threads}
	f.edges = j.notifyEdges
	all, reading := f.rows.Bytes(j.cat)
	if loops.Seek != nil && !j.cat.SameRows() {
		f.in = page.WholeRows{Sides: j.gatherSides, Weighted: weighted, Threads: j.opt.Threads}
		more, r := f.in.Bytes(j.cat)
		all, reading = all+more, max(reading, r)
		f.edges *= 2
	}
	if weighted {
		f.edges *= 2
	}
	f.bytes = all + reading + cpuengine.AdvancerBytes(j.cat.Vertices)
	f.seeks = loops.Seek != nil
	f.ordered = loops.Relax != nil && j.opt.Iterations == 0
	j.planHeld()
}

// planFrontier says whether the memory lets the job advance frontiers: what other
// iterations need has its memory before.
func (j *Job[V, A]) planFrontier() error {
	f := &j.front
	if len(j.devices) > 0 && f.unfit == nil {
		f.unfit = f.gpu.unfit
	}
	if f.unfit == nil && f.stored == nil && !j.rowsFit() {
		f.unfit = fmt.Errorf("the rows of the whole graph take %d MiB beside its pages: --memory has no room for them", f.bytes>>20+1)
	}
	if j.opt.Method == Frontier && f.unfit != nil {
		return j.withoutFrontier(f.unfit)
	}
	return nil
}

// rowsFit reports whether the rows have room in memory beside the pages.
func (j *Job[V, A]) rowsFit() bool {
	rest := j.pages.Rest()
	return j.pages.InMemory() && (rest < 0 || rest >= j.front.bytes)
}

// withoutFrontier is the error of a job that is to advance frontiers and cannot.
func (j *Job[V, A]) withoutFrontier(why error) error {
	return fmt.Errorf("graph %s: program %s: method %s: %w", j.store.Name(), cmp.Or(j.opt.Name, fmt.Sprintf("%T", j.program)), Frontier, why)
}

// frontierUnfit says why a program cannot advance frontiers over a graph; nil: it can.
func (j *Job[V, A]) frontierUnfit(loops compiled.Loops[V, A]) error {
	switch {
	case !j.monotone || j.restless || j.aggregable != nil:
		return errors.New("it is for programs whose values only get better from neighbour to neighbour, as those of bfs, sssp, sswp and wcc do (gas.Monotone and gas.Idempotent, without an aggregate); the methods auto, pull and notify-pull are for any program")
	case !cpuengine.CanAdvance(loops):
		return errors.New("its values have neither 4 nor 8 bytes, or some that no field has, or its loops are of an older version: run go generate")
	case j.cat.Weighted && loops.Weighs && !j.cat.Symmetric && gas.DirectionOf(j.program) == gas.Both:
		return errors.New("it reads weights and gathers along both directions of a directed graph")
	}
	return nil
}

// frontierFits reports whether the policy may choose frontiers. After n iterations of an
// async job, values depend on its pages.
func (j *Job[V, A]) frontierFits() bool {
	return j.front.unfit == nil && (j.opt.Mode == Sync || j.opt.Iterations == 0)
}

// After manyFew iterations in a row, each with less than a thousandth of the vertices active, a job from
// disk says that these are slow.
const (
	manyFew   = 100
	fewActive = 1000
)

// hintDisk warns once of a job that goes along few edges at a time from disk.
func (j *Job[V, A]) hintDisk(done int) {
	f := &j.front
	if j.report.InMemory && f.stored == nil || !j.monotone || f.few >= manyFew {
		return
	}
	if f.few += done; j.activated*fewActive >= uint64(j.cat.Vertices) {
		f.few = 0
	}
	if f.few >= manyFew {
		j.opt.Log.Warn("many iterations with few active vertices read from disk: more --memory makes them fast, and components tells what is connected")
	}
}

// loadRows brings the rows into memory, unless they are there, and returns how many bytes
// it read.
func (j *Job[V, A]) loadRows(ctx context.Context) (read int64, err error) {
	f := &j.front
	if f.advancer != nil {
		return 0, nil
	}
	if f.stored != nil {
		f.advancer = cpuengine.NewStoredAdvancer(j.cpu.engine, f.stored, j.opt.Iterations > 0)
		return 0, nil
	}
	if f.held.rows != nil {
		f.advancer, err = cpuengine.NewHeldAdvancer(j.cpu.engine, f.held.rows, f.held.in, j.notifyEdges)
		return 0, err
	}
	rows, err := f.rows.Load(ctx, j.store)
	if err != nil {
		return 0, err
	}
	read, in := f.rows.Reads(j.cat), rows
	if !j.cat.SameRows() {
		in = nil
	}
	if len(f.in.Sides) > 0 {
		in, err = f.in.Load(ctx, j.store)
		read += f.in.Reads(j.cat)
	}
	if err == nil {
		f.advancer, err = cpuengine.NewAdvancer(j.cpu.engine, rows, in)
	}
	if err != nil {
		err = errors.Join(err, f.rows.Free(rows), f.in.Free(in))
	}
	return read, err
}

// freeRows returns the memory of frontiers.
func (j *Job[V, A]) freeRows() {
	j.freeGPURows()
	if f := j.front.advancer; f != nil {
		rows, in := f.Rows()
		_ = j.front.rows.Free(rows)
		_ = j.front.in.Free(in) // or nothing, if they are the same
		f.Free()
		j.front.advancer = nil
	}
	if f := &j.front; f.stored != nil {
		f.stored.Close()
		f.stored = nil
	}
	j.front.held = heldRows{}
}

// advance does iterations from frontier to frontier. New values replace old ones where
// they are.
func (j *Job[V, A]) advance(ctx context.Context, x *iteration) error {
	if x.Device == GPU {
		return j.advanceOnGPU(ctx, x)
	}
	read, err := j.loadRows(ctx)
	if err != nil {
		return err
	}
	j.keep(j.arrays.Cur, j.allShards())
	j.keep(j.arrays.Next, j.allShards())
	limit := j.levelLimit()
	from := cpuengine.Stats{Activated: j.activated, Degrees: j.degrees}
	next, until := j.front.advancer.Advance, slice
	if j.front.ordered {
		next, until = j.front.advancer.AdvanceOrdered, orderedSlice
	}
	readBefore, neededBefore := j.front.storedCounts()
	heldBefore := j.front.held.bytesRead()
	done, err := next(ctx, j.step, from, limit, time.Now().Add(until))
	rowsRead, rowsNeeded := j.front.storedCounts()
	x.RowsRead, x.RowsNeeded = rowsRead-readBefore, rowsNeeded-neededBefore
	read += x.RowsRead + j.front.held.bytesRead() - heldBefore
	x.Levels, x.Edges, x.Vertices, x.loaded = done.Levels, done.Edges, done.Vertices, read
	j.activated, j.degrees = done.Activated, done.Degrees
	j.previous = j.step.Aggregate
	j.step.Iteration += done.Levels
	return err
}

// storedCounts are those of rows that are read as they are needed.
func (f *frontiers[V, A]) storedCounts() (read, needed int64) {
	if f.stored == nil {
		return 0, 0
	}
	return f.stored.Counts()
}

// levelLimit is how many iterations may be done until the job has to look at what is due.
func (j *Job[V, A]) levelLimit() int {
	limit := math.MaxInt
	if j.opt.Iterations > 0 {
		limit = j.opt.Iterations - j.step.Iteration
	}
	if j.front.stored != nil && j.opt.Method == Auto {
		limit = 1 // a larger frontier may be another decision
	}
	if j.opt.end != nil {
		limit = min(limit, j.front.rounds())
	}
	if e := j.epochs; e != nil && e.policy.Every > 0 {
		limit = min(limit, max(1, e.policy.Every-e.iterations))
	}
	return limit
}
