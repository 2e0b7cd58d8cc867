package programs

import (
	_ "embed"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/registry"
)

// WCC labels each vertex with the least id of its weakly connected component,
// by propagating minima over both directions of the edges.
type WCC struct{}

// Init labels a vertex with itself.
func (WCC) Init(v gas.Vertex) (uint32, bool) { return v.ID, true }

// Zero returns a number above all labels.
func (WCC) Zero() uint32 { return unreached }

// Gather returns the label of the neighbour.
func (WCC) Gather(src uint32, _ gas.Edge, _ uint32) uint32 { return src }

// Sum returns the minimum.
func (WCC) Sum(a, b uint32) uint32 { return min(a, b) }

// Apply keeps the least label.
func (WCC) Apply(_ gas.Vertex, old, acc uint32, _ gas.Step) uint32 { return min(old, acc) }

// Activate reports any change.
func (WCC) Activate(_ gas.Vertex, old, new uint32) bool { return old != new }

// Priority returns the label: the least one of a component is spread first.
func (WCC) Priority(value uint32) float64 { return float64(value) }

// Direction returns gas.Both: edge directions don't matter.
func (WCC) Direction() gas.Direction { return gas.Both }

// Result returns the representative, a vertex of the graph.
func (WCC) Result(_ gas.Vertex, value uint32) gas.VertexID { return gas.VertexID(value) }

// ColumnName returns "component".
func (WCC) ColumnName() string { return "component" }

// Idempotent reports that the lesser label is kept.
func (WCC) Idempotent() bool { return true }

// Monotone reports that labels only fall.
func (WCC) Monotone() bool { return true }

//go:embed wcc.go
var wccSource string

// SourceText returns the text of this program.
func (WCC) SourceText() string { return programText(wccSource) }

// WCCCommand describes garaph run wcc.
var WCCCommand = registry.Command{
	Name: "wcc", Value: WCC{}, Short: "weakly connected component of every vertex, named by its least vertex",
	Long: `On the CPU the algorithm of garaph run components does the work, with the same results in
one pass over the edges, and no job is recorded. A flag about iterations, checkpoints, the
trace or a GPU has the vertex program run: --iterations 0 is enough.`,
	Example: `  garaph run wcc web.graph --top 5
  garaph run wcc web.graph --output components.csv`,
	Ranking: registry.Groups,
	Setup:   registry.Fixed(WCC{}),
}
