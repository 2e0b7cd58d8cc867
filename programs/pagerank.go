package programs

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
)

// PageRank is the stationary distribution of a random surfer (Brin and Page,
// 1998) who follows an out-edge with probability Damping and teleports
// otherwise; the mass of vertices without out-edges is spread as teleports are,
// as NetworkX and LDBC Graphalytics do:
//
//	rank(v) = (1-d)·p(v) + d·(Σ_{u→v} rank(u)/out(u) + D·p(v)),  D = Σ_{out(u)=0} rank(u)
//
// with p(v) = 1/N, or concentrated on Source when Personalised.
//
// The value of a vertex is its rank divided by max(out, 1), in units of 2^-60, which is what its
// out-neighbours read: four or eight bytes per vertex, and a conversion per edge.
type PageRank[F float32 | float64] struct {
	Damping float64
	// Tolerance is the L1 change of all ranks below which the job has converged; 0: the job
	// needs a number of iterations. Changes that rounding can make do not count, so that ranks
	// in double precision are right to about 1e-9 of themselves up to a Damping of 0.99.
	// With one nearer to 1, bound the iterations as well.
	Tolerance    float64
	Personalised bool
	Source       uint32 // dense id, when Personalised
}

// Init spreads the ranks as teleports are.
func (p PageRank[F]) Init(v gas.Vertex) (F, bool) {
	return F(p.teleport(v)/(float64(v.N)*float64(max(v.Out, 1)))*one + 0.5), true
}

// one is a rank of 1 as an integer. Ranks add up to 1, so that sums of them are
// exact as integers, and the same in any order: any number of
// threads computes the same bits. There is room for sums of up to 8, as ranks can add up
// to more than 1 for a while where some are newer than others.
//
// Every value has 0.5 beside the rank, so that a gather, which cuts off what is
// below 1, rounds: an addition for each vertex instead of one for each edge. Where a
// value in single precision is too large for it, its rounding is no larger than a
// value's own.
const one = 1 << 60

// share is the unit of the dangling mass: floats below 8 add up exactly, in any
// order, where they are multiples of it.
const share = 0x1p-50

// Zero returns 0.
func (p PageRank[F]) Zero() int64 { return 0 }

// Gather returns the share of the source's rank that flows along the edge, rounded to an
// integer.
func (p PageRank[F]) Gather(src F, _ gas.Edge, _ F) int64 { return int64(src) }

// Sum adds.
func (p PageRank[F]) Sum(a, b int64) int64 { return a + b }

// Apply computes the formula above, with one division: by N and by out at once. The
// conversions keep processors from adding without having rounded the product.
func (p PageRank[F]) Apply(v gas.Vertex, _ F, acc int64, s gas.Step) F {
	d, n := p.Damping, float64(v.N)
	jump := (1 - d + float64(d*s.Aggregate)) * p.teleport(v)
	return F((float64(jump)+float64(d*(float64(acc)/one)*n))/(n*float64(max(v.Out, 1)))*one + 0.5)
}

// Activate compares the change of rank with this vertex's share of Tolerance,
// and with what rounding can do: the rank of a hub is coarser than its share, and a
// rounding goes on around cycles, each time multiplied by Damping.
func (p PageRank[F]) Activate(v gas.Vertex, old, new F) bool {
	if p.Tolerance == 0 {
		return new != old
	}
	change, rank := math.Abs(float64(new)-float64(old))/one, float64(new)/one
	return change*float64(max(v.Out, 1))*float64(v.N) > p.Tolerance &&
		change*max(1-p.Damping, 1./64) > rounding[F](v.N)*rank
}

// rounding returns about how much, relative to itself, rounding changes a rank in an
// iteration over n vertices. In single precision that is the rounding of the value,
// since the sum is in double. There it is that of the sum of a hub, which all that it
// leads to take over: 2^-54 for each of its edges where equal values are added, and
// rather 2^-52·√(2^24) where there are very many.
func rounding[F float32 | float64](n uint32) float64 {
	if F(1)+F(0x1p-30) == F(1) {
		return 0x1p-23
	}
	return min(0x1p-52*float64(n), 0x1p-40)
}

// Aggregate collects the dangling mass D: the value times 1 without out-edges,
// times 0 with. Which vertices have some is hard to guess for a processor. It is
// rounded up for some vertices and down for others, evenly spread, so that errors of
// equal values cancel out.
func (p PageRank[F]) Aggregate(v gas.Vertex, value F) float64 {
	spread := float64(v.ID*0x9e3779b9)*0x1p-32 - 0.5/(one*share)
	return math.Floor(float64(value)/(one*share)+spread) * share * float64(1-min(v.Out, 1))
}

// Result returns the rank.
func (p PageRank[F]) Result(v gas.Vertex, value F) F {
	return F((float64(value) - 0.5) / one * float64(max(v.Out, 1)))
}

// teleport returns N·p(v).
func (p PageRank[F]) teleport(v gas.Vertex) float64 {
	switch {
	case !p.Personalised:
		return 1
	case v.ID == p.Source:
		return float64(v.N)
	default:
		return 0
	}
}

// ColumnName returns "pagerank".
func (PageRank[F]) ColumnName() string { return "pagerank" }

// Idempotent reports that a rank follows from the neighbours' ranks alone.
func (PageRank[F]) Idempotent() bool { return true }

// Check refuses sources that are no vertices, and a Damping that is not set or out of range.
func (p PageRank[F]) Check(vertices uint32) error {
	if p.Personalised {
		if err := checkSources(vertices, p.Source); err != nil {
			return err
		}
	}
	return checkRanks(p.Damping, p.Tolerance)
}

// Endless reports whether the Tolerance is 0: a rounding can then go around a cycle of edges for ever.
func (p PageRank[F]) Endless() bool { return p.Tolerance == 0 }

//go:embed pagerank.go
var pageRankSource string

// SourceText returns the text of this program.
func (PageRank[F]) SourceText() string { return programText(pageRankSource) }

// PageRankCommand describes garaph run pagerank.
var PageRankCommand = registry.Command{
	Name: "pagerank", Value: PageRank[float32]{}, Short: "rank of every vertex, dangling mass spread as " +
		"teleports are, weights ignored without --weighted",
	Example: `  garaph run pagerank web.graph --top 20
  garaph run pagerank edges.txt --iterations 10 --output ranks.parquet
  garaph run pagerank web.graph --source 42          # personalised
  garaph run pagerank roads.graph --weighted --sources ids.txt`,
	Iterations: 200,
	Setup:      setupPageRank,
}

func setupPageRank(fs *pflag.FlagSet) registry.Make {
	f := rankFlags{
		damping: flags.Number(fs, "damping", 0.85, 1, "probability of following an edge, at least 0 and below "+
			"1; otherwise a teleport"),
		tolerance: flags.Number(fs, "tolerance", 1e-6, 0, "change of all ranks together (L1, they sum up to 1) "+
			"in an iteration below which the job ends; 0: no limit, as with --iterations N alone"),
	}
	flags.Sources(fs, "where teleports end: personalised PageRank")
	f.weighted = fs.Bool("weighted", false, "an edge is followed in proportion to its weight, not as often as "+
		"any other")
	f.precision = registry.PrecisionFlag(fs)
	return f.program
}

// rankFlags are the flags of PageRank.
type rankFlags struct {
	damping, tolerance *float64
	weighted           *bool
	precision          func() registry.Precision
}

// program returns the program with the smallest values that computes the ranks. The rounding of a rank is
// in other ranks 1/(1-damping) times; weights of 64 bits may be too small for 32.
func (f rankFlags) program(e registry.Env) (any, error) {
	sources, err := e.Sources()
	if err != nil {
		return nil, err
	}
	damping, tolerance := *f.damping, f.toleranceOf(e)
	if damping == 0 {
		damping = math.SmallestNonzeroFloat64 // 0 is a field that was not set
	}
	var strength func(uint32) float64
	if *f.weighted && e.Graph.Weighted {
		if strength, err = e.Strengths(); err != nil {
			return nil, fmt.Errorf("--weighted: %w", err)
		}
	} else if *f.weighted {
		e.LogUnweighted()
	}
	coarse := registry.Coarse(tolerance) || damping > 0.94 ||
		strength != nil && (e.Graph.Wide || e.Graph.WeightUnit < 1./one)
	return f.precision().Choose(coarse, ranks[float32](damping, tolerance, sources, strength),
		ranks[float64](damping, tolerance, sources, strength)), nil
}

// toleranceOf returns --tolerance, or 0 if only --iterations was given. It warns of runs that may not end.
func (f rankFlags) toleranceOf(e registry.Env) float64 {
	if e.Flags.Changed("iterations") && e.Iterations > 0 && !e.Flags.Changed("tolerance") {
		*f.tolerance = 0 // the report shows it
	} else if *f.tolerance == 0 && e.Iterations == 0 {
		e.Warn("with --tolerance 0 and without a number of --iterations, it may run until it is interrupted")
	}
	return *f.tolerance
}

func ranks[F float32 | float64](damping, tolerance float64, sources []uint32, strength func(uint32) float64) any {
	switch {
	case strength != nil:
		return BiasedPageRank[F]{Damping: damping, Tolerance: tolerance, Sources: SourcesOf(sources), Strength: strength}
	case len(sources) == 0:
		return PageRank[F]{Damping: damping, Tolerance: tolerance}
	case len(sources) == 1:
		return PageRank[F]{Damping: damping, Tolerance: tolerance, Personalised: true, Source: sources[0]}
	}
	return PersonalisedPageRank[F]{Damping: damping, Tolerance: tolerance, Sources: SourcesOf(sources)}
}
