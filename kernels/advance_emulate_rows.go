package kernels

import (
	"math"
	"math/bits"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
)

// byRows is what one block does with so many rows.
func (w *advancing[V, A]) byRows(p Policy, hub uint64, list []uint32) {
	off := w.offsets[0]
	classes := [][2]uint64{{0, unlimitedRows}}
	if p == TWC || p == Lonestar {
		classes = [][2]uint64{{advanceThreads, unlimitedRows}, {warpThreads, advanceThreads}, {0, warpThreads}}
	}
	for _, class := range classes {
		for _, u := range list {
			n := off[u+1] - off[u]
			switch {
			case n < class[0] || n >= class[1]:
			case n >= hub:
				w.rest = append(w.rest, u)
			default:
				w.row(0, u, off[u], off[u+1], false)
			}
		}
	}
}

// everyVertex stands for the list of all vertices, of which those count that are active.
var everyVertex = []uint32{math.MaxUint32}

// byEdges divides the rows of a list, after so many edges of each, by their edges among the
// blocks.
func (w *advancing[V, A]) byEdges(list []uint32, off []uint64, skip uint64, backward bool) {
	side, prefix, all := 0, off, len(list) == 1 && list[0] == math.MaxUint32
	if backward {
		side = 1
	}
	if !all {
		prefix = make([]uint64, len(list)+1)
		for i, v := range list {
			prefix[i+1] = prefix[i] + off[v+1] - off[v] - skip
		}
	}
	last := len(prefix) - 1
	for b := range uint64(w.blocks) {
		from, to := w.share(prefix[last], b), w.share(prefix[last], b+1)
		for i := range last {
			low, high := max(prefix[i], from), min(prefix[i+1], to)
			u := uint32(i)
			if !all {
				u = list[i]
			} else if w.active[u/32]>>(u%32)&1 == 0 {
				continue
			}
			if low < high {
				begin := off[u] + skip + low - prefix[i]
				w.row(side, u, begin, begin+high-low, backward)
			}
		}
	}
}

// share is where that of a block begins.
func (w *advancing[V, A]) share(n, block uint64) uint64 {
	if block == uint64(w.blocks) {
		return n
	}
	at, _ := bits.Mul64(n, block*w.fraction)
	return at
}

// arc is an edge of a side.
func (w *advancing[V, A]) arc(side int, e uint64) (v uint32, edge gas.Edge) {
	r := &w.rowsOf[side]
	at, edge := r.Near, gas.Edge{Weight: 1}
	if e >= r.Resident {
		at = r.Far
	}
	w.state.Edges++
	if w.Weighted == 0 {
		if x := view[uint32](&w.access, at+device.Pointer(4*e), 1); x != nil {
			v = x[0]
		}
	} else if x := view[[2]uint32](&w.access, at+device.Pointer(8*e), 1); x != nil {
		v, edge.Weight = x[0][0], math.Float32frombits(x[0][1])
	}
	return v, edge
}

// row goes along some edges of u.
func (w *advancing[V, A]) row(side int, u uint32, e, end uint64, backward bool) {
	for ; e < end; e++ {
		if backward && w.settled(u) {
			return
		}
		from, to := u, u
		other, edge := w.arc(side, e)
		switch {
		case w.err != nil:
			return
		case !backward:
			to = other
		case w.active[other/32]>>(other%32)&1 == 0:
			continue
		default:
			from = other
		}
		var zero V
		w.apply(to, w.program.Gather(w.values[from], edge, zero))
	}
}

func (w *advancing[V, A]) settled(v uint32) bool {
	return w.settleable != nil && w.settleable.Settled(w.values[v], w.step)
}

// apply gives v what was gathered.
func (w *advancing[V, A]) apply(v uint32, acc A) {
	x := gas.Vertex{ID: v, N: w.N}
	if w.in != nil {
		x.In = w.in[v]
	}
	if w.out != nil {
		x.Out = w.out[v]
	}
	old := w.values[v]
	value := w.program.Apply(x, old, acc, w.step)
	if !w.program.Activate(x, old, value) {
		return
	}
	w.values[v] = value
	switch {
	case w.Width > 0 && !w.near(w.priority(value)):
		mark(w.later, v)
	case !w.appends:
		mark(w.marks, v)
	case !w.passes(v):
	case len(w.next) == int(w.N):
		mark(w.marks, v)
		w.overflow = true
	default:
		w.next = append(w.next, v)
	}
}

// passes reports whether a vertex may be appended.
func (w *advancing[V, A]) passes(v uint32) bool {
	cell := v
	switch w.filter {
	case NoFilter, WarpFilter:
		return true
	case HistoryFilter:
		cell = v % historyCells
	}
	before, is := w.seen[cell]
	w.seen[cell] = v
	return !is || before != v
}

// seek has vertices look for active ones along their first edges.
func (w *advancing[V, A]) seek() {
	off := w.offsets[1]
	for v := range w.N {
		if w.settled(v) {
			continue
		}
		w.state.Vertices++
		acc, any, full := w.program.Zero(), false, false
		e, end := off[v], off[v+1]
		for stop := min(end, e+soughtEdges); e < stop && !full; e++ {
			u, edge := w.arc(1, e)
			if w.err != nil {
				return
			}
			if w.active[u/32]>>(u%32)&1 == 0 {
				continue
			}
			var zero V
			acc = w.program.Sum(acc, w.program.Gather(w.values[u], edge, zero))
			any = true
			full = w.saturable != nil && w.saturable.Saturated(acc, w.step)
		}
		if any {
			w.apply(v, acc)
		}
		if !full && e < end {
			w.rest = append(w.rest, v)
		}
	}
}
