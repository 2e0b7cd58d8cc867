package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/store"
)

// GPUOptions say what [MeasureGPU] measures.
type GPUOptions struct {
	GPU     string // as garaph devices lists them; "": the first one
	Memory  int64  // bytes of the GPU's memory for the streamed runs; 0: the arrays and a tenth of the edges
	Streams int    // of the pipelines; 0: see [gpuengine.Options]
	Rounds  int    // launches of each kernel, of which the fastest counts; 0: 3
	Threads int    // 0: GOMAXPROCS
	// Limit is the budget of host memory for pages; 0: none.
	Limit    int64
	Progress func(doing string) // called before each step
}

// gpuIterations are those of a pipeline that are timed, after one that is not.
const gpuIterations = 12

// Check says what is wrong with the options.
func (o GPUOptions) Check() error {
	if o.Streams > gpuengine.MaxStreams {
		return fmt.Errorf("%d streams: expected at most %d", o.Streams, gpuengine.MaxStreams)
	}
	if o.Streams < 0 || o.Rounds < 0 || o.Threads < 0 || o.Memory < 0 || o.Limit < 0 {
		return fmt.Errorf("streams %d, rounds %d, threads %d, GPU memory %d, limit %d: expected numbers ≥ 0", o.Streams, o.Rounds, o.Threads, o.Memory, o.Limit)
	}
	return nil
}

// gpuMeasurement is one call of MeasureGPU.
type gpuMeasurement struct {
	graph  *garaph.Graph
	opt    GPUOptions
	packed bool // the graph's in-edges are
	device device.Device
	pages  *page.Cache
	report *Report

	link    Link
	ceiling GPUCeiling
	kernels *Table
	shards  *Table // with replication and without
}

// MeasureGPU measures, in one go, what a GPU and its link can do with the graph's
// own edges, each kernel and the pipeline against that, and what replication
// does for the pull of each shard.
func MeasureGPU(ctx context.Context, g *garaph.Graph, o GPUOptions) (r *Report, err error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o.GPU, o.Rounds, o.Threads = cmp.Or(o.GPU, "0"), cmp.Or(o.Rounds, defaultRounds), cmp.Or(o.Threads, runtime.GOMAXPROCS(0))
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	m := &gpuMeasurement{graph: g, opt: o, packed: g.Catalogue().Layout == store.Packed}
	if m.device, err = device.Open(o.GPU); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.device.Close()) }()
	m.pages, err = page.New(g.Store(), page.Options{Gather: []shard.Direction{shard.In}, Encodings: []uint16{packed.Version}, Threads: o.Threads, Budget: o.Limit, Memory: m.device})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.pages.Close()) }()
	m.report = newReport(g, o.Rounds, o.Threads, m.about())
	m.report.on(m.device.Info())
	for _, step := range []func(context.Context) error{m.ceilings, m.kernelTimes, m.pipelines} {
		if err := errors.Join(ctx.Err(), step(ctx)); err != nil {
			return nil, err
		}
	}
	if !m.pages.InMemory() {
		m.report.note("the edges do not fit into the memory that may be used: they came from disk, and what is streamed is bound by it")
	}
	return m.report.ended(), nil
}

const gpuAbout = `Kernels run alone over the whole graph, or over one shard; the fastest of the rounds counts. A pipeline is whole
iterations: the median (least–most). Copies and kernels are the time of all batches over that of the iteration, above 100%
where streams overlap.`

func (m *gpuMeasurement) about() string {
	if m.packed {
		return "Values of 4 bytes. Gather-only decodes the packed edges and gathers along them.\n" + gpuAbout
	}
	return "PageRank with 4-byte values, sums of 8 bytes. " + gpuAbout
}

// ceilings measures the link and gather-only.
func (m *gpuMeasurement) ceilings(ctx context.Context) (err error) {
	m.opt.Progress("the link")
	if m.link, err = MeasureLink(m.device); err != nil {
		return err
	}
	m.opt.Progress("gather-only")
	c := m.graph.Catalogue()
	if m.packed {
		m.ceiling, err = measurePackedCeiling(ctx, m)
	} else {
		m.ceiling, err = measureGPUCeiling(ctx, m.device, c, m.pages)
	}
	if err != nil {
		return err
	}
	t := m.report.table(Column{Name: "ceiling"}, Column{Name: "speed", text: rateText}, Column{Name: "unit"})
	if m.ceiling.Edges > 0 {
		t.add("gather-only, 4-byte values", one(m.ceiling.Four), "edges/s")
		t.add("gather-only, 8-byte values", one(m.ceiling.Eight), "edges/s")
		if left := c.Edges - m.ceiling.Edges; left >= kernels.Run {
			m.report.note("gather-only is over %d of %d edges, as many as fit into half of the GPU's memory", m.ceiling.Edges, c.Edges)
		}
	}
	t.add("link, to the GPU", one(m.link.To), "bytes/s")
	t.add("link, from the GPU", one(m.link.From), "bytes/s")
	t.add("link, both at once", one(m.link.Both), "bytes/s")
	return nil
}

// kernelTimes times each kernel over the whole graph, and each shard's pull.
func (m *gpuMeasurement) kernelTimes(ctx context.Context) error {
	m.kernels = m.report.table(Column{Name: "kernel"}, Column{Name: "seconds", text: secondsText}, Column{Name: "edges/s", text: rateText}, Column{Name: "of gather-only", text: shareText})
	m.shards = m.report.table(Column{Name: "pull of a shard"}, Column{Name: "shards"}, Column{Name: "edges", text: rateText, spread: true},
		Column{Name: "copies", text: digits}, Column{Name: "seconds", text: secondsText, spread: true}, Column{Name: perEdge, text: nanoText, spread: true})
	edges, vertices := float64(m.graph.Catalogue().Edges), float64(m.graph.Catalogue().Vertices)
	for i, s := range m.subjects() {
		m.opt.Progress("kernels, " + s.name)
		t, err := s.probe(ctx, m)
		if errors.Is(err, errStreamed) {
			m.report.note("the graph does not fit into the GPU's memory: its kernels were not timed")
			return nil
		}
		if err != nil {
			return err
		}
		ceiling := m.ceiling.Four
		if s.wide {
			ceiling = m.ceiling.Eight
		}
		m.kernel("pull, "+s.name, t.pull, edges, ceiling)
		if i == 0 {
			if !m.packed {
				m.kernel("expand", t.expand, edges, math.NaN())
			}
			m.kernel("apply (vertices/s)", t.apply, vertices, math.NaN())
			m.kernel("pull and apply, "+s.name, t.pull+t.apply, edges, m.ceiling.Four)
		}
		if s.shards {
			m.shardTimes(s.name, t.shards)
		}
	}
	return nil
}

// kernel adds a figure. ceiling is NaN for a kernel that does not gather.
func (m *gpuMeasurement) kernel(name string, seconds, amount, ceiling float64) {
	m.kernels.add(name, one(seconds), one(amount/seconds), one(amount/seconds/ceiling))
}

// perEdge is the column that the plot shows.
const perEdge = "ns/edge"

// shardTimes adds the shards' pulls in one way to gather, their figures in the
// order of shards with edges.
func (m *gpuMeasurement) shardTimes(name string, times []shardTime) {
	var edges, copies, seconds, each []float64
	for _, t := range times {
		edges, copies = append(edges, float64(t.Edges)), append(copies, t.Copies)
		seconds, each = append(seconds, t.seconds), append(each, t.seconds/float64(t.Edges))
	}
	m.shards.add(name, len(times), spread(edges), spread(copies), spread(seconds), spread(each))
}

// pipelines runs whole iterations, with all edges on the GPU and with few.
func (m *gpuMeasurement) pipelines(ctx context.Context) error {
	few := m.opt.Memory
	if few == 0 {
		c := m.graph.Catalogue()
		need, err := leastGPU(m.device, c)
		if err != nil {
			return err
		}
		few = need + sideBytes(c, shard.In)/10
	}
	t := m.report.table(Column{Name: "pipeline"}, Column{Name: "on the GPU", text: shareText}, Column{Name: "GPU memory"}, Column{Name: "streams"}, Column{Name: "batches"},
		Column{Name: "seconds/iteration", text: secondsText}, Column{Name: "edges/s", text: rateText, spread: true}, Column{Name: "of gather-only", text: shareText},
		Column{Name: "copied B/s", text: rateText}, Column{Name: "of link", text: shareText}, Column{Name: "copies", text: shareText}, Column{Name: "kernels", text: shareText})
	for _, x := range m.subjects() {
		if x.pipeline == nil {
			continue
		}
		for _, memory := range []int64{0, few} {
			where, size := "resident", "all"
			if memory > 0 {
				where, size = "streamed", sizeText(memory)
			}
			m.opt.Progress("pipeline, " + x.name + ", " + where)
			figures, err := x.pipeline(ctx, m, memory)
			if err != nil {
				return err
			}
			t.add(slices.Concat([]any{x.name, figures[0], size}, figures[1:])...)
		}
	}
	return nil
}

// sideBytes is what the edges of one direction take.
func sideBytes(c *garaph.Catalogue, dir shard.Direction) (n int64) {
	for i := range c.Shards {
		n += c.Bytes(dir, i)
	}
	return n
}
