package dispatcher

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/page"
)

// gpuFrontier is what a job with a GPU has for frontiers.
type gpuFrontier[V, A any] struct {
	unfit    error // why there are none on the GPU
	memory   int64 // of the device: for arrays
	edges    int64 // and for edges
	whole    bool  // these are all
	width    float64
	rows, in *frontier.Rows // that the device reads in the host's memory
	advancer *gpuengine.Advancer[V, A]
}

// gpuSlice is how long a GPU goes on by itself.
const gpuSlice = 200 * time.Millisecond

// gpuUnfit says why GPUs cannot advance frontiers of the job; nil: they can.
func (j *Job[V, A]) gpuUnfit() error {
	switch {
	case len(j.workers.devices) > 1:
		return errors.New("the job has several GPUs")
	case j.opt.Iterations > 0:
		return errors.New("the job has a GPU, and a limit of iterations, in which a GPU sees values of the one in hand")
	}
	f, err := gpuengine.FragmentsOf(j.program)
	if err == nil {
		err = kernels.CanAdvance(f)
	}
	return err
}

// frontierFitsGPU says why a job with a GPU cannot have the frontiers that are asked for, before
// memory is planned: a job runs with the budget that its error names.
func (j *Job[V, A]) frontierFitsGPU(m memoryPlan) error {
	if j.opt.Method != Frontier {
		return nil
	}
	if unfit := cmp.Or(j.front.unfit, j.gpuUnfit()); unfit != nil {
		return j.withoutFrontier(unfit)
	}
	if j.opt.Memory == 0 {
		return nil
	}
	e := &MemoryError{
		Graph: j.store.Name(), Budget: j.opt.Memory, Vertices: m.fixed - processBytes, Pages: page.Whole(j.store, m.page),
		Rows: j.front.bytes, Checkpoints: m.checkpoints,
	}
	if e.Least() > j.opt.Memory {
		return e
	}
	return nil
}

// planGPUFrontier divides the device's memory, and returns what is left for pulls. Unless
// frontiers are asked for, the job has them only where all edges fit.
func (j *Job[V, A]) planGPUFrontier() (rest int64) {
	f, g := &j.front, &j.front.gpu
	limit := gpuengine.MemoryLimit(j.workers.devices[0].Info(), j.opt.GPU.Memory)
	if g.unfit = cmp.Or(f.unfit, j.gpuUnfit()); g.unfit != nil {
		return limit
	}
	var need *gpuengine.NeedError
	if need, g.unfit = j.leastGPU(); g.unfit != nil {
		return limit
	}
	share := limit / 2
	if j.opt.Method == Frontier {
		share = limit - need.Least()
	}
	var all int64
	g.memory, all = j.gpuFrontierBytes()
	g.edges = min(all, share-g.memory)
	switch g.whole = g.edges == all; {
	case share < g.memory:
		*g = gpuFrontier[V, A]{unfit: &gpuengine.NeedError{Budget: limit, Arrays: need.Arrays + g.memory, Ring: need.Ring}}
	case !g.whole && j.opt.Method != Frontier:
		*g = gpuFrontier[V, A]{unfit: errors.New("the rows of the whole graph do not fit into the GPU's memory")}
	default:
		return limit - g.memory - g.edges
	}
	return limit
}

// gpuFrontierBytes is what frontiers take of a device: for arrays, and for all edges.
func (j *Job[V, A]) gpuFrontierBytes() (arrays, edges int64) {
	f := &j.front
	edges, _ = f.rows.Bytes(j.shape.cat)
	if len(f.in.Sides) > 0 {
		more, _ := f.in.Bytes(j.shape.cat)
		edges += more
	}
	return gpuengine.AdvancerBytes(j.shape.cat.Vertices, len(f.in.Sides) > 0), edges
}

// leastGPU is what pulls take of the device's memory at least.
func (j *Job[V, A]) leastGPU() (*gpuengine.NeedError, error) {
	return gpuengine.Least(j.workers.devices[0], j.program, j.arrays, j.shape.cat, gpuengine.Options{Streams: j.opt.GPU.Streams, Async: j.opt.Mode == Async, Bare: j.shape.bare})
}

// loadGPURows brings the rows to the device, unless they are there, and returns how many
// bytes were read. Rows that do not fit stay in memory that the device has pinned.
func (j *Job[V, A]) loadGPURows(ctx context.Context) (read int64, err error) {
	f, g := &j.front, &j.front.gpu
	if g.advancer != nil {
		return 0, nil
	}
	if !g.whole {
		f.rows.Memory, f.in.Memory = j.workers.devices[0], j.workers.devices[0]
	}
	load := func(w page.WholeRows, to **frontier.Rows) {
		if err == nil && len(w.Sides) > 0 {
			*to, err = w.Load(ctx, j.store)
			read += w.Reads(j.shape.cat)
		}
	}
	load(f.rows, &g.rows)
	load(f.in, &g.in)
	if err != nil {
		return read, errors.Join(err, j.freeHostRows())
	}
	in := g.in
	switch {
	case !j.workers.gpus[0].engine.Saturates():
		in = nil
	case j.shape.cat.SameRows():
		in = g.rows
	}
	g.width = j.gpuWidth()
	if g.advancer, err = j.workers.gpus[0].engine.NewAdvancer(g.rows, in, g.edges, j.opt.GPU.Advancing); err != nil || g.whole {
		err = errors.Join(failed(j.workers.gpus[0].number, err), j.freeHostRows())
	}
	return read, err
}

// gpuWidth is how far apart priorities may be that are done at once; 0: they have no order.
func (j *Job[V, A]) gpuWidth() float64 {
	if _, ok := j.program.(gas.Prioritized[V]); !ok || !j.front.ordered || !j.workers.gpus[0].engine.Prioritizes() {
		return 0
	}
	mean, _ := cpuengine.MeanStep(j.program, j.arrays, j.front.gpu.rows, j.standing.position.step)
	return gpuengine.Width(mean, j.shape.notifyEdges, j.shape.cat.Vertices)
}

// freeHostRows frees the rows in the host's memory.
func (j *Job[V, A]) freeHostRows() error {
	g := &j.front.gpu
	err := errors.Join(j.front.rows.Free(g.rows), j.front.in.Free(g.in))
	g.rows, g.in = nil, nil
	j.front.rows.Memory, j.front.in.Memory = nil, nil
	return err
}

// freeGPURows frees what frontiers have of a GPU, and the rows that it read.
func (j *Job[V, A]) freeGPURows() {
	g := &j.front.gpu
	var err error
	if g.advancer != nil {
		err = g.advancer.Close()
		g.advancer = nil
	}
	if err = errors.Join(err, j.freeHostRows()); err != nil {
		j.opt.Log.Warn("the memory of frontiers was not all given back: " + err.Error())
	}
}

// advanceOnGPU does iterations from frontier to frontier on the GPU alone. A failure of it
// is a [failure].
func (j *Job[V, A]) advanceOnGPU(ctx context.Context, x *iteration) error {
	if err := j.prepare(x); err != nil {
		return err
	}
	g := j.workers.gpus[0]
	var err error
	if x.loaded, err = j.loadGPURows(ctx); err != nil {
		return err
	}
	if !j.workers.place.behind() {
		if err := g.engine.Activate(); err != nil {
			return failed(g.number, err)
		}
	}
	done, err := j.front.gpu.advancer.Advance(j.standing.position.step, j.front.gpu.width, j.levelLimit(), gpuSlice)
	if err != nil {
		return failed(g.number, err)
	}
	for i := range j.shape.firsts {
		j.workers.place.wrote(g.number, i)
	}
	j.workers.place.active = g.number
	x.Levels, x.Edges, x.Vertices = int(done.Levels), done.Edges, done.Vertices
	x.Devices = map[Device]DeviceWork{GPU: {Edges: done.Edges, Seconds: done.Seconds}}
	j.standing.position.activated, j.standing.position.degrees = done.Active, done.Degrees
	j.standing.position.previous = j.standing.position.step.Aggregate
	j.standing.position.step.Iteration += x.Levels
	return ctx.Err()
}
