package algorithms

import (
	"context"
	"math"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/store"
)

// Truss gives each vertex the largest k such that it lies in a k-truss: a set of edges each
// of which is in k-2 triangles of the set, or more (Cohen, Trusses: Cohesive Subgraphs for
// Social Network Analysis, 2008). A vertex with an edge has 2 at least, one without has 0.
// Directions, parallel edges and self-loops don't matter. The largest k of all is reported.
//
// It peels edges level by level, as PKT (Kabir and Madduri, Shared-memory Graph Truss
// Decomposition, HiPC 2017): the support of an edge is the number of its triangles among
// the edges that are left. Those of the least support s are a frontier; from it the operator
// goes to the other edges of their triangles, whose support falls, and those that fall to s
// are the next one. None of these lies in an (s+3)-truss. Triangles are found by merging rows
// of the graph as [Triangles] orients it: an edge is the position in its rows. The time is
// O(m^1.5 log n). Once a quarter of the possible edges between the vertices that are left exists,
// rows of bits replace the lists. Memory: 20 bytes for an edge, 28 where there are 2^32, and 32
// for a vertex. With less memory, all but 4 bytes for an edge are in temporary files, and rows of bits are not made.
type Truss struct{}

// wide reports whether edges that are there once may have numbers of more than 32 bits.
func wide(edges uint64) bool { return edges >= 1<<32 }

// Plan returns both directions, and what is in memory at once.
func (Truss) Plan(g *store.Catalogue, _ int) Plan {
	n := int64(g.Vertices)
	rows, edges := undirected(g)
	id := int64(4)
	if wide(uint64(edges)) {
		id = 8
	}
	mapped := (8 + 2*id) * edges
	some := min(mapped/2, max(mappedBytes, spanBytes(n, edges)))
	always := []Array{
		{"degrees and ranks", 8 * n},
		{"where rows begin", 16 * (n + 1)},
		{"the supports", 4 * edges},
		{"the values", 8 * n},
	}
	return Plan{
		Rows:   rows,
		Arrays: append(slices.Clip(always), Array{"the edges", (8 + id) * edges}, Array{"the frontier", id * edges}),
		Less: &Plan{
			Rows:   rows,
			Arrays: append(slices.Clip(always), Array{"some of the edges", some}),
			Spare:  mapped + coreBytes(n, edges),
			Scratch: []Array{
				{theOriented, 4 * edges}, {theTurned, 4 * edges}, {theirNumbers, id * edges}, {theFrontier, id * edges},
			},
		},
	}
}

// Names of temporary files.
const theTurned, theirNumbers, theFrontier = "the edges at their other ends", "their numbers", "the frontier"

// mappedBytes is the least memory for files that are mapped.
const mappedBytes = 8 << 20

// makeOrMap allocates memory, in the temporary file of a name if the plan has files.
func makeOrMap[T any](e *Env, name string, n int) ([]T, error) {
	if len(e.Plan().Scratch) == 0 {
		return Make[T](e, n)
	}
	s, err := e.Scratch(name)
	if err != nil {
		return nil, err
	}
	return Map[T](s, n)
}

// Run peels.
func (Truss) Run(ctx context.Context, e *Env) ([]int64, error) {
	g, err := orient(ctx, e, false)
	if err != nil {
		return nil, err
	}
	Free(e, g.degree)
	if wide(g.edges()) {
		return trussOf[uint64](ctx, e, g)
	}
	return trussOf[uint32](ctx, e, g)
}

// trussOf peels a graph whose edges have numbers of type E.
func trussOf[E frontier.ID](ctx context.Context, e *Env, g *oriented) ([]int64, error) {
	if g.file != nil {
		var err error
		if g.neighbours, err = Map[uint32](g.file, int(g.edges())); err != nil {
			return nil, err
		}
		g.rowSpan = rowSpan{end: uint32(len(g.rank)), neighbours: g.neighbours}
	}
	p := &peeling[E]{env: e, below: &frontier.Rows{Off: g.offsets, Nbr: g.neighbours}}
	err := p.degrees(len(g.rank))
	if err == nil && !p.dense(0) {
		if err = p.turn(); err == nil {
			err = p.peel(ctx, g)
		}
	}
	if err == nil && p.vertices.Load() > 0 {
		err = p.peelDense(ctx)
	}
	if err != nil {
		return nil, err
	}
	values, err := Make[int64](e, len(g.rank))
	if err != nil {
		return nil, err
	}
	largest := uint32(0)
	for v, rank := range g.rank {
		k := p.best[rank] &^ done
		values[v], largest = int64(k), max(largest, k)
	}
	e.Total("kmax", int64(largest))
	return values, nil
}

// The supports of edges that are not left, which are no numbers of triangles.
const (
	peeled  = math.MaxUint32 - iota
	current // in the frontier
)

// peeling is the graph and what is left of it. Vertices are called by their ranks.
type peeling[E frontier.ID] struct {
	env   *Env
	below *frontier.Rows // each edge at its end of higher rank
	above *frontier.Rows // and at the other end
	edge  []E            // by position in above, that in below

	support  []uint32     // by edge; if nil, all are left
	best     []uint32     // by vertex: the number of edges left; if none are, its largest k with bit done
	vertices atomic.Int64 // those that have edges left
}

// done marks the vertices without an edge that is left.
const done = 1 << 31

// degrees counts the edges of n vertices.
func (p *peeling[E]) degrees(n int) (err error) {
	if p.best, err = Make[uint32](p.env, n); err != nil {
		return err
	}
	for v := range p.best {
		p.best[v] += uint32(p.below.Off[v+1] - p.below.Off[v])
	}
	for _, u := range p.below.Nbr {
		p.best[u]++
	}
	for v, degree := range p.best {
		if degree > 0 {
			p.vertices.Add(1)
		} else {
			p.best[v] = done
		}
	}
	return nil
}

// dense reports whether the remaining graph, after a number of edges, is dense, and there is memory for its bits.
func (p *peeling[E]) dense(peeled int) bool {
	return len(p.env.Plan().Scratch) == 0 && dense(uint64(p.vertices.Load()), uint64(len(p.below.Nbr)-peeled))
}

// peelDense peels what is left, as bits of the vertices that have edges. The lists are freed.
func (p *peeling[E]) peelDense(ctx context.Context) error {
	if p.above != nil {
		Free(p.env, p.above.Off)
		Free(p.env, p.above.Nbr)
		Free(p.env, p.edge)
	}
	left, err := newBitRows(p.env, int(p.vertices.Load()))
	if err != nil {
		return err
	}
	place := uint32(0)
	for v, degree := range p.best {
		if degree&done == 0 { // its place takes that of its degree
			p.best[v] = place
			place++
		}
	}
	edges := int64(0)
	for v := range p.best {
		for at := p.below.Off[v]; at < p.below.Off[v+1]; at++ {
			if p.support == nil || p.support[at] != peeled {
				left.add(int(p.best[v]), int(p.best[p.below.Nbr[at]]))
				edges++
			}
		}
	}
	Free(p.env, p.below.Off)
	Free(p.env, p.below.Nbr)
	Free(p.env, p.support)
	best, err := peelDense(ctx, p.env, left, edges)
	if err != nil {
		return err
	}
	for v, place := range p.best {
		if place&done == 0 {
			p.best[v] = best[place]
		}
	}
	Free(p.env, best)
	return nil
}

// turn makes the rows of edges at their other ends. Filled in the order of ranks, they are
// ascending.
func (p *peeling[E]) turn() (err error) {
	n, m := len(p.below.Off)-1, len(p.below.Nbr)
	p.above = &frontier.Rows{}
	if p.above.Off, err = Make[uint64](p.env, n+1); err != nil {
		return err
	}
	if p.above.Nbr, err = makeOrMap[uint32](p.env, theTurned, m); err != nil {
		return err
	}
	if p.edge, err = makeOrMap[E](p.env, theirNumbers, m); err != nil {
		return err
	}
	off := p.above.Off
	sum := uint64(0)
	for v := range n { // where a row begins moves to its end as it is filled
		off[v+1], sum = sum, sum+uint64(p.best[v]&^done)-(p.below.Off[v+1]-p.below.Off[v])
	}
	for v := range n {
		for at := p.below.Off[v]; at < p.below.Off[v+1]; at++ {
			next := &off[p.below.Nbr[at]+1]
			p.above.Nbr[*next], p.edge[*next] = uint32(v), E(at)
			*next++
		}
	}
	return nil
}

// count finds every triangle once, from the edge of its two ends of the highest ranks, and
// triangles within the core of the graph from each of their edges.
func (p *peeling[E]) count(ctx context.Context, g *oriented) error {
	m := len(p.below.Nbr)
	room := int64(math.MaxInt64)
	if g.file != nil {
		room = p.env.Room() / 2
	}
	g.file = nil // it is mapped
	core, err := g.core(ctx, p.env, g.coreSize(room), nil, nil)
	if err != nil {
		return err
	}
	defer func() { Free(p.env, core.bits) }()
	var done atomic.Int64
	return p.env.Each(ctx, (m+countedEdges-1)/countedEdges, func(_, i int) error {
		from, to := uint64(i*countedEdges), uint64(min((i+1)*countedEdges, m))
		v := p.below.Source(from)
		for at := from; at < to; at++ {
			for p.below.Off[v+1] <= at {
				v++
			}
			if int(v) < core.n {
				own := commonBits(core.row(int(v)), core.row(int(p.below.Nbr[at])))
				atomic.AddUint32(&p.support[at], uint32(own))
				continue
			}
			own := uint32(0)
			p.least(v, at, func(f, g uint64) {
				own++
				atomic.AddUint32(&p.support[f], 1)
				atomic.AddUint32(&p.support[g], 1)
			})
			atomic.AddUint32(&p.support[at], own)
		}
		p.env.Progress("counting triangles", done.Add(int64(to-from)), int64(m))
		return nil
	})
}

// triangles calls f with the other two edges of every triangle of edge e, whose end of the
// higher rank is v, peeled edges among them.
func (p *peeling[E]) triangles(v uint32, e uint64, f func(f, g uint64)) {
	u := p.below.Nbr[e]
	p.least(v, e, f)
	vEnd, vAbove := p.below.Off[v+1], p.above.Off[v]
	uAbove, uEnd := p.above.Off[u], p.above.Off[u+1]
	ofU := p.above.Nbr[uAbove:uEnd]
	i := uint64(sort.Search(len(ofU), func(i int) bool { return ofU[i] >= v })) // which is v
	common(p.below.Nbr[e+1:vEnd], ofU[:i], func(a, b int) {                     // between u and v
		f(e+1+uint64(a), uint64(p.edge[uAbove+uint64(b)]))
	})
	common(p.above.Nbr[vAbove:p.above.Off[v+1]], ofU[i+1:], func(a, b int) { // above both
		f(uint64(p.edge[vAbove+uint64(a)]), uint64(p.edge[uAbove+i+1+uint64(b)]))
	})
}

// least is like triangles, for those whose third vertex has the least rank.
func (p *peeling[E]) least(v uint32, e uint64, f func(f, g uint64)) {
	u := p.below.Nbr[e]
	ofV, ofU := p.below.Off[v], p.below.Off[u]
	common(p.below.Nbr[ofV:e], p.below.Nbr[ofU:p.below.Off[u+1]], func(a, b int) {
		f(ofV+uint64(a), ofU+uint64(b))
	})
}

// skewed is how many times as long as another a row is, from which on it is searched
// and not merged.
const skewed = 16

// common calls f with the places of what two ascending lists have in common.
func common(a, b []uint32, f func(i, j int)) {
	switch {
	case len(a) > skewed*len(b):
		search(b, a, func(j, i int) { f(i, j) })
		return
	case len(b) > skewed*len(a):
		search(a, b, f)
		return
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x, y := a[i], b[j]
		if x == y {
			f(i, j)
		}
		if x <= y {
			i++
		}
		if x >= y {
			j++
		}
	}
}

// search is like common, where b is much longer.
func search(a, b []uint32, f func(i, j int)) {
	j := 0
	for i, x := range a {
		j += sort.Search(len(b)-j, func(k int) bool { return b[j+k] >= x })
		if j == len(b) {
			return
		}
		if b[j] == x {
			f(i, j)
		}
	}
}

// ColumnName returns "k".
func (Truss) ColumnName() string { return "k" }

// TrussCommand describes garaph run truss.
var TrussCommand = registry.Command{
	Name: "truss", Value: Truss{}, Short: "largest k such that the vertex lies in a k-truss, whose edges are in " +
		"k-2 triangles each",
	Long: `A k-truss is a set of edges each of which is in k-2 triangles of the set, or more: a
dense part of the graph, inside its (k-1)-core. Directions of edges, parallel edges and
self-loops don't matter. A vertex with a neighbour has 2 at least, one without has 0; the
summary has the largest k. Beside 32 bytes for each vertex, 20 for each pair of neighbours
are in memory, or with less --memory 4, and 16 in temporary files.`,
	Example: `  garaph run truss web.graph --top 10
  garaph run truss web.graph --output truss.parquet`,
	Setup: registry.Fixed(Truss{}),
}
