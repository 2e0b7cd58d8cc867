package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
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
	device device.Device
	pages  *page.Cache
	report *GPUReport
}

// MeasureGPU measures, in one go, what a GPU and its link can do with the graph's
// own edges, each kernel and the pipeline against that, and what replication
// does for the pull of each shard.
func MeasureGPU(ctx context.Context, g *garaph.Graph, o GPUOptions) (r *GPUReport, err error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.Rounds == 0 {
		o.Rounds = defaultRounds
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	name := o.GPU
	if name == "" {
		name = "0"
	}
	m := &gpuMeasurement{graph: g, opt: o}
	if m.device, err = device.Open(name); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.device.Close()) }()
	m.pages, err = page.New(g.Store(), page.Options{Gather: []shard.Direction{shard.In}, Threads: o.Threads, Budget: o.Limit, Memory: m.device})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.pages.Close()) }()
	m.report = newGPUReport(g, m.device.Info(), o)
	for _, step := range []func(context.Context) error{m.ceilings, m.kernels, m.pipelines} {
		if err := errors.Join(ctx.Err(), step(ctx)); err != nil {
			return nil, err
		}
	}
	if !m.pages.InMemory() {
		m.report.note("the edges do not fit into the memory that may be used: they came from disk, and what is streamed is bound by it")
	}
	m.report.Seconds = time.Since(m.report.Date).Seconds()
	return m.report, nil
}

// ceilings measures the link and gather-only.
func (m *gpuMeasurement) ceilings(ctx context.Context) (err error) {
	m.opt.Progress("the link")
	if m.report.Link, err = MeasureLink(m.device); err != nil {
		return err
	}
	m.opt.Progress("gather-only")
	c := m.graph.Catalogue()
	if m.report.Ceiling, err = measureGPUCeiling(ctx, m.device, c, m.pages); err != nil {
		return err
	}
	if left := c.Edges - m.report.Ceiling.Edges; left >= kernels.Run {
		m.report.note(fmt.Sprintf("gather-only is over %d of %d edges, as many as fit into half of the GPU's memory", m.report.Ceiling.Edges, c.Edges))
	}
	return nil
}

// gatherWays are the ways to gather that are compared.
var gatherWays = []struct {
	name   string
	gather gpuengine.Gather
	single bool
}{
	{"segmented", gpuengine.GatherSegmented, false},
	{"replicated, R by formula", gpuengine.GatherReplicated, false},
	{"replicated, R = 1", gpuengine.GatherReplicated, true},
}

// kernels times each kernel over the whole graph, and each shard's pull.
func (m *gpuMeasurement) kernels(ctx context.Context) error {
	c, v := m.graph.Catalogue(), float64(m.graph.Catalogue().Vertices)
	for i, w := range gatherWays {
		m.opt.Progress("kernels, " + w.name)
		t, err := probe[float32](ctx, m, gpuengine.Options{Gather: w.gather, Single: w.single})
		if errors.Is(err, errStreamed) {
			m.report.note("the graph does not fit into the GPU's memory: its kernels were not timed")
			return nil
		}
		if err != nil {
			return err
		}
		edges := float64(c.Edges)
		m.report.kernel("pull, "+w.name, t.pull, edges, m.report.Ceiling.Four)
		if i == 0 {
			m.report.kernel("expand", t.expand, edges, math.NaN())
			m.report.kernel("apply (vertices/s)", t.apply, v, math.NaN())
			m.report.kernel("pull and apply, "+w.name, t.pull+t.apply, edges, m.report.Ceiling.Four)
		}
		m.report.Replication = append(m.report.Replication, replicationOf(w.name, t.shards))
	}
	m.opt.Progress("kernels, 8-byte values")
	t, err := probe[float64](ctx, m, gpuengine.Options{Gather: gpuengine.GatherSegmented})
	if err == nil {
		m.report.kernel("pull, segmented, 8-byte values", t.pull, float64(c.Edges), m.report.Ceiling.Eight)
	}
	return err
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
	for _, w := range gatherWays {
		for _, memory := range []int64{0, few} {
			where := "resident"
			if memory > 0 {
				where = "streamed"
			}
			m.opt.Progress("pipeline, " + w.name + ", " + where)
			p, err := pipeline(ctx, m, gpuengine.Options{Gather: w.gather, Single: w.single, Memory: memory, Streams: m.opt.Streams})
			if err != nil {
				return err
			}
			p.Name = w.name
			m.report.Pipelines = append(m.report.Pipelines, *p)
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
