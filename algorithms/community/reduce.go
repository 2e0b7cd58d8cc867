package community

// Reduce applies the reductions (section 4.1) until they change nothing more. It reports false
// when no H with C ⊆ H ⊆ C ∪ R has a minimum degree above k. When there is no time left, what it
// reports means nothing.
func (s *State) Reduce(k int) bool {
	for {
		size, left := len(s.c), s.candidates
		s.low = s.low[:0]
		s.reduceDegree(k)
		if !s.reduceCore(k) || !s.reduceInclusion(k) {
			return false
		}
		if s.grown {
			if !s.reduceDistance(k) {
				return false
			}
			s.reduceReach(k)
			if !s.reduceCommon(k) {
				return false
			}
			s.grown = false
		}
		if len(s.c) == size && s.candidates == left || s.isLate() {
			s.sweep()
			return true
		}
	}
}

// reduceDegree drops v ∈ R with min{d_C∪R(v), d_C(v) + h − |C| − 1} ≤ k: even with all
// vertices that H may still get as its neighbours, it has too few.
func (s *State) reduceDegree(k int) {
	more := s.p.High - len(s.c) - 1
	s.dropWhere(k, func(v uint32) bool { return int(s.degree[v]) <= k || int(s.inside[v])+more <= k })
}

// reduceCore keeps the core inside C ∪ R: it drops what has at most k neighbours there, and
// reports whether all of C stays.
func (s *State) reduceCore(k int) bool {
	for _, v := range s.c {
		if int(s.degree[v]) <= k {
			return false
		}
	}
	for _, v := range s.r {
		if s.place[v] == candidate && int(s.degree[v]) <= k {
			s.low = append(s.low, v)
		}
	}
	for len(s.low) > 0 && !s.isLate() {
		v := s.low[len(s.low)-1]
		s.low = s.low[:len(s.low)-1]
		switch s.place[v] {
		case chosen:
			return false
		case candidate:
			s.drop(v, k)
		}
	}
	return true
}

// reduceInclusion moves all neighbours of u ∈ C to C where d_C∪R(u) = k + 1: H has all of them.
// It reports whether C is not too large then.
func (s *State) reduceInclusion(k int) bool {
	for i := 0; i < len(s.c); i++ { // which grows
		u := s.c[i]
		if int(s.degree[u]) != k+1 || s.inside[u] == s.degree[u] || s.isLate() {
			continue
		}
		for _, v := range s.p.Row(u) {
			if s.place[v] == candidate {
				s.choose(v)
			}
		}
		if len(s.c) > s.p.High {
			return false
		}
	}
	return true
}

// reduceDistance drops what is farther from the vertex that was chosen last, inside C ∪ R, than
// the diameter of a graph with minimum degree k + 1 and h vertices. It reports whether all of
// C is near enough.
func (s *State) reduceDistance(k int) bool {
	d := Diameter(k+1, s.p.High)
	s.spread(s.c[len(s.c)-1:], d)
	for _, v := range s.c {
		if s.score[v] == 0 {
			return false
		}
	}
	s.dropUnreached(k)
	return true
}

// reduceReach drops what is farther from C, inside C ∪ R, than k̂ + d ≤ h − |C| allows. For
// d ≥ 2, the k̂ + 2 vertices of the neighbourhood of v with v itself are at distances of d − 1
// and more, and H has a vertex at each of the distances 1 to d − 2. It is not in the paper.
func (s *State) reduceReach(k int) {
	d := max(1, s.p.High-len(s.c)-k)
	s.spread(s.c, d)
	s.dropUnreached(k)
}

// reduceCommon drops v ∈ R if with it a u ∈ C cannot get what it lacks: u needs a more neighbours
// beside v and v needs b, which are a + b vertices less their common neighbours in R, and H has room
// for h − |C| − 1. It reports false when two vertices of C cannot both get what they lack. For
// C = {u} it says that neighbours in H have 2k − h common ones there, others 2k − h + 2. It is not in the
// paper.
func (s *State) reduceCommon(k int) bool {
	more := s.p.High - len(s.c)
	lacks := func(v uint32) int { return max(0, k+1-int(s.inside[v])) }
	s.score = resize(s.score, s.p.N)
	const next = 1 << 32 // to u, beside the number of common neighbours
	for _, u := range s.c {
		a := lacks(u)
		if a == 0 || a+k+1 < more {
			continue
		}
		clear(s.score)
		for _, w := range s.p.Row(u) {
			if s.place[w] != candidate {
				continue
			}
			if s.isLate() {
				return true
			}
			s.score[w] += next
			for _, v := range s.p.Row(w) {
				s.score[v]++
			}
		}
		for _, v := range s.c {
			if v != u && a+lacks(v) > more+int(uint32(s.score[v])) {
				return false
			}
		}
		s.dropWhere(k, func(v uint32) bool {
			return a-int(s.score[v]>>32)+lacks(v) > more-1+int(uint32(s.score[v]))
		})
	}
	return true
}

// spread leaves score above 0 where vertices of C ∪ R have a distance of at most d from the
// given ones.
func (s *State) spread(from []uint32, d int) {
	s.score = resize(s.score, s.p.N)
	clear(s.score)
	reached := s.scratch[:0]
	reached = append(reached, from...)
	for _, v := range reached {
		s.score[v] = 1
	}
	for begin := 0; d > 0 && begin < len(reached) && len(reached) < s.size(); d-- {
		end := len(reached)
		for _, v := range reached[begin:end] {
			if s.isLate() {
				break
			}
			for _, u := range s.p.Row(v) {
				if s.score[u] == 0 && s.place[u] != outside {
					s.score[u] = 1
					reached = append(reached, u)
				}
			}
		}
		begin = end
	}
	s.scratch = reached[:0]
}

// dropUnreached drops the candidates whose score is 0.
func (s *State) dropUnreached(k int) {
	s.dropWhere(k, func(v uint32) bool { return s.score[v] == 0 })
}
