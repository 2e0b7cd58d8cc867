package cpuengine

import (
	"context"
	"math/bits"
	"sort"
	"sync/atomic"
	"time"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/hostmem"
)

const (
	// aloneEdges is up to how many edges of a frontier one goroutine does the level: to
	// start others takes as long.
	aloneEdges = 1 << 13
	// taskVertices of the queue are a task, and what a vertex has beyond hubEdges edges
	// is divided.
	taskVertices = 64
	hubEdges     = 1 << 13
	// A frontier with more than 1/pushShare of the edges of vertices not yet active is
	// found by looking from these; and one with fewer than 1/seekShare of the vertices
	// pushes again (Beamer et al., SC 2012).
	pushShare = 15
	seekShare = 18
	// Of a frontier that more edges than 1/manyShare of the vertices lead to, degrees are summed in the order of the
	// vertices when it is complete: one by one, each of them comes from memory.
	manyShare = 8
)

// Advancer does iterations from frontier to frontier, of programs that are
// [gas.Monotone]. Between its calls, the active set of the arrays is the frontier and no
// vertex is rising; values change where they are, in Arrays.Cur.
//
// An iteration pushes the values that active vertices had at its beginning, so that
// values after n iterations are those of n pulls. Which of several contributions comes
// first makes no difference.
type Advancer[V, A any] struct {
	// Most is the number of edges from active vertices above which Advance returns; if 0, there is no limit.
	Most uint64

	engine      *Engine[V, A]
	rows        Rows[V, A]
	queue, next *frontier.Queue[uint32]
	memory      []uint32 // of the queues; nil if the frontier is not listed to be pushed
	lanes       []lane   // by goroutine
	block       compiled.Block
	direction
	order ordered[V]
}

// Rows holds the rows along which an [Advancer] goes: those of [NewAdvancer], [NewHeldAdvancer] or
// [NewStoredAdvancer].
type Rows[V, A any] interface {
	// canSeek reports whether there are rows along which vertices can look for active ones.
	canSeek() bool
	// bring makes ready what the next level reads.
	bring(ctx context.Context, f *Advancer[V, A]) error
	// push sends the values of the frontier along all of its rows.
	push(f *Advancer[V, A], alone bool) error
	// seek has vertices look for active ones.
	seek(f *Advancer[V, A]) error
}

// direction is what the choice between pushing and seeking depends on.
type direction struct {
	limits limits
	listed bool   // the queue is the frontier
	seeks  bool   // the last level sought
	many   bool   // the degrees of the next frontier are summed in the order of the vertices
	unseen uint64 // edges of vertices that were not active yet
	active uint64 // vertices before the last level
	edges  uint64 // from these
}

// limits holds the constants; tests replace them.
type limits struct {
	alone uint64
	hub   uint32
	task  int
	held  int // vertices in buckets
}

// lane is what one goroutine has.
type lane struct {
	advance compiled.Advance
	stored  storedLane
	index   int      // of the goroutine
	found   uint64   // vertices that sought and were added to the next frontier
	later   []uint32 // active ones of these, whose new values wait for the end of the level
	hubs    []uint32 // vertices that are left for later: places in the queue, or themselves
	spare   []uint32
}

// Advanced reports the work of a call of Advance.
type Advanced struct {
	Stats
	Levels int
}

// newAdvancer returns an advancer with queues, over rows with the given number of edges.
func newAdvancer[V, A any](e *Engine[V, A], rows *memoryRows[V, A], edges uint64) (*Advancer[V, A], error) {
	a := e.arrays
	rows.full, _ = e.program.(gas.Saturable[A])
	f := &Advancer[V, A]{engine: e, rows: rows, lanes: make([]lane, len(e.workers)),
		block: compiled.Block{N: a.N, Degree: a.Degree, In: a.In, Out: a.Out, IDs: a.IDs}}
	f.unseen, f.limits = edges, limits{aloneEdges, hubEdges, taskVertices, 2*int(e.arrays.N) + 1<<16}
	memory, err := hostmem.Slice[uint32](2 * int(a.N))
	if err != nil {
		return nil, err
	}
	if e.loops.Relax == nil && len(e.workers) > 1 { // where there are buckets, queues are rarely used
		hostmem.PopulateAll(len(e.workers), hostmem.AsBytes(memory))
	}
	f.memory, f.queue, f.next = memory, frontier.NewQueue(memory[:a.N:a.N]), frontier.NewQueue(memory[a.N:])
	for i := range f.lanes {
		f.lanes[i].advance.Next.Degree = a.Degree
		if !CanSeek(e.loops) {
			rows.lanes[i].in = nil
		}
	}
	return f, nil
}

// laneBytes is the memory of one goroutine: the lists of a task, of a cursor and of found vertices.
const laneBytes = 256 << 10

// AdvancerBytes returns the memory of an advancer over n vertices, without rows: two queues, or as
// much in buckets, and laneBytes for each goroutine.
func AdvancerBytes(n uint32, goroutines int) int64 { return 16*int64(n) + laneBytes*int64(goroutines) }

// CanSeek reports whether vertices can look for active ones in place of being pushed to.
func CanSeek[V, A any](l compiled.Loops[V, A]) bool {
	_, saturates := l.Program.(gas.Saturable[A])
	return l.Push != nil && l.Due != nil && saturates
}

// CanAdvance reports whether loops can advance frontiers.
func CanAdvance[V, A any](l compiled.Loops[V, A]) bool {
	return l.Push != nil && compiled.CanReplace[V]()
}

// Free frees the advancer's memory, except for the rows.
func (f *Advancer[V, A]) Free() { hostmem.Free(f.memory) }

// Forget must be called after other iterations have changed the active set.
func (f *Advancer[V, A]) Forget() { f.listed, f.seeks = false, false }

// Advance runs iterations from step s on, with the given numbers of active vertices and edges from
// them, until no vertex is active, a limit of iterations or time is reached, or the context has
// ended. After an error, all vertices that have changed are active.
func (f *Advancer[V, A]) Advance(ctx context.Context, s gas.Step, from Stats, limit int,
	until time.Time) (Advanced, error) {
	done := Advanced{Stats: Stats{Activated: from.Activated, Degrees: from.Degrees}}
	for done.Activated > 0 && done.Levels < limit && ctx.Err() == nil {
		f.block.Step = s
		level, err := f.level(ctx, done.Activated, done.Degrees)
		if err != nil {
			f.spoiled()
			return done, err
		}
		done.Edges += level.Edges
		done.Vertices += level.Vertices
		done.Activated, done.Degrees = level.Activated, level.Degrees
		done.Levels++
		s.Iteration++
		if !time.Now().Before(until) || f.Most > 0 && done.Degrees > f.Most {
			break
		}
	}
	return done, nil
}

// spoiled makes all active that have changed in a level that went wrong.
func (f *Advancer[V, A]) spoiled() {
	a := f.engine.arrays
	for w, rising := range a.Rising {
		a.Active[w] |= rising
	}
	a.Rising.Clear()
	f.Forget()
}

// level does one iteration.
func (f *Advancer[V, A]) level(ctx context.Context, active, degrees uint64) (Stats, error) {
	f.direct(active, degrees)
	if !f.seeks && !f.listed && f.memory != nil {
		if err := f.list(); err != nil {
			return Stats{}, err
		}
	}
	if err := f.rows.bring(ctx, f); err != nil {
		return Stats{}, err
	}
	alone := len(f.engine.workers) == 1 || degrees <= f.limits.alone
	f.many = !f.seeks && degrees > max(f.limits.alone, uint64(f.engine.arrays.N)/manyShare)
	f.ready(alone, f.next)
	var err error
	if f.seeks {
		err = f.rows.seek(f)
	} else {
		err = f.rows.push(f, alone)
	}
	if err != nil {
		return Stats{}, err
	}
	s := f.sum()
	switch {
	case f.many:
		s.Activated, s.Degrees, err = f.count(f.engine.arrays.Rising)
	case !f.seeks && f.memory != nil:
		s.Activated = uint64(len(f.next.List()))
	}
	f.turn()
	return s, err
}

// ready prepares the lanes for a level.
func (f *Advancer[V, A]) ready(alone bool, next *frontier.Queue[uint32]) {
	for i := range f.lanes {
		l := &f.lanes[i]
		l.advance.Next.Uncounted = f.many
		l.advance.Next.Alone, l.advance.Next.Queue, l.advance.Next.Bits = alone, next, f.engine.arrays.Rising
		l.advance.Edges, l.advance.Vertices, l.advance.Next.Degrees, l.advance.Next.Unlisted, l.found = 0, 0, 0, 0, 0
	}
}

// sum is what the lanes have counted.
func (f *Advancer[V, A]) sum() (s Stats) {
	for i := range f.lanes {
		l := &f.lanes[i]
		s.Add(Stats{Edges: l.advance.Edges, Vertices: l.advance.Vertices,
			Activated: l.found + l.advance.Next.Unlisted, Degrees: l.advance.Next.Degrees})
	}
	return s
}

// count returns the number of vertices in a set and the sum of their degrees.
func (f *Advancer[V, A]) count(set bitset.Set) (n, degrees uint64, err error) {
	var vertices, edges atomic.Uint64
	all := int(f.engine.arrays.N)
	err = f.each(parts(all, heldVertices), func(_ *lane, i int) {
		begin, end := part(i, heldVertices, all)
		n, sum, degree := 0, uint64(0), f.block.Degree[begin:end]
		for w, word := range set[begin>>6 : (end+63)>>6] {
			n += bits.OnesCount64(word)
			for ; word != 0; word &= word - 1 {
				sum += uint64(degree[w<<6+bits.TrailingZeros64(word)])
			}
		}
		vertices.Add(uint64(n))
		edges.Add(sum)
	})
	return vertices.Load(), edges.Load(), err
}

// direct chooses between pushing and seeking.
func (f *Advancer[V, A]) direct(active, degrees uint64) {
	f.unseen -= min(f.unseen, degrees)
	switch {
	case !f.rows.canSeek():
	case f.seeks:
		f.seeks = active >= f.active || active > uint64(f.engine.arrays.N)/seekShare
	default:
		f.seeks = degrees > f.limits.alone && degrees > f.unseen/pushShare
	}
	f.active, f.edges = active, degrees
}

// turn makes the next frontier the current one.
func (f *Advancer[V, A]) turn() {
	a := f.engine.arrays
	if list := f.queue.List(); f.listed && len(list) < len(a.Active)/8 {
		for _, v := range list {
			a.Active[v>>6] = 0
		}
	} else {
		a.Active.Clear()
	}
	a.Active, a.Rising = a.Rising, a.Active
	f.listed = !f.seeks && f.memory != nil
	f.queue.Clear()
	f.queue, f.next = f.next, f.queue
}

// list fills the queue with the active vertices.
func (f *Advancer[V, A]) list() error {
	const words = 1 << 10
	f.queue.Clear()
	for i := range f.lanes {
		f.lanes[i].advance.Next.Queue, f.lanes[i].advance.Next.Bits = f.queue, f.engine.arrays.Active
	}
	err := f.each((len(f.engine.arrays.Active)+words-1)/words, func(l *lane, i int) {
		l.advance.Next.List(i*words, min((i+1)*words, len(f.engine.arrays.Active)))
	})
	f.flush()
	f.listed = true
	return err
}

func (f *Advancer[V, A]) flush() {
	for i := range f.lanes {
		f.lanes[i].advance.Next.Flush()
	}
}

// each is [Engine.parallel] with the lanes of goroutines.
func (f *Advancer[V, A]) each(n int, task func(l *lane, i int)) error {
	return f.try(n, func(l *lane, i int) error {
		task(l, i)
		return nil
	})
}

// try is each of tasks that may fail.
func (f *Advancer[V, A]) try(n int, task func(l *lane, i int) error) error {
	_, err := f.engine.parallel(n, func(r *worker[V, A], i int) error {
		l := &f.lanes[r.index]
		l.index = r.index
		return task(l, i)
	})
	return err
}

// saved are the values of a list, as the level begins.
func (f *Advancer[V, A]) saved(list []uint32) ([]V, error) {
	const many = 64 * taskVertices // of a task
	from, cur := f.engine.arrays.Next[:len(list)], f.engine.arrays.Cur
	return from, f.each(parts(len(list), many), func(_ *lane, i int) {
		begin, end := part(i, many, len(list))
		for k, v := range list[begin:end] {
			from[begin+k] = cur[v]
		}
	})
}

// parts is the number of parts of a size n has; part is the i-th one.
func parts(n, size int) int { return (n + size - 1) / size }

func part(i, size, n int) (begin, end int) { return i * size, min((i+1)*size, n) }

// eachHub calls push for parts of the rows of the vertices in hubs lists. If list is not nil,
// these are places in it.
func (f *Advancer[V, A]) eachHub(list []uint32, push func(l *lane, k uint32)) error {
	size := int(f.limits.hub)
	hubs := f.takeHubs()
	degrees, ends := make([]int, len(hubs)), make([]int, len(hubs)) // ends: of the tasks of each hub
	tasks := 0
	for i, v := range hubs {
		if list != nil {
			v = list[v]
		}
		degrees[i] = int(f.block.Degree[v])
		tasks += parts(degrees[i], size)
		ends[i] = tasks
	}
	return f.each(tasks, func(l *lane, task int) {
		i := sort.SearchInts(ends, task+1)
		begin, end := part(task-ends[i]+parts(degrees[i], size), size, degrees[i])
		l.advance.Cut, l.advance.From, l.advance.To = true, uint64(begin), uint64(end)
		push(l, hubs[i])
		l.advance.Cut = false
	})
}

// takeHubs returns the hubs that all goroutines have left for later.
func (f *Advancer[V, A]) takeHubs() (hubs []uint32) {
	for i := range f.lanes {
		hubs = append(hubs, f.lanes[i].hubs...)
		f.lanes[i].hubs = f.lanes[i].hubs[:0]
	}
	return hubs
}
