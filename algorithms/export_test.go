package algorithms

import (
	"context"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/store"
)

// SetOpen lets a run open its device otherwise.
func (o *Options) SetOpen(open func(name string) (device.Device, error)) { o.open = open }

// CorenessInPasses is Coreness where the budget has no room for the rows of the whole graph.
type CorenessInPasses struct{ Coreness }

func (c CorenessInPasses) Plan(g *store.Catalogue, threads int) Plan {
	return *c.Coreness.Plan(g, threads).Less
}

// KCoreInPasses is KCore where the budget has no room for the rows of the whole graph.
type KCoreInPasses struct{ KCore }

func (c KCoreInPasses) Plan(g *store.Catalogue, threads int) Plan {
	return *c.KCore.Plan(g, threads).Less
}

// WideTruss is Truss as of a graph of 2^32 edges or more.
type WideTruss struct{ Truss }

func (w WideTruss) Plan(g *store.Catalogue, threads int) Plan {
	p := w.Truss.Plan(g, threads)
	_, edges := undirected(g)
	p.Arrays = append(p.Arrays, Array{"wide numbers of edges", 8 * edges})
	return p
}

func (WideTruss) Run(ctx context.Context, e *Env) ([]int64, error) {
	g, err := orient(ctx, e, false)
	if err != nil {
		return nil, err
	}
	Free(e, g.degree)
	return trussOf[uint64](ctx, e, g)
}
