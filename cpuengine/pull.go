package cpuengine

import (
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
)

// run is the work on one chunk or shard by one goroutine.
type run[V, A any] struct {
	*Engine[V, A]
	shard *page.Shard
	work  Work
	stats Stats
	word  uint32 // of Arrays.Rising, collected in bits
	bits  uint64
}

func (e *Engine[V, A]) run(s *page.Shard, w Work) *run[V, A] {
	return &run[V, A]{Engine: e, shard: s, work: w}
}

// done publishes the active bits collected so far and gives the counts.
func (r *run[V, A]) done() Stats {
	r.arrays.Rising.Or(r.word, r.bits)
	r.bits = 0
	return r.stats
}

// chunk gathers the edges of a chunk and applies the vertices that lie wholly
// in it.
func (r *run[V, A]) chunk(c *chunk, p *partial[A]) {
	first := r.shard.Sides[0].First
	if headEnd := min(c.to, combined(r.shard, c.begin)); headEnd > c.from {
		if v := c.begin - 1; r.due(first + uint32(v)) {
			base := combined(r.shard, v)
			p.head, p.hasHead = r.gather(v, c.from-base, headEnd-base), true
		}
	}
	for v := c.begin; v < c.end; v++ {
		id := first + uint32(v)
		if r.work.Marked {
			next, ok := r.arrays.Marks.Next(id, first+uint32(c.end))
			if !ok {
				return
			}
			v, id = int(next-first), next
		}
		if !r.due(id) {
			r.arrays.Next[id] = r.arrays.Cur[id]
			continue
		}
		switch from, to := combined(r.shard, v), combined(r.shard, v+1); {
		case from == to:
			r.apply(v, r.zero)
		case to > c.to:
			p.tail, p.hasTail = r.gather(v, 0, c.to-from), true
			return // the last one that begins here
		default:
			r.apply(v, r.gather(v, 0, to-from))
		}
	}
}

// merge completes the vertices of the i-th shard of the page that chunk borders
// cut.
func (r *run[V, A]) merge(i int) {
	chunks, partials := r.chunks[r.starts[i]:r.starts[i+1]], r.partials[r.starts[i]:r.starts[i+1]]
	for k := range chunks {
		if !partials[k].hasTail {
			continue
		}
		acc, v := partials[k].tail, chunks[k].end-1
		for j := k + 1; j < len(chunks) && chunks[j].begin == v+1 && partials[j].hasHead; j++ {
			acc = r.program.Sum(acc, partials[j].head)
			if chunks[j].end > chunks[j].begin {
				break
			}
		}
		r.apply(v, acc)
	}
}

// due reports whether a vertex has to be gathered: it is marked, where that
// counts, and not settled.
func (r *run[V, A]) due(id uint32) bool {
	if r.work.Marked && !r.arrays.Marks.Has(id) {
		return false
	}
	return r.settleable == nil || !r.settleable.Settled(r.arrays.Cur[id], r.work.Step)
}

// gather folds the edges [from, to) of local vertex v, counted over all sides.
func (r *run[V, A]) gather(v int, from, to uint64) A {
	acc := r.zero
	dst := r.arrays.Cur[r.shard.Sides[0].First+uint32(v)]
	for k := range r.shard.Sides {
		side := &r.shard.Sides[k]
		lo, hi := uint64(side.Off[v]), uint64(side.Off[v+1])
		n := hi - lo
		if from < n && from < to {
			var used int
			acc, used = r.fold(acc, side, lo+from, lo+min(to, n), dst)
			r.stats.Edges += uint64(used)
			if k+1 < len(r.shard.Sides) && r.saturable != nil && r.saturable.Saturated(acc, r.work.Step) {
				break
			}
		}
		from, to = from-min(from, n), to-min(to, n)
	}
	return acc
}

// fold is the inner loop: acc plus the edges [lo, hi) of a side, and how many
// of them were needed.
func (r *run[V, A]) fold(acc A, side *shard.Side, lo, hi uint64, dst V) (A, int) {
	p, cur, sources := r.program, r.arrays.Cur, side.Nbr[lo:hi]
	edge := gas.Edge{Weight: 1}
	if r.saturable == nil && side.Weight == nil {
		for _, u := range sources {
			acc = p.Sum(acc, p.Gather(cur[u], edge, dst))
		}
		return acc, len(sources)
	}
	var weights []float32
	if side.Weight != nil {
		weights = side.Weight[lo:hi]
	}
	for i, u := range sources {
		if weights != nil {
			edge.Weight = weights[i]
		}
		acc = p.Sum(acc, p.Gather(cur[u], edge, dst))
		if r.saturable != nil && r.saturable.Saturated(acc, r.work.Step) {
			return acc, i + 1
		}
	}
	return acc, len(sources)
}

// apply gives local vertex v its new value.
func (r *run[V, A]) apply(v int, acc A) {
	vertex := r.vertex(v)
	id := vertex.ID
	old := r.arrays.Cur[id]
	value := r.program.Apply(vertex, old, acc, r.work.Step)
	r.arrays.Next[id] = value
	r.stats.Vertices++
	if !r.program.Activate(vertex, old, value) {
		return
	}
	r.stats.Activated++
	r.stats.Degrees += uint64(r.arrays.Degree[id])
	if w := id >> 6; w != r.word {
		r.arrays.Rising.Or(r.word, r.bits)
		r.word, r.bits = w, 0
	}
	r.bits |= 1 << (id & 63)
}

// aggregate sums the program's aggregate over the shard's vertices as they
// stand after this step.
func (r *run[V, A]) aggregate() float64 {
	var sum float64
	for v := range r.shard.Sides[0].Vertices() {
		vertex := r.vertex(v)
		value := r.arrays.Cur[vertex.ID]
		if !r.work.Marked || r.arrays.Marks.Has(vertex.ID) {
			value = r.arrays.Next[vertex.ID]
		}
		sum += r.aggregable.Aggregate(vertex, value)
	}
	return sum
}

// vertex is what the program may know of local vertex v.
func (r *run[V, A]) vertex(v int) gas.Vertex {
	side := &r.shard.Sides[0]
	id := side.First + uint32(v)
	here := side.Off[v+1] - side.Off[v]
	x := gas.Vertex{ID: id, N: r.arrays.N, In: here, Out: r.arrays.Degree[id]}
	switch {
	case r.symmetric:
		x.Out = here
	case r.direction == gas.Out:
		x.In, x.Out = r.arrays.Degree[id], here
	case r.direction == gas.Both:
		x.Out = r.shard.Sides[1].Off[v+1] - r.shard.Sides[1].Off[v]
	}
	return x
}
