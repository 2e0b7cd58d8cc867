package community

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/store"
)

// baseVisitor makes a base of a graph: in passes or with the rows of the whole graph in memory,
// and with a part of the room that all of it takes.
type baseVisitor struct {
	passes bool
	part   int64
	made   func(b *base)
}

func (v baseVisitor) Plan(g *store.Catalogue, threads int) algorithms.Plan {
	p := (&finder{}).Plan(g, threads)
	if v.passes {
		return *p.Less
	}
	if v.part > 1 { // all arrays of a base beside the rows
		p.Arrays = p.Less.Arrays
		p.Arrays = append(p.Arrays, algorithms.Array{Name: "lists", Bytes: 12 * int64(g.Vertices)})
	}
	return p
}

func (v baseVisitor) Visit(ctx context.Context, e *algorithms.Env) error {
	b, err := newBase(ctx, e, "base", 0, wholeSize(e.Graph).bytes()/v.part)
	if err == nil {
		v.made(b)
	}
	return err
}

// TestBase checks that the base has the vertices of the largest core numbers that there is room
// for, and all edges between them, once in each direction; of whichever rows it is made.
func TestBase(t *testing.T) {
	parts := 0
	for seed := range graphs(t, 40, 400) {
		r := rand.New(rand.NewPCG(uint64(seed), 21))
		g := randomGraph(r)
		s := stored(t, g, r)
		for _, v := range []baseVisitor{{false, 1, nil}, {true, 1, nil}, {false, 2, nil}, {true, 2, nil}} {
			v.made = func(b *base) {
				if b.least > 1 {
					parts++
				}
				checkBase(t, g, b)
			}
			err := algorithms.Visit(t.Context(), s, v, algorithms.Options{Threads: 1 + seed%3})
			if err != nil && (v.part == 1 || !errors.Is(err, hostmem.ErrBudget)) {
				t.Fatal(err)
			}
		}
	}
	if parts == 0 {
		t.Error("no base was a part of its graph")
	}
}

func checkBase(t *testing.T, g *graph, b *base) {
	t.Helper()
	rows := make([][]uint32, g.n)
	for _, e := range g.edges {
		if e[0] != e[1] && int(min(b.core[e[0]], b.core[e[1]])) >= b.least {
			rows[e[0]], rows[e[1]] = append(rows[e[0]], e[1]), append(rows[e[1]], e[0])
		}
	}
	arcs := 0
	for v, row := range rows {
		slices.Sort(row)
		row = slices.Compact(row)
		arcs += len(row)
		at, ok := slices.BinarySearch(b.ids, uint32(v))
		if want := int(b.core[v]) >= b.least; ok != want {
			t.Fatalf("vertex %d of core number %d is there: %t; the least is %d", v, b.core[v], ok, b.least)
		}
		if !ok {
			continue
		}
		var got []uint32
		for _, u := range b.row(uint32(at)) {
			got = append(got, b.ids[u])
		}
		if !slices.Equal(got, row) || b.local[at] != absent {
			t.Fatalf("vertex %d: %v, expected %v", v, got, row)
		}
	}
	if b.size != (levelSize{int64(len(b.ids)), int64(arcs)}) || len(b.neighbours) != arcs {
		t.Fatalf("size %+v, expected %d vertices and %d arcs", b.size, len(b.ids), arcs)
	}
}

// TestCores checks that no community has more than the bound that k-cores give, which is met where
// they are offered, and what a k-core shrinks to is a community.
func TestCores(t *testing.T) {
	exact, shrunk := 0, 0
	never := func() bool { return false }
	for seed := range graphs(t, 40, 400) {
		r := rand.New(rand.NewPCG(uint64(seed), 22))
		g := randomGraph(r)
		optima := g.optima()
		queries, want := g.queries(&optima)
		check := func(q Query, best *Best, want int) {
			t.Helper()
			set := uint32(0)
			for _, v := range best.Members() {
				set |= 1 << v
			}
			if n := len(best.Members()); n < q.Low || n > q.High || set&(1<<q.Vertex) == 0 || !g.connected(set) ||
				g.least(set) != best.K() || best.K() > want {
				t.Fatalf("graph %d, %v: %v of minimum degree %d, the best is %d", seed, q, best.Members(), best.K(), want)
			}
		}
		v := baseVisitor{part: 1 + int64(seed)%2, made: func(b *base) {
			for i, q := range queries {
				if int(b.core[q.Vertex]) < b.least {
					continue
				}
				var best Best
				if bound := b.cores(q, &best, never); bound < want[i] || best.K() >= 0 && best.K() != bound {
					t.Fatalf("graph %d, %v: a bound of %d, %d offered, the best is %d", seed, q, bound, best.K(), want[i])
				}
				if best.K() >= 0 {
					exact++
					check(q, &best, want[i])
				}
				all := make([]uint32, len(b.ids))
				for v := range all {
					all[v] = uint32(v)
				}
				best = Best{}
				if shrink(b.induced(q, all), &best, never); best.K() >= 0 {
					shrunk++
					check(q, &best, want[i])
				}
			}
			checkBase(t, g, b)
		}}
		if err := algorithms.Visit(t.Context(), stored(t, g, r), v, algorithms.Options{}); err != nil &&
			!errors.Is(err, hostmem.ErrBudget) {
			t.Fatal(err)
		}
	}
	if exact == 0 || shrunk == 0 {
		t.Errorf("%d k-cores were offered, and %d parts of them", exact, shrunk)
	}
}
