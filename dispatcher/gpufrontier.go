package dispatcher

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/page"
)

// gpuRows is the part of a [frontierPlan] that a GPU needs.
type gpuRows struct {
	unfit  error // why there are no frontiers on the GPU, or nil
	memory int64 // of the device: for arrays
	edges  int64 // and for edges
	whole  bool  // these are all
}

// gpuFrontier advances frontiers on the GPUs.
type gpuFrontier[V, A any] struct {
	plan     *plan[V, A]
	state    *state[V, A]
	width    float64        // see chooseWidth
	rows, in *frontier.Rows // that the device reads in the host's memory
	team     *gpuengine.Team[V, A]
	newest   bool // the last iteration was a frontier's, so that all GPUs have the newest active set
}

// gpuSlice is how long a GPU goes on by itself.
const gpuSlice = 200 * time.Millisecond

// gpuUnfit returns why GPUs cannot advance frontiers of the job, or nil.
func (p *plan[V, A]) gpuUnfit() error {
	switch {
	case p.opt.Iterations > 0:
		return errors.New("iterations are limited, and frontiers on a GPU read values of the current iteration")
	case p.shape.cat.Wide && p.loops.Weighs:
		return errors.New("the job has a GPU, and weights are float64")
	}
	f, err := gpuengine.FragmentsOf(p.program)
	if err == nil {
		err = kernels.CanAdvance(f)
	}
	return err
}

// frontierFitsGPU reports why a job with a GPU cannot have the frontiers that are asked for, before
// memory is planned: a job runs with the budget that its error names.
func (p *plan[V, A]) frontierFitsGPU(m memoryPlan) error {
	if p.opt.Method != Frontier {
		return nil
	}
	if unfit := cmp.Or(p.front.unfit, p.gpuUnfit()); unfit != nil {
		return p.withoutFrontier(unfit)
	}
	if p.opt.Memory == 0 {
		return nil
	}
	e := &MemoryError{
		Graph: p.store.Name(), Budget: p.opt.Memory, Vertices: m.fixed - processBytes, Pages: page.Whole(p.store, m.page),
		Rows: p.front.bytes, Checkpoints: m.checkpoints,
	}
	if e.Least() > p.opt.Memory {
		return e
	}
	return nil
}

// frontierFits reports whether a GPU has room for the rows of frontiers beside pulls, and for the given
// number of copies of them.
func (p *plan[V, A]) frontierFits(copies int64) bool {
	if p.front.unfit != nil || p.gpuUnfit() != nil {
		return false
	}
	all, _ := p.front.whole.bytes(p.shape.cat)
	need := all*(1+copies) + gpuengine.AdvancerBytes(p.shape.cat.Vertices, len(p.front.whole.in.Sides) > 0)
	return need <= gpuengine.MemoryLimit(p.devices[0].Info(), p.opt.GPU.Memory)/2
}

// dividesFrontiers reports whether large frontiers are divided among several GPUs, each with less than a
// copy of the rows beside those of all vertices: not where vertices look for active ones, which takes less time than to
// send values.
func (p *plan[V, A]) dividesFrontiers() bool {
	return p.large() && !cpuengine.CanSeek(p.loops) && p.frontierFits(1)
}

// large reports whether the graph is one for several GPUs.
func (p *plan[V, A]) large() bool {
	return p.opt.hooks.smallFrontier > 0 || policy.Divides(p.shape.cat.Vertices, p.shape.notifyEdges)
}

// planGPUFrontier divides the device's memory, and returns what is left for pulls. Unless
// frontiers are asked for, the job has them only where all edges fit.
func (p *plan[V, A]) planGPUFrontier(arrays *vertices.Arrays[V]) (rest int64) {
	f, g := &p.front, &p.front.gpu
	limit := gpuengine.MemoryLimit(p.devices[0].Info(), p.opt.GPU.Memory)
	if g.unfit = cmp.Or(f.unfit, p.gpuUnfit()); g.unfit != nil {
		return limit
	}
	var need *gpuengine.NeedError
	o := gpuengine.Options{Streams: p.opt.GPU.Streams, Async: p.opt.Mode == Async, Bare: p.memory.page.Bare}
	if need, g.unfit = gpuengine.Least(p.devices[0], p.program, arrays, p.shape.cat, o); g.unfit != nil {
		return limit
	}
	share := limit / 2
	if p.opt.Method == Frontier {
		share = limit - need.Least()
	}
	all, _ := f.whole.bytes(p.shape.cat)
	g.memory = gpuengine.AdvancerBytes(p.shape.cat.Vertices, len(f.whole.in.Sides) > 0)
	if len(p.devices) > 1 && p.dividesFrontiers() {
		g.memory += all
	}
	g.edges = min(all, share-g.memory)
	switch g.whole = g.edges == all; {
	case share < g.memory:
		*g = gpuRows{unfit: &gpuengine.NeedError{Budget: limit, Arrays: need.Arrays + g.memory, Ring: need.Ring}}
	case !g.whole && (p.opt.Method != Frontier || len(p.devices) > 1):
		*g = gpuRows{unfit: errors.New("the rows of the whole graph do not fit into the GPU's memory")}
	default:
		return limit - g.memory - g.edges
	}
	return limit
}

// load brings the rows to the GPUs, unless they are there, and returns how many
// bytes were read. Rows that do not fit stay in memory that the device has pinned.
func (f *gpuFrontier[V, A]) load(ctx context.Context, gpus []*gpuWorker[V, A]) (read int64, err error) {
	if f.team != nil {
		return 0, nil
	}
	g, fits, how := gpus[0], &f.plan.front.gpu, f.plan.opt.GPU.Advancing
	if f.rows, f.in, read, err = f.pinned().load(ctx, f.plan.store); err != nil {
		return 0, err
	}
	in := f.in
	switch {
	case !g.engine.Saturates():
		in = nil
	case f.plan.shape.cat.SameRows():
		in = f.rows
	}
	f.width = f.chooseWidth(g)
	a, err := g.engine.NewAdvancer(f.rows, in, fits.edges, how)
	if err != nil {
		return read, errors.Join(failed(g.number, err), f.freeRows())
	}
	var others []*gpuengine.Engine[V, A]
	for _, g := range gpus[1:] {
		others = append(others, g.engine)
	}
	f.team = gpuengine.NewTeam(a, others)
	if len(gpus) > 1 && f.plan.dividesFrontiers() {
		err = f.divide(gpus)
	}
	if err != nil || fits.whole {
		err = errors.Join(err, f.freeRows())
	}
	return read, err
}

// divide gives each GPU the rows of its own vertices.
func (f *gpuFrontier[V, A]) divide(gpus []*gpuWorker[V, A]) error {
	p := f.plan
	var firsts []uint32
	for _, i := range policy.Split(p.shape.costs, policy.Evenly(len(gpus))) {
		first := p.shape.cat.Vertices
		if i.From < len(p.shape.firsts) {
			first = p.shape.firsts[i.From]
		}
		firsts = append(firsts, first&^31)
	}
	small := cmp.Or(p.opt.hooks.smallFrontier, gpuengine.Small(p.shape.cat.Vertices, p.shape.valueBytes))
	k, err := f.team.Divide(firsts, small, p.opt.GPU.Advancing)
	return failed(gpus[k].number, err)
}

// pinned returns the rows in the memory that they take: that of the device, unless all are copied
// there.
func (f *gpuFrontier[V, A]) pinned() wholeRows {
	w := f.plan.front.whole
	if !f.plan.front.gpu.whole {
		w.out.Memory, w.in.Memory = f.plan.devices[0], f.plan.devices[0]
	}
	return w
}

// chooseWidth returns how far apart priorities may be that are done at once, or 0 if they have no
// order.
func (f *gpuFrontier[V, A]) chooseWidth(g *gpuWorker[V, A]) float64 {
	if _, ok := f.plan.program.(gas.Prioritized[V]); !ok || !f.plan.front.ordered || !g.engine.Prioritizes() {
		return 0
	}
	mean, _, _ := cpuengine.MeanStep(f.plan.program, f.state.arrays, f.rows, f.state.now.step)
	return gpuengine.Width(mean, f.plan.shape.notifyEdges, f.plan.shape.cat.Vertices)
}

// freeRows frees the rows in the host's memory.
func (f *gpuFrontier[V, A]) freeRows() error {
	if f.rows == nil {
		return nil
	}
	err := f.pinned().free(f.rows, f.in)
	f.rows, f.in = nil, nil
	return err
}

// free frees the team and the rows that it reads.
func (f *gpuFrontier[V, A]) free() {
	var err error
	if f.team != nil {
		err = f.team.Close()
		f.team = nil
	}
	if err = errors.Join(err, f.freeRows()); err != nil {
		f.plan.opt.Log.Warn("some memory of frontiers was not freed: " + err.Error())
	}
}

// advance does iterations from frontier to frontier on the GPUs alone, at most limit. A failure of
// one is a [failure], after which the job is where the host is.
func (f *gpuFrontier[V, A]) advance(ctx context.Context, gpus *gpus[V, A], x *iteration, limit int) (err error) {
	s, live := f.state, gpus.live
	if x.loaded, err = f.load(ctx, live); err != nil {
		return err
	}
	if len(live) > 1 && !f.newest { // each has the active vertices of its pages
		if err := gpus.fetch(); err != nil {
			return err
		}
	}
	if !s.place.behind {
		if err := live[0].engine.Activate(); err != nil {
			return failed(live[0].number, err)
		}
	}
	done, k, err := f.team.Advance(s.now.step, f.width, limit, gpuSlice)
	if err != nil {
		s.rewind()
		return failed(live[k].number, err)
	}
	s.place.wroteAll()
	f.newest = true
	x.report.Levels, x.report.Edges, x.report.Vertices = int(done.Levels), done.Edges, done.Vertices
	x.report.Devices = map[Device]DeviceWork{GPU: {Edges: done.Edges, Seconds: done.Seconds}}
	s.advanced(x.report.Levels, done.Active, done.Degrees)
	return ctx.Err()
}
