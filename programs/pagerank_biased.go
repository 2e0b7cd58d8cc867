package programs

import (
	_ "embed"
	"math"

	"github.com/garaph/garaph/gas"
)

// BiasedPageRank is [PageRank] of a surfer who has preferences: an out-edge is followed with a
// probability in proportion to its weight, and teleports end at one of some sources:
//
//	rank(v) = (1-d)·p(v) + d·(Σ_{u→v} rank(u)·w(u,v)/W(u) + D·p(v)),  D = Σ_{W(u)=0} rank(u)
//
// where W(u) is the sum of the weights of u's out-edges. That is NetworkX's pagerank with weight and
// personalization. A vertex of which all out-edges weigh nothing dangles.
//
// The value of a vertex carries what the formula needs to know of it, so that W and the sources are
// asked for once, when the job begins: vertices gather along in-edges, and no fold of theirs is W.
type BiasedPageRank[F float32 | float64] struct {
	Damping   float64
	Tolerance float64 // see [PageRank]
	// Strength returns W by dense id, in the graph that the program runs over. Only Init calls it. If
	// nil, W is the out-degree, as in a graph without weights.
	Strength func(v uint32) float64
	Sources
}

// Surfers is the value of a vertex of a [BiasedPageRank].
type Surfers[F float32 | float64] struct {
	Share    F // rank / W, or the rank where W is 0, in units of 2^-60
	Strength F // W, negative (or -0) where teleports may end
}

// Init spreads the ranks as teleports are.
func (p BiasedPageRank[F]) Init(v gas.Vertex) (Surfers[F], bool) {
	strength := float64(v.Out)
	if p.Strength != nil {
		strength = p.Strength(v.ID)
	}
	if !p.contains(v.ID) {
		return Surfers[F]{0, F(strength)}, true
	}
	s := Surfers[F]{Strength: F(math.Copysign(strength, -1))}
	s.Share = F(teleport(p.count, v) / float64(v.N) / divisor(s) * one)
	return s, true
}

// divisor returns what a rank is divided by to be a share.
func divisor[F float32 | float64](s Surfers[F]) float64 {
	if s.Strength == 0 {
		return 1
	}
	return math.Abs(float64(s.Strength))
}

// Zero returns 0.
func (p BiasedPageRank[F]) Zero() int64 { return 0 }

// Gather returns the part of the source's rank that flows along the edge, as an integer: see [PageRank].
// Single precision does without rounding, which is below that of a sum of ranks there.
func (p BiasedPageRank[F]) Gather(src Surfers[F], e gas.Edge, _ Surfers[F]) int64 {
	if single[F]() {
		return int64(src.Share * F(e.Weight))
	}
	return int64(src.Share*F(e.Weight) + 0.5)
}

// Sum adds.
func (p BiasedPageRank[F]) Sum(a, b int64) int64 { return a + b }

// Apply computes the formula above.
func (p BiasedPageRank[F]) Apply(v gas.Vertex, old Surfers[F], acc int64, s gas.Step) Surfers[F] {
	d, n, jump := p.Damping, float64(v.N), 0.
	if math.Signbit(float64(old.Strength)) {
		jump = (1 - d + float64(d*s.Aggregate)) * teleport(p.count, v)
	}
	rank := float64(jump/n) + float64(d*(float64(acc)/one))
	old.Share = F(rank / divisor(old) * one)
	return old
}

// Activate compares as [PageRank] does. Ranks far from the sources may be smaller than what
// rounding the flow along each in-edge changes, and so that counts as well.
func (p BiasedPageRank[F]) Activate(v gas.Vertex, old, new Surfers[F]) bool {
	if p.Tolerance == 0 {
		return new.Share != old.Share
	}
	change := math.Abs(float64(new.Share)-float64(old.Share)) / one * divisor(new)
	rank := float64(new.Share) / one * divisor(new)
	return change*float64(v.N) > p.Tolerance &&
		change*max(1-p.Damping, 1./64) > max(rounding[F](v.N)*rank, float64(v.In)/one)
}

// Aggregate collects the dangling mass D, rounded as [PageRank] does.
func (p BiasedPageRank[F]) Aggregate(v gas.Vertex, value Surfers[F]) float64 {
	if value.Strength != 0 {
		return 0
	}
	spread := float64(v.ID*0x9e3779b9) * 0x1p-32
	return math.Floor(float64(value.Share)/(one*share)+spread) * share
}

// Overflowed reports a share that is too large for F, of a vertex whose weights are next to nothing,
// and weights that are so large that a share in single precision keeps too few bits.
func (p BiasedPageRank[F]) Overflowed(value Surfers[F]) bool {
	return !finite(value.Share) || !finite(value.Strength) || divisor(value) > 0x1p100 && single[F]()
}

// Result returns the rank.
func (p BiasedPageRank[F]) Result(_ gas.Vertex, value Surfers[F]) F {
	return F(float64(value.Share) / one * divisor(value))
}

// ColumnName returns "pagerank".
func (BiasedPageRank[F]) ColumnName() string { return "pagerank" }

// Idempotent reports that a rank follows from the neighbours' ranks alone.
func (BiasedPageRank[F]) Idempotent() bool { return true }

// Check refuses the sources and fields that PageRank refuses.
func (p BiasedPageRank[F]) Check(vertices uint32) error {
	if err := checkSources(vertices, p.ids...); err != nil {
		return err
	}
	return checkRanks(p.Damping, p.Tolerance)
}

// Endless reports whether the Tolerance is 0; see [PageRank].
func (p BiasedPageRank[F]) Endless() bool { return p.Tolerance == 0 }

//go:embed pagerank_biased.go
var biasedPageRankSource string

// SourceText returns the text of this program.
func (BiasedPageRank[F]) SourceText() string { return programText(biasedPageRankSource) }
