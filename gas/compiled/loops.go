package compiled

import (
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/shard/packed"
)

// Loops are the methods of a program fused into loops over plain arrays, one
// call for thousands of edges. Engines build them from the methods of any
// program; for one that is a [Program] they are code of its own, with the
// methods inlined.
//
// A loop works on a [Block], the vertices of one shard. Lists name vertices of
// the block by local number: local vertex v has the id First+v. acc[i] belongs
// to list[i]. cur and next hold the values of all vertices of the graph.
type Loops[V, A any] struct {
	// Program is the program of the loops. A type that embeds a compiled
	// program inherits its loops but may have other methods: an engine uses
	// loops only for programs of the same type.
	Program gas.Program[V, A]

	// Due appends to due the vertices of list that are not settled. Nil without
	// [gas.Settleable].
	Due func(due, list []uint16, b *Block, cur []V) []uint16

	// Gather folds the edges of each vertex of list into acc, each up to where
	// its accumulator is saturated, and counts them.
	Gather func(acc []A, list []uint16, b *Block, cur []V) (edges int)

	// Fold folds the edges of packed blocks, all of them: there is an accumulator
	// for every destination that can be, and that of dummies, the number of the
	// shard's vertices, has no meaning. cur has at least the vertices for which the
	// side was checked.
	Fold func(acc *[1 << 16]A, b *packed.Blocks, cur []V)

	// Weighs is set if Gather reads the weight of an edge.
	Weighs bool

	// Push and Relax are for frontiers: nil for programs that are not
	// [gas.Monotone]. Their block begins at vertex 0, and has no edges.
	//
	// Push sends from[i], the value of list[i], along the rows of each vertex of list.
	// Where that is news, the value of the other end is replaced, and the vertex
	// joins the next frontier.
	Push func(a *Advance, b *Block, list []uint32, from, cur []V)
	// Relax does so with values as they are, and puts vertices that changed into the bucket of its
	// priority. Nil without [gas.Prioritized].
	Relax func(a *Advance, b *Block, list []uint32, cur []V)

	// Apply gives each vertex of list its next value and sets, in rising, the
	// bits of those that [gas.Program.Activate]: rising[0] begins with the vertex
	// First &^ 63. It counts them, and their Block.Degree.
	Apply func(acc []A, list []uint16, b *Block, cur, next []V, rising []uint64) (activated int, degrees uint64)

	// Aggregate sums Aggregate over the block's vertices in their order;
	// values[v] is the value of local vertex v. Nil without [gas.Aggregable].
	Aggregate func(b *Block, values []V) float64
}

// Block describes a shard to loops: its vertices, their degrees, and the
// edges of one side.
type Block struct {
	First uint32 // place of local vertex 0
	N     uint32 // number of vertices of the graph
	Step  gas.Step

	// The edges of local vertex v are Off[v] to Off[v+1] of Nbr, their other
	// ends, and of Weight or, where weights are wide, Wide: both are nil on a graph without weights.
	Off    []uint32
	Nbr    []uint32
	Weight []float32
	Wide   []float64

	// Degree, by vertex id, is the number of edges along which a vertex makes
	// others gather. In and Out are in- and out-degrees; if nil, they are Degree, or
	// the program reads them in no loop.
	Degree, In, Out []uint32
	// IDs are the ids of vertices, which a Block otherwise names by their places. If nil, they are the places.
	IDs []uint32
}

// NarrowEdge is a [gas.Edge] whose weight is float32.
type NarrowEdge struct{ Weight float32 }

// Vertex describes local vertex v.
func (b *Block) Vertex(v int) gas.Vertex {
	at := b.First + uint32(v)
	x := gas.Vertex{ID: b.ID(uint32(v)), N: b.N, In: b.Degree[at], Out: b.Degree[at]}
	if b.In != nil {
		x.In = b.In[at]
	}
	if b.Out != nil {
		x.Out = b.Out[at]
	}
	return x
}

// ID returns the id of local vertex v.
func (b *Block) ID(v uint32) uint32 {
	v += b.First
	if b.IDs == nil {
		return v
	}
	return b.IDs[v]
}

// Program is a program with loops written by `garaph compile`.
type Program[V, A any] interface {
	Loops() Loops[V, A]
}
