package dispatcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/store"
)

// state holds what changes in a run: values, active set and aggregates, where they are newest, the
// position of the run and what its policy has learned.
type state[V, A any] struct {
	plan   *plan[V, A]
	shape  *shape
	arrays *vertices.Arrays[V]
	place  *placement
	policy decider

	now        position
	safe       position // the last one of which the host has values and active set
	safeCounts policy.Counts
	within     bool // the run is in the middle of an iteration

	aggregates []float64 // by shard; nil if the program is not [gas.Aggregable]
	unsettled  []uint32  // by shard, the first vertex that was not settled when last looked
	asked      int       // after how many levels, or rounds of ordered ones, the job last asked whether it had arrived
	few        int       // iterations in a row from disk with few active vertices

	ahead *initialising // if nil, nothing is initialised ahead
	taken *snapshot[V]  // being written; if nil, none
}

// position is where a run stands, beside its values and active set.
type position struct {
	step      gas.Step
	previous  float64 // aggregate
	activated uint64  // active vertices
	degrees   uint64  // Σ Degree of them
	unsummed  bool    // the aggregates by shard are not those of the values
}

func newState[V, A any](p *plan[V, A]) *state[V, A] {
	s := &state[V, A]{plan: p, shape: p.shape}
	if p.can.aggregable != nil {
		s.aggregates = make([]float64, len(p.shape.firsts))
	}
	if p.can.settleable != nil {
		s.unsettled = slices.Clone(p.shape.firsts)
	}
	return s
}

// requests lists the pages with work: with marked vertices, or with unsettled
// ones. A panic of the program's Settled ends as an error.
func (s *state[V, A]) requests(marked bool) (list []page.Request, err error) {
	err = panics.Guard(s.plan.program, func() error {
		for p, span := range s.plan.pages.Spans() {
			some := make([]int, 0, span.To-span.From)
			for i := span.From; i < span.To; i++ {
				if marked && s.arrays.Marks.Any(s.shape.interval(i)) || !marked && !s.settled(i) {
					some = append(some, i)
				}
			}
			switch len(some) {
			case 0:
			case span.To - span.From:
				list = append(list, page.Request{Page: p})
			default:
				list = append(list, page.Request{Page: p, Shards: some})
			}
		}
		return nil
	})
	return list, err
}

// reads returns the number of bytes that a pull would read from the store, and that notifying would read before
// vertices gather, without pages that stay. Both are 0 in memory.
func (s *state[V, A]) reads() (pull, notify uint64) {
	pages := s.plan.pages
	if pages.InMemory() {
		return 0, 0
	}
	// a panic of Settled comes again in the iteration
	_ = panics.Guard(s.plan.program, func() error {
		for p := range pages.Spans() {
			for _, dir := range s.shape.gatherSides {
				pull += uint64(pages.StreamedBytes(dir, p, func(i int) bool { return !s.settled(i) }))
			}
			for _, dir := range s.shape.notifySides {
				notify += uint64(pages.StreamedBytes(dir, p, func(i int) bool {
					return s.arrays.Active.Any(s.shape.interval(i))
				}))
			}
		}
		return nil
	})
	return pull, notify
}

// publish makes a page's new values visible to the pages after it.
func (s *state[V, A]) publish(shards []int, marked bool) {
	s.keep(s.arrays.Cur, shards)
	s.copyNext(shards, marked)
	for _, i := range shards { // what comes in the iteration sees new values as well
		from, to := s.shape.interval(i)
		for w := from >> 6; s.plan.can.monotone && w <= (to-1)>>6; w++ {
			s.arrays.Active[w] |= s.arrays.Rising[w]
		}
	}
}

// makeCurrent makes the new values of shards current on the host. After a pull over all
// of them the arrays change places; otherwise the values are copied.
func (s *state[V, A]) makeCurrent(shards []int, marked bool) {
	if !marked && len(shards) == len(s.shape.firsts) {
		s.arrays.Swap()
		return
	}
	s.keep(s.arrays.Cur, shards)
	s.copyNext(shards, marked)
}

// copyNext copies the new values of shards, on all goroutines when there are enough of
// them to be worth it.
func (s *state[V, A]) copyNext(shards []int, marked bool) {
	const few = 8
	goroutines := 1
	if len(shards) > few {
		goroutines = min(s.plan.opt.Threads, bits.Len(uint(len(shards))))
	}
	var next atomic.Int64
	together(goroutines, func(int) {
		for k := next.Add(1) - 1; k < int64(len(shards)); k = next.Add(1) - 1 {
			from, to := s.shape.interval(shards[k])
			s.arrays.Publish(from, to, marked)
		}
	})
}

// aggregate returns the global aggregate, summed in the order of the shards.
func (s *state[V, A]) aggregate() float64 {
	var sum float64
	for _, x := range s.aggregates {
		sum += x
	}
	return sum
}

// resum sums the aggregate over the host's values, by shard.
func (s *state[V, A]) resum() error {
	s.now.unsummed = false
	if s.plan.can.aggregable == nil {
		return nil
	}
	return s.plan.eachShard(context.Background(), func(i int) error {
		sum := 0.0
		err := s.plan.eachVertex(i, s.arrays.IDs, func(at uint32, v gas.Vertex) {
			sum += s.plan.can.aggregable.Aggregate(v, s.arrays.Cur[at])
		})
		s.aggregates[i] = sum
		return err
	})
}

// settled reports whether every vertex of shard i is. What is settled stays so:
// the search goes on where it ended.
func (s *state[V, A]) settled(i int) bool {
	if s.plan.can.settleable == nil || s.place.lacks[host][i] { // a stale value does not tell what settles in this step
		return false
	}
	_, to := s.shape.interval(i)
	v := s.unsettled[i]
	for v < to && s.plan.can.settleable.Settled(s.arrays.Cur[v], s.now.step) {
		v++
	}
	s.unsettled[i] = v
	return v == to
}

// activeNow puts the active set into bits. Within an iteration of an async job, it is that of the
// iteration and what rose since, so that the iteration can be begun again.
func (s *state[V, A]) activeNow(bits bitset.Set, within bool) bitset.Set {
	copy(bits, s.arrays.Active)
	if within {
		for w, rising := range s.arrays.Rising {
			bits[w] |= rising
		}
	}
	return bits
}

// keep is called before shards of an array are written to.
func (s *state[V, A]) keep(array []V, shards []int) {
	if s.taken == nil {
		return
	}
	for _, i := range shards {
		from, to := s.shape.interval(i)
		s.taken.keep(array, from, to)
	}
}

// placed notes who has the new values: the CPU, or the GPUs that did the given shards, or both.
func (s *state[V, A]) placed(x *iteration, did []int) {
	for _, i := range did {
		if x.alone {
			s.place.wrote(onGPUs, i)
		} else {
			s.place.share(i)
		}
	}
	if x.report.Device == GPU {
		return
	}
	for _, i := range s.plan.pages.ShardsOf(x.requests...) {
		if x.report.Device == CPU {
			s.place.wrote(host, i)
		} else {
			s.place.share(i)
		}
	}
}

// commit makes the new values of an iteration current, in which GPUs did the given shards. The aggregate is
// summed in the order of shards.
func (s *state[V, A]) commit(x *iteration, did []int) {
	all := x.gpus.stats
	all.Add(x.cpu.stats)
	x.report.Edges += all.Edges
	x.report.Vertices = all.Vertices
	x.report.Pages += len(x.cpu.pages)
	s.now.activated, s.now.degrees = all.Activated, all.Degrees
	if !x.alone {
		marked := x.report.Device == CPU && x.report.Method == NotifyPull
		if s.plan.opt.Mode == Sync {
			s.makeCurrent(s.plan.pages.ShardsOf(x.requests...), marked)
		}
		s.arrays.Advance()
		if marked {
			clear(s.arrays.Marks)
		}
	}
	s.placed(x, did)
	s.now.unsummed = s.now.unsummed && x.report.Device == CPU
	s.now.previous = s.now.step.Aggregate
	s.now.step = gas.Step{Iteration: s.now.step.Iteration + 1, Aggregate: s.aggregate()}
}

// rewind returns to the safe position, if values or active set of a GPU that was lost are newer,
// and reports whether it did.
func (s *state[V, A]) rewind() bool {
	if !s.place.behind {
		return false
	}
	s.place.rewind()
	s.now = s.safe
	known := s.policy.known
	known.Counts = s.safeCounts
	s.policy.set(known)
	copy(s.unsettled, s.shape.firsts) // the step is an earlier one
	clear(s.arrays.Rising)
	clear(s.arrays.Marks)
	return true
}

// allocate makes the arrays, unless they are there.
func (s *state[V, A]) allocate() (err error) {
	if s.arrays != nil {
		return nil
	}
	if s.arrays, err = vertices.New[V](s.shape.cat.Vertices, nil); err != nil {
		return fmt.Errorf("program %T: %w", s.plan.program, err)
	}
	if s.arrays.IDs, err = s.plan.store.OrderedIDs(); err != nil {
		return err
	}
	if end := s.plan.opt.hooks.end; end != nil {
		at := store.Place(s.arrays.IDs, *end)
		s.plan.opt.hooks.end = &at
	}
	return s.arrays.AddDegrees(s.plan.memory.in, s.plan.memory.out)
}

// advanced moves the position by levels of frontiers.
func (s *state[V, A]) advanced(levels int, activated, degrees uint64) {
	s.now.activated, s.now.degrees = activated, degrees
	s.now.previous = s.now.step.Aggregate
	s.now.step.Iteration += levels
}

// reserve lays out the pages in what m leaves of the budget, allocates the arrays and pins the
// values.
func (s *state[V, A]) reserve(m memoryPlan) error {
	p := s.plan
	if p.opt.Memory > 0 {
		m.page.Budget = max(1, p.opt.Memory-m.fixed-m.checkpoints)
	}
	err := p.openPages(m.page, m.fixed+m.checkpoints)
	var need *page.NeedError
	if errors.As(err, &need) {
		e := &MemoryError{Graph: p.store.Name(), Budget: p.opt.Memory, Vertices: m.fixed - processBytes, Pages: need.Need,
			Checkpoints: m.checkpoints}
		return cmp.Or(p.leastRows(e, m.page), error(e))
	}
	if err == nil {
		err = s.allocate()
	}
	if err == nil && m.vertices != nil {
		err = s.arrays.Pin(m.vertices)
	}
	return err
}

// arrived reports whether the values allow the job to end at its vertex.
func (s *state[V, A]) arrived() bool {
	if s.plan.opt.hooks.end == nil || *s.plan.opt.hooks.end >= s.arrays.N {
		return false
	}
	value := s.arrays.Cur[*s.plan.opt.hooks.end]
	if p := s.plan.can.settleable; p != nil && p.Settled(value, s.now.step) {
		return true
	}
	p, ok := s.plan.program.(gas.Prioritized[V])
	if !ok {
		return false
	}
	at := p.Priority(value)
	for v, ok := s.arrays.Active.Next(0, s.arrays.N); ok; v, ok = s.arrays.Active.Next(v+1, s.arrays.N) {
		if !(p.Priority(s.arrays.Cur[v]) > at) { // no number is not behind it either
			return false
		}
	}
	return true
}
