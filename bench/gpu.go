package bench

import (
	"context"
	"errors"
	"math"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/store"
)

const gpuAbout = `Gather-only decodes the packed edges and gathers along them. A pipeline is the later half of the iterations of
PageRank, pulls with 4-byte values: the median (least–most).`

// MeasureGPU measures what a GPU and its link can do with the graph's own edges, and whole iterations
// against that, with all edges on the GPU and with few.
func MeasureGPU(ctx context.Context, g *garaph.Graph, o Options) (*Report, error) {
	return measured(g, o, true, gpuAbout, func(m *measurement) error {
		m.doing("the link")
		link, err := MeasureLink(m.device)
		if err != nil {
			return err
		}
		m.doing("gather-only")
		gather := [2]float64{math.NaN(), math.NaN()} // with values of 4 and of 8 bytes, edges per second
		if g.Catalogue().Layout == store.Packed {
			if gather, err = m.gatherOnly(ctx); err != nil {
				return err
			}
		}
		t := m.report.table("ceiling", "speed", "unit")
		t.add(ceilingNames[gather4], rates(gather[0]), "edges/s")
		t.add(ceilingNames[gather8], rates(gather[1]), "edges/s")
		t.add("link, to the GPU", rates(link.To), "bytes/s")
		t.add("link, from the GPU", rates(link.From), "bytes/s")
		t.add("link, both at once", rates(link.Both), "bytes/s")
		return m.pipelines(ctx, link, gather[0])
	})
}

// gatherOnly measures how fast the device decodes the packed edges and gathers the values of their
// sources, and does nothing with them: what no pull in that order passes.
func (m *measurement) gatherOnly(ctx context.Context) (speeds [2]float64, err error) {
	speeds = [2]float64{math.NaN(), math.NaN()}
	c := m.graph.Catalogue()
	pages, err := page.New(m.graph.Store(), page.Options{
		Gather: []shard.Direction{shard.In}, Encodings: []uint16{packed.Version}, Threads: m.opt.Threads,
		Budget: m.opt.Memory, Memory: m.device,
	})
	if err != nil {
		return speeds, err
	}
	defer func() { err = errors.Join(err, pages.Close()) }()
	arrays, err := vertices.New[float32](c.Vertices, m.device)
	if err != nil {
		return speeds, err
	}
	defer arrays.Free()
	e, err := gpuengine.New(m.device, rank, arrays, c, gpuengine.Options{})
	if err != nil {
		return speeds, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if err := e.Start(pages); err != nil {
		return speeds, err
	}
	if err := e.Load(ctx); err != nil {
		return speeds, err
	}
	if e.Resident() < c.Edges {
		m.report.note("the graph does not fit into the GPU's memory: gather-only was not measured")
		return speeds, nil
	}
	seconds, err := m.timeGathers(e)
	for i, x := range seconds {
		speeds[i] = float64(c.Edges) / x
	}
	return speeds, err
}

// timeGathers returns the seconds that one pass over the edges on the device takes, with values of 4 and of 8 bytes.
func (m *measurement) timeGathers(e *gpuengine.Engine[float32, int64]) (seconds [2]float64, err error) {
	w, err := newStopwatch(m.device)
	defer func() { err = errors.Join(err, w.close()) }()
	if err != nil {
		return seconds, err
	}
	launches, err := e.Launches(w.stream)
	if err != nil {
		return seconds, err
	}
	gather, err := kernels.LoadGatherPacked(m.device)
	if err != nil {
		return seconds, err
	}
	size := 8 * int64(m.graph.Catalogue().Vertices)
	at, err := m.device.Alloc(size)
	if err != nil {
		return seconds, err
	}
	defer func() { err = errors.Join(err, m.device.Free(at)) }()
	if err := w.stream.Fill(at, 0, size); err != nil {
		return seconds, err
	}
	for i, width := range []uint64{4, 8} {
		seconds[i], err = w.least(m.opt.Rounds, func() error { return launches.GatherPacked(gather, at, width) })
		if err != nil {
			return seconds, err
		}
	}
	return seconds, nil
}

var rank gas.Program[float32, int64] = programs.PageRank[float32]{Damping: 0.85}

// pipelines runs whole iterations by each way to gather.
func (m *measurement) pipelines(ctx context.Context, link Link, ceiling float64) error {
	c, few := m.graph.Catalogue(), m.opt.GPUMemory
	if few == 0 {
		need, err := leastGPU(m.device, c)
		if err != nil {
			return err
		}
		few = need + sideBytes(c, shard.In)/10
	}
	ways := []gpuengine.Gather{gpuengine.GatherAuto}
	if c.Layout != store.Packed {
		ways = []gpuengine.Gather{gpuengine.GatherSegmented, gpuengine.GatherReplicated}
	}
	t := m.report.table("pipeline", "GPU memory", "on the GPU", "batches", "seconds/iteration", "edges/s",
		"of gather-only", "copied B/s", "of link")
	for _, gather := range ways {
		for _, memory := range []int64{0, few} {
			m.doing("pipeline, gather %s, GPU memory %s", gather, sizeText(memory))
			result, err := pageRankWorkload.run(ctx, m.graph, 0, garaph.RunOptions{
				Device: dispatcher.GPU, Method: dispatcher.Pull, Threads: m.opt.Threads, Memory: m.opt.Memory,
				MoreThreads: MoreThreads,
				GPU:         garaph.GPUOptions{Name: m.opt.GPU, Memory: memory, Streams: m.opt.Streams, Gather: gather},
			})
			if err != nil {
				return err
			}
			r, batches := result.Report, 0
			if err := result.Close(); err != nil {
				return err
			}
			var took, speeds, copied, ofLink []float64
			for _, it := range r.Iterations[len(r.Iterations)/2:] {
				batches = it.Pages
				took, speeds = append(took, it.Seconds), append(speeds, edgesPerSecond(it))
				copied = append(copied, float64(it.Traffic.BytesCopied)/it.Seconds)
				ofLink = append(ofLink, float64(it.Traffic.BytesCopied)/it.Seconds/link.To)
			}
			size := "all"
			if memory > 0 {
				size = sizeText(memory)
			}
			t.add(string(gather), size, shares(float64(r.GPU.Resident)/float64(c.Edges)), batches, seconds(took...),
				rates(speeds...),
				shares(median(speeds)/ceiling), rates(copied...), shares(ofLink...))
		}
	}
	return nil
}

func edgesPerSecond(it garaph.Iteration) float64 { return float64(it.Edges) / it.Seconds }

// leastGPU returns what a job takes on the GPU beside the edges.
func leastGPU(d device.Device, c *store.Catalogue) (int64, error) {
	arrays, err := vertices.New[float32](c.Vertices, d)
	if err != nil {
		return 0, err
	}
	defer arrays.Free()
	need, err := gpuengine.Least(d, rank, arrays, c, gpuengine.Options{})
	if err != nil {
		return 0, err
	}
	return need.Least(), nil
}
