package cpuengine

import (
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
)

// identity lists all local vertices.
var identity = func() (list [shard.MaxVertices]uint16) {
	for v := range list {
		list[v] = uint16(v)
	}
	return list
}()

// worker is the state of one goroutine; its buffers last as long as the engine.
type worker[V, A any] struct {
	engine *Engine[V, A]
	index  int // among the workers
	block  compiled.Block
	acc    []A
	list   []uint16 // marked vertices
	due    []uint16 // unsettled ones
	rising []uint64 // zero between tasks
	values []V
	part   [2]uint32
	blocks packed.Blocks
	row    shard.Buffer
	stats  Stats
	// What is folded together, and where to.
	sides []*packed.Side
	accs  []*[shard.MaxVertices]A
}

// partial holds the sums of vertices that a chunk's borders cut.
type partial[A any] struct {
	head, tail       A
	hasHead, hasTail bool
}

// sums gives n accumulators at zero.
func (r *worker[V, A]) sums(n int) []A {
	if cap(r.acc) < n {
		r.acc = make([]A, n)
	}
	acc := r.acc[:n]
	if n > 0 {
		acc[0] = r.engine.zero
	}
	for done := 1; done < n; done *= 2 { // as fast as memory is copied
		copy(acc[done:], acc[:done])
	}
	return acc
}

// enter fills the block for a shard.
func (r *worker[V, A]) enter(s *shardSides, w Work) {
	a := r.engine.arrays
	r.block = compiled.Block{First: s.first, N: a.N, Step: w.Step, Degree: a.Degree, In: a.In, Out: a.Out, IDs: a.IDs}
	if words := s.vertices/64 + 2; len(r.rising) < words {
		r.rising = make([]uint64, words)
	}
}

// chunk gathers the edges of a chunk and applies the vertices that lie wholly
// in it.
func (r *worker[V, A]) chunk(x *shardSides, c *rows.Chunk, w Work, p *partial[A]) {
	r.enter(x, w)
	s := x.rows
	if end := min(c.To, s.Before(c.Begin)); end > c.From && len(r.pick(c.Begin-1, c.Begin, w)) > 0 {
		base := s.Before(c.Begin - 1)
		p.head, p.hasHead = r.gatherPart(s, c.Begin-1, c.From-base, end-base), true
	}
	end := c.End
	if end > c.Begin && s.Before(end) > c.To { // the last one that begins here goes on
		end--
		if len(r.pick(end, end+1, w)) > 0 {
			p.tail, p.hasTail = r.gatherPart(s, end, 0, c.To-s.Before(end)), true
		}
	}
	list := r.pick(c.Begin, end, w)
	if len(list) == 0 {
		return
	}
	acc := r.sums(len(list))
	for _, side := range s {
		r.side(side)
		r.stats.Edges += uint64(r.engine.loops.Gather(acc, list, &r.block, r.engine.arrays.Cur))
	}
	r.apply(acc, list)
}

// merge completes the vertices of a shard that chunk borders cut.
func (r *worker[V, A]) merge(s *shardSides, chunks []rows.Chunk, partials []partial[A], w Work) {
	r.enter(s, w)
	for k := range chunks {
		if !partials[k].hasTail {
			continue
		}
		acc, v := r.sums(1), chunks[k].End-1
		acc[0] = partials[k].tail
		for j := k + 1; j < len(chunks) && chunks[j].Begin == v+1 && partials[j].hasHead; j++ {
			acc[0] = r.engine.program.Sum(acc[0], partials[j].head)
			if chunks[j].End > chunks[j].Begin {
				break
			}
		}
		r.apply(acc, identity[v:v+1])
	}
}

// pick lists the local vertices in [from, to) that have to be gathered: those
// that are marked, where that counts, and not settled. A settled one that was
// asked for keeps its value.
func (r *worker[V, A]) pick(from, to int, w Work) []uint16 {
	if from >= to {
		return nil
	}
	first := r.block.First
	lo, hi := first+uint32(from), first+uint32(to)
	list := identity[from:to]
	if w.Marked {
		list = r.list[:0]
		for id, ok := r.engine.arrays.Marks.Next(lo, hi); ok; id, ok = r.engine.arrays.Marks.Next(id+1, hi) {
			list = append(list, uint16(id-first))
		}
		r.list = list
	}
	if r.engine.loops.Due == nil {
		return list
	}
	if w.Marked {
		for _, v := range list {
			r.engine.arrays.Next[first+uint32(v)] = r.engine.arrays.Cur[first+uint32(v)]
		}
	} else {
		copy(r.engine.arrays.Next[lo:hi], r.engine.arrays.Cur[lo:hi])
	}
	r.due = r.engine.loops.Due(r.due[:0], list, &r.block, r.engine.arrays.Cur)
	return r.due
}

func (r *worker[V, A]) side(s *rows.Side) {
	r.block.Off, r.block.Nbr, r.block.Weight, r.block.Wide = s.Off, s.Nbr, s.Weight, s.Wide
}

// gatherPart folds the edges [from, to) of local vertex v, counted over all
// sides.
func (r *worker[V, A]) gatherPart(s rows.Shard, v int, from, to uint64) A {
	acc := r.sums(1)
	first := r.block.First
	r.block.First = first + uint32(v)
	for _, side := range s {
		lo, hi := side.Off[v], side.Off[v+1]
		n := uint64(hi - lo)
		if from < n && from < to {
			r.side(side)
			r.part = [2]uint32{lo + uint32(from), lo + uint32(min(to, n))}
			r.block.Off = r.part[:]
			r.stats.Edges += uint64(r.engine.loops.Gather(acc, identity[:1], &r.block, r.engine.arrays.Cur))
		}
		from, to = from-min(from, n), to-min(to, n)
	}
	r.block.First = first
	return acc[0]
}

// apply gives the vertices of list, which ascends, their new values.
func (r *worker[V, A]) apply(acc []A, list []uint16) {
	activated, degrees := r.engine.loops.Apply(acc, list, &r.block, r.engine.arrays.Cur, r.engine.arrays.Next, r.rising)
	r.stats.Vertices += uint64(len(list))
	if activated == 0 {
		return
	}
	r.stats.Activated += uint64(activated)
	r.stats.Degrees += degrees
	first := r.block.First
	base := first >> 6
	for w := (first + uint32(list[0])) >> 6; w <= (first+uint32(list[len(list)-1]))>>6; w++ {
		r.engine.arrays.Rising.Or(w, r.rising[w-base])
		r.rising[w-base] = 0
	}
}

// aggregate sums the program's aggregate over a shard's vertices as they stand
// after this step.
func (r *worker[V, A]) aggregate(s *shardSides, w Work) float64 {
	r.enter(s, w)
	n := uint32(s.vertices)
	first := r.block.First
	values := r.engine.arrays.Next[first : first+n]
	if w.Marked {
		r.values = append(r.values[:0], r.engine.arrays.Cur[first:first+n]...)
		for id, ok := r.engine.arrays.Marks.Next(first, first+n); ok; id, ok = r.engine.arrays.Marks.Next(id+1, first+n) {
			r.values[id-first] = r.engine.arrays.Next[id]
		}
		values = r.values
	}
	return r.engine.loops.Aggregate(&r.block, values)
}
