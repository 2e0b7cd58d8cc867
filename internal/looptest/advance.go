package looptest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/internal/bitset"
)

// rows returns the block's edges as those of all vertices of the graph, with weights where
// loops read these.
func (b *block[V]) rows(t *rapid.T, weighs bool) *frontier.Rows {
	n, edges := int(b.N), uint64(len(b.Nbr))
	r := &frontier.Rows{Nbr: b.Nbr, Off: rapid.SliceOfN(rapid.Uint64Range(0, edges), n+1, n+1).Draw(t, "offsets of rows")}
	slices.Sort(r.Off)
	r.Off[0], r.Off[n] = 0, edges
	switch {
	case weighs && b.Wide != nil:
		r.Wide = b.Wide
	case weighs && b.Weight != nil:
		r.Nbr, r.Arcs = nil, make([]frontier.Arc, edges)
		for k := range r.Arcs {
			r.Arcs[k] = frontier.Arc{To: b.Nbr[k], Weight: b.Weight[k]}
		}
	}
	return r
}

// advanced is all that a loop over a frontier changes.
type advanced[V any] struct {
	Cur                      []V
	Queue                    []uint32
	Buckets                  [][]uint32
	Bits                     bitset.Set
	Edges, Vertices, Degrees uint64
}

// advance runs a loop over a frontier.
func advance[V, A any](b *block[V], rows *frontier.Rows, alone bool, l compiled.Loops[V, A],
	run func(l compiled.Loops[V, A], a *compiled.Advance, s *compiled.Block, cur []V)) advanced[V] {
	queue := frontier.NewQueue(make([]uint32, b.N))
	a := &compiled.Advance{Rows: rows}
	a.Next = frontier.Collector{Queue: queue, Bits: make(bitset.Set, bitset.Words(b.N)), Degree: b.Degree, Alone: alone}
	a.Buckets.Begin(1, 2)
	a.Buckets.Now = 1
	cur := slices.Clone(b.cur)
	run(l, a, &compiled.Block{N: b.N, Step: b.Step, Degree: b.Degree, In: b.In, Out: b.Out}, cur)
	a.Next.Flush()
	got := advanced[V]{cur, queue.List(), nil, a.Next.Bits, a.Edges, a.Vertices, a.Next.Degrees}
	for i := range frontier.Far + 1 {
		got.Buckets = append(got.Buckets, a.Buckets.Take(i, nil))
	}
	return got
}

// compareAdvance compares the loops over frontiers.
func compareAdvance[V, A any](
	t *rapid.T, got, want compiled.Loops[V, A], b *block[V], same func(what string, x, y any),
) {
	if !got.Weighs {
		for k, u := range b.Nbr {
			weight := gas.Edge{Weight: 1 + float64(k)}
			same("Gather without Weighs", want.Program.Gather(b.cur[u], weight, b.cur[0]),
				want.Program.Gather(b.cur[u], gas.Edge{Weight: 1}, b.cur[0]))
		}
	}
	if m, ok := want.Program.(gas.Monotone); ok != (got.Push != nil) {
		t.Fatalf("%T has Push: %v", want.Program, !ok)
	} else if !ok || !m.Monotone() || !compiled.CanReplace[V]() {
		return
	}
	same("has Relax", got.Relax != nil, want.Relax != nil)
	rows := b.rows(t, got.Weighs)
	list := rapid.SliceOfNDistinct(rapid.Uint32Range(0, b.N-1), 0, int(b.N), rapid.ID).Draw(t, "frontier")
	from := make([]V, len(list))
	for i, u := range list {
		from[i] = b.cur[u]
	}
	alone := rapid.Bool().Draw(t, "alone")
	check := func(name string, run func(l compiled.Loops[V, A], a *compiled.Advance, s *compiled.Block, cur []V)) {
		same(name, advance(b, rows, alone, got, run), advance(b, rows, alone, want, run))
	}
	check("Push", func(l compiled.Loops[V, A], a *compiled.Advance, s *compiled.Block, cur []V) {
		if len(list) == 1 {
			degree := rows.Off[list[0]+1] - rows.Off[list[0]]
			a.Cut, a.From, a.To = true, degree/3, degree-degree/3
		}
		l.Push(a, s, list, from, cur)
	})
	if want.Relax != nil {
		check("Relax", func(l compiled.Loops[V, A], a *compiled.Advance, s *compiled.Block, cur []V) {
			l.Relax(a, s, list, cur)
		})
	}
}
