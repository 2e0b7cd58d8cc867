package community

import "slices"

// Bounded reports whether an upper bound (section 4.2) shows that no H with C ⊆ H ⊆ C ∪ R has a
// minimum degree above k, cheapest first. Bounds answer the question "is k + 1 out of reach?"
// and not "what is the largest minimum degree?", which takes a search for it.
func (s *State) Bounded(k int) bool {
	return s.degreeBound(k) || s.neighbourBound(k) || s.classBound(k)
}

// degreeBound: the least d_C(u) + min{h − |C|, neighbours of u in R} over u ∈ C.
func (s *State) degreeBound(k int) bool {
	more := s.p.High - len(s.c)
	for _, u := range s.c {
		in := int(s.inside[u])
		if in+min(more, int(s.degree[u])-in) <= k {
			return true
		}
	}
	return false
}

// neighbourBound is neighbour reconstruction: the h − |C| candidates with the most neighbours in
// C may give their edges to any vertices of C, to different ones each. By the theorem of Gale
// and Ryser all u ∈ C can get the a(u) = k + 1 − d_C(u) edges that they lack if and only if, for
// every j, the j largest a(u) are no more than Σ min{j, d_C(v)} over these candidates.
func (s *State) neighbourBound(k int) bool {
	lacks := s.scratch[:0]
	for _, u := range s.c {
		if in := int(s.inside[u]); in <= k {
			lacks = append(lacks, uint32(k+1-in))
		}
	}
	s.scratch = lacks[:0]
	if len(lacks) == 0 {
		return false
	}
	slices.SortFunc(lacks, func(a, b uint32) int { return int(b) - int(a) })
	s.counts = resize(s.counts, len(s.c)+1)
	with := s.counts // candidates, by neighbours in C
	clear(with)
	for _, v := range s.r {
		with[s.inside[v]]++
	}
	need := 0
	for j, a := range lacks {
		need += int(a)
		if need > edges(with, s.p.High-len(s.c), j+1) {
			return true
		}
	}
	return false
}

// edges is Σ min{most, i} over the given number of candidates with the largest i; with[i] is how
// many have i.
func edges(with []int32, candidates, most int) (sum int) {
	for i := len(with) - 1; i > 0 && candidates > 0; i-- {
		n := min(candidates, int(with[i]))
		sum += n * min(i, most)
		candidates -= n
	}
	return sum
}

// classBound is degree classification: the vertices of C with fewer than j neighbours in C are
// class j. They lack Σ (k + 1 − d_C(u)) edges, and the h − |C| candidates with the most
// neighbours in the class bring no more than these. The classes j ≤ k + 1 are looked at.
// It is the idea of the paper's bound in a form of its own.
func (s *State) classBound(k int) bool {
	brings := resize(s.score, s.p.N) // by candidate
	s.score = brings
	s.counts = resize(s.counts, len(s.c)+1)
	with := s.counts
	for j := uint32(1); int(j) <= k+1; j++ {
		need, reached := 0, s.scratch[:0]
		smaller := false
		for _, u := range s.c {
			if s.inside[u] >= j {
				continue
			}
			need += k + 1 - int(s.inside[u])
			smaller = smaller || s.inside[u] == j-1
		}
		if !smaller { // the class is that of j-1
			continue
		}
		for _, v := range s.r {
			brings[v] = 0
		}
		for _, u := range s.c {
			if s.inside[u] >= j {
				continue
			}
			for _, v := range s.p.Row(u) {
				if s.place[v] == candidate {
					if brings[v] == 0 {
						reached = append(reached, v)
					}
					brings[v]++
				}
			}
		}
		clear(with)
		for _, v := range reached {
			with[brings[v]]++
		}
		s.scratch = reached[:0]
		if need > edges(with, s.p.High-len(s.c), len(s.c)) {
			return true
		}
	}
	return false
}
