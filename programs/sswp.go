package programs

import (
	_ "embed"
	"math"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
)

// SSWP gives the width of the widest path from Source along edge direction: the
// largest w such that the edges of some path all have weights ≥ w. It is SSSP
// with (max, min) in the place of (min, +): a width is one of the weights, so
// nothing is rounded in the precision in which the graph stores these. Unreached is -Inf.
type SSWP[F float32 | float64] struct {
	Source uint32   // dense id
	More   []uint32 // more sources beside it, ascending: a path begins at any
}

// Init lets anything through at the source, and less than nothing elsewhere.
func (p SSWP[F]) Init(v gas.Vertex) (F, bool) {
	if v.ID == p.Source || among(p.More, v.ID) {
		return F(math.Inf(1)), true
	}
	return F(math.Inf(-1)), false
}

// Zero returns the value of an unreached vertex.
func (p SSWP[F]) Zero() F { return F(math.Inf(-1)) }

// Gather returns the width of the path to the source of the edge and along the edge.
func (p SSWP[F]) Gather(src F, e gas.Edge, _ F) F { return min(src, F(e.Weight)) }

// Sum returns the maximum.
func (p SSWP[F]) Sum(a, b F) F { return max(a, b) }

// Apply keeps the widest.
func (p SSWP[F]) Apply(_ gas.Vertex, old, acc F, _ gas.Step) F { return max(old, acc) }

// Priority returns the negative width: wide paths are first.
func (p SSWP[F]) Priority(value F) float64 { return -float64(value) }

// Activate reports any change.
func (p SSWP[F]) Activate(_ gas.Vertex, old, new F) bool { return old != new }

// ColumnName returns "width".
func (SSWP[F]) ColumnName() string { return "width" }

// Idempotent reports that the wider path is kept.
func (SSWP[F]) Idempotent() bool { return true }

// Monotone reports that paths only get wider.
func (SSWP[F]) Monotone() bool { return true }

// Null reports that no path leads to the vertex.
func (SSWP[F]) Null(_ gas.Vertex, value F) bool { return math.IsInf(float64(value), -1) }

// Check refuses sources that are not vertices of the graph.
func (p SSWP[F]) Check(vertices uint32) error {
	return checkFirst(vertices, p.Source, p.More)
}

//go:embed sswp.go
var sswpSource string

// SourceText returns the text of this program.
func (SSWP[F]) SourceText() string { return programText(sswpSource) }

// SSWPCommand describes garaph run sswp.
var SSWPCommand = registry.Command{
	Name: "sswp", Value: SSWP[float32]{}, Short: "width of the widest path from a source along edge direction",
	Long: `The width of a path is the least weight on it; without weights, each is 1. The
source has inf, vertices that no path leads to have no value. Of several sources,
the one with the widest path counts.`,
	Example: `  garaph run sswp roads.gr --source 1 --top 20`,
	Setup:   setupSSWP,
}

func setupSSWP(fs *pflag.FlagSet) registry.Make {
	flags.RequiredSources(fs, "to begin at")
	return func(e registry.Env) (any, error) {
		first, more, err := e.FirstSource()
		if e.Graph.Wide {
			return SSWP[float64]{Source: first, More: more}, err
		}
		return SSWP[float32]{Source: first, More: more}, err
	}
}
