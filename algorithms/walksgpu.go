package algorithms

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/walk"
	"github.com/garaph/garaph/kernels"
)

// walksBytes is the memory on the device for the walks of a batch, and for those of the batch before, while they are
// copied; a batch has no more walks than batchWalks.
const (
	walksBytes = 128 << 20
	batchWalks = 1 << 18
)

// RunGPU has all rows on the device, and copies walks back while it makes more of them.
func (c Walks) RunGPU(ctx context.Context, e *Env, g *GPUEnv) ([]gas.VertexID, error) {
	if len(e.Plan().Whole) == 0 {
		return nil, fmt.Errorf("%w: walks on a GPU need the rows of the whole graph in memory", hostmem.ErrBudget)
	}
	w, err := c.begin(e)
	if err == nil {
		err = w.load(ctx)
	}
	if err == nil {
		err = e.Each(ctx, c.Length, func(_, i int) error {
			clear(w.at[i+1]) // in pages that the system gives to all threads at once
			return nil
		})
	}
	if err == nil {
		err = w.onGPU(ctx, g)
	}
	return w.results(err)
}

// onGPU copies the graph to the device and walks there.
func (w *walking) onGPU(ctx context.Context, g *GPUEnv) error {
	kernel, err := kernels.LoadWalks(g.Device)
	if err != nil {
		return err
	}
	rows, walks := w.graph.Rows, int64(len(w.at[0]))
	edges := rows.Bytes()
	batch := max(1, min(walks, batchWalks, walksBytes/int64(4*w.Length)))
	half := 4 * batch * int64(w.Length)
	at, err := g.AllocAll(Array{"where rows begin", 8 * int64(len(rows.Off))}, Array{"the edges", int64(len(edges))},
		Array{"sums of weights", 8 * int64(len(w.graph.Sums))}, Array{"the sources", 4 * int64(len(w.Sources))},
		Array{"walks", half}, Array{"walks that are copied", half})
	if err != nil {
		return err
	}
	a := &kernels.WalksArgs{Off: at[0], Edges: at[1], Seed: walk.Mixed(w.Seed + walk.Gamma), Back: w.graph.Back,
		Far: w.graph.Far, M: w.env.Graph.Edges, N: w.env.Graph.Vertices, Walks: uint32(w.Walks.Walks),
		Length: uint32(w.Length)}
	if m := len(rows.Arcs) + len(rows.Wide); m > 0 {
		a.Sums, a.Weight = at[2], uint32(len(edges)/m-4)
	}
	if w.Sources != nil {
		a.Sources = at[3]
	}
	for i, src := range [][]byte{
		hostmem.AsBytes(rows.Off), edges, hostmem.AsBytes(w.graph.Sums), hostmem.AsBytes(w.Sources),
	} {
		if err = ToDevice(g.DeviceMemory, at[i], src); err != nil {
			return err
		}
	}
	return w.batches(ctx, g, kernel, a, batch, at[4:])
}

// batches makes walks, by a stream of its own, and copies those of the batch before.
func (w *walking) batches(
	ctx context.Context, g *GPUEnv, k kernels.Walks, a *kernels.WalksArgs, batch int64, to []device.Pointer,
) (err error) {
	on := &GPUEnv{DeviceMemory: &DeviceMemory{Device: g.Device}}
	if on.Stream, err = g.Device.NewStream(device.Normal); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, on.DeviceMemory.Close()) }()
	walks := int64(len(w.at[0]))
	for from := int64(0); from < walks+batch && err == nil; from += batch {
		var making errgroup.Group
		if from < walks {
			a.First, a.Count, a.To = uint64(from), uint32(min(batch, walks-from)), to[from/batch%2]
			making.Go(func() error { return on.Timed(func() error { return k.Launch(on.Stream, a) }) })
		}
		err = w.copyBatch(g, from-batch, min(from, walks), to[1-from/batch%2])
		if err = errors.Join(err, making.Wait()); err == nil {
			err = ctx.Err()
		}
		w.env.Progress("walks", max(0, min(from, walks)), walks)
	}
	g.kernels += on.kernels
	return err
}

// copyBatch copies walks into the columns.
func (w *walking) copyBatch(g *GPUEnv, from, to int64, src device.Pointer) error {
	if from < 0 {
		return nil
	}
	for i, column := range w.at[1:] {
		if err := ToHost(g.DeviceMemory, column[from:to], src+device.Pointer(int64(4*i)*(to-from))); err != nil {
			return err
		}
	}
	return nil
}
