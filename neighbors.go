package garaph

import (
	"fmt"
	"iter"
	"slices"
	"sort"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/shard/rowweights"
	"github.com/garaph/garaph/store"
)

// Neighbors reads the neighbours of vertices, under the user's ids. It keeps the shard that it has read last in
// either direction, some MiB: a vertex costs a read and the decoding of its shard, and its neighbours in a row
// nothing but their ids. What goes over many vertices in no order is better an algorithm (package
// algorithms).
//
//	n, err := garaph.NeighborsOf[string](g)
//	...
//	for id, weight := range n.Out("Basel") {
//		...
//	}
//	err = n.Err()
//
// One goroutine at a time may use it.
type Neighbors[I ID] struct {
	graph *Graph
	ids   *store.IDs
	id    func(c *results.IDs, row int) I
	sides rowSides
	err   error
}

// rowSides reads the rows of vertices. It keeps the shard that was read last in either direction.
type rowSides struct {
	store *store.Store
	sides [2]keptSide // in and out
	ids   []uint32    // by place; if nil, they are the places
	reads int         // shards that were read
}

// keptSide is a side of a shard in memory.
type keptSide struct {
	shard int
	rows  *rows.Side // if nil, none
}

// NeighborsOf returns a reader for ids of type I, as [ValuesOf] has them.
func NeighborsOf[I ID](g *Graph) (n *Neighbors[I], err error) {
	if err := g.begin(); err != nil {
		return nil, err
	}
	defer g.uses.End()
	read, err := idReaderOf[I](g)
	if err != nil {
		return nil, err
	}
	sides, err := newRowSides(g.store)
	if err != nil {
		return nil, err
	}
	return &Neighbors[I]{graph: g, sides: sides, ids: g.store.IDs(), id: read}, nil
}

// Out yields where edges from a vertex lead, with their weights, 1 where there are none: one for each of parallel
// edges, in the order of dense ids. It ends early at an error, which Err then reports: [ErrNoVertex] where there is
// no such vertex.
func (n *Neighbors[I]) Out(id I) iter.Seq2[I, float64] { return n.along(shard.Out, id) }

// In yields where edges to a vertex come from, as [Neighbors.Out] does.
func (n *Neighbors[I]) In(id I) iter.Seq2[I, float64] { return n.along(shard.In, id) }

// Err returns why the last reading ended early; nil after all neighbours, or a break.
func (n *Neighbors[I]) Err() error { return n.err }

func (n *Neighbors[I]) along(dir shard.Direction, id I) iter.Seq2[I, float64] {
	return func(yield func(I, float64) bool) {
		if n.err = n.graph.begin(); n.err != nil {
			return
		}
		defer n.graph.uses.End()
		var v uint32
		if v, n.err = n.graph.Vertex(fmt.Sprint(id)); n.err != nil {
			return
		}
		row, weights, err := n.sides.row(dir, v)
		if n.err = err; err != nil {
			return
		}
		for i, u := range row {
			block, err := n.ids.Block(u)
			if err != nil {
				n.err = err
				return
			}
			ids := results.IDs{Ints: block.Ints, Uints: block.Uints, Strings: block.Strings}
			if !yield(n.id(&ids, int(u-block.First)), weights.At(i)) {
				return
			}
		}
	}
}

func newRowSides(s *store.Store) (r rowSides, err error) {
	ids, err := s.OrderedIDs()
	r = rowSides{store: s, ids: slices.Clone(ids)}
	hostmem.Free(ids)
	return r, err
}

// row returns the neighbours of a vertex, ascending, and the weights of the edges.
func (r *rowSides) row(dir shard.Direction, v uint32) (nbr []uint32, weights shard.Plane, err error) {
	place := store.Place(r.ids, v)
	side, err := r.side(dir, place)
	if err != nil {
		return nil, weights, err
	}
	if r.ids != nil {
		nbr, weights = side.Renamed(int(place-side.First), r.ids)
		return nbr, weights, nil
	}
	from, to := int(side.Off[v-side.First]), int(side.Off[v-side.First+1])
	return side.Nbr[from:to], side.Plane().Slice(from, to), nil
}

// side returns the side of the shard that has the vertex at a place, as plain rows.
func (r *rowSides) side(dir shard.Direction, v uint32) (*rows.Side, error) {
	s, cat := r.store, r.store.Catalogue()
	i := sort.Search(len(cat.Shards), func(i int) bool { return cat.Shards[i].First > v }) - 1
	kept := &r.sides[dir]
	if kept.rows != nil && kept.shard == i {
		return kept.rows, nil
	}
	kept.rows = nil
	r.reads++
	if cat.Symmetric {
		dir = shard.In // the same edges, with their weights
	}
	read, err := s.ReadShard(dir, i, make([]byte, cat.Bytes(dir, i)))
	if err != nil {
		return nil, err
	}
	h := read.Header()
	side := rows.Plain(read, make([]byte, rows.Size(h.Vertices, h.Edges, cat.WeightBytes())), cat.WeightBytes())
	if cat.Weighted && dir == shard.Out {
		is, beside := cat.WeightsOf(dir)
		if !beside {
			return nil, fmt.Errorf("graph %s has no weights of out-edges, as a version before this one left it: import it again",
				s.Name())
		}
		weights, err := s.ReadShard(is, i, make([]byte, cat.Bytes(is, i)))
		if err != nil {
			return nil, err
		}
		weights.(*rowweights.Side).Fill(side.Plane(), 0)
	}
	kept.shard, kept.rows = i, side
	return side, nil
}
