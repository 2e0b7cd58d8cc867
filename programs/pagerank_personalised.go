package programs

import (
	_ "embed"
	"math"

	"github.com/garaph/garaph/gas"
)

// PersonalisedPageRank is [PageRank] with teleports that end at one of some sources.
type PersonalisedPageRank[F float32 | float64] struct {
	Damping   float64
	Tolerance float64  // see [PageRank]
	Sources   []uint32 // dense ids, ascending
}

// Surfer is the value of a vertex of a [PersonalisedPageRank].
type Surfer[F float32 | float64] struct {
	Share    F // the value of a [PageRank]
	Teleport F // N·p(v)
}

// Init spreads the ranks as teleports are.
func (p PersonalisedPageRank[F]) Init(v gas.Vertex) (Surfer[F], bool) {
	t := teleport(p.Sources, v)
	return Surfer[F]{F(t/(float64(v.N)*float64(max(v.Out, 1))) + half), F(t)}, true
}

// teleport returns N·p(v).
func teleport(sources []uint32, v gas.Vertex) float64 {
	switch {
	case len(sources) == 0:
		return 1
	case among(sources, v.ID):
		return float64(v.N) / float64(len(sources))
	default:
		return 0
	}
}

// Zero returns 0.
func (p PersonalisedPageRank[F]) Zero() int64 { return 0 }

// Gather gathers as [PageRank] does.
func (p PersonalisedPageRank[F]) Gather(src Surfer[F], _ gas.Edge, _ Surfer[F]) int64 {
	return int64(src.Share * one)
}

// Sum adds.
func (p PersonalisedPageRank[F]) Sum(a, b int64) int64 { return a + b }

// Apply computes as [PageRank] does.
func (p PersonalisedPageRank[F]) Apply(v gas.Vertex, old Surfer[F], acc int64, s gas.Step) Surfer[F] {
	d, n := p.Damping, float64(v.N)
	jump := (1 - d + float64(d*s.Aggregate)) * float64(old.Teleport)
	old.Share = F((float64(jump)+float64(d*(float64(acc)/one)*n))/(n*float64(max(v.Out, 1))) + half)
	return old
}

// Activate compares as [PageRank] does.
func (p PersonalisedPageRank[F]) Activate(v gas.Vertex, old, new Surfer[F]) bool {
	if p.Tolerance == 0 {
		return new.Share != old.Share
	}
	change, rank := math.Abs(float64(new.Share)-float64(old.Share)), float64(new.Share)
	return change*float64(max(v.Out, 1))*float64(v.N) > p.Tolerance &&
		change*max(1-p.Damping, 1./64) > rounding[F](v.N)*rank
}

// Aggregate collects the dangling mass.
func (p PersonalisedPageRank[F]) Aggregate(v gas.Vertex, value Surfer[F]) float64 {
	return PageRank[F]{}.Aggregate(v, value.Share)
}

// Result returns the rank.
func (p PersonalisedPageRank[F]) Result(v gas.Vertex, value Surfer[F]) F {
	return PageRank[F]{}.Result(v, value.Share)
}

// ColumnName returns "pagerank".
func (PersonalisedPageRank[F]) ColumnName() string { return "pagerank" }

// Idempotent reports that a rank follows from the neighbours' ranks alone.
func (PersonalisedPageRank[F]) Idempotent() bool { return true }

// Check refuses the sources and fields that PageRank refuses.
func (p PersonalisedPageRank[F]) Check(vertices uint32) error {
	if err := checkSources(vertices, p.Sources...); err != nil {
		return err
	}
	return checkRanks(p.Damping, p.Tolerance)
}

// Endless reports whether the Tolerance is 0; see [PageRank].
func (p PersonalisedPageRank[F]) Endless() bool { return p.Tolerance == 0 }

//go:embed pagerank_personalised.go
var personalisedPageRankSource string

// SourceText returns the text of this program and of [PageRank].
func (PersonalisedPageRank[F]) SourceText() string {
	return programText(personalisedPageRankSource) + programText(pageRankSource)
}
