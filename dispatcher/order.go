package dispatcher

import (
	"context"

	"github.com/garaph/garaph/internal/hostmem"
)

// arranged holds the values of a job that is done, and the degrees, in the order of ids, where the graph stores
// vertices in another one.
type arranged[V any] struct {
	values  []V      // in memory of the arrays
	degrees []uint32 // in and out
	in, out []uint32 // of degrees; the same of a symmetric graph
}

// arrange frees the arrays of iterations and fills results. Values by place stay, since an epoch may be made of them.
func (j *Job[V, A]) arrange() error {
	j.recorder.epochs.wait()
	a := j.state.arrays
	a.FreeSpare(false)
	n, apart := int(a.N), 0
	if !j.plan.shape.cat.Symmetric {
		apart = n
	}
	r := &arranged[V]{values: a.Next[:n]}
	j.results = r
	var err error
	if r.degrees, err = hostmem.Slice[uint32](n + apart); err != nil {
		return err
	}
	r.in, r.out = r.degrees[:n], r.degrees[apart:]
	err = j.plan.eachShard(context.Background(), func(i int) error {
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
	if r != nil {
		hostmem.Free(r.degrees)
		*r = arranged[V]{}
	}
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
