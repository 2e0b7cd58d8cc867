package dispatcher

import (
	"cmp"
	"math"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"go.uber.org/zap"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/store"
)

// Job is one run of a program over a graph. Each of its parts refers to those before it, and to
// none after it.
type Job[V, A any] struct {
	plan     *plan[V, A]     // what was decided before the run
	state    *state[V, A]    // values, active set and position
	recorder *recorder[V, A] // report, trace and checkpoints
	workers  *workers[V, A]  // the CPU and the GPUs
	results  *arranged[V]    // in the order of ids; nil before Trim, or where that is the order of places
}

// New plans a job and allocates its memory. The caller must Close it.
func New[V, A any](s *store.Store, p gas.Program[V, A], o Options) (*Job[V, A], error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Memory > 0 {
		s.Shed()
	}
	j := &Job[V, A]{plan: &plan[V, A]{program: p, store: s, opt: o, began: time.Now()}}
	if err := j.open(); err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// open makes the parts of the job, which take memory in this order: vertex arrays, pages,
// checkpoints. Degrees and first values are computed while devices are opened.
func (j *Job[V, A]) open() error {
	p := j.plan
	opened := p.openDevices()
	err := p.ask()
	j.state = newState(p)
	j.recorder = &recorder[V, A]{plan: p, state: j.state, disk: store.DiskBytes()}
	j.workers = newWorkers(p, j.state, j.recorder)
	if err == nil && p.wantsGPU() {
		err = j.state.beginInit()
	}
	if err = cmp.Or(err, opened()); err != nil {
		return err
	}
	if err := j.workers.open(); err != nil {
		return err
	}
	return j.recorder.open()
}

// Close frees the memory of the job, including its values. It waits for an epoch whose writing Run
// has cancelled.
func (j *Job[V, A]) Close() {
	j.state.stopInit()
	j.Leave()
	if err := j.workers.close(); err != nil {
		j.plan.opt.Log.Warn("some memory of the job was not freed", zap.Error(err))
	}
	j.recorder.epochs.free()
	j.results.free()
	if a := j.state.arrays; a != nil {
		a.Free()
		j.state.arrays = nil
	}
}

// Leave is like Close but frees no memory; use it only before exit. It waits for the epoch being
// written.
func (j *Job[V, A]) Leave() { j.recorder.epochs.wait() }

// Array returns the values of all vertices, after [Job.Trim] by dense id. They belong to the job and must not be
// changed.
func (j *Job[V, A]) Array() []V {
	if j.results != nil {
		return j.results.values
	}
	return j.state.arrays.Cur[:j.plan.shape.cat.Vertices]
}

// Trim frees pages and arrays of iterations, which results do not need after Run, and brings values into the
// order of ids. It returns the bytes of the budget that are left, or [math.MaxInt64] if there is no budget. The
// job cannot run again.
func (j *Job[V, A]) Trim() (free int64, err error) {
	if err := j.workers.closePages(); err != nil {
		j.plan.opt.Log.Warn("some memory of the job was not freed", zap.Error(err))
	}
	free = j.plan.opt.Memory - processBytes
	if j.recorder.epochs != nil {
		free -= epochBytes[V](j.plan.shape.cat.Vertices, j.plan.opt.Checkpoints)
	}
	if j.state.arrays.IDs != nil {
		if err := j.arrange(); err != nil {
			return 0, err
		}
		free -= 4 * int64(len(j.results.degrees))
	} else {
		j.state.arrays.FreeSpare(j.state.taken == nil) // an epoch may be read from Next
	}
	if j.plan.opt.Memory == 0 {
		return math.MaxInt64, nil
	}
	return max(0, free-j.state.arrays.Bytes()), nil
}

// HeldBytes returns the most that a job over a graph holds after [Job.Trim], until it is closed. An
// epoch that is still being written may keep the second array of values.
func HeldBytes[V any](cat *store.Catalogue, p checkpoint.Policy) int64 {
	n := cat.Vertices
	held := vertices.TrimmedBytes[V](n)
	if p.Wanted() {
		var v V
		held += int64(n)*int64(unsafe.Sizeof(v)) + epochBytes[V](n, p)
	}
	if cat.Order() != store.ByInput { // see arranged
		var v V
		held += int64(n) * (int64(unsafe.Sizeof(v)) + 8)
	}
	return held
}

// ValuesOf calls yield for vertices and their values, for part of a shard at a time: for those with places in
// [from, to), or after [Job.Trim] with ids in [from, to), in order. The slices belong to the job.
func (j *Job[V, A]) ValuesOf(from, to uint32, yield func(vs []gas.Vertex, values []V) error) error {
	b := valueBuffers.Get().(*valueBuffer)
	defer valueBuffers.Put(b)
	for i := range j.plan.shape.firsts {
		begin, end := j.plan.shape.interval(i)
		if max(begin, from) >= min(end, to) {
			continue
		}
		in, out, values, err := j.shardOf(b, i)
		if err != nil {
			return err
		}
		for v, end := max(begin, from), min(end, to); v < end; {
			vs := b.vertices[:min(end-v, valuesAtOnce)]
			for k := range vs {
				at := v - begin + uint32(k)
				vs[k] = gas.Vertex{ID: j.state.arrays.ID(v + uint32(k)), N: j.plan.shape.cat.Vertices, In: in[at], Out: out[at]}
			}
			if err := yield(vs, values[v-begin:][:len(vs)]); err != nil {
				return err
			}
			v += uint32(len(vs))
		}
	}
	return nil
}

// valuesAtOnce is the number of vertices ValuesOf yields at most: they stay in the cache until their
// rows are made.
const valuesAtOnce = 1 << 12

// valueBuffer holds the buffers of ValuesOf.
type valueBuffer struct {
	degrees
	vertices [valuesAtOnce]gas.Vertex
}

var valueBuffers = sync.Pool{New: func() any { return new(valueBuffer) }}
