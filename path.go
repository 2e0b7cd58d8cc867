package garaph

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/tables"
	"github.com/garaph/garaph/shard"
)

// Path returns a shortest path from a source of the program to a vertex, both included, and the
// length of the path to each vertex of it: that of [RunWithParents] and [PathTo], found by a job
// that ends when the length to the vertex is final. Where no path leads there, the error is an
// [ErrNoPath]. The job is not recorded, and runs on the CPU. Progress may be nil.
func Path[V, A any](
	ctx context.Context, g *Graph, p gas.Program[V, A], to uint32, o RunOptions,
	progress func(algorithms.Progress),
) (path []uint32, lengths []V, err error) {
	if err := g.begin(); err != nil {
		return nil, nil, err
	}
	defer g.end(ctx, &err)
	paths, ok := p.(gas.Paths[V])
	if !ok {
		return nil, nil, nameProgram(fmt.Errorf("program %T has no paths: its values are no lengths (gas.Paths)", p), p,
			o.Name)
	}
	if to >= g.Catalogue().Vertices {
		return nil, nil, fmt.Errorf("graph %s: vertex %d: %w", g.store.Name(), to, ErrNoVertex)
	}
	if err := checkParents[V](g, o); err != nil {
		return nil, nil, err
	}
	o.Device, o.Job, o.Checkpoints = dispatcher.CPU, nil, Checkpoints{}
	o.EndAt(to)
	r, err := Run(ctx, g, p, o)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	t := r.table.(*tables.Table[V])
	if paths.Null(gas.Vertex{ID: to}, t.Values[to]) {
		return nil, nil, ErrNoPath
	}
	if path, err = back(ctx, t, paths, to); err != nil {
		return nil, nil, err
	}
	if path != nil {
		for _, v := range path {
			lengths = append(lengths, t.Values[v])
		}
		return path, lengths, nil
	}
	near := nearEnough[V]{paths, t.Values, to}
	if err := addParents(ctx, r, near, o, progress); err != nil {
		return nil, nil, err
	}
	return PathTo[V](r, to)
}

// nearEnough restricts Paths to vertices no farther than to; values of farther ones may not be final.
type nearEnough[V any] struct {
	gas.Paths[V]
	values []V
	to     uint32
}

// Null also reports true for vertices farther than to.
func (n nearEnough[V]) Null(v gas.Vertex, value V) bool {
	return n.Paths.Null(v, value) || n.Nearer(n.values[n.to], value)
}

// back goes along the parents of a vertex back to a source, and reads the rows of the path alone.
// It gives up, with no path, where a parent is equally near, as over a weight of 0, and where it
// would read a quarter of all shards: all rows at once are read sooner.
func back[V any](ctx context.Context, t *tables.Table[V], p gas.Paths[V], to uint32) ([]uint32, error) {
	r, err := newRowSides(t.Store)
	if err != nil {
		return nil, err
	}
	most := len(t.Store.Catalogue().Shards)/4 + 1
	path := []uint32{to}
	for v := to; !p.Begins(v); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row, weights, err := r.row(shard.In, v)
		if err != nil {
			return nil, err
		}
		u, found := uint32(0), false
		for i := 0; i < len(row) && !found; i++ {
			e := gas.Edge{Weight: weights.At(i)}
			u = row[i]
			found = p.Nearer(t.Values[u], t.Values[v]) && p.Over(t.Values[u], e, t.Values[v])
		}
		if !found || r.reads > most {
			return nil, nil
		}
		v = u
		path = append(path, v)
	}
	slices.Reverse(path)
	return path, nil
}
