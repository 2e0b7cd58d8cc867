package community

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLocal checks that what a local search offers has the size, the minimum degree and the query
// vertex that it should, and a planted community is found.
func TestLocal(t *testing.T) {
	for seed := range graphs(t, 10, 100) {
		r := rand.New(rand.NewPCG(uint64(seed), 17))
		edges := planted(r, 3000, 8)
		p := newProblem(3000, edges, 0, 6, 12)
		var best Best
		improve(p, &best, 11, nil)
		if err := isCommunity(p, best.Members(), best.K()); err != nil {
			t.Fatal(err)
		}
		if best.K() < 7 {
			t.Errorf("seed %d: minimum degree %d, a community of 7 was planted", seed, best.K())
		}
	}
}

// planted are 4·n edges at random, and all between the first k vertices.
func planted(r *rand.Rand, n uint32, k uint32) (edges [][2]uint32) {
	for range 4 * n {
		edges = append(edges, [2]uint32{r.Uint32N(n), r.Uint32N(n)})
	}
	for u := range k {
		for v := range u {
			edges = append(edges, [2]uint32{u, v})
		}
	}
	return edges
}

// isCommunity counts the degrees of members again.
func isCommunity(p *Problem, members []uint32, k int) error {
	if n := len(members); n < p.Low || n > p.High || !slices.Contains(members, p.Query) {
		return fmt.Errorf("%d members: %v", n, members)
	}
	least := p.N
	reached := []uint32{p.Query}
	for i := 0; i < len(reached); i++ {
		degree := 0
		for _, u := range p.Row(reached[i]) {
			if slices.Contains(members, u) {
				degree++
				if !slices.Contains(reached, u) {
					reached = append(reached, u)
				}
			}
		}
		least = min(least, degree)
	}
	if least != k || len(reached) != len(members) {
		return fmt.Errorf("%v: minimum degree %d, %d of them connected; %d was offered", members, least, len(reached), k)
	}
	return nil
}

// TestBall checks that a ball has vertices of the base only once, is connected, and leaves the base
// as it was.
func TestBall(t *testing.T) {
	const n = 6000
	r := rand.New(rand.NewPCG(1, 17))
	g := newProblem(n, planted(r, n, 8), 5, 6, 12)
	b := &base{core: make([]uint32, n), ids: g.IDs, neighbours: g.Neighbours, local: make([]uint32, n)}
	for _, at := range g.Offsets {
		b.offsets = append(b.offsets, uint64(at))
	}
	for v := range b.local {
		b.local[v] = absent
	}
	p := b.ball(Query{5, 6, 12})
	if p.N != ballVertices || p.IDs[p.Query] != 5 || !slices.IsSorted(p.IDs) ||
		len(slices.Compact(slices.Clone(p.IDs))) != p.N {
		t.Fatalf("%d vertices around vertex %d", p.N, p.IDs[p.Query])
	}
	for v := range uint32(p.N) {
		for _, u := range p.Row(v) {
			if _, ok := slices.BinarySearch(g.Row(p.IDs[v]), p.IDs[u]); !ok {
				t.Fatalf("%d and %d are no neighbours", p.IDs[v], p.IDs[u])
			}
		}
	}
	if !p.connected(p.N, func(uint32) bool { return true }) {
		t.Error("a ball is not connected")
	}
	if slices.ContainsFunc(b.local, func(l uint32) bool { return l != absent }) {
		t.Error("local ids of a ball are left")
	}
}
