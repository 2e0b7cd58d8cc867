// Package community finds the size-bounded community of a query vertex: of all connected
// subgraphs H with the query vertex and l ≤ |H| ≤ h vertices, one whose minimum degree is
// the largest. The problem is NP-hard. The search is exact branch and bound after K. Yao and
// L. Chang, Efficient size-bounded community search over large networks, PVLDB 14(8), 2021
// (SC-BRB; sections are of this paper).
//
// A [Problem] is the part of a graph in which better communities than a known one can be, under
// dense local ids. A node of the search is a pair (C, R): the vertices that H has, and those
// that it may have. A [State] is a node with the degrees that the rules look at, a [Task] the
// same node as a flat record. [Best] has the best minimum degree so far, k̂, and who has it. A
// node is reduced (reduce.go), bounded (bound.go) and divided (branch.go), over and over
// (search.go). Each rule can be switched off by [Rules], which changes nothing but the time.
package community

// Rules are the reductions, bounds and ways to branch that a search applies.
type Rules uint32

// The rules.
const (
	DegreeRule     Rules = 1 << iota // drop v ∈ R with min{d_C∪R(v), d_C(v) + h − |C| − 1} ≤ k̂
	CoreRule                         // keep on dropping until all of R has more than k̂ neighbours in C ∪ R
	DistanceRule                     // drop what is farther from a vertex of C than any H is wide
	ReachRule                        // drop what is too far from C for the vertices that H may still get
	InclusionRule                    // neighbours that a vertex of C cannot do without move to C
	DegreeBound                      // end by d_C(u) + min{h − |C|, neighbours in R} over C
	NeighbourBound                   // end by the edges that the best h − |C| of R bring to C
	ClassBound                       // the same, for the vertices of C with few neighbours in C
	DominationRule                   // leave out dominated vertices with the vertex that dominates them
	CompactionRule                   // copy what is left of a problem once that is less than half of it
	PairRule                         // with domination: choose u* with each dominated vertex in turn, as the paper does
	CommonRule                       // drop what lacks more, with a vertex of C, than their common neighbours can bring
	TightRule                        // branch on neighbours of the vertex of C that has the fewest to choose from
	endOfRules
	AllRules = endOfRules - 1 - PairRule // pairs take longer
)

// RuleNames are the names of the rules, by bit.
var RuleNames = [...]string{
	"degree", "core", "distance", "reach", "inclusion",
	"degree bound", "neighbour bound", "class bound", "domination", "compaction", "pairs", "common", "tight branching",
}

// The places of rules in [Stats].
const (
	byDegree = iota
	byCore
	byDistance
	byReach
	byInclusion
	byDegreeBound
	byNeighbourBound
	byClassBound
	byDomination
	byCompaction
	_ // pairs
	byCommon
	_ // tight branching
	rules
)

// Stats counts what a search did.
type Stats struct {
	Branches int64        // nodes
	Ended    [rules]int64 // nodes that a rule ended, by rule
	Dropped  [rules]int64 // vertices that it dropped from R, or moved to C
}

// Add adds the counts of another search.
func (s *Stats) Add(t *Stats) {
	s.Branches += t.Branches
	for i := range s.Ended {
		s.Ended[i] += t.Ended[i]
		s.Dropped[i] += t.Dropped[i]
	}
}

// Rules is what each rule did, by its name; rules that did nothing are left out.
func (s *Stats) Rules() map[string]RuleStats {
	rules := map[string]RuleStats{}
	for i, name := range RuleNames {
		if did := (RuleStats{s.Ended[i], s.Dropped[i]}); did != (RuleStats{}) {
			rules[name] = did
		}
	}
	return rules
}

// RuleStats is what a rule did.
type RuleStats struct {
	Ended   int64 `json:"ended"`   // nodes
	Dropped int64 `json:"dropped"` // vertices that need not be branched on
}

// MinVertices is n(k, D): how many vertices a connected graph of minimum degree k and diameter
// D has at least (section 4.1). Vertices at distances 0, 3, 6, … from an end of a longest
// shortest path have disjoint neighbourhoods of k+1 vertices.
func MinVertices(k, diameter int) int {
	switch {
	case k <= 1:
		return diameter + 1
	case diameter <= 2:
		return k + diameter
	}
	return k + diameter + 1 + diameter/3*(k-2)
}

// Diameter is the largest D with n(k, D) ≤ h: how wide a connected graph of minimum degree k
// and h vertices at most can be; -1 if there is none.
func Diameter(k, h int) int {
	switch room := h - k - 1; { // for what n(k, D) has beside k + 1
	case h < 1 || room < 0 && k > 0:
		return -1
	case k <= 1:
		return h - 1
	case room <= k: // D = 3 takes k + 1
		return min(room+1, 2)
	default:
		return 3*(room/(k+1)) + min(room%(k+1), 2)
	}
}
