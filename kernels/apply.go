package kernels

import (
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
)

// ApplyArgs holds the arguments of kernel apply: Next[v] = Apply(v, Values[v], Acc[v]) and Acc[v] =
// Zero for First ≤ v < First+Count. Threads cover the vertices in strides of the grid. A settled
// vertex keeps its value: Next[v] = Values[v].
type ApplyArgs struct {
	ApplyArrays
	ApplyResults
	Iteration int64
	Aggregate float64
	First     uint32
	Count     uint32
	N         uint32
	_         uint32
}

// ApplyArrays holds arrays indexed by place, except for Parameters.
type ApplyArrays struct {
	Acc        device.Pointer
	Values     device.Pointer // const V *
	Next       device.Pointer // V *; Values itself in async mode
	In, Out    device.Pointer // const uint32_t *: degrees; 0 when no method reads them
	IDs        device.Pointer // const uint32_t *: ids of vertices; 0 where they are the places, or not read
	Degree     device.Pointer // const uint32_t *: edges along which a vertex notifies
	Parameters device.Pointer
}

// ApplyResults holds the results that all blocks add to.
type ApplyResults struct {
	Active device.Pointer // uint32_t *: bits by vertex, ored
	Totals device.Pointer // Totals *
	Sums   device.Pointer // double *: Σ Aggregate, one for each block; 0 without the ability
	Fault  device.Pointer
}

// Totals counts the work of apply.
type Totals struct {
	Activated uint64
	Degrees   uint64
	Applied   uint64
}

// Apply is kernel apply.
type Apply struct{ f device.Function }

// Launch queues the kernel.
func (k Apply) Launch(s device.Stream, a *ApplyArgs) error {
	return k.f.Launch(s, Blocks(a.Count), Threads, 0, bytesOf(a))
}

// apply: a thread per vertex, in strides of the grid; the block's share of the
// aggregate in the order of its vertices.
func (k *emulator[V, A]) apply(m device.Memory, g device.Grid, a *ApplyArgs) error {
	x := access{memory: m}
	at, n := device.Pointer(a.First), int64(a.Count)
	acc := k.accumulators(&x, a.Acc, a.First, a.Count)
	cur := view[V](&x, a.Values+at*k.size, n)
	next := view[V](&x, a.Next+at*k.size, n)
	degree := view[uint32](&x, a.Degree+4*at, n)
	var in, out, ids []uint32
	if a.IDs != 0 {
		ids = view[uint32](&x, a.IDs+4*at, n)
	}
	if a.In != 0 {
		in = view[uint32](&x, a.In+4*at, n)
	}
	if a.Out != 0 {
		out = view[uint32](&x, a.Out+4*at, n)
	}
	from := a.First &^ 31
	bits := view[uint32](&x, a.Active+device.Pointer(from/8), int64(a.First+a.Count-from+31)/32)
	if x.err != nil {
		return x.err
	}
	step := gas.Step{Iteration: int(a.Iteration), Aggregate: a.Aggregate}
	var t Totals
	var sum float64
	for i := range strided(g, a.Count) {
		place := a.First + i
		v := gas.Vertex{ID: place, N: a.N}
		if ids != nil {
			v.ID = ids[i]
		}
		if in != nil {
			v.In = in[i]
		}
		if out != nil {
			v.Out = out[i]
		}
		old := cur[i]
		now := old
		if k.settleable == nil || !k.settleable.Settled(old, step) {
			now = k.program.Apply(v, old, *acc.at(i), step)
			t.Applied++
			if k.program.Activate(v, old, now) {
				t.Activated++
				t.Degrees += uint64(degree[i])
				m.Lock()
				bits[(place-from)/32] |= 1 << (place % 32)
				m.Unlock()
			}
		}
		next[i] = now
		*acc.at(i) = k.program.Zero()
		if k.aggregable != nil {
			sum += k.aggregable.Aggregate(v, now)
		}
	}
	return k.finish(m, g, a, t, sum)
}

// finish adds what a block counted.
func (k *emulator[V, A]) finish(m device.Memory, g device.Grid, a *ApplyArgs, t Totals, sum float64) error {
	x := access{memory: m}
	all := view[Totals](&x, a.Totals, 1)
	var sums []float64
	if a.Sums != 0 {
		sums = view[float64](&x, a.Sums, int64(g.Blocks))
	}
	if x.err != nil {
		return x.err
	}
	m.Lock()
	all[0].Activated += t.Activated
	all[0].Degrees += t.Degrees
	all[0].Applied += t.Applied
	m.Unlock()
	if sums != nil {
		sums[g.Block] = sum
	}
	return nil
}
