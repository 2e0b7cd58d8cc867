package programs

import (
	_ "embed"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/registry"
)

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
// Graphalytics (CDLP), whose labels it does not reproduce.
//
// A vertex stops when it has drawn 32 neighbours, and found no label that is more
// frequent than its own, since a label around it last changed. It goes on when one
// does. A job ends when all vertices have stopped. Each change leaves more
// edges between vertices of one label, unless neighbours change at once, so
// that the end comes with probability 1.
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
	Quiet     uint32 // iterations since Label changed, or from 2 on, since a label around it did
}

// Votes counts the labels of the neighbours.
type Votes struct {
	Own, Other uint32 // those with this vertex's Label and with its Candidate
	Key, Next  uint32 // the largest key drawn so far, and the label of that neighbour
}

// patience is the Quiet that stops a vertex: 32 draws without a better label.
const patience = 2 + 32

// Init labels a vertex with itself.
func (p LPA) Init(v gas.Vertex) (Ballot, bool) {
	return Ballot{Label: v.ID, Candidate: v.ID, Draw: scramble(v.ID ^ scramble(p.Seed))}, true
}

// Zero returns no votes. A drawn key is at least 1.
func (p LPA) Zero() Votes { return Votes{} }

// Gather returns the vote of one neighbour. Those whose label changed in the
// last two iterations have the highest keys: in async mode the first of them may be over.
func (p LPA) Gather(src Ballot, _ gas.Edge, dst Ballot) Votes {
	x := Votes{Key: (src.Draw^dst.Draw)*0x9e3779b1>>1 | 1, Next: src.Label} // draws have no pattern: a product is enough
	if src.Quiet < 2 {
		x.Key |= 1 << 31
	}
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
	better, changed := acc.Other > acc.Own, acc.Key>>31 == 1
	if acc.Key == 0 || old.Quiet >= patience && !better && !changed {
		return old // no neighbours, or nothing to do
	}
	next := Ballot{Label: old.Label, Candidate: acc.Next, Draw: scramble(old.Draw), Quiet: old.Quiet + 1}
	if better || changed {
		next.Quiet = min(next.Quiet, 2)
	}
	if better && old.Draw>>31 == 1 {
		next.Label, next.Quiet = old.Candidate, 0
	}
	return next
}

// Activate reports whether the vertex goes on.
func (p LPA) Activate(_ gas.Vertex, old, new Ballot) bool { return old != new }

// Direction returns gas.Both.
func (p LPA) Direction() gas.Direction { return gas.Both }

// Result returns the label, a vertex of the graph under the user's id.
func (p LPA) Result(_ gas.Vertex, value Ballot) gas.VertexID { return gas.VertexID(value.Label) }

// scramble is a bijection without a pattern (Wellons' lowbias32).
func scramble(x uint32) uint32 {
	x += 0x9e3779b9 // 0 is not to stay
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	return x ^ x>>16
}

// ColumnName returns "label".
func (LPA) ColumnName() string { return "label" }

//go:embed lpa.go
var lpaSource string

// SourceText returns the text of this program.
func (LPA) SourceText() string { return programText(lpaSource) }

// LPACommand describes garaph run lpa.
var LPACommand = registry.Command{
	Name: "lpa", Value: LPA{}, Short: "community of every vertex by label propagation, named by one of its vertices",
	Long: `Directions and weights of edges don't matter. Labels are drawn at random: the
same --seed and --iterations give the same communities in sync mode. A vertex stops when
it has drawn 32 neighbours since a label around it last changed, and none had a label that
more neighbours have than its own. The job has converged when all have stopped. It
suits groups that hardly touch, on any device and from disk; leiden finds communities
of twice the modularity where groups overlap.`,
	Example: `  garaph run lpa web.graph --top 5`,
	Ranking: registry.Groups, Iterations: 1000,
	Setup: setupLPA,
}

func setupLPA(fs *pflag.FlagSet) registry.Make {
	seed := fs.Uint32("seed", 1, "`N` that the random numbers begin with, from 0 to 4294967295")
	return func(registry.Env) (any, error) { return LPA{Seed: *seed}, nil }
}
