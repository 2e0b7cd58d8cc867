package kernels

import (
	"math"
	"math/bits"
	"time"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
)

// What advance.cu has, too.
const (
	soughtEdges   = 32
	longRow       = 2048
	warpThreads   = 32
	historyCells  = 1024
	unlimitedRows = math.MaxUint64
)

// advancing is kernel advance on an emulated device: what all blocks do, one after
// another.
type advancing[V, A any] struct {
	*emulator[V, A]
	*AdvanceArgs
	access
	advancedGraph
	advancedLevel
	blocks    int
	state     *AdvanceState
	values    []V
	priority  func(V) float64
	saturable gas.Saturable[A]

	bits  [2][]uint32
	cur   int
	later []uint32
	limit float64
	level uint32
}

// advancedGraph is what the kernel knows of vertices and edges.
type advancedGraph struct {
	degree  []uint32
	in, out []uint32
	rowsOf  [2]AdvanceRows
	offsets [2][]uint64
}

// advancedLevel is one level.
type advancedLevel struct {
	list     []uint32 // the frontier, and its bits
	active   []uint32
	next     []uint32 // what is appended, or marked: bits
	marks    []uint32
	rest     []uint32
	step     gas.Step
	filter   Filter
	seen     map[uint32]uint32 // of filters: the last vertex by cell
	appends  bool
	overflow bool
}

// advance goes from frontier to frontier.
func (k *emulator[V, A]) advance(m device.Memory, g device.Grid, a *AdvanceArgs) error {
	w := advancing[V, A]{emulator: k, AdvanceArgs: a, access: access{memory: m}, blocks: g.Blocks, limit: math.Inf(-1)}
	w.rowsOf = [2]AdvanceRows{a.Out, a.In}
	w.views()
	if w.err != nil {
		return w.err
	}
	w.begin()
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

// begin takes the frontier: with priorities all of it waits.
func (w *advancing[V, A]) begin() {
	if w.Width > 0 {
		copy(w.later, w.bits[0])
		return
	}
	w.list = members(w.bits[0])
}

func members(set []uint32) (list []uint32) {
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			list = append(list, uint32(32*i+bits.TrailingZeros32(word)))
		}
	}
	return list
}

// more reports whether there is another level to do.
func (w *advancing[V, A]) more() bool {
	for len(w.list) == 0 {
		if w.Width == 0 || !w.refill() {
			return false
		}
	}
	return w.level < w.Levels
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
	clear(w.later)
	for _, v := range waits {
		switch p := w.priority(w.values[v]); {
		case p < passed:
		case w.near(p):
			w.list = append(w.list, v)
		default:
			mark(w.later, v)
		}
	}
	return any
}

func mark(set []uint32, v uint32) { set[v/32] |= 1 << (v % 32) }

// iterate does a level.
func (w *advancing[V, A]) iterate() {
	w.step = gas.Step{Iteration: int(w.Iteration) + int(w.level), Aggregate: w.Aggregate}
	degrees := uint64(0)
	for _, v := range w.list {
		degrees += uint64(w.degree[v])
	}
	w.Unseen -= min(w.Unseen, degrees)
	seeks := w.In.Off != 0 && w.Direction != Push &&
		(w.Direction == Seek || degrees > w.Small && degrees*uint64(w.PushShare) > w.Unseen)
	little := w.Policy == AutoAdvance && degrees <= w.Small
	w.filter = w.Filter
	if little {
		w.filter = NoFilter
	}
	w.appends = !seeks && (w.Append != 0 || little)
	w.active = w.bits[w.cur]
	clear(w.active)
	for _, v := range w.list {
		mark(w.active, v)
	}
	w.marks = w.bits[w.cur^1]
	clear(w.marks)
	w.next, w.rest, w.overflow, w.seen = w.next[:0], w.rest[:0], false, map[uint32]uint32{}
	switch {
	case seeks:
		w.state.Sought++
		w.seek()
		w.byEdges(w.rest, w.offsets[1], soughtEdges, true)
	default:
		w.state.Vertices += uint64(len(w.list))
		w.push(w.Policy, little)
	}
	if w.list = w.next; !w.appends || w.overflow {
		w.list = append(members(w.marks), w.next...)
	}
	w.next = nil
	w.cur ^= 1
	w.level++
}

// push goes along the rows of the frontier.
func (w *advancing[V, A]) push(p Policy, little bool) {
	hub := uint64(unlimitedRows)
	switch {
	case p == Lonestar:
		hub = uint64(w.blocks) * advanceThreads
	case little:
		p, hub = LBLight, longRow
	case p == AutoAdvance:
		p = LB
	}
	off := w.offsets[0]
	switch p {
	case AllEdges:
		w.byEdges(everyVertex, off, 0, false)
	case LB:
		w.byEdges(w.list, off, 0, false)
	default:
		size := min(advanceThreads, (len(w.list)+w.blocks-1)/w.blocks)
		for from := 0; from < len(w.list); from += size {
			w.byRows(p, hub, w.list[from:min(from+size, len(w.list))])
		}
		w.byEdges(w.rest, off, 0, false)
	}
}

// end leaves the frontier, with what waits.
func (w *advancing[V, A]) end() {
	if w.err != nil {
		return
	}
	set := w.bits[w.cur]
	clear(set)
	for _, v := range w.list {
		mark(set, v)
	}
	for i := range w.later {
		set[i] |= w.later[i]
	}
	s := w.state
	for _, v := range members(set) {
		s.Active++
		s.Degrees += uint64(w.degree[v])
	}
	s.Unseen, s.Levels, s.Current = w.Unseen, w.level, uint32(w.cur)
}
