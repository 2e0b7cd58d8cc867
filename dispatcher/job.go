package dispatcher

import (
	"math"
	"runtime"
	"time"

	"go.uber.org/zap"

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

	*shape
	abilities[V]
	arrays *vertices.Arrays[V]
	pages  *page.Cache
	workers[V, A]

	ahead  *initialising // nil: nothing was
	front  frontiers[V, A]
	policy decider
	standing
	report Report
	merged merging
	epochs *epochs[V] // nil unless the run is recorded
}

// workers are who works on a job, and how values get from one to the other.
type workers[V, A any] struct {
	cpu     cpuWorker[V, A]
	gpus    []*gpuWorker[V, A]
	lost    []*gpuWorker[V, A] // GPUs that failed
	devices []device.Device    // of all GPUs, in the order of their numbers
	// gpuShare is how much memory each emulated GPU may take; 0: as any GPU.
	gpuShare int64
	place    *placement
	values   exchange
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
	j.cpu.Job, j.values = j, &throughHost[V, A]{Job: j}
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
func (j *Job[V, A]) Array() []V { return j.arrays.Cur[:j.cat.Vertices] }

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
		reading = j.epochs.taken != nil
		free -= epochBytes[V](j.cat.Vertices, j.opt.Checkpoints)
	}
	j.arrays.FreeSpare(!reading)
	if j.opt.Memory == 0 {
		return math.MaxInt64
	}
	return max(0, free-j.arrays.Bytes())
}

// eachVertex calls f for the vertices of shard i. A panic of the program ends
// as an error.
func (j *Job[V, A]) eachVertex(i int, f func(gas.Vertex)) error {
	in, err := j.store.Degrees(shard.In, i)
	if err != nil {
		return err
	}
	out := in
	if !j.cat.Symmetric {
		if out, err = j.store.Degrees(shard.Out, i); err != nil {
			return err
		}
	}
	first, _ := j.interval(i)
	return panics.Guard(j.program, func() error {
		for v := range in {
			f(gas.Vertex{ID: first + uint32(v), N: j.cat.Vertices, In: in[v], Out: out[v]})
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
