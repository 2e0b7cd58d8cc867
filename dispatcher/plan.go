package dispatcher

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
)

// processBytes is what the process takes beside arrays and pages.
const processBytes = hostmem.Process

// memoryPlan is what a job wants of the host's memory.
type memoryPlan struct {
	page        page.Options     // Budget is set by reserve
	vertices    vertices.Pinning // of their values; nil: nobody
	fixed       int64            // for the process, the arrays, and GPUs
	checkpoints int64
	in, out     bool // degrees beside those of the arrays
}

// plan divides the memory: vertex arrays first, then pages.
func (j *Job[V, A]) plan() error {
	opened := j.openGPUs()
	loops, m, err := j.ask()
	if err == nil && j.wantsGPU() {
		err = j.beginInit(m)
	}
	if err = cmp.Or(err, opened()); err != nil {
		return err
	}
	j.workers.place = newPlacement(1+len(j.workers.devices), len(j.shape.firsts))
	j.wantFrontier(loops)
	if len(j.workers.devices) > 0 {
		if err = j.planGPUs(m); err != nil && j.opt.Device != AutoDevice {
			return err
		}
		if err != nil {
			j.withoutGPU(errors.Join(err, j.closeGPUs()))
		}
	}
	if len(j.workers.gpus) == 0 {
		if err = j.reserve(m); err != nil {
			return err
		}
	}
	if err = j.planFrontier(); err != nil {
		return err
	}
	j.workers.cpu.ranks = rank(j.pages.Spans(), j.shape.edges)
	if j.workers.cpu.engine, err = cpuengine.New(loops, j.arrays, j.opt.Threads); err != nil {
		return fmt.Errorf("program %T: %w", j.program, err)
	}
	j.policy = decider{facts: j.facts(), look: j.opt.decided}
	j.policy.set(policy.State{})
	if j.opt.Job != nil {
		j.epochs, err = newEpochs[V](j.shape.cat.Vertices, j.opt)
	}
	return err
}

// ask asks the program what it reads and can do, and says what that takes of memory.
func (j *Job[V, A]) ask() (loops compiled.Loops[V, A], m memoryPlan, err error) {
	var v V
	cat := j.store.Catalogue()
	m = memoryPlan{
		page:  page.Options{Threads: j.opt.Threads, PageBytes: j.opt.pageBytes, Encodings: cpuengine.Encodings(), Map: len(j.workers.devices) == 0},
		fixed: vertices.Bytes[V](cat.Vertices) + processBytes,
	}
	if j.opt.Job != nil {
		m.checkpoints = epochBytes[V](cat.Vertices, j.opt.Checkpoints)
	}
	err = panics.Guard(j.program, func() error {
		loops = j.loops()
		m.page.Gather, m.page.Notify = sides(cat, gas.DirectionOf(j.program))
		m.in, m.out = j.readsDegrees(cat.Symmetric)
		m.page.Bare = !loops.Weighs
		j.shape = newShape(cat, int(unsafe.Sizeof(v)), m.page.Gather, m.page.Notify)
		j.shape.bare = m.page.Bare
		j.abilities = abilitiesOf[V](j.program, j.shape.firsts)
		return nil
	})
	for _, more := range [...]bool{m.in, m.out} {
		if more {
			m.fixed += 4 * int64(cat.Vertices)
		}
	}
	return loops, m, err
}

// readsDegrees reports which degrees of vertices iterations read beside those along which
// vertices notify.
func (j *Job[V, A]) readsDegrees(symmetric bool) (in, out bool) {
	in, out = true, true
	if f, err := gpuengine.FragmentsOf(j.program); err == nil {
		in, out = f.ReadsDegrees()
	}
	d := gas.DirectionOf(j.program)
	return in && !symmetric && d != gas.Out, out && !symmetric && d != gas.In
}

// loops are those of the program.
func (j *Job[V, A]) loops() compiled.Loops[V, A] {
	if j.opt.generic {
		return cpuengine.GenericLoops(j.program)
	}
	loops, own := cpuengine.LoopsOf(j.program)
	if c, ok := j.program.(compiled.Program[V, A]); ok && !own && c.Loops().Program == nil {
		j.opt.Log.Warn(fmt.Sprintf("the compiled loops of %s are of an older text of the program, and not used: run go generate", cmp.Or(j.opt.Name, fmt.Sprintf("%T", j.program))))
	}
	j.report.Compiled = own
	return loops
}

// facts are what the policy is to know of the job.
func (j *Job[V, A]) facts() policy.Facts {
	_, saturates := j.program.(gas.Saturable[A])
	var scans, folded uint64
	if j.scans() {
		scans = j.shape.cat.Edges
	}
	// A frontier of a monotone program may be in few shards: roads are like that.
	if !j.abilities.monotone && !j.pages.Unpacks(shard.In) {
		folded = j.shape.packedEdges
	}
	var rowsBytes, pullBytes uint64
	if j.front.stored != nil {
		rowsBytes, pullBytes = uint64(j.front.stored.StoredBytes()), uint64(j.pages.StreamedBytes())
	}
	return policy.Facts{
		Method: j.opt.Method, Device: j.opt.Device, Vertices: uint64(j.shape.cat.Vertices), ValueBytes: uint64(j.shape.valueBytes),
		PullEdges: j.shape.pullEdges, NotifyEdges: j.shape.notifyEdges, Pages: len(j.pages.Spans()), InMemory: j.pages.InMemory(),
		OneSide: j.shape.oneSide, Saturates: saturates, Aggregates: j.abilities.aggregable != nil,
		FoldFacts: policy.FoldFacts{
			News:   j.abilities.monotone && j.shape.cat.Encoding(shard.In) == packed.Version && len(j.workers.gpus) == 0 && j.shape.pullEdges == j.shape.cat.Edges,
			Folded: folded, Shards: uint64(len(j.shape.cat.Shards)), Scans: scans,
		},
		FrontierFacts: policy.FrontierFacts{
			Frontier: j.frontierFits(), Ordered: j.front.ordered || j.workers.cpu.engine.Seeks(), RowsEdges: j.front.edges, Iterations: j.opt.Iterations,
			RowsBytes: rowsBytes, PullBytes: pullBytes,
		},
	}
}

// scans reports whether packed sides are gone through to notify: once, whatever is
// active.
func (j *Job[V, A]) scans() bool {
	plain := j.pages.InMemory() && j.pages.Unpacks(shard.In)
	return j.shape.cat.Encoding(shard.In) != rows.Version && slices.Contains(j.shape.notifySides, shard.In) && !plain
}

// reserve allocates arrays and pages.
func (j *Job[V, A]) reserve(m memoryPlan) (err error) {
	if j.opt.Memory > 0 {
		m.page.Budget = max(1, j.opt.Memory-m.fixed-m.checkpoints)
	}
	err = j.openPages(m.page, m.fixed+m.checkpoints)
	var need *page.NeedError
	if errors.As(err, &need) {
		e := &MemoryError{Graph: j.store.Name(), Budget: j.opt.Memory, Vertices: m.fixed - processBytes, Pages: need.Need, Checkpoints: m.checkpoints}
		if err := j.leastRows(e, m.page); err != nil {
			return err
		}
		return e
	}
	if err != nil {
		return err
	}
	if err = j.allocate(m); err == nil && m.vertices != nil {
		err = j.arrays.Pin(m.vertices)
	}
	return err
}

// allocate makes the arrays, unless they are there.
func (j *Job[V, A]) allocate(m memoryPlan) (err error) {
	if j.arrays != nil {
		return nil
	}
	if j.arrays, err = vertices.New[V](j.shape.cat.Vertices, nil); err != nil {
		return fmt.Errorf("program %T: %w", j.program, err)
	}
	return j.arrays.AddDegrees(m.in, m.out)
}
