package kernels

import (
	"math"
	"math/bits"
	"time"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
)

// advancing is kernel advance on an emulated device: edge by edge. How rows are divided among
// threads, and which vertices filters let pass several times, makes no difference to a monotone
// program, and is not emulated.
type advancing[V, A any] struct {
	*emulator[V, A]
	*AdvanceArgs
	access
	advancedGraph
	state     *AdvanceState
	values    []V
	priority  func(V) float64
	saturable gas.Saturable[A]

	bits  [2][]uint32 // the frontier, and the next one
	cur   int
	later []uint32
	limit float64
	level uint32
	step  gas.Step
}

// advancedGraph is what the kernel knows of vertices and edges.
type advancedGraph struct {
	degree  []uint32
	in, out []uint32
	ids     []uint32
	rowsOf  [2]AdvanceRows
	offsets [2][]uint64
}

// advance goes from frontier to frontier.
func (k *emulator[V, A]) advance(m device.Memory, _ device.Grid, a *AdvanceArgs) error {
	w := advancing[V, A]{emulator: k, AdvanceArgs: a, access: access{memory: m}, limit: a.Limit}
	w.rowsOf = [2]AdvanceRows{a.Out, a.In}
	w.views()
	if w.err != nil {
		return w.err
	}
	if w.Width > 0 { // all of the frontier waits
		copy(w.later, w.bits[0])
		clear(w.bits[0])
		w.take(math.Inf(-1))
	}
	for began := time.Now(); w.err == nil && w.more(); {
		if w.iterate(); time.Since(began) > time.Duration(w.Nanoseconds) {
			break
		}
	}
	w.end()
	return w.err
}

// views finds the arrays.
func (w *advancing[V, A]) views() {
	n, x := int64(w.N), &w.access
	words := (n + 31) / 32
	if s := view[AdvanceState](x, w.State, 1); len(s) == 1 {
		w.state = &s[0]
	}
	w.values, w.degree = view[V](x, w.Values, n), view[uint32](x, w.Degree, n)
	for i := range w.bits {
		w.bits[i] = view[uint32](x, w.Bits[i], words)
	}
	if w.DIn != 0 {
		w.in = view[uint32](x, w.DIn, n)
	}
	if w.DOut != 0 {
		w.out = view[uint32](x, w.DOut, n)
	}
	if w.IDs != 0 {
		w.ids = view[uint32](x, w.IDs, n)
	}
	if w.Width > 0 {
		w.later = view[uint32](x, w.Later, words)
	}
	for i, r := range w.rowsOf {
		if r.Off != 0 {
			w.offsets[i] = view[uint64](x, r.Off, n+1)
		}
	}
	for _, q := range append(w.Queue[:], w.Rest) { // and 8 bytes each in Prefix
		x.bytes(q, 4*n)
	}
	x.bytes(w.Prefix, 8*n)
	if w.Append != 0 && w.Filter.NeedsLabels() {
		x.bytes(w.Labels, 4*n)
	}
	if p, ok := w.program.(gas.Prioritized[V]); ok {
		w.priority = p.Priority
	}
	w.saturable, _ = w.program.(gas.Saturable[A])
}

func members(set []uint32) (list []uint32) {
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			list = append(list, uint32(32*i+bits.TrailingZeros32(word)))
		}
	}
	return list
}

func mark(set []uint32, v uint32)     { set[v/32] |= 1 << (v % 32) }
func has(set []uint32, v uint32) bool { return set[v/32]>>(v%32)&1 != 0 }

// more reports whether there is another level to do.
func (w *advancing[V, A]) more() bool {
	for len(members(w.bits[w.cur])) == 0 {
		if w.Width == 0 || !w.refill() {
			return false
		}
	}
	if w.level == w.Levels {
		return false
	}
	degrees := w.degrees(members(w.bits[w.cur]))
	w.state.Widest = max(w.state.Widest, degrees)
	return degrees <= w.Most
}

func (w *advancing[V, A]) degrees(list []uint32) (sum uint64) {
	for _, v := range list {
		sum += uint64(w.degree[v])
	}
	return sum
}

func (w *advancing[V, A]) near(p float64) bool { return p < w.limit || math.IsInf(w.limit, 1) }

// refill takes what has the lowest priorities of what waits.
func (w *advancing[V, A]) refill() bool {
	waits := members(w.later)
	low, any := math.Inf(1), false
	for _, v := range waits {
		if p := w.priority(w.values[v]); !(p < w.limit) {
			low, any = min(low, p), true
			if math.IsNaN(low) {
				low = math.Inf(1)
			}
		}
	}
	passed := w.limit
	if w.limit = low + w.Width; math.IsInf(low, -1) {
		w.limit = -math.MaxFloat64 // these alone
	}
	if !(w.limit > low) {
		w.limit = math.Inf(1)
	}
	w.take(passed)
	return any
}

// take takes what is within the limit of what waits. What was passed is done.
func (w *advancing[V, A]) take(passed float64) {
	waits := members(w.later)
	clear(w.later)
	for _, v := range waits {
		switch p := w.priority(w.values[v]); {
		case p < passed:
		case w.near(p):
			mark(w.bits[w.cur], v)
		default:
			mark(w.later, v)
		}
	}
}

// iterate does a level.
func (w *advancing[V, A]) iterate() {
	w.step = gas.Step{Iteration: int(w.Iteration) + int(w.level), Aggregate: w.Aggregate}
	list := members(w.bits[w.cur])
	degrees := w.degrees(list)
	w.Unseen -= min(w.Unseen, degrees)
	clear(w.bits[w.cur^1])
	if w.In.Off != 0 && w.Direction != Push && (w.Direction == Seek || degrees > w.Small &&
		degrees*uint64(w.PushShare) > w.Unseen) {
		w.state.Sought++
		w.seek()
	} else {
		w.state.Vertices += uint64(len(list))
		w.push(list)
	}
	w.cur ^= 1
	w.level++
}

// end leaves the frontier, with what waits.
func (w *advancing[V, A]) end() {
	if w.err != nil {
		return
	}
	set, s := w.bits[w.cur], w.state
	for i := range w.later {
		set[i] |= w.later[i]
	}
	list := members(set)
	s.Active, s.Degrees = uint64(len(list)), w.degrees(list)
	s.Unseen, s.Levels, s.Current, s.Limit = w.Unseen, w.level, uint32(w.cur), w.limit
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
		v, edge.Weight = x[0][0], float64(math.Float32frombits(x[0][1]))
	}
	return v, edge
}

// push goes along the rows of the frontier.
func (w *advancing[V, A]) push(list []uint32) {
	var zero V
	for _, u := range list {
		for e := w.offsets[0][u]; e < w.offsets[0][u+1]; e++ {
			v, edge := w.arc(0, e)
			if w.err != nil {
				return
			}
			w.apply(v, w.program.Gather(w.values[u], edge, zero))
		}
	}
}

// seek has vertices look for active ones along their edges.
func (w *advancing[V, A]) seek() {
	var zero V
	for v := range w.N {
		if w.settleable != nil && w.settleable.Settled(w.values[v], w.step) {
			continue
		}
		w.state.Vertices++
		acc, any, full := w.program.Zero(), false, false
		for e := w.offsets[1][v]; e < w.offsets[1][v+1] && !full; e++ {
			u, edge := w.arc(1, e)
			if w.err != nil {
				return
			}
			if has(w.bits[w.cur], u) {
				acc, any = w.program.Sum(acc, w.program.Gather(w.values[u], edge, zero)), true
				full = w.saturable != nil && w.saturable.Saturated(acc, w.step)
			}
		}
		if any {
			w.apply(v, acc)
		}
	}
}

// apply gives v what was gathered.
func (w *advancing[V, A]) apply(v uint32, acc A) {
	x := gas.Vertex{ID: v, N: w.N}
	if w.ids != nil {
		x.ID = w.ids[v]
	}
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
	if w.Width > 0 && !w.near(w.priority(value)) {
		mark(w.later, v)
	} else {
		mark(w.bits[w.cur^1], v)
	}
}
