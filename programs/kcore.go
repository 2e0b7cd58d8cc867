package programs

import (
	_ "embed"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
)

// KCore finds the k-core: the largest set of vertices each of which has at
// least K edges within the set (Seidman, 1983). Vertices with fewer are
// removed, until none is; the order does not matter, so sync and async end with
// the same set. Edges count in both directions, parallel ones each; a self-loop
// counts twice in a directed graph, and once in an undirected one.
//
// It answers for one K, with a bit for each vertex. The core number of every
// vertex at once needs the distribution of its neighbours' values, which is no
// accumulator of fixed size.
type KCore struct {
	K uint32
}

// Init keeps every vertex that has edges; the first iteration counts them.
func (p KCore) Init(v gas.Vertex) (uint32, bool) {
	if p.K > 0 && v.In == 0 && v.Out == 0 {
		return 0, false
	}
	return 1, true
}

// Zero returns the sum of no edges.
func (p KCore) Zero() uint32 { return 0 }

// Gather returns 1 if the neighbour has not been removed.
func (p KCore) Gather(src uint32, _ gas.Edge, _ uint32) uint32 { return src }

// Sum counts.
func (p KCore) Sum(a, b uint32) uint32 { return a + b }

// Apply removes a vertex with fewer than K edges.
func (p KCore) Apply(_ gas.Vertex, old, acc uint32, _ gas.Step) uint32 {
	if acc < p.K {
		return 0
	}
	return old
}

// Activate reports whether a vertex was removed.
func (p KCore) Activate(_ gas.Vertex, old, new uint32) bool { return old != new }

// Settled skips what has been removed.
func (p KCore) Settled(value uint32, _ gas.Step) bool { return value == 0 }

// Saturated stops counting at K.
func (p KCore) Saturated(acc uint32, _ gas.Step) bool { return acc >= p.K }

// Direction returns gas.Both: edge directions don't matter.
func (p KCore) Direction() gas.Direction { return gas.Both }

// ColumnName returns "core".
func (KCore) ColumnName() string { return "core" }

// Idempotent reports that a vertex is removed by its neighbours alone, for good.
func (KCore) Idempotent() bool { return true }

//go:embed kcore.go
var kcoreSource string

// SourceText returns the text of this program.
func (KCore) SourceText() string { return programText(kcoreSource) }

// KCoreCommand describes garaph run kcore.
var KCoreCommand = registry.Command{
	Name: "kcore", Value: KCore{}, Short: "1 for every vertex of the k-core, 0 for the others",
	Long: `The k-core is the largest set of vertices each of which has --k edges or more
within the set, whatever their directions; parallel edges count each, and so do the
two of vertices that lead to each other, where coreness counts one. A self-loop
counts twice in a directed graph, and once in an undirected one.
On the CPU an algorithm does the work, with the same results in one pass over the edges, and no
job is recorded. A flag about iterations, checkpoints, the trace or a GPU has the vertex
program run: --iterations 0 is enough.`,
	Example: `  garaph run kcore web.graph --k 10 --output core.tsv`,
	Ranking: registry.Members,
	Setup:   setupKCore,
}

func setupKCore(fs *pflag.FlagSet) registry.Make {
	k := fs.Uint32("k", 0, "the least `N` of edges that a vertex of the core has within it (required)")
	flags.Require(fs, "k")
	return func(registry.Env) (any, error) { return KCore{K: *k}, nil }
}
