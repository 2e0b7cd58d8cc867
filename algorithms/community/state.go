package community

import "slices"

// where a vertex of a problem is.
type place uint8

const (
	outside   place = iota
	candidate       // in R
	chosen          // in C
)

// State is a node (C, R) of the search with the degrees of its vertices. It belongs to one
// worker; its arrays are kept for the next node.
type State struct {
	p          *Problem
	place      []place
	c          []uint32 // C, in the order in which vertices were chosen
	r          []uint32 // R, and vertices that were in it until the last sweep
	candidates int      // |R|
	degree     []uint32 // d_C∪R of the vertices in C ∪ R
	inside     []uint32 // d_C
	grown      bool     // C got vertices since the distances were looked at

	// late, when not nil, reports whether there is no time left, from when on it does so always. What is
	// being counted then remains wrong, so that C and R must not change any more: they are an open node.
	late func() bool

	low     []uint32 // vertices that have just come to have k̂ neighbours
	scratch []uint32
	score   []uint64
	counts  []int32
}

// Load makes the state of a task. Its cost is that of reading all rows of C ∪ R.
func (s *State) Load(p *Problem, t Task) {
	s.p = p
	s.place = resize(s.place, p.N)
	s.degree, s.inside = resize(s.degree, p.N), resize(s.inside, p.N)
	s.c, s.r = appendBits(s.c[:0], t.C()), appendBits(s.r[:0], t.R())
	s.candidates, s.grown = len(s.r), true
	clear(s.place)
	for _, v := range s.c {
		s.place[v] = chosen
	}
	for _, v := range s.r {
		s.place[v] = candidate
	}
	s.count(s.c)
	s.count(s.r)
}

// Save makes a task of the node.
func (s *State) Save() Task {
	t := NewTask(s.p)
	t[0] = uint64(len(s.c))
	for _, v := range s.c {
		t.C()[v/64] |= 1 << (v % 64)
	}
	for _, v := range s.r {
		if s.place[v] == candidate {
			t.R()[v/64] |= 1 << (v % 64)
		}
	}
	return t
}

// copyFrom makes it the node of another state.
func (s *State) copyFrom(o *State) {
	s.p, s.candidates, s.grown = o.p, o.candidates, o.grown
	s.place = append(s.place[:0], o.place...)
	s.c = append(s.c[:0], o.c...)
	s.r = append(s.r[:0], o.r...)
	s.degree = append(s.degree[:0], o.degree...)
	s.inside = append(s.inside[:0], o.inside...)
}

func (s *State) isLate() bool { return s.late != nil && s.late() }

func resize[E any](s []E, n int) []E { return slices.Grow(s[:0], n)[:n] }

// size is |C ∪ R|.
func (s *State) size() int { return len(s.c) + s.candidates }

// drop takes v out of R. Those of its neighbours that come to have k neighbours are noted.
func (s *State) drop(v uint32, k int) {
	s.place[v] = outside
	s.candidates--
	for _, u := range s.p.Row(v) {
		if s.place[u] != outside {
			s.degree[u]--
			if int(s.degree[u]) == k {
				s.low = append(s.low, u)
			}
		}
	}
}

// dropWhere drops the candidates that are useless. Where they are most of R,
// the degrees of the others are counted again, which takes less than to lower them one by one;
// those that come to have k neighbours are not noted then.
func (s *State) dropWhere(k int, useless func(v uint32) bool) {
	list := s.scratch[:0]
	for _, v := range s.r {
		if s.place[v] == candidate && useless(v) {
			list = append(list, v)
		}
	}
	s.scratch = list[:0]
	if s.isLate() {
		return
	}
	if 2*len(list) < s.candidates {
		for _, v := range list {
			if s.isLate() {
				return
			}
			s.drop(v, k)
		}
		return
	}
	for _, v := range list {
		s.place[v] = outside
	}
	s.candidates -= len(list)
	s.sweep()
	s.count(s.c)
	s.count(s.r)
}

// count counts the degrees of some vertices.
func (s *State) count(vertices []uint32) {
	for _, v := range vertices {
		if s.isLate() {
			return
		}
		d, in := uint32(0), uint32(0)
		for _, u := range s.p.Row(v) {
			switch s.place[u] {
			case chosen:
				in++
				d++
			case candidate:
				d++
			}
		}
		s.degree[v], s.inside[v] = d, in
	}
}

// choose moves v from R to C.
func (s *State) choose(v uint32) {
	s.place[v] = chosen
	s.candidates--
	s.c = append(s.c, v)
	s.grown = true
	for _, u := range s.p.Row(v) {
		s.inside[u]++
	}
}

// sweep takes vertices that have left R off its list.
func (s *State) sweep() {
	if len(s.r) > s.candidates {
		s.r = slices.DeleteFunc(s.r, func(v uint32) bool { return s.place[v] != candidate })
	}
}

// compact makes it the same node of a problem that has the vertices of C ∪ R only.
func (s *State) compact() {
	vertices := s.scratch[:0]
	for v, at := range s.place {
		if at != outside {
			vertices = append(vertices, uint32(v))
		}
	}
	local := make([]uint32, s.p.N)
	sub := s.p.part(vertices, local)
	for i, v := range vertices { // i ≤ v
		s.place[i], s.degree[i], s.inside[i] = s.place[v], s.degree[v], s.inside[v]
	}
	n := len(vertices)
	s.place, s.degree, s.inside = s.place[:n], s.degree[:n], s.inside[:n]
	s.sweep()
	for _, list := range [][]uint32{s.c, s.r} {
		for i, v := range list {
			list[i] = local[v]
		}
	}
	s.p, s.scratch = sub, vertices[:0]
}
