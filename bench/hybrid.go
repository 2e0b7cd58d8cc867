package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/shard"
)

// HybridOptions say what [MeasureHybrid] measures.
type HybridOptions struct {
	GPU string // as garaph devices lists them; "": the first one
	// GPUMemory is the budget of the GPU's memory; 0: all of it, and of the parts
	// that stream the arrays and an eighth of the edges.
	GPUMemory int64
	Memory    int64 // budget of the jobs in memory; 0: none
	// Starved is the budget of the job from disk; 0: a quarter of the graph's
	// size, or the least that does.
	Starved int64
	// Limit is after how long a job of the part switch is stopped; 0: never.
	Limit    time.Duration
	Rounds   int                // 0: 3
	Threads  int                // 0: GOMAXPROCS
	Programs []string           // of the part switch, some of [ProgramNames]; nil: all
	Parts    []string           // some of [HybridParts]; nil: all
	Progress func(doing string) // called before each step
}

// The parts of the measurement.
const (
	paysPart     = "pays"
	residentPart = "resident"
	switchPart   = "switch"
	diskPart     = "disk"
)

// HybridParts are what [MeasureHybrid] can measure: whether CPU and GPU together
// reach the sum of both, what a graph that stays on the GPU loses by it, whether
// auto finds the best choice, and what a job from disk makes of disk, link and
// kernel.
func HybridParts() []string { return []string{paysPart, residentPart, switchPart, diskPart} }

const (
	// streamedShare of the edges is what the GPU's memory holds beside arrays, and
	// starvedShare of the graph what the host's does.
	streamedShare = 8
	starvedShare  = 4
	// inTurnIterations are those of devices in turn: in the later half, their speeds
	// are known.
	inTurnIterations = 48
	// fromDiskIterations are those of a job from disk.
	fromDiskIterations = 8
)

// Check says what is wrong with the options.
func (o HybridOptions) Check() error {
	if o.Rounds < 0 || o.Threads < 0 || o.Memory < 0 || o.GPUMemory < 0 || o.Starved < 0 || o.Limit < 0 {
		return fmt.Errorf("rounds %d, threads %d, memory %d, GPU memory %d, starved %d, limit %v: expected numbers ≥ 0", o.Rounds, o.Threads, o.Memory, o.GPUMemory, o.Starved, o.Limit)
	}
	for _, name := range o.Parts {
		if !slices.Contains(HybridParts(), name) {
			return fmt.Errorf("%q is not a part; expected some of %s", name, strings.Join(HybridParts(), ", "))
		}
	}
	_, err := workloadsOf(o.Programs)
	return err
}

// hybridMeasurement is one call of MeasureHybrid.
type hybridMeasurement struct {
	graph     *garaph.Graph
	opt       HybridOptions
	device    device.Device // jobs open it again, but need not start it
	workloads []workload
	source    uint32
	gpuMemory int64 // of the parts that stream
	report    *Report
	bars      [][]any // rows of the table of what is to be reached
	jobs      *Table  // of the part switch
	kernel    float64 // edges per second that the GPU computes of those that stay there; 0: not measured
}

// MeasureHybrid measures, in one go, what jobs on the CPU and the GPU gain over
// those on either.
func MeasureHybrid(ctx context.Context, g *garaph.Graph, o HybridOptions) (r *Report, err error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o.GPU, o.Rounds, o.Threads = cmp.Or(o.GPU, "0"), cmp.Or(o.Rounds, defaultRounds), cmp.Or(o.Threads, runtime.GOMAXPROCS(0))
	if len(o.Parts) == 0 {
		o.Parts = HybridParts()
	}
	m := &hybridMeasurement{graph: g, opt: o}
	m.workloads, _ = workloadsOf(o.Programs) // checked above
	if m.device, err = device.Open(o.GPU); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.device.Close()) }()
	if m.source, err = sourceOf(ctx, g, ""); err != nil {
		return nil, err
	}
	m.report = newReport(g, o.Rounds, o.Threads, hybridAbout)
	m.report.on(m.device.Info())
	if err := m.report.searched(g, m.source); err != nil {
		return nil, err
	}
	if o.GPU == device.EmulatedName {
		m.report.note("the emulated GPU computes on the CPU: what is met or missed says nothing about a GPU")
	}
	if m.gpuMemory = o.GPUMemory; m.gpuMemory == 0 {
		least, err := leastGPU(m.device, g.Catalogue())
		if err != nil {
			return nil, err
		}
		m.gpuMemory = least + sideBytes(g.Catalogue(), shard.In)/streamedShare
	}
	for _, part := range []struct {
		name    string
		measure func(context.Context) error
	}{{paysPart, m.pays}, {residentPart, m.resident}, {switchPart, m.switches}, {diskPart, m.disk}} {
		if !slices.Contains(o.Parts, part.name) {
			continue
		}
		err := part.measure(ctx)
		if errors.Is(err, garaph.ErrMemory) {
			m.report.note("part %s was left out: %v", part.name, err)
			err = nil
		}
		if err := errors.Join(ctx.Err(), err); err != nil {
			return nil, err
		}
	}
	t := m.report.table(Column{Name: "must show"}, Column{Name: "found", text: ratioText}, Column{Name: "bar"}, Column{Name: "verdict"})
	t.Rows = append(t.Rows, m.bars...)
	return m.report.ended(), nil
}

const hybridAbout = `Streamed, resident and from disk are the later half of the iterations of PageRank: the median (least–most) of the
rounds. Of a whole job the fastest round counts, from the first iteration to the end; one that took much longer than
the best was stopped. C is an iteration on the CPU, G on the GPU, H on both; N is notify-pull.`

// bar adds a figure with what it is to reach: at least a limit, or at most.
func (m *hybridMeasurement) bar(name string, found float64, sign string, limit float64) {
	verdict := "missed"
	if sign == atLeast && found >= limit || sign == atMost && found <= limit {
		verdict = "met"
	}
	m.bars = append(m.bars, []any{name, one(found), fmt.Sprintf("%s %.2f", sign, limit), verdict})
}

const (
	atLeast = "≥"
	atMost  = "≤"
)

// hybridRun is one job.
type hybridRun struct {
	dispatcher.Report
	seconds float64 // from the first iteration to the values on the host
	whole   float64 // with opening and loading
	stopped bool    // it took too long
}

// run runs a job, of which nothing is said without a name, and stops it if its iterations take more than limit seconds;
// 0: however long they take.
func (m *hybridMeasurement) run(ctx context.Context, name string, w workload, o garaph.RunOptions, limit float64) (r hybridRun, err error) {
	if m.opt.Progress != nil && name != "" {
		m.opt.Progress(name)
	}
	debug.FreeOSMemory()
	o.GPU.Name, o.Threads, o.Memory, o.MoreThreads = m.opt.GPU, m.opt.Threads, cmp.Or(o.Memory, m.opt.Memory), MoreThreads
	limited, stop := context.WithCancel(ctx)
	defer stop()
	start := time.Now()
	var first time.Time
	o.Progress = func(it garaph.Iteration) {
		if first.IsZero() {
			first = time.Now().Add(-it.Duration)
		}
		if limit > 0 && time.Since(first).Seconds() > limit {
			stop()
		}
	}
	result, err := w.run(limited, m.graph, m.source, o)
	r.seconds, r.whole = time.Since(first).Seconds(), time.Since(start).Seconds()
	switch {
	case err == nil:
		err = result.Close()
	case ctx.Err() == nil && limited.Err() != nil && errors.Is(err, limited.Err()):
		r.stopped, err = true, nil
	}
	if err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	r.Report = result.Report
	if !r.stopped { // what comes then gives memory back
		r.seconds = r.Duration.Seconds()
	}
	if r.Lost != "" {
		m.report.note("%s went on without the GPU: %s", name, r.Lost)
	}
	return r, nil
}

// later is the median of a figure over the later half of the iterations: those
// before load pages and learn the speeds of the devices.
func (r *hybridRun) later(figure func(garaph.Iteration) float64) float64 {
	var values []float64
	for _, it := range r.Iterations[len(r.Iterations)/2:] {
		values = append(values, figure(it))
	}
	return median(values)
}

func edgesPerSecond(it garaph.Iteration) float64 { return float64(it.Edges) / it.Seconds }

// inTurn runs PageRank on several devices, in turn, and adds a table with a row
// for each. It returns the edges per second of each device by round, and how
// many edges stayed on the GPU with the first that has one.
func (m *hybridMeasurement) inTurn(ctx context.Context, part, title string, gpuMemory int64, devices ...dispatcher.Device) (speeds [][]float64, resident uint64, err error) {
	speeds = make([][]float64, len(devices))
	seconds, shares, stayed := make([][]float64, len(devices)), make([][]float64, len(devices)), make([]uint64, len(devices))
	for round := range m.opt.Rounds {
		for i, d := range devices {
			r, err := m.run(ctx, m.roundName(part, round, string(d)), pageRankWorkload, garaph.RunOptions{
				Device: d, GPU: garaph.GPUOptions{Memory: gpuMemory}, Method: dispatcher.Pull, Iterations: inTurnIterations,
			}, 0)
			if err != nil {
				return nil, 0, err
			}
			seconds[i] = append(seconds[i], r.later(func(it garaph.Iteration) float64 { return it.Seconds }))
			speeds[i] = append(speeds[i], r.later(edgesPerSecond))
			shares[i] = append(shares[i], r.later(func(it garaph.Iteration) float64 {
				return float64(it.Devices[dispatcher.CPU].Edges) / float64(max(1, it.Edges))
			}))
			stayed[i] = r.Resident
			if !r.InMemory {
				m.report.note("part %s ran from disk: the graph does not fit into the memory that may be used", part)
			}
		}
	}
	t := m.report.table(Column{Name: title}, Column{Name: "on the GPU", text: shareText}, Column{Name: "seconds/iteration", text: secondsText},
		Column{Name: "edges/s", text: rateText, spread: true}, Column{Name: "by the CPU", text: shareText})
	for i, d := range devices {
		t.add(d, one(float64(stayed[i])/float64(m.graph.Catalogue().Edges)), spread(seconds[i]), spread(speeds[i]), spread(shares[i]))
	}
	return speeds, stayed[slices.Index(devices, dispatcher.GPU)], nil
}

func (m *hybridMeasurement) roundName(part string, round int, what string) string {
	return fmt.Sprintf("%s, round %d of %d, %s", part, round+1, m.opt.Rounds, what)
}

// pays runs a graph that does not fit into the GPU's memory. What CPU and GPU do together
// is compared with the sum of what each does alone, or with what two jobs do that know
// nothing of each other and share the bandwidth of memory, if that is less.
func (m *hybridMeasurement) pays(ctx context.Context) error {
	size := sizeText(m.gpuMemory)
	speeds, resident, err := m.inTurn(ctx, paysPart, "streamed, "+size+" of the GPU", m.gpuMemory, dispatcher.CPU, dispatcher.GPU, dispatcher.Hybrid)
	if err != nil {
		return err
	}
	var ofAlone, ofBoth, cpu, gpu []float64
	for k, x := range speeds[2] {
		c, g, err := m.atOnce(ctx, k, speeds[1][k]/speeds[0][k])
		if err != nil {
			return err
		}
		cpu, gpu = append(cpu, c), append(gpu, g)
		alone := speeds[0][k] + speeds[1][k]
		ofAlone, ofBoth = append(ofAlone, x/alone), append(ofBoth, x/min(alone, c+g))
	}
	t := m.report.table(Column{Name: "two jobs at once"}, Column{Name: "edges/s", text: rateText, spread: true})
	t.add(dispatcher.CPU, spread(cpu))
	t.add(dispatcher.GPU, spread(gpu))
	m.bars = append(m.bars, []any{"streamed: edges/s of hybrid / (cpu + gpu)", one(median(ofAlone)), "", ""})
	m.bar("streamed: of that, or of two jobs at once", median(ofBoth), atLeast, 0.9)
	if resident == m.graph.Catalogue().Edges {
		m.report.note("part %s streams nothing: all edges stay on the GPU within %s", paysPart, size)
	}
	return nil
}

// atOnce runs PageRank on the CPU and, so often that both take about as long, on the
// GPU, as two jobs. It returns the edges per second of each.
func (m *hybridMeasurement) atOnce(ctx context.Context, round int, faster float64) (cpu, gpu float64, err error) {
	if m.opt.Progress != nil {
		m.opt.Progress(m.roundName(paysPart, round, "two jobs at once"))
	}
	one := func(d dispatcher.Device, iterations int, speed *float64) func() error {
		return func() error {
			r, err := m.run(ctx, "", pageRankWorkload, garaph.RunOptions{Device: d, GPU: garaph.GPUOptions{Memory: m.gpuMemory}, Method: dispatcher.Pull, Iterations: iterations}, 0)
			if err == nil {
				*speed = r.later(edgesPerSecond)
			}
			return err
		}
	}
	var both errgroup.Group
	both.Go(one(dispatcher.CPU, inTurnIterations, &cpu))
	both.Go(one(dispatcher.GPU, int(inTurnIterations*max(1, faster)), &gpu))
	return cpu, gpu, both.Wait()
}

// resident runs a graph that stays on the GPU.
func (m *hybridMeasurement) resident(ctx context.Context) error {
	speeds, resident, err := m.inTurn(ctx, residentPart, "resident", 0, dispatcher.GPU, dispatcher.Hybrid)
	if err != nil {
		return err
	}
	var ratios []float64
	for k, x := range speeds[1] {
		ratios = append(ratios, speeds[0][k]/x)
	}
	m.bar("resident: seconds of hybrid / gpu", median(ratios), atMost, 1.03)
	if resident < m.graph.Catalogue().Edges {
		m.report.note("part %s streams: the graph does not fit into the GPU's memory", residentPart)
	} else {
		m.kernel = median(speeds[0])
	}
	return nil
}
