package programs

import (
	_ "embed"
	"math"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
)

// SSSP gives the least total weight of a path from Source along edge direction
// (Bellman and Ford, with an active set); weights are not negative. Unreached is
// +Inf. In float32, a distance of math.MaxFloat32 or more is math.MaxFloat32, which
// Overflowed reports; in float64 no sum of fewer than 2^896 weights is too large.
type SSSP[F float32 | float64] struct {
	Source uint32 // dense id
	// Most, if it is not 0, is a distance that Overflowed reports, with all above it. Sums of integers
	// are exact in float32 below 2^24.
	Most float32
	More []uint32 // more sources beside it, ascending: distances are from the nearest
}

// Init reaches the source.
func (p SSSP[F]) Init(v gas.Vertex) (F, bool) {
	if v.ID == p.Source || among(p.More, v.ID) {
		return 0, true
	}
	return F(math.Inf(1)), false
}

// Zero returns the value of an unreached vertex.
func (p SSSP[F]) Zero() F { return F(math.Inf(1)) }

// Gather returns the length over the source of the edge. One that is too long stays below
// unreached.
func (p SSSP[F]) Gather(src F, e gas.Edge, _ F) F {
	d := src + F(e.Weight)
	if d > math.MaxFloat32 && src <= math.MaxFloat32 && single[F]() {
		return math.MaxFloat32
	}
	return d
}

// Sum returns the minimum.
func (p SSSP[F]) Sum(a, b F) F { return min(a, b) }

// Apply keeps the least.
func (p SSSP[F]) Apply(_ gas.Vertex, old, acc F, _ gas.Step) F { return min(old, acc) }

// Activate reports any change.
func (p SSSP[F]) Activate(_ gas.Vertex, old, new F) bool { return old != new }

// Priority returns the distance: near vertices are first.
func (p SSSP[F]) Priority(value F) float64 { return float64(value) }

// Overflowed reports a distance that is too large.
func (p SSSP[F]) Overflowed(value F) bool {
	return value == math.MaxFloat32 && single[F]() || p.Most > 0 && value >= F(p.Most) && value <= math.MaxFloat32
}

// ColumnName returns "distance".
func (SSSP[F]) ColumnName() string { return "distance" }

// Idempotent reports that the nearer distance is kept.
func (SSSP[F]) Idempotent() bool { return true }

// Monotone reports that distances only fall.
func (SSSP[F]) Monotone() bool { return true }

// Null reports that no path leads to the vertex.
func (SSSP[F]) Null(_ gas.Vertex, value F) bool { return math.IsInf(float64(value), 1) }

// Begins reports that the vertex is a source.
func (p SSSP[F]) Begins(v uint32) bool { return v == p.Source || among(p.More, v) }

// Nearer compares distances.
func (SSSP[F]) Nearer(a, b F) bool { return a < b }

// Over adds the weight, as the program does.
func (p SSSP[F]) Over(src F, e gas.Edge, length F) bool { return p.Gather(src, e, length) == length }

// Check refuses sources that are not vertices of the graph.
func (p SSSP[F]) Check(vertices uint32) error {
	return checkFirst(vertices, p.Source, p.More)
}

//go:embed sssp.go
var ssspSource string

// SourceText returns the text of this program.
func (SSSP[F]) SourceText() string { return programText(ssspSource) }

// SSSPCommand describes garaph run sssp.
var SSSPCommand = registry.Command{
	Name: "sssp", Value: SSSP[float32]{}, Short: "least total weight of a path from a source along edge direction",
	Long: `Without weights, every edge counts 1. Of several sources, the nearest counts.
Vertices that no path leads to have no value. With --parents, a second column has
the vertex before on a shortest path.
Sums of weights are exact in 24 bits, or else computed in 53, in which sums of
whole numbers are exact up to 2^53. With --precision 32 they are rounded to 24,
and the job fails if one is 3.4028235e+38 or more.`,
	Example: `  garaph run sssp roads.gr --source 1 --output - | sort -k2g | head`,
	Ranking: registry.Nearest,
	Setup:   setupSSSP,
}

func setupSSSP(fs *pflag.FlagSet) registry.Make {
	flags.RequiredSources(fs, "to begin at")
	parentsFlag(fs)
	precision := registry.PrecisionFlag(fs)
	return func(e registry.Env) (any, error) {
		first, more, err := e.FirstSource()
		if err != nil {
			return nil, err
		}
		e.LogUnweighted()
		return ssspIn(precision(), e.Graph, first, more), nil
	}
}

// ssspIn returns the program in a precision. Sums of multiples of a unit, such as 1, are exact in single
// precision below 2^24 units. If a path of a few edges may be longer, the first try is in double precision.
func ssspIn(p registry.Precision, g registry.Graph, source uint32, more []uint32) any {
	single := SSSP[float32]{Source: source, More: more}
	unit, largest := 1., 1.
	if g.Weighted {
		unit, largest = g.WeightUnit, g.MaxWeight
	}
	exact := 0x1p24 * unit
	if p == registry.Auto {
		single.Most = float32(min(exact, math.MaxFloat32))
	}
	if g.Wide && p != registry.Single {
		return SSSP[float64]{Source: source, More: more}
	}
	const few = 256
	return p.Choose(exact < few*largest, single, SSSP[float64]{Source: source, More: more})
}
