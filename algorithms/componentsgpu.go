package algorithms

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// RunsOnSeveralGPUs implements [Divided].
func (Components) RunsOnSeveralGPUs() {}

// linker links the rows of some shards on a device.
type linker struct {
	gpu    *GPUEnv
	kernel kernels.Components
	args   kernels.ComponentsArgs
	rows   rowCopy
}

// linkerArrays returns the arrays on a device that links a number of edges.
func linkerArrays(c *store.Catalogue, edges int64) []Array {
	return append(rowArrays(c.Vertices, edges), Array{"the labels", 4 * int64(c.Vertices)}, Array{"a counter", 4})
}

// newLinkers divides the shards among the devices, so that each has about as many edges as the others. If one has room
// for all, it does all: to copy rows takes longer than to link them.
func newLinkers(e *Env, g *GPUEnv) (list []*linker, err error) {
	c := e.Graph
	if err := g.leaveOthers(linkerArrays(c, int64(c.Edges))); err != nil {
		return nil, err
	}
	all := g.all()
	owner, edges, before := make([]int, len(c.Shards)), make([]int64, len(all)), uint64(0)
	for i := range c.Shards {
		n := uint64(c.SideEdges(shard.In, i))
		owner[i] = int((before + n/2) * uint64(len(all)) / max(1, c.Edges+1))
		edges[owner[i]] += int64(n)
		before += n
	}
	for k, x := range all {
		l := &linker{gpu: x}
		if l.kernel, err = kernels.LoadComponents(x.Device); err != nil {
			return nil, err
		}
		at, err := x.AllocAll(linkerArrays(c, edges[k])...)
		if err != nil {
			return nil, err
		}
		l.args = kernels.ComponentsArgs{Off: at[0], Nbr: at[1], Parent: at[2], Arrived: at[3], N: c.Vertices}
		if c.Symmetric && len(all) == 1 { // to leave edges out, both of their rows must be there
			l.args.Symmetric = 1
		}
		l.rows = rowCopy{m: x.DeviceMemory, to: DeviceRows{at[0], at[1]}, owns: func(i int) bool { return owner[i] == k }}
		list = append(list, l)
	}
	return list, nil
}

// RunGPU links rows on the devices, each those of its own shards, and the parents of several devices on the host.
func (Components) RunGPU(ctx context.Context, e *Env, g *GPUEnv) ([]gas.VertexID, error) {
	labels, err := Make[gas.VertexID](e, int(e.Graph.Vertices))
	if err != nil {
		return nil, err
	}
	linkers, err := newLinkers(e, g)
	var copies []*rowCopy
	var running errgroup.Group
	for _, l := range linkers {
		copies = append(copies, &l.rows)
	}
	if err == nil {
		err = e.copyRows(ctx, copies...)
	}
	if err != nil {
		return nil, err
	}
	for _, l := range linkers {
		running.Go(func() error {
			if err := l.gpu.Stream.Fill(l.args.Arrived, 0, 4); err != nil {
				return err
			}
			return l.gpu.Timed(func() error { return l.kernel.Launch(l.gpu.Stream, &l.args) })
		})
	}
	if err = running.Wait(); err == nil {
		err = ToHost(g.DeviceMemory, labels, linkers[0].args.Parent)
	}
	for _, l := range linkers[1:] {
		if err == nil {
			err = forest(labels).linkParents(ctx, e, l.gpu.DeviceMemory, l.args.Parent)
		}
	}
	if err == nil {
		err = forest(labels).compressAll(ctx, e) // which counts the roots
	}
	if err == nil {
		err = nameByLeast(ctx, e, labels)
	}
	return labels, err
}

// linkParents links vertices with their parents in another forest, which a device has.
func (f forest) linkParents(ctx context.Context, e *Env, m *DeviceMemory, at device.Pointer) error {
	parents := make([]uint32, min(len(f), stagingBytes/4))
	for first := 0; first < len(f); first += len(parents) {
		parents = parents[:min(len(parents), len(f)-first)]
		if err := ToHost(m, parents, at+device.Pointer(4*first)); err != nil {
			return err
		}
		err := e.Ranges(ctx, len(parents), func(_, from, to int) {
			for v := from; v < to; v++ {
				f.link(uint32(first+v), parents[v])
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
