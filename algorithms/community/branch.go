package community

// scoreUnit is divided by degrees to get scores: by all up to 16 without a rest, so that scores
// are integers, the same in any order and on any processor.
const scoreUnit = 720720

// Pick returns u* (section 4.3): the candidate with the largest Σ 1/d_C(u) over its neighbours u
// in C, then the largest d_C∪R, then the least id; false when no candidate has a neighbour in C.
func (s *State) Pick() (best uint32, ok bool) {
	s.score = resize(s.score, s.p.N)
	reached := s.scratch[:0]
	for _, v := range s.r {
		s.score[v] = 0
	}
	for _, u := range s.c {
		w := scoreUnit / uint64(max(1, s.inside[u]))
		for _, v := range s.p.Row(u) {
			if s.place[v] == candidate {
				if s.score[v] == 0 {
					reached = append(reached, v)
				}
				s.score[v] += w
			}
		}
	}
	for _, v := range reached {
		if !ok || s.better(v, best) {
			best, ok = v, true
		}
	}
	s.scratch = reached[:0]
	return best, ok
}

// pickTight returns, after [State.Pick] has scored all candidates, the best one next to the vertex of C that
// has the fewest neighbours in R beside those that it lacks: soon none of these is left to be
// dropped, and all of them move to C. Where no vertex can get what it lacks, it is u. It is not in the paper.
func (s *State) pickTight(u uint32, k int) uint32 {
	tight, least := absent, 0
	for _, c := range s.c {
		lacks := k + 1 - int(s.inside[c])
		if spare := int(s.degree[c]) - k - 1; lacks > 0 && s.degree[c] > s.inside[c] && (tight == absent || spare < least) {
			tight, least = c, spare
		}
	}
	if tight == absent {
		return u
	}
	u = absent
	for _, v := range s.p.Row(tight) {
		if s.place[v] == candidate && (u == absent || s.better(v, u)) {
			u = v
		}
	}
	return u
}

func (s *State) better(v, than uint32) bool {
	switch {
	case s.score[v] != s.score[than]:
		return s.score[v] > s.score[than]
	case s.degree[v] != s.degree[than]:
		return s.degree[v] > s.degree[than]
	}
	return v < than
}

// Dominated appends the candidates that u ∈ R dominates: all their neighbours in C ∪ R are
// neighbours of u, or u. In an H with such a vertex and without u, u can take its place.
func (s *State) Dominated(to []uint32, u uint32) []uint32 {
	s.score = resize(s.score, s.p.N)
	near := s.score // 1: u and its neighbours
	clear(near)
	near[u] = 1
	for _, v := range s.p.Row(u) {
		near[v] = 1
	}
	for _, v := range s.r {
		if s.place[v] == candidate && v != u && s.degree[v] <= s.degree[u] && s.all(v, near) {
			to = append(to, v)
		}
	}
	return to
}

// all reports whether all neighbours of v in C ∪ R are marked.
func (s *State) all(v uint32, marked []uint64) bool {
	for _, w := range s.p.Row(v) {
		if s.place[w] != outside && marked[w] == 0 {
			return false
		}
	}
	return true
}

// A node with u* and the vertices u1, …, ut that it dominates has two children, which have all H
// between them:
//
//	0   (C + u*, R − u*)            H has u*
//	1   (C, R − u* − u1 … ut)       H does not have u*, and so needs none of the others
//
// The paper divides the first one further, by the dominated vertices that H has, which is
// slower; the code that was published with it leaves one of these out, and with it some optima.
const children = 2

// Child makes the state its child i.
func (s *State) Child(u uint32, dominated []uint32, i int) {
	if i == 0 {
		s.choose(u)
	} else {
		const none = -1
		s.drop(u, none)
		for _, v := range dominated {
			s.drop(v, none)
		}
	}
	s.low = s.low[:0]
}
