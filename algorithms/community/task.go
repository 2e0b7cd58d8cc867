package community

import "math/bits"

// Task is a node of the search as a flat record of words, which can be kept, given to another
// worker, copied to a device or written to a file:
//
//	word 0          |C|
//	words 1 … W     C, bit v of word 1+v/64 is vertex v
//	words 1+W … 2W  R
//
// W is [Problem.Words] of the problem that its local ids belong to. C and R are disjoint, and C
// has the query vertex. It has no degrees: [State.Load] counts them.
type Task []uint64

// NewTask has room for a node of p.
func NewTask(p *Problem) Task { return make(Task, TaskWords(p)) }

// TaskWords returns the length of the tasks of p.
func TaskWords(p *Problem) int { return 1 + 2*p.Words() }

// C returns the set of chosen vertices.
func (t Task) C() []uint64 { return t[1 : 1+len(t)/2] }

// R returns the set of candidates.
func (t Task) R() []uint64 { return t[1+len(t)/2:] }

// Size is |C|.
func (t Task) Size() int { return int(t[0]) }

// Root returns the node with which a search begins: C is the query vertex, R all others.
func Root(p *Problem) Task {
	t := NewTask(p)
	t[0] = 1
	for v := range p.N {
		t.R()[v/64] |= 1 << (v % 64)
	}
	bit := uint64(1) << (p.Query % 64)
	t.C()[p.Query/64] = bit
	t.R()[p.Query/64] &^= bit
	return t
}

// appendBits appends the vertices of a set.
func appendBits(to []uint32, set []uint64) []uint32 {
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			to = append(to, uint32(i*64+bits.TrailingZeros64(word)))
		}
	}
	return to
}
