package programs

import "github.com/garaph/garaph/gas"

// LPA finds communities by label propagation: a vertex takes the label that
// most of its neighbours have (Raghavan et al., 2007). The exact winner needs a
// histogram of the neighbours' labels, which is no accumulator of fixed size,
// and a sketch of one depends on the order of the edges. So a vertex instead
// looks at one label at a time: it takes that of a neighbour drawn at random,
// so that a frequent label is drawn often, counts it in the next iteration
// against its own, and changes to it if there are more. Half of the vertices,
// drawn at random, may change in an iteration: neighbours that exchange their
// labels for ever would be the end of it otherwise.
//
// What it is: a walk to labels of which no other is more frequent around any
// vertex, the same for every order of the edges, for a given Seed and number of
// iterations in sync mode. What it is not: the synchronous LPA of LDBC
// Graphalytics (CDLP), whose labels it does not reproduce. A job does not end by
// itself: give it some dozens of iterations.
//
// Edge directions and weights don't matter.
type LPA struct {
	Seed uint32
}

// Ballot is the value of a vertex.
type Ballot struct {
	Label     uint32
	Candidate uint32 // the label that is counted against Label
	Draw      uint32 // random, another one in every iteration
}

// Votes are what the neighbours say.
type Votes struct {
	Own, Other uint32 // those with this vertex's Label and with its Candidate
	Key, Next  uint32 // the largest key drawn so far, and the label of that neighbour
}

// Endless says that a job needs a number of iterations.
func (LPA) Endless() bool { return true }

// Init labels a vertex with itself.
func (p LPA) Init(v gas.Vertex) (Ballot, bool) {
	return Ballot{Label: v.ID, Candidate: v.ID, Draw: scramble(v.ID ^ scramble(p.Seed))}, true
}

// Zero is no vote. A drawn key is at least 1.
func (p LPA) Zero() Votes { return Votes{} }

// Gather is the vote of one neighbour.
func (p LPA) Gather(src Ballot, _ gas.Edge, dst Ballot) Votes {
	x := Votes{Key: (src.Draw^dst.Draw)*0x9e3779b1 | 1, Next: src.Label} // draws have no pattern: a product is enough
	if src.Label == dst.Label {
		x.Own = 1
	}
	if src.Label == dst.Candidate {
		x.Other = 1
	}
	return x
}

// Sum adds, and keeps the largest key; of equal ones the larger label.
func (p LPA) Sum(a, b Votes) Votes {
	if b.Key > a.Key || b.Key == a.Key && b.Next > a.Next {
		a.Key, a.Next = b.Key, b.Next
	}
	a.Own += b.Own
	a.Other += b.Other
	return a
}

// Apply changes to the candidate, if that is more frequent and it is this
// vertex's turn, and takes another candidate.
func (p LPA) Apply(_ gas.Vertex, old Ballot, acc Votes, _ gas.Step) Ballot {
	if acc.Key == 0 {
		return old // no neighbours
	}
	if acc.Other > acc.Own && old.Draw>>31 == 1 {
		old.Label = old.Candidate
	}
	return Ballot{Label: old.Label, Candidate: acc.Next, Draw: scramble(old.Draw)}
}

// Activate goes on: there is always another candidate.
func (p LPA) Activate(gas.Vertex, Ballot, Ballot) bool { return true }

// Direction is both.
func (p LPA) Direction() gas.Direction { return gas.Both }

// Result is the label, a vertex of the graph under the user's id.
func (p LPA) Result(_ gas.Vertex, value Ballot) gas.VertexID { return gas.VertexID(value.Label) }

// scramble is a bijection without a pattern (Wellons' lowbias32).
func scramble(x uint32) uint32 {
	x += 0x9e3779b9 // 0 is not to stay
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	return x ^ x>>16
}
