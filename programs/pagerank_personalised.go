package programs

import (
	_ "embed"
	"math"

	"github.com/garaph/garaph/gas"
)

// PersonalisedPageRank is [PageRank] with teleports that end at one of some sources. The last bit
// of a value tells whether its vertex is one, so that values are no larger than those of a PageRank.
type PersonalisedPageRank[F float32 | float64] struct {
	Damping   float64
	Tolerance float64 // see [PageRank]
	Sources
}

// Sources are the vertices where teleports end, each with the same probability: all if there are none in it.
type Sources struct {
	ids   []uint32 // ascending
	count uint32   // of ids, where a GPU finds it
}

// SourcesOf returns the vertices of some dense ids, which must ascend.
func SourcesOf(ids []uint32) Sources { return Sources{ids, uint32(len(ids))} }

// contains reports whether a teleport may end at v. It is asked when a job begins, on the CPU.
func (s Sources) contains(v uint32) bool { return s.count == 0 || among(s.ids, v) }

// teleport returns N·p(v) of a vertex among count sources, or among all if count is 0.
func teleport(count uint32, v gas.Vertex) float64 {
	if count == 0 {
		return 1
	}
	return float64(v.N) / float64(count)
}

// Init spreads the ranks as teleports are.
func (p PersonalisedPageRank[F]) Init(v gas.Vertex) (F, bool) {
	if !p.contains(v.ID) {
		return 0.5, true
	}
	return withBit(F(teleport(p.count, v)/(float64(v.N)*float64(max(v.Out, 1)))*one+0.5), 1), true
}

// Zero returns 0.
func (p PersonalisedPageRank[F]) Zero() int64 { return 0 }

// Gather gathers as [PageRank] does.
func (p PersonalisedPageRank[F]) Gather(src F, _ gas.Edge, _ F) int64 {
	return int64(src)
}

// Sum adds.
func (p PersonalisedPageRank[F]) Sum(a, b int64) int64 { return a + b }

// Apply computes as [PageRank] does.
func (p PersonalisedPageRank[F]) Apply(v gas.Vertex, old F, acc int64, s gas.Step) F {
	d, n, jump := p.Damping, float64(v.N), 0.
	bit := bitsOf(old) & 1
	if bit != 0 {
		jump = (1 - d + float64(d*s.Aggregate)) * teleport(p.count, v)
	}
	return withBit(F((float64(jump)+float64(d*(float64(acc)/one)*n))/(n*float64(max(v.Out, 1)))*one+0.5), bit)
}

// Activate compares as [PageRank] does, with values of one bit less.
func (p PersonalisedPageRank[F]) Activate(v gas.Vertex, old, new F) bool {
	if p.Tolerance == 0 {
		return new != old
	}
	change, rank := math.Abs(float64(new)-float64(old))/one, float64(new)/one
	return change*float64(max(v.Out, 1))*float64(v.N) > p.Tolerance &&
		change*max(1-p.Damping, 1./64) > 2*rounding[F](v.N)*rank
}

// Aggregate collects the dangling mass.
func (p PersonalisedPageRank[F]) Aggregate(v gas.Vertex, value F) float64 {
	return PageRank[F]{}.Aggregate(v, value)
}

// Result returns the rank.
func (p PersonalisedPageRank[F]) Result(v gas.Vertex, value F) F {
	return PageRank[F]{}.Result(v, value)
}

// withBit returns the number next to x whose last bit is the given one. Where two are as near, it returns the
// one whose last bit but one is 0, so that errors cancel out.
func withBit[F float32 | float64](x F, bit uint64) F {
	bits := bitsOf(x)
	step := bits&2 - 1 // from 01 to 00, from 11 to 100
	if bit == 1 {
		step = -step // from 00 and 10 to 01
	}
	if bits&1 != bit {
		bits += step
	}
	if single[F]() {
		return F(math.Float32frombits(uint32(bits)))
	}
	return F(math.Float64frombits(bits))
}

func bitsOf[F float32 | float64](x F) uint64 {
	if single[F]() {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(float64(x))
}

// ColumnName returns "pagerank".
func (PersonalisedPageRank[F]) ColumnName() string { return "pagerank" }

// Idempotent reports that a rank follows from the neighbours' ranks alone.
func (PersonalisedPageRank[F]) Idempotent() bool { return true }

// Check refuses the sources and fields that PageRank refuses.
func (p PersonalisedPageRank[F]) Check(vertices uint32) error {
	if err := checkSources(vertices, p.ids...); err != nil {
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
