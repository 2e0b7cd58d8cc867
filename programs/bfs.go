package programs

import (
	_ "embed"
	"math"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
)

// BFS gives the number of hops from Source along edge direction. A vertex
// reached by the end of iteration t has at most t+1 hops, in sync and in async
// mode, so that a value ≤ t is final, and no unsettled vertex has a neighbour
// nearer than t: the bottom-up step of Beamer et al. (SC 2012) follows from
// Settled and Saturated.
type BFS struct {
	Source uint32   // dense id
	More   []uint32 // more sources beside it, ascending: hops are from the nearest
}

const unreached = math.MaxUint32

// Init reaches the source.
func (b BFS) Init(v gas.Vertex) (uint32, bool) {
	if v.ID == b.Source || among(b.More, v.ID) {
		return 0, true
	}
	return unreached, false
}

// Zero returns the value of an unreached vertex.
func (b BFS) Zero() uint32 { return unreached }

// Gather returns the hops of the source of the edge.
func (b BFS) Gather(src uint32, _ gas.Edge, _ uint32) uint32 { return src }

// Sum returns the minimum.
func (b BFS) Sum(a, c uint32) uint32 { return min(a, c) }

// Apply goes one hop further, once for a vertex instead of once for each edge.
func (b BFS) Apply(_ gas.Vertex, old, acc uint32, _ gas.Step) uint32 {
	if acc == unreached {
		return old
	}
	return min(old, acc+1)
}

// Activate reports any change.
func (b BFS) Activate(_ gas.Vertex, old, new uint32) bool { return old != new }

// Saturated stops at the first parent in the frontier.
func (b BFS) Saturated(acc uint32, s gas.Step) bool { return uint64(acc) <= uint64(s.Iteration) }

// Settled skips what has been reached.
func (b BFS) Settled(value uint32, s gas.Step) bool { return uint64(value) <= uint64(s.Iteration) }

// Result returns the number of hops.
func (b BFS) Result(_ gas.Vertex, value uint32) int64 {
	if value == unreached {
		return gas.Unreached
	}
	return int64(value)
}

// ColumnName returns "hops".
func (BFS) ColumnName() string { return "hops" }

// Idempotent reports that the nearer distance is kept.
func (BFS) Idempotent() bool { return true }

// Monotone reports that distances only fall.
func (BFS) Monotone() bool { return true }

// Null reports that no path leads to the vertex.
func (BFS) Null(_ gas.Vertex, value uint32) bool { return value == unreached }

// Begins reports that the vertex is a source.
func (b BFS) Begins(v uint32) bool { return v == b.Source || among(b.More, v) }

// Nearer compares hops.
func (BFS) Nearer(a, b uint32) bool { return a < b }

// Over goes one hop further.
func (BFS) Over(src uint32, _ gas.Edge, length uint32) bool {
	return src != unreached && src+1 == length
}

// Check refuses sources that are not vertices of the graph.
func (b BFS) Check(vertices uint32) error {
	return checkFirst(vertices, b.Source, b.More)
}

//go:embed bfs.go
var bfsSource string

// SourceText returns the text of this program.
func (BFS) SourceText() string { return programText(bfsSource) }

// BFSCommand describes garaph run bfs.
var BFSCommand = registry.Command{
	Name: "bfs", Value: BFS{}, Short: "number of hops from a source along edge direction",
	Long: `Of several sources, the nearest counts. Vertices that no path leads to have no value.
With --parents, a second column has the vertex before on a shortest path.`,
	Example: `  garaph run bfs web.graph --source 42 --output hops.tsv
  go mod graph | garaph run bfs - --source example.com/app`,
	Ranking: registry.Nearest,
	Setup:   setupBFS,
}

func setupBFS(fs *pflag.FlagSet) registry.Make {
	flags.RequiredSources(fs, "to begin at")
	parentsFlag(fs)
	return func(e registry.Env) (any, error) {
		first, more, err := e.FirstSource()
		return BFS{Source: first, More: more}, err
	}
}
