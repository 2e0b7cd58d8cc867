package dispatcher

import (
	"context"
	"errors"

	"github.com/garaph/garaph/internal/hostmem"
)

// arranged holds the values of a job that is done, and the degrees, in the order of ids, where the graph stores
// vertices in another one.
type arranged[V any] struct {
	values  []V // in memory of the arrays
	in, out []uint32
}

// arrange frees the arrays of iterations and fills results. Values by place stay, since an epoch may be made of them.
func (j *Job[V, A]) arrange() error {
	j.recorder.epochs.wait()
	a, symmetric := j.state.arrays, j.plan.shape.cat.Symmetric
	a.FreeSpare(false)
	r := &arranged[V]{values: a.Next[:a.N]}
	var errs [2]error
	r.in, errs[0] = hostmem.Slice[uint32](int(a.N))
	r.out = r.in
	if !symmetric {
		r.out, errs[1] = hostmem.Slice[uint32](int(a.N))
	}
	j.results = r
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	err := j.plan.eachShard(context.Background(), func(i int) error {
		var d degrees
		in, out, err := d.of(j.plan.store, i)
		if err != nil {
			return err
		}
		first, _ := j.plan.shape.interval(i)
		for k := range in {
			id := a.IDs[first+uint32(k)]
			r.values[id], r.in[id], r.out[id] = a.Cur[first+uint32(k)], in[k], out[k]
		}
		return nil
	})
	hostmem.Free(a.IDs)
	a.IDs = nil
	return err
}

func (r *arranged[V]) free() {
	if r == nil {
		return
	}
	hostmem.Free(r.in)
	if len(r.out) > 0 && &r.out[0] != &r.in[0] {
		hostmem.Free(r.out)
	}
	r.in, r.out, r.values = nil, nil, nil
}

// bytes returns the memory beside the arrays.
func (r *arranged[V]) bytes() int64 {
	n := int64(len(r.in))
	if n > 0 && &r.out[0] != &r.in[0] {
		n *= 2
	}
	return 4 * n
}

// shardOf returns degrees and values of the vertices of shard i or, once they are arranged, of as many in the order of
// ids.
func (j *Job[V, A]) shardOf(b *valueBuffer, i int) (in, out []uint32, values []V, err error) {
	from, to := j.plan.shape.interval(i)
	if r := j.results; r != nil {
		return r.in[from:to], r.out[from:to], r.values[from:to], nil
	}
	in, out, err = b.of(j.plan.store, i)
	return in, out, j.state.arrays.Cur[from:to], err
}
