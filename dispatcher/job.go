package dispatcher

import (
	"math"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"go.uber.org/zap"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Job is one run of a program over a graph.
type Job[V, A any] struct {
	program gas.Program[V, A]
	store   *store.Store
	opt     Options
	began   time.Time

	shape     *shape
	abilities abilities[V]
	arrays    *vertices.Arrays[V]
	pages     *page.Cache
	workers   workers[V, A]

	front    frontiers[V, A]
	policy   decider
	standing standing
	report   Report
	merged   merging
	epochs   *epochs[V] // nil unless the run is recorded
}

// workers are who works on a job, and how values get from one to the other.
type workers[V, A any] struct {
	cpu     cpuWorker[V, A]
	gpus    []*gpuWorker[V, A]
	lost    []*gpuWorker[V, A] // GPUs that failed
	devices []device.Device    // of all GPUs, in the order of their numbers
	place   *placement
	values  *throughHost[V, A]
	opening opening
}

// opening is how a job came to its GPUs.
type opening struct {
	ahead  *initialising // nil: nothing was done meanwhile
	sooner bool          // the CPU is done before a GPU is open: none was opened
	opened time.Duration // what it took
}

// New plans a job and allocates its memory. Close returns it.
func New[V, A any](s *store.Store, p gas.Program[V, A], o Options) (*Job[V, A], error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	j := &Job[V, A]{program: p, store: s, opt: o, began: time.Now()}
	j.workers.cpu.Job, j.workers.values = j, &throughHost[V, A]{Job: j}
	if err := j.plan(); err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// Close frees the memory of the job; its values are gone. It waits for an epoch
// whose writing Run has called off.
func (j *Job[V, A]) Close() {
	j.stopInit()
	if j.epochs != nil {
		j.waitEpoch()
	}
	if err := j.closeGPUs(); err != nil {
		j.opt.Log.Warn("the memory of the job was not all given back", zap.Error(err))
	}
	if j.epochs != nil {
		j.epochs.free()
	}
	j.free()
}

// Leave is Close for a process that ends at once: the system takes back memory and devices
// then, and nobody waits for it twice. What is written of epochs is there when it returns.
func (j *Job[V, A]) Leave() {
	if j.epochs != nil {
		j.waitEpoch()
	}
}

// free returns the arrays.
func (j *Job[V, A]) free() {
	j.freeRows()
	if j.arrays != nil {
		j.arrays.Free()
		j.arrays = nil
	}
}

// Array is the values of all vertices by dense id, in the memory of the job, which others must not change.
func (j *Job[V, A]) Array() []V { return j.arrays.Cur[:j.shape.cat.Vertices] }

// Trim frees what a job that Run has done does not need for its results:
// pages and the arrays of iterations. It returns how much of the budget that
// leaves, in bytes; without a budget there is no limit. The job cannot run any
// more.
func (j *Job[V, A]) Trim() (free int64) {
	j.freeRows()
	if err := j.closePages(); err != nil {
		j.opt.Log.Warn("the memory of the job was not all given back", zap.Error(err))
	}
	free = j.opt.Memory - processBytes
	reading := false // an epoch, perhaps from Next
	if j.epochs != nil {
		reading = j.epochs.epochWriter.taken != nil
		free -= epochBytes[V](j.shape.cat.Vertices, j.opt.Checkpoints)
	}
	j.arrays.FreeSpare(!reading)
	if j.opt.Memory == 0 {
		return math.MaxInt64
	}
	return max(0, free-j.arrays.Bytes())
}

// HeldBytes is the most that a job over n vertices holds after [Job.Trim], until it is closed. An epoch that is still
// being written may keep the second array of values.
func HeldBytes[V any](n uint32, p checkpoint.Policy) int64 {
	held := vertices.TrimmedBytes[V](n)
	if p.Wanted() {
		var v V
		held += int64(n)*int64(unsafe.Sizeof(v)) + epochBytes[V](n, p)
	}
	return held
}

// eachVertex calls f for the vertices of shard i. A panic of the program ends
// as an error.
func (j *Job[V, A]) eachVertex(i int, f func(gas.Vertex)) error {
	var d degrees
	in, out, err := d.of(j.store, i)
	if err != nil {
		return err
	}
	first, _ := j.shape.interval(i)
	return panics.Guard(j.program, func() error {
		for v := range in {
			f(gas.Vertex{ID: first + uint32(v), N: j.shape.cat.Vertices, In: in[v], Out: out[v]})
		}
		return nil
	})
}

// degrees are buffers for those of a shard's vertices.
type degrees struct{ in, out []uint32 }

// of gives the in- and the out-degrees of shard i, until it is called again.
func (d *degrees) of(s *store.Store, i int) (in, out []uint32, err error) {
	if d.in, err = s.DegreesInto(d.in, shard.In, i); err != nil {
		return nil, nil, err
	}
	if s.Catalogue().Symmetric {
		return d.in, d.in, nil
	}
	d.out, err = s.DegreesInto(d.out, shard.Out, i)
	return d.in, d.out, err
}

// Values calls yield for all vertices and their values, some of a shard at a time and in order;
// the slices are the job's.
func (j *Job[V, A]) Values(yield func(vs []gas.Vertex, values []V) error) error {
	return j.ValuesOf(0, j.shape.cat.Vertices, yield)
}

// ValuesOf is Values of the vertices in [from, to).
func (j *Job[V, A]) ValuesOf(from, to uint32, yield func(vs []gas.Vertex, values []V) error) error {
	b := valueBuffers.Get().(*valueBuffer)
	defer valueBuffers.Put(b)
	for i := range j.shape.firsts {
		begin, end := j.shape.interval(i)
		if max(begin, from) >= min(end, to) {
			continue
		}
		in, out, err := b.of(j.store, i)
		if err != nil {
			return err
		}
		for v, end := max(begin, from), min(end, to); v < end; {
			vs := b.vertices[:min(end-v, valuesAtOnce)]
			for k := range vs {
				at := v - begin + uint32(k)
				vs[k] = gas.Vertex{ID: v + uint32(k), N: j.shape.cat.Vertices, In: in[at], Out: out[at]}
			}
			if err := yield(vs, j.arrays.Cur[v:v+uint32(len(vs))]); err != nil {
				return err
			}
			v += uint32(len(vs))
		}
	}
	return nil
}

// valuesAtOnce is how many vertices ValuesOf yields at most: they stay in the cache until their
// rows are made.
const valuesAtOnce = 1 << 12

// valueBuffer is what ValuesOf needs; results are fetched a part at a time.
type valueBuffer struct {
	degrees
	vertices [valuesAtOnce]gas.Vertex
}

var valueBuffers = sync.Pool{New: func() any { return new(valueBuffer) }}
