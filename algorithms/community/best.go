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

// K is the best minimum degree so far, k̂; -1: there is no community yet.
func (b *Best) K() int { return int(b.next.Load()) - 1 }

// Members are those of the best community, ascending.
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
	if int(least) <= b.K() || !s.connected(len(vertices), from) {
		return
	}
	members := make([]uint32, len(vertices))
	for i, v := range vertices {
		members[i] = s.p.IDs[v]
	}
	b.Offer(int(least), members)
}

// connected reports whether the n vertices in this place and above it are connected.
func (s *State) connected(n int, from place) bool {
	s.score = resize(s.score, s.p.N)
	clear(s.score)
	reached := make([]uint32, 1, n)
	reached[0] = s.p.Query
	s.score[s.p.Query] = 1
	for i := 0; i < len(reached); i++ {
		for _, u := range s.p.Row(reached[i]) {
			if s.score[u] == 0 && s.place[u] >= from {
				s.score[u] = 1
				reached = append(reached, u)
			}
		}
	}
	return len(reached) == n
}
