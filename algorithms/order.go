package algorithms

import (
	"context"
	"fmt"
	"math"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/store"
)

// ID returns the id of the vertex at a place, see [Plan.Places].
func (e *Env) ID(place uint32) uint32 {
	if e.ids == nil {
		return place
	}
	return e.ids[place]
}

// freeIDs frees the ids by place.
func (e *Env) freeIDs() {
	e.used -= 4 * int64(len(e.ids))
	hostmem.Free(e.ids)
	e.ids = nil
}

// renames reports whether the algorithm gets the ids of vertices, which differ from their places.
func (e *Env) renames() bool { return e.ids != nil && !e.plan.Places }

// vertex returns the name of the vertex at a place for the algorithm: its id, or with [Plan.Places] its place.
func (e *Env) vertex(place uint32) uint32 {
	if e.renames() {
		return e.ids[place]
	}
	return place
}

// orderArrays returns the memory for ids that differ from places: the ids, and values that are rearranged, or
// rows that are.
func (p Plan) orderArrays(c *store.Catalogue, threads int) (list []Array) {
	n := c.OrderBytes()
	if n == 0 {
		return nil
	}
	list = []Array{{"the order of vertices", n}}
	if p.Places {
		return append(list, Array{"values in the order of ids", arrangeBytes * int64(c.Vertices)})
	}
	if len(p.Rows) > 0 {
		most := int64(0)
		for i := range c.Shards {
			most = max(most, int64(c.Shards[i].In)+int64(c.Shards[i].Out))
		}
		list = append(list, Array{"rows in the order of ids", min(most*int64(threads), 2*int64(c.Edges)) * rowEntryBytes})
	}
	return list
}

// arrangeBytes is the memory for the values of a vertex in the order of ids, beside those by place.
const arrangeBytes = 8

// rowEntryBytes is the memory of an edge of a renamed row: its neighbour, its weight, and a key to sort by.
const rowEntryBytes = 20

// arrange brings the values of an algorithm that computes by places into the order of ids.
func (e *Env) arrange(ctx context.Context, c Column) (any, error) {
	switch x := c.Values.(type) {
	case []int64:
		return arrange(ctx, e, x)
	case []float32:
		return arrange(ctx, e, x)
	case []float64:
		return arrange(ctx, e, x)
	case []gas.VertexID:
		return arrange(ctx, e, x)
	}
	return nil, fmt.Errorf("algorithm %T: column %q is of type %T", e.algorithm, c.Name, c.Values)
}

func arrange[T Value](ctx context.Context, e *Env, values []T) ([]T, error) {
	to, err := Make[T](e, len(values))
	if err != nil {
		return nil, err
	}
	err = e.Ranges(ctx, len(values), func(_, from, end int) {
		for i, id := range e.ids[from:end] {
			to[id] = values[from+i]
		}
	})
	Free(e, values)
	return to, err
}

// nameByLeast replaces labels that are places, the same for all vertices of a set and one of them, by the least id of
// the set.
func nameByLeast(ctx context.Context, e *Env, labels []gas.VertexID) error {
	if e.ids == nil {
		return nil
	}
	least, err := Make[uint32](e, len(labels))
	if err != nil {
		return err
	}
	for v := range least {
		least[v] = math.MaxUint32
	}
	err = e.Ranges(ctx, len(labels), func(_, from, to int) {
		for v := from; v < to; v++ {
			lowerTo(&least[labels[v]], e.ids[v])
		}
	})
	if err == nil {
		err = e.Ranges(ctx, len(labels), func(_, from, to int) {
			for v := from; v < to; v++ {
				labels[v] = gas.VertexID(least[labels[v]])
			}
		})
	}
	Free(e, least)
	return err
}
