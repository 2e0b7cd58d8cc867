package community

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Best is the best community so far, which all workers of a search share. The zero value has
// none.
type Best struct {
	next atomic.Int64 // k̂ + 1, which only grows

	mu      sync.Mutex // guards the rest, and that next fits it
	members []uint32   // ids outside the problem, ascending
}

// K returns the best minimum degree so far, k̂, or -1 before the first community.
func (b *Best) K() int { return int(b.next.Load()) - 1 }

// Members returns the members of the best community, ascending.
func (b *Best) Members() []uint32 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.members)
}

// Offer takes a community of minimum degree k if it is better than the best one.
func (b *Best) Offer(k int, members []uint32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if k > b.K() {
		b.members = slices.Sorted(slices.Values(members))
		b.next.Store(int64(k) + 1)
	}
}

// check offers C, and C ∪ R where that is not too large, if they are communities.
func (s *State) check(b *Best) {
	if n := len(s.c); s.p.Low <= n && n <= s.p.High {
		s.offer(b, s.c, s.inside, chosen)
	}
	if n := s.size(); s.candidates > 0 && s.p.Low <= n && n <= s.p.High {
		s.scratch = append(append(s.scratch[:0], s.c...), s.r...)
		s.offer(b, s.scratch, s.degree, candidate)
	}
}

// offer offers the subgraph of some vertices, which are those in this place and above it, with
// their degrees there.
func (s *State) offer(b *Best, vertices, degree []uint32, from place) {
	least := degree[vertices[0]]
	for _, v := range vertices {
		least = min(least, degree[v])
	}
	s.p.offer(b, int(least), vertices, func(v uint32) bool { return s.place[v] >= from })
}

// offer offers vertices of minimum degree k, which in tells from others, if they are connected.
func (p *Problem) offer(b *Best, k int, vertices []uint32, in func(v uint32) bool) {
	if k <= b.K() || !p.connected(len(vertices), in) {
		return
	}
	members := make([]uint32, len(vertices))
	for i, v := range vertices {
		members[i] = p.IDs[v]
	}
	b.Offer(k, members)
}

// connected reports whether the n vertices that are in, the query vertex among them, are connected.
func (p *Problem) connected(n int, in func(v uint32) bool) bool {
	reached, seen := []uint32{p.Query}, map[uint32]bool{p.Query: true}
	for i := 0; i < len(reached); i++ {
		for _, u := range p.Row(reached[i]) {
			if !seen[u] && in(u) {
				seen[u] = true
				reached = append(reached, u)
			}
		}
	}
	return len(reached) == n
}
