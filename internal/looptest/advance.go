package looptest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/internal/bitset"
)

// plainAdvance adds the loops over frontiers, for one goroutine.
func plainAdvance[V, A any](l *compiled.Loops[V, A]) {
	p := l.Program
	if _, ok := p.(gas.Monotone); !ok {
		return
	}
	// improve has the ends of u's edges apply what it sends.
	improve := func(a *compiled.Advance, b *compiled.Block, u uint32, from V, cur []V, changed func(v uint32)) {
		var dst V
		to, edges := row(a.Rows, u)
		if a.Cut {
			to, edges = to[a.From:a.To], edges[a.From:a.To]
		}
		for k, v := range to {
			x, old := b.Vertex(int(v)), cur[v]
			value := p.Apply(x, old, p.Gather(from, edges[k], dst), b.Step)
			if p.Activate(x, old, value) {
				cur[v] = value
				changed(v)
			}
		}
		a.Edges += uint64(len(to))
		a.Vertices++
	}
	l.Push = func(a *compiled.Advance, b *compiled.Block, list []uint32, from, cur []V) {
		for i, u := range list {
			improve(a, b, u, from[i], cur, a.Add)
		}
	}
	if prioritized, ok := p.(gas.Prioritized[V]); ok {
		l.Relax = func(a *compiled.Advance, b *compiled.Block, list []uint32, cur []V) {
			for _, u := range list {
				if !a.Passed(prioritized.Priority(cur[u])) {
					improve(a, b, u, cur[u], cur, func(v uint32) { a.Put(v, prioritized.Priority(cur[v])) })
				}
			}
		}
	}
	plainSeek(l)
}

// plainSeek adds the loop of vertices that look for active ones.
func plainSeek[V, A any](l *compiled.Loops[V, A]) {
	p := l.Program
	saturable, saturates := p.(gas.Saturable[A])
	settleable, settles := p.(gas.Settleable[V])
	if !saturates || !settles {
		return
	}
	l.Seek = func(a *compiled.Advance, b *compiled.Block, begin, end uint32, cur, next []V) {
		var dst V
		for v := begin; v < end; v++ {
			if settleable.Settled(cur[v], b.Step) {
				continue
			}
			acc, found := p.Zero(), false
			to, edges := row(a.In, v)
			for k, u := range to {
				a.Edges++
				if !a.Active.Has(u) {
					continue
				}
				found = true
				if acc = p.Sum(acc, p.Gather(cur[u], edges[k], dst)); saturable.Saturated(acc, b.Step) {
					break
				}
			}
			a.Vertices++
			x := b.Vertex(int(v))
			value := p.Apply(x, cur[v], acc, b.Step)
			if !found || !p.Activate(x, cur[v], value) {
				continue
			}
			a.Bits.Add(v)
			a.Found++
			a.Degrees += uint64(b.Degree[v])
			if a.Active.Has(v) {
				next[v], a.Deferred = value, append(a.Deferred, v)
			} else {
				cur[v] = value
			}
		}
	}
}

// row is the other ends of a vertex's edges, and what Gather is to see of these.
func row(r *frontier.Rows, v uint32) (to []uint32, edges []gas.Edge) {
	for k := r.Off[v]; k < r.Off[v+1]; k++ {
		if r.Arcs != nil {
			to, edges = append(to, r.Arcs[k].To), append(edges, gas.Edge{Weight: r.Arcs[k].Weight})
		} else {
			to, edges = append(to, r.Nbr[k]), append(edges, gas.Edge{Weight: 1})
		}
	}
	return to, edges
}

// rows are the block's edges as those of all vertices of the graph, with weights where
// loops read these.
func (b *block[V]) rows(t *rapid.T, weighs bool) *frontier.Rows {
	n, edges := int(b.N), uint64(len(b.Nbr))
	r := &frontier.Rows{Nbr: b.Nbr, Off: rapid.SliceOfN(rapid.Uint64Range(0, edges), n+1, n+1).Draw(t, "offsets of rows")}
	slices.Sort(r.Off)
	r.Off[0], r.Off[n] = 0, edges
	if weighs && b.Weight != nil {
		r.Nbr, r.Arcs = nil, make([]frontier.Arc, edges)
		for k := range r.Arcs {
			r.Arcs[k] = frontier.Arc{To: b.Nbr[k], Weight: b.Weight[k]}
		}
	}
	return r
}

// advanced is all that a loop over a frontier changes.
type advanced[V any] struct {
	Cur, Next                       []V
	Queue, Deferred                 []uint32
	Buckets                         [][]uint32
	Bits                            bitset.Set
	Edges, Vertices, Found, Degrees uint64
}

// advance runs a loop over a frontier.
func advance[V, A any](b *block[V], rows *frontier.Rows, active bitset.Set, alone bool, l compiled.Loops[V, A],
	run func(l compiled.Loops[V, A], a *compiled.Advance, s *compiled.Block, cur, next []V)) advanced[V] {
	queue := frontier.NewQueue(make([]uint32, b.N))
	a := &compiled.Advance{Rows: rows, In: rows, Seeking: compiled.Seeking{Active: active}}
	a.Collector = frontier.Collector{Queue: queue, Bits: make(bitset.Set, bitset.Words(b.N)), Degree: b.Degree, Alone: alone}
	a.Begin(1, 2)
	a.Now = 1
	cur, next := slices.Clone(b.cur), make([]V, b.N)
	run(l, a, &compiled.Block{N: b.N, Step: b.Step, Degree: b.Degree, In: b.In, Out: b.Out}, cur, next)
	a.Flush()
	got := advanced[V]{cur, next, queue.List(), a.Deferred, nil, a.Bits, a.Edges, a.Vertices, a.Found, a.Degrees}
	for i := range frontier.Far + 1 {
		got.Buckets = append(got.Buckets, a.Take(i, nil))
	}
	return got
}

// compareAdvance compares the loops over frontiers.
func compareAdvance[V, A any](t *rapid.T, got, want compiled.Loops[V, A], b *block[V], same func(what string, x, y any)) {
	same("has Push, Relax, Seek", []bool{got.Push != nil, got.Relax != nil, got.Seek != nil}, []bool{want.Push != nil, want.Relax != nil, want.Seek != nil})
	if !got.Weighs {
		for k, u := range b.Nbr {
			weight := gas.Edge{Weight: 1 + float32(k)}
			same("Gather without Weighs", want.Program.Gather(b.cur[u], weight, b.cur[0]), want.Program.Gather(b.cur[u], gas.Edge{Weight: 1}, b.cur[0]))
		}
	}
	if want.Push == nil || !compiled.CanReplace[V]() {
		return
	}
	rows, active := b.rows(t, got.Weighs), make(bitset.Set, bitset.Words(b.N))
	list := rapid.SliceOfNDistinct(rapid.Uint32Range(0, b.N-1), 0, int(b.N), rapid.ID).Draw(t, "frontier")
	from := make([]V, len(list))
	for i, u := range list {
		active.Add(u)
		from[i] = b.cur[u]
	}
	alone := rapid.Bool().Draw(t, "alone")
	check := func(name string, run func(l compiled.Loops[V, A], a *compiled.Advance, s *compiled.Block, cur, next []V)) {
		same(name, advance(b, rows, active, alone, got, run), advance(b, rows, active, alone, want, run))
	}
	check("Push", func(l compiled.Loops[V, A], a *compiled.Advance, s *compiled.Block, cur, _ []V) {
		if len(list) == 1 {
			degree := rows.Off[list[0]+1] - rows.Off[list[0]]
			a.Cut, a.From, a.To = true, degree/3, degree-degree/3
		}
		l.Push(a, s, list, from, cur)
	})
	if want.Relax != nil {
		check("Relax", func(l compiled.Loops[V, A], a *compiled.Advance, s *compiled.Block, cur, _ []V) {
			l.Relax(a, s, list, cur)
		})
	}
	if want.Seek != nil {
		alike := len(list) > 0 && rapid.Bool().Draw(t, "alike")
		check("Seek", func(l compiled.Loops[V, A], a *compiled.Advance, s *compiled.Block, cur, next []V) {
			if alike {
				a.Alike, a.First = true, list[0]
				for _, u := range list {
					cur[u] = cur[list[0]]
				}
			}
			l.Seek(a, s, 0, s.N, cur, next)
		})
	}
}
