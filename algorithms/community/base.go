package community

import (
	"context"
	"fmt"
	"slices"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/store"
)

// base is the part of a stored graph that all queries of a run search in, in memory: the
// vertices of core number least and more, and their edges.
type base struct {
	graph  string
	least  int
	core   []uint32 // by dense id
	size   levelSize
	memory int64 // budget of the run; if 0, none
	enough int64 // budget with room for a search in all of the graph

	ids        []uint32 // dense ids, ascending; local ids are places here
	offsets    []uint64
	neighbours []uint32 // local ids
	local      []uint32 // scratch of one word for each vertex, all absent
}

// levelSize is how large the subgraph of the vertices of a core number, and more, is.
type levelSize struct{ vertices, arcs int64 }

// wholeSize returns the size of all of a graph, at most.
func wholeSize(g *store.Catalogue) levelSize {
	all := levelSize{int64(g.Vertices), 2 * int64(g.Edges)}
	if g.Symmetric {
		all.arcs = int64(g.Edges)
	}
	return all
}

// bytes returns the memory of a base of that size.
func (l levelSize) bytes() int64 { return 4*l.arcs + 16*(l.vertices+1) }

// share is which part of the budget that core numbers leave a base may take: pages have the
// others while it is made, and the search later.
const share = 3

// memoryError returns the error of a budget that is too small for a search. It names a budget that is enough.
func memoryError(graph, what string, enough int64) error {
	return fmt.Errorf("graph %s: %w: %s; a budget of %dMiB is enough",
		graph, hostmem.ErrBudget, what, (enough+1<<20-1)>>20)
}

// newBase computes core numbers, and loads the part of the graph with the largest ones that the
// plan has room for. Where that is all of it, sizes are not measured.
func newBase(ctx context.Context, e *algorithms.Env, graph string, memory, room int64) (*base, error) {
	b := &base{graph: graph, memory: memory, enough: enough(e.Graph, e.Threads), size: wholeSize(e.Graph)}
	var err error
	if b.core, err = algorithms.CoreNumbers(ctx, e); err != nil {
		return nil, err
	}
	if b.size.bytes() <= room {
		return b, b.loadAll(ctx, e)
	}
	levels, err := b.measure(ctx, e)
	if err != nil {
		return nil, err
	}
	for b.least = 1; b.least < len(levels)-1 && levels[b.least].bytes() > room; {
		b.least++
	}
	if b.size = levels[b.least]; b.size.bytes() > room {
		return nil, b.tooSmall("the vertices of the largest core number do not fit")
	}
	return b, b.loadPart(ctx, e)
}

func (b *base) tooSmall(what string) error { return memoryError(b.graph, what, b.enough) }

// measure finds how large the subgraph of each core number is, in one pass over the rows.
func (b *base) measure(ctx context.Context, e *algorithms.Env) (levels []levelSize, err error) {
	most := 1
	for _, k := range b.core {
		most = max(most, int(k))
	}
	levels = make([]levelSize, most+2) // by core number, and one that is empty
	for _, k := range b.core {
		levels[k].vertices++
	}
	arcs := make([][]int64, e.Threads)
	for i := range arcs {
		arcs[i] = make([]int64, most+2)
	}
	err = algorithms.EachVertex(ctx, e, "sizes of cores", func(worker int, v uint32, ends *algorithms.Ends) {
		for u, more := ends.Next(); more; u, more = ends.Next() {
			arcs[worker][min(b.core[u], b.core[v])]++
		}
	})
	for k := most; k >= 0; k-- {
		l, above := &levels[k], levels[k+1]
		for i := range arcs {
			l.arcs += arcs[i][k]
		}
		l.vertices, l.arcs = l.vertices+above.vertices, l.arcs+above.arcs
	}
	return levels, err
}

// loadAll makes the base of all vertices, under their dense ids: of the rows that core numbers
// were computed from, if these can become its own.
func (b *base) loadAll(ctx context.Context, e *algorithms.Env) error {
	if err := b.allocate(e); err != nil {
		return err
	}
	for v := range b.ids {
		b.ids[v] = uint32(v)
	}
	var ok bool
	if b.offsets, b.neighbours, ok = algorithms.TakeEnds(e); !ok {
		return b.load(ctx, e, nil)
	}
	b.size.arcs = int64(len(b.neighbours))
	return nil
}

// loadPart makes the base of the vertices of core number least and more.
func (b *base) loadPart(ctx context.Context, e *algorithms.Env) error {
	local, err := algorithms.Make[uint32](e, len(b.core)) // by dense id
	if err != nil {
		return err
	}
	if err = b.allocate(e); err != nil {
		return err
	}
	n := uint32(0)
	for v, k := range b.core {
		local[v] = absent
		if int(k) >= b.least {
			b.ids[n], local[v] = uint32(v), n
			n++
		}
	}
	err = b.load(ctx, e, local)
	algorithms.Free(e, local)
	return err
}

// allocate makes the arrays for vertices.
func (b *base) allocate(e *algorithms.Env) (err error) {
	if b.ids, err = algorithms.Make[uint32](e, int(b.size.vertices)); err != nil {
		return err
	}
	b.local, err = algorithms.Make[uint32](e, int(b.size.vertices))
	for i := range b.local {
		b.local[i] = absent
	}
	return err
}

// load reads the rows of the base, in one pass for their sizes and one for their neighbours, and
// closes those of the graph. local has local ids by dense id; if nil, they are the same.
func (b *base) load(ctx context.Context, e *algorithms.Env, local []uint32) (err error) {
	if b.offsets, err = algorithms.Make[uint64](e, len(b.ids)+1); err != nil {
		return err
	}
	err = b.rows(ctx, e, local, "sizes of rows", func(i uint32, at int, _ uint32) { b.offsets[i+1] = uint64(at) + 1 })
	if err != nil {
		return err
	}
	for i := range b.ids {
		b.offsets[i+1] += b.offsets[i]
	}
	b.size.arcs = int64(b.offsets[len(b.ids)])
	if b.neighbours, err = algorithms.Make[uint32](e, int(b.size.arcs)); err != nil {
		return err
	}
	err = b.rows(ctx, e, local, "rows", func(i uint32, at int, u uint32) { b.neighbours[b.offsets[i]+uint64(at)] = u })
	if err != nil {
		return err
	}
	return algorithms.CloseEnds(e)
}

// rows calls f for all neighbours of all vertices of the base, under local ids; at counts them.
func (b *base) rows(
	ctx context.Context, e *algorithms.Env, local []uint32, stage string, f func(v uint32, at int, u uint32),
) error {
	return algorithms.EachVertex(ctx, e, stage, func(_ int, v uint32, ends *algorithms.Ends) {
		if local != nil {
			if v = local[v]; v == absent {
				return
			}
		}
		at := 0
		for u, more := ends.Next(); more; u, more = ends.Next() {
			if local != nil {
				if u = local[u]; u == absent {
					continue
				}
			}
			f(v, at, u)
			at++
		}
	})
}

func (b *base) row(v uint32) []uint32 { return b.neighbours[b.offsets[v]:b.offsets[v+1]] }

// problem returns the reduced subgraph for a query and a best minimum degree of k: the vertices of a
// core number above k, at most D edges from the query vertex among themselves, where D is the
// diameter that a graph of minimum degree k + 1 with h vertices has at most (section 3). q is in
// the base, and its core number above k.
func (b *base) problem(q Query, k int) (*Problem, error) {
	at, _ := slices.BinarySearch(b.ids, q.Vertex)
	vertices := []uint32{uint32(at)}
	b.local[at] = 0
	arcs := uint64(0)
	for begin, d := 0, Diameter(k+1, q.High); d > 0 && begin < len(vertices); d-- {
		end := len(vertices)
		for _, v := range vertices[begin:end] {
			for _, u := range b.row(v) {
				if b.local[u] == absent && int(b.core[b.ids[u]]) > k {
					b.local[u] = 0
					vertices = append(vertices, u)
				}
			}
		}
		begin = end
	}
	for _, v := range vertices {
		b.local[v] = absent
		arcs += b.offsets[v+1] - b.offsets[v]
	}
	if err := b.checkSearch(q, len(vertices), arcs); err != nil {
		return nil, err
	}
	return b.induced(q, vertices), nil
}

// induced returns the problem that vertices of the base induce, q among them.
func (b *base) induced(q Query, vertices []uint32) *Problem {
	slices.Sort(vertices)
	p := induced(vertices, b.local, b.row)
	at, _ := slices.BinarySearch(b.ids, q.Vertex)
	p.Query = b.local[at]
	p.bound(q)
	for i, v := range vertices {
		b.local[v], p.IDs[i] = absent, b.ids[v]
	}
	return p
}

// stateBytes is the memory of a node for each vertex of its problem.
const stateBytes = 28

// fixed returns the memory that a search does not change.
func (b *base) fixed() int64 { return hostmem.Process + 4*int64(len(b.core)) + b.size.bytes() }

// garbage is by how much the memory of a search is larger than what is in use, in percent: the
// collector runs when it is.
const garbage = 50

// searchRoom returns the memory that a search may use, or 0 if there is no limit.
func (b *base) searchRoom() int64 {
	if b.memory == 0 {
		return 0
	}
	return max(1, (b.memory-b.fixed())*100/(100+garbage))
}

// searchBytes returns the memory of a search on one thread: a problem, its parts, and some nodes.
func searchBytes(vertices int, arcs uint64) int64 {
	return (2*problemBytes(vertices, arcs) + leastStates*stateBytes*int64(vertices)) * (100 + garbage) / 100
}

// checkSearch refuses a search that the budget has no room for.
func (b *base) checkSearch(q Query, vertices int, arcs uint64) error {
	takes := searchBytes(vertices, arcs)
	if arcs >= 1<<32 {
		return fmt.Errorf("graph %s: a search in %d edges: expected less than 2³²; give a smaller --max-size",
			b.graph, arcs/2)
	}
	if b.memory > 0 && b.fixed()+takes > b.memory {
		return b.tooSmall(fmt.Sprintf("the search for %d vertices of %d takes %d MiB beside the graph",
			q.High, vertices, takes>>20))
	}
	return nil
}
