package bench

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// GPUCeiling is how fast a device gathers the values of a graph's own sources, in
// the order of destinations, and does nothing with them: what no pull in that
// order passes.
type GPUCeiling struct {
	Edges uint64  `json:"edges"` // of the graph, as many as the device has room for
	Four  float64 `json:"four"`  // edges per second, values of 4 bytes
	Eight float64 `json:"eight"` // values of 8 bytes
}

const (
	gatherRounds = 6
	gatherBlocks = 16 // for each processor
)

// measureGPUCeiling measures it over the in-edges of a graph, whose pages are in
// memory that the device has pinned.
func measureGPUCeiling(ctx context.Context, d device.Device, cat *store.Catalogue, pages gpuengine.Pages) (c GPUCeiling, err error) {
	var edges uint64
	for i := range cat.Shards {
		edges += uint64(cat.Shards[i].In)
	}
	info := d.Info()
	c.Edges = min(edges, uint64(max(0, info.Free/2-8*int64(cat.Vertices)))/4) &^ (kernels.Run - 1)
	if c.Edges == 0 {
		return GPUCeiling{}, fmt.Errorf("GPU %s: gather-only needs at least %d edges, and memory for them", info.Name, kernels.Run)
	}
	gather, err := kernels.LoadGather(d)
	if err != nil {
		return GPUCeiling{}, err
	}
	w, err := newStopwatch(d)
	defer func() { err = errors.Join(err, w.close()) }()
	if err != nil {
		return GPUCeiling{}, err
	}
	nbr, err := d.Alloc(4 * int64(c.Edges))
	if err != nil {
		return GPUCeiling{}, err
	}
	defer func() { err = errors.Join(err, d.Free(nbr)) }()
	size := 8 * int64(cat.Vertices)
	at, err := d.Alloc(size)
	if err != nil {
		return GPUCeiling{}, err
	}
	defer func() { err = errors.Join(err, d.Free(at)) }()
	if err := w.stream.Fill(at, 0, size); err != nil {
		return GPUCeiling{}, err
	}
	if err := copySources(ctx, w.stream, cat, pages, nbr, c.Edges); err != nil {
		return GPUCeiling{}, err
	}
	for _, x := range []struct {
		width uint64
		speed *float64
	}{{4, &c.Four}, {8, &c.Eight}} {
		args := kernels.GatherArgs{Nbr: nbr, Values: at, Sink: at, Edges: c.Edges, Width: x.width}
		seconds, err := w.least(gatherRounds, func() error {
			return gather.Launch(w.stream, info.Processors*gatherBlocks, &args)
		})
		if err != nil {
			return GPUCeiling{}, err
		}
		*x.speed = float64(c.Edges) / seconds
	}
	return c, nil
}

// measurePackedCeiling measures it over the packed in-edges of a graph, decoding
// included: in the order of sources, all of them if they fit into the device's memory;
// none if they do not.
func measurePackedCeiling(ctx context.Context, m *gpuMeasurement) (c GPUCeiling, err error) {
	gather, err := kernels.LoadGatherPacked(m.device)
	if err != nil {
		return c, err
	}
	j, err := newGPUJob(ctx, m, rankProgram[float32](), gpuengine.Options{})
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	if j.engine.Resident() < m.graph.Catalogue().Edges {
		m.report.note("the graph does not fit into the GPU's memory: gather-only was not measured")
		return GPUCeiling{Four: math.NaN(), Eight: math.NaN()}, nil
	}
	w, err := newStopwatch(m.device)
	defer func() { err = errors.Join(err, w.close()) }()
	if err != nil {
		return c, err
	}
	size := 8 * int64(m.graph.Catalogue().Vertices)
	at, err := m.device.Alloc(size)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, m.device.Free(at)) }()
	if err := w.stream.Fill(at, 0, size); err != nil {
		return c, err
	}
	launches, err := j.engine.Launches(w.stream)
	if err != nil {
		return c, err
	}
	c.Edges = j.engine.Resident()
	for _, x := range []struct {
		width uint64
		speed *float64
	}{{4, &c.Four}, {8, &c.Eight}} {
		seconds, err := w.least(gatherRounds, func() error { return launches.GatherPacked(gather, at, x.width) })
		if err != nil {
			return GPUCeiling{}, err
		}
		*x.speed = float64(c.Edges) / seconds
	}
	return c, nil
}

// copySources copies the first n sources of all in-edges to p.
func copySources(ctx context.Context, s device.Stream, cat *store.Catalogue, pages gpuengine.Pages, p device.Pointer, n uint64) error {
	for page, err := range pages.Stream(ctx, gpuengine.Requests(pages.Spans(), 0, len(cat.Shards))) {
		if err != nil {
			return err
		}
		for i := range page.Shards {
			list := rows.Of(page.Shards[i].Sides[0]).Nbr
			list = list[:min(uint64(len(list)), n)]
			if err = s.ToDevice(p, hostmem.AsBytes(list)); err != nil {
				break
			}
			p += device.Pointer(4 * len(list))
			n -= uint64(len(list))
		}
		err = errors.Join(err, s.Sync()) // the page is not needed any more
		page.Release()
		if err != nil {
			return err
		}
	}
	return nil
}
