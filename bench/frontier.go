package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
)

// FrontierOptions say what [MeasureFrontiers] measures.
type FrontierOptions struct {
	GPU       string   // as garaph devices lists them; "": the first one
	Advance   []string // of [gpuengine.AdvanceNames]; nil: all
	Filter    string
	Direction string
	Sources   int     // from which searches begin; 0: 16
	Edges     int64   // bytes of edges that stay on the GPU; 0: all
	Width     float64 // how far apart priorities are done at once, times what the engine takes; 0: 1
	Threads   int
	Progress  func(doing string)
}

// longest is how long the searches of one way may take in all, but for the first.
const longest = 4 * time.Second

// frontierMeasurement is one call of MeasureFrontiers.
type frontierMeasurement struct {
	gpuMeasurement
	opt     FrontierOptions
	sources []uint32
	table   *Table
}

// MeasureFrontiers measures searches from frontier to frontier on a GPU, computing alone:
// BFS and SSSP from some sources, by each policy. Results of all policies are compared with
// those of the first.
func MeasureFrontiers(ctx context.Context, g *garaph.Graph, o FrontierOptions) (r *Report, err error) {
	o.Sources, o.Threads = cmp.Or(o.Sources, 16), cmp.Or(o.Threads, runtime.GOMAXPROCS(0))
	if len(o.Advance) == 0 {
		o.Advance = gpuengine.AdvanceNames
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	m := &frontierMeasurement{opt: o}
	m.graph, m.gpuMeasurement.opt.Threads = g, o.Threads
	if m.device, err = device.Open(cmp.Or(o.GPU, "0")); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.device.Close()) }()
	m.pages, err = page.New(g.Store(), page.Options{Gather: []shard.Direction{shard.In}, Encodings: []uint16{packed.Version}, Threads: o.Threads, Memory: m.device})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.pages.Close()) }()
	m.report = newReport(g, o.Sources, o.Threads, "Searches from frontier to frontier, the GPU alone, from sources with edges: the median (least–most).\nLevels, and of these those in which vertices looked for the frontier, are of the last source.")
	m.report.on(m.device.Info())
	if err := m.chooseSources(ctx); err != nil {
		return nil, err
	}
	m.table = m.report.table(Column{Name: "search"}, Column{Name: "policy"}, Column{Name: "seconds", text: secondsText, spread: true},
		Column{Name: "levels"}, Column{Name: "sought"}, Column{Name: "edges"}, Column{Name: "sources"})
	err = measureSearch(ctx, m, "BFS", func(source uint32) gas.Program[uint32, uint32] { return programs.BFS{Source: source} })
	if err == nil && g.Catalogue().Weighted {
		err = measureSearch(ctx, m, "SSSP", func(source uint32) gas.Program[float32, float32] { return programs.SSSP[float32]{Source: source} })
	}
	if err != nil {
		return nil, err
	}
	return m.report.ended(), nil
}

// chooseSources takes vertices that have edges, at even distances.
func (m *frontierMeasurement) chooseSources(ctx context.Context) error {
	c := m.graph.Catalogue()
	step := max(1, c.Vertices/uint32(m.opt.Sources))
	next := step / 2
	for i, s := range c.Shards {
		if err := ctx.Err(); err != nil {
			return err
		}
		degrees, err := m.graph.Store().Degrees(shard.Out, i)
		if c.Symmetric {
			degrees, err = m.graph.Store().Degrees(shard.In, i)
		}
		if err != nil {
			return err
		}
		for k, d := range degrees {
			if v := s.First + uint32(k); v >= next && d > 0 && len(m.sources) < m.opt.Sources {
				m.sources = append(m.sources, v)
				next = (v/step+1)*step + step/2
			}
		}
	}
	if len(m.sources) == 0 {
		return errors.New("the graph has no edges")
	}
	return nil
}

// measureSearch adds the rows of a program.
func measureSearch[V comparable, A any](ctx context.Context, m *frontierMeasurement, name string, program func(source uint32) gas.Program[V, A]) (err error) {
	m.opt.Progress(name + ", rows")
	x, err := newSearch(ctx, &m.gpuMeasurement, program, m.opt.Edges)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.close()) }()
	for _, policy := range m.opt.Advance {
		m.opt.Progress(name + ", " + policy)
		if err := measurePolicy(ctx, m, x, name, policy); err != nil {
			return err
		}
	}
	return nil
}

// measurePolicy adds the row of a policy.
func measurePolicy[V comparable, A any](ctx context.Context, m *frontierMeasurement, x *search[V, A], name, policy string) error {
	how, err := gpuengine.ParseAdvancing(policy, m.opt.Filter, m.opt.Direction)
	if err != nil {
		return err
	}
	var seconds []float64
	var last gpuengine.Advanced
	total := 0.0
	for _, source := range m.sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		if last, err = x.search(source, how, m.opt.Width); err == nil {
			err = x.compareWithFirst(source)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", policy, err)
		}
		seconds = append(seconds, last.Seconds)
		if total += last.Seconds; total > longest.Seconds() {
			break
		}
	}
	m.table.add(name, policy, spread(seconds), int(last.Levels), int(last.Sought), int(last.Edges), len(seconds))
	return nil
}

// search is one program's.
type search[V comparable, A any] struct {
	measurement *gpuMeasurement
	job         *gpuJob[V, A]
	advancer    *gpuengine.Advancer[V, A]
	program     func(source uint32) gas.Program[V, A]
	sides       [2]page.WholeRows
	rows        [2]*frontier.Rows // along which vertices push, and look for others
	want        map[uint32][]V    // by source
}

// newSearch brings the graph to the device: so many bytes of edges; 0: all.
func newSearch[V comparable, A any](ctx context.Context, m *gpuMeasurement, program func(source uint32) gas.Program[V, A], edges int64) (x *search[V, A], err error) {
	p, c := program(0), m.graph.Catalogue()
	need, err := leastGPU(m.device, c)
	if err != nil {
		return nil, err
	}
	x = &search[V, A]{measurement: m, program: program, want: map[uint32][]V{}}
	if x.job, err = newGPUJob(ctx, m, p, gpuengine.Options{Memory: 2 * need}); err != nil {
		return nil, err
	}
	loops, _ := cpuengine.LoopsOf(p)
	push := page.WholeRows{Sides: []shard.Direction{shard.Out}, Weighted: c.Weighted && loops.Weighs, Threads: m.opt.Threads}
	if edges == 0 {
		edges = math.MaxInt64
	} else {
		push.Memory = m.device
	}
	look := push
	look.Sides = []shard.Direction{shard.In}
	if c.Symmetric {
		push = look
	}
	x.sides = [2]page.WholeRows{push, look}
	x.rows[0], err = push.Load(ctx, m.graph.Store())
	switch {
	case err != nil || loops.Seek == nil:
	case c.Symmetric:
		x.rows[1] = x.rows[0]
	default:
		x.rows[1], err = look.Load(ctx, m.graph.Store())
	}
	if err == nil {
		x.advancer, err = x.job.engine.NewAdvancer(x.rows[0], x.rows[1], edges, gpuengine.Advancing{})
	}
	if err != nil {
		return nil, errors.Join(err, x.close())
	}
	return x, nil
}

func (x *search[V, A]) close() error {
	var errs []error
	if x.advancer != nil {
		errs = append(errs, x.advancer.Close())
	}
	for i, rows := range x.rows {
		errs = append(errs, x.sides[i].Free(rows))
	}
	return errors.Join(append(errs, x.job.close())...)
}

// search searches from a source, with priorities that are so many times as far apart as
// the engine has them; 0: as it has them. Values are the arrays' Next then.
func (x *search[V, A]) search(source uint32, how gpuengine.Advancing, width float64) (sum gpuengine.Advanced, err error) {
	p, a, e := x.program(source), x.job.arrays, x.job.engine
	clear(a.Active)
	n := a.N
	const some = 1 << 16 // whole words of bits
	err = parallel(x.measurement.opt.Threads, int((n+some-1)/some), func(i int) error {
		for v := uint32(i) * some; v < min(n, uint32(i+1)*some); v++ {
			value, active := p.Init(gas.Vertex{ID: v, N: n})
			if a.Cur[v] = value; active {
				a.Active.Add(v)
			}
		}
		return nil
	})
	step, apart := gas.Step{}, 0.0
	if _, ok := p.(gas.Prioritized[V]); ok {
		mean, _ := cpuengine.MeanStep(p, a, x.rows[0], step)
		apart = cmp.Or(width, 1) * gpuengine.Width(mean, x.rows[0].Off[n], n)
	}
	if err = cmp.Or(err, e.Upload(0, n), e.Activate()); err != nil {
		return sum, err
	}
	x.advancer.Set(how)
	for more := true; more; {
		done, err := x.advancer.Advance(step, apart, math.MaxInt32, time.Minute)
		if err != nil {
			return sum, err
		}
		step.Iteration += int(done.Levels)
		sum.Seconds += done.Seconds
		sum.Levels += done.Levels
		sum.Sought += done.Sought
		sum.Edges += done.Edges
		more = done.Active > 0
	}
	return sum, e.Download(0, n)
}

// compareWithFirst compares the values with those of the first way, for two sources.
func (x *search[V, A]) compareWithFirst(source uint32) error {
	got := x.job.arrays.Next
	if want := x.want[source]; want != nil {
		return compare(source, got, want)
	}
	if len(x.want) < 2 {
		x.want[source] = slices.Clone(got)
	}
	return nil
}

// compare compares the values of two ways.
func compare[V comparable](source uint32, got, want []V) error {
	for v := range got {
		if got[v] != want[v] {
			return fmt.Errorf("the search from vertex %d: vertex %d is at %v, by another way at %v", source, v, got[v], want[v])
		}
	}
	return nil
}
