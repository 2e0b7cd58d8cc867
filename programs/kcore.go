package programs

import "github.com/garaph/garaph/gas"

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

// Zero is no edge.
func (p KCore) Zero() uint32 { return 0 }

// Gather is 1 while the neighbour is there.
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

// Activate reports a removal.
func (p KCore) Activate(_ gas.Vertex, old, new uint32) bool { return old != new }

// Settled skips what has been removed.
func (p KCore) Settled(value uint32, _ gas.Step) bool { return value == 0 }

// Saturated stops counting at K.
func (p KCore) Saturated(acc uint32, _ gas.Step) bool { return acc >= p.K }

// Direction is both: edge directions don't matter.
func (p KCore) Direction() gas.Direction { return gas.Both }
