package algorithms

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/store"
)

// Coreness gives each vertex its core number: the largest k such that it is in a k-core, a set
// of vertices each of which has k neighbours or more within the set. Directions, parallel edges
// and self-loops don't matter.
//
// Where the budget has room for the rows of the whole graph, vertices are peeled off (peel.go). Where
// it has not, the rows are read again and again: a vertex begins with its degree, and takes the h-index
// of what its neighbours have as often as that is less: the largest k such that k of them have k
// or more. What is left when nothing changes is the core number (Lü et al., The H-index of a
// network node and its relation to degree and coreness, Nature Communications 7, 2016; Wen et al.,
// I/O efficient core graph decomposition at web scale, ICDE 2016, from disk). A new value is seen at
// once, so that most graphs take few passes, each of which looks at those vertices alone of which
// a neighbour has changed, and reads shards with such vertices alone. Memory: beside the values of
// 8 bytes for a vertex, 4 and a bit, or 16 and the rows.
type Coreness struct{}

// Plan returns the rows of both directions, the cores, and the values.
func (Coreness) Plan(g *store.Catalogue, threads int) Plan {
	values := Array{"the values", 8 * int64(g.Vertices)}
	p := CorePlan(g, threads, []Array{values}, []Array{values})
	p.Places, p.Less.Places = true, true
	return p
}

// CorePlan returns the plan of [CoreNumbers] and of what is allocated after it: in memory, or in passes.
// The rows are those of [EachVertex].
func CorePlan(g *store.Catalogue, threads int, whole, passes []Array) Plan {
	n := int64(g.Vertices)
	core, peeling := Array{"the core numbers", 4 * n}, []Array{{"lists of vertices to peel", 12 * n}}
	passing := []Array{{"changed vertices", 8 * int64(bitset.Words(g.Vertices))},
		{"counts of neighbours", 4 * int64(threads) * int64(MostCore(g)+1)}}
	return Plan{
		Whole:  BothRows(g),
		Arrays: append([]Array{core}, larger(peeling, whole)...),
		Less:   &Plan{Rows: BothRows(g), Arrays: append([]Array{core}, larger(passing, passes)...)},
	}
}

// larger returns the arrays, of two lists that are not there at once, that take more.
func larger(a, b []Array) []Array {
	if (Plan{Arrays: a}).bytes() > (Plan{Arrays: b}).bytes() {
		return a
	}
	return b
}

// Run computes the core numbers.
func (Coreness) Run(ctx context.Context, e *Env) ([]int64, error) {
	core, err := CoreNumbers(ctx, e)
	if err != nil {
		return nil, err
	}
	if err := CloseEnds(e); err != nil {
		return nil, err
	}
	values, err := Make[int64](e, len(core))
	if err != nil {
		return nil, err
	}
	most := int64(0)
	for v, k := range core {
		values[v] = int64(k)
		most = max(most, int64(k))
	}
	e.Total("largest core number", most)
	return values, nil
}

// MostCore returns an upper bound of core numbers: a k-core has k(k+1)/2 edges or more.
func MostCore(g *store.Catalogue) uint32 {
	return uint32(min(math.Sqrt(2*float64(g.Edges)), float64(g.Vertices)))
}

// CoreNumbers computes the core number of each vertex as [CorePlan] says. What [EachVertex] goes
// over remains open.
func CoreNumbers(ctx context.Context, e *Env) ([]uint32, error) {
	core, err := Make[uint32](e, int(e.Graph.Vertices))
	if err != nil {
		return nil, err
	}
	whole, err := LoadEnds(ctx, e)
	switch {
	case err != nil:
	case whole:
		err = peelCores(ctx, e, core)
	default:
		err = lowerCores(ctx, e, core)
	}
	return core, err
}

// lowerCores computes core numbers in passes over the rows.
func lowerCores(ctx context.Context, e *Env, core []uint32) error {
	c, most := cores{core: core}, MostCore(e.Graph)
	var counts []uint32
	err := makeAll(e, into(&c.changed, bitset.Words(e.Graph.Vertices)), into(&counts, e.Threads*int(most+1)))
	if err != nil {
		return err
	}
	err = EachVertex(ctx, e, "degrees", func(_ int, v uint32, ends *Ends) {
		for _, more := ends.Next(); more && core[v] < most; _, more = ends.Next() {
			core[v]++
		}
		c.changed.Add(v)
	})
	for pass, again := 1, true; again && err == nil; pass++ {
		var lowered atomic.Bool
		err = eachVertexOf(ctx,
			e, fmt.Sprintf("core numbers, pass %d", pass), c.changed, func(worker int, v uint32, ends *Ends) {
				if c.lower(v, ends, counts[worker*int(most+1):][:most+1]) {
					lowered.Store(true)
				}
			})
		again = lowered.Load()
	}
	Free(e, c.changed)
	Free(e, counts)
	return err
}

// cores are upper bounds of core numbers that several goroutines lower.
type cores struct {
	core    []uint32
	changed bitset.Set // vertices that have to look at their neighbours again
}

// lower lowers the bound of v to the h-index of those of its neighbours, and reports whether that
// was less. Neighbours with a higher bound than the new one are to look again: also those that
// do so now, and may have seen the old one.
func (c *cores) lower(v uint32, ends *Ends, counts []uint32) bool {
	if atomic.LoadUint64(&c.changed[v/64])>>(v%64)&1 == 0 {
		return false
	}
	c.changed.Remove(v)
	old := c.core[v] // which no other goroutine writes
	clear(counts[:old+1])
	again := *ends
	for u, more := ends.Next(); more; u, more = ends.Next() {
		counts[min(old, atomic.LoadUint32(&c.core[u]))]++
	}
	k, sum := old, counts[old]
	for ; sum < k; sum += counts[k] {
		k--
	}
	if k == old {
		return false
	}
	atomic.StoreUint32(&c.core[v], k)
	for u, more := again.Next(); more; u, more = again.Next() {
		if atomic.LoadUint32(&c.core[u]) > k {
			c.changed.Add(u)
		}
	}
	return true
}

// ColumnName returns "core".
func (Coreness) ColumnName() string { return "core" }

// CorenessCommand describes garaph run coreness.
var CorenessCommand = registry.Command{
	Name: "coreness", Value: Coreness{}, Short: "core number of every vertex: the largest k whose k-core it is in",
	Long: `Directions of edges, parallel edges and self-loops don't matter. The summary has
the largest core number. Where --memory has no room for the rows of the whole graph,
passes over the edges are taken until nothing changes, with 12 bytes for each vertex.`,
	Example: `  garaph run coreness web.graph --top 10
  garaph run coreness web.graph --output cores.parquet`,
	Setup: registry.Fixed(Coreness{}),
}
