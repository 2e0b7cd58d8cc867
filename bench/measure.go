package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
)

// Options configures a measurement. A measurement ignores those that are not its own.
type Options struct {
	Threads  int                // or GOMAXPROCS if 0
	Rounds   int                // or 3 if 0
	Memory   int64              // if positive, the budget of the host's memory
	Programs []string           // some of [ProgramNames], or all if empty; of Measure and the part switch
	Progress func(doing string) // called before each step if not nil

	Disk   int64  // of Measure: if positive, the budget of a second run of each program, from disk
	Source string // of Measure: the user's id of the vertex to search from, or the one with the most out-edges if ""

	GPU string // as garaph devices lists them, or the first one if ""
	// budget of the GPU's memory; if 0, all of it, or where edges are streamed the arrays and a part of the edges
	GPUMemory int64
	Streams   int // of MeasureGPU; see [gpuengine.Options]

	Frontiers FrontierOptions // of MeasureFrontiers

	Parts []string      // of MeasureHybrid: some of [HybridParts], or all if empty
	Limit time.Duration // of the part switch: if positive, after how long a job is stopped
}

// FrontierOptions configures [MeasureFrontiers].
type FrontierOptions struct {
	Advance           []string // some of [gpuengine.AdvanceNames], or all if empty
	Filter, Direction string
	Sources           int // from which searches begin, or 4 if 0
}

// measurement is a measurement in progress.
type measurement struct {
	graph     *garaph.Graph
	opt       Options
	workloads []workload
	device    device.Device // jobs open it again, but need not start it; nil without a GPU
	source    uint32
	round     int // from 0
	report    *Report
	speeds    [ceilings][]float64 // as often as measured
	runs      []*programRun
}

// measured runs a measurement.
func measured(g *garaph.Graph, o Options, gpu bool, about string, measure func(*measurement) error) (r *Report,
	err error) {
	o.GPU, o.Rounds, o.Threads = cmp.Or(o.GPU, "0"), cmp.Or(o.Rounds, 3), cmp.Or(o.Threads, runtime.GOMAXPROCS(0))
	m := &measurement{graph: g, opt: o, report: newReport(g, o.Threads, about)}
	if m.workloads, err = workloadsOf(o.Programs); err != nil {
		return nil, err
	}
	if gpu {
		if m.device, err = device.Open(o.GPU); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, m.device.Close()) }()
		m.report.on(m.device.Info())
	}
	if err := measure(m); err != nil {
		return nil, err
	}
	return m.report.ended(), nil
}

// doing reports the next step.
func (m *measurement) doing(format string, args ...any) {
	if m.opt.Progress != nil {
		m.opt.Progress(fmt.Sprintf(format, args...))
	}
}

// programRun is a program within a budget, with a figure for each round.
type programRun struct {
	workload
	budget            int64
	inMemory          bool // of the last round, as are the counts
	iterations, pulls int
	seconds           []float64 // of all iterations, without opening and loading

	// Of the pulls:
	each, edges, bytes          []float64 // seconds, edges per second, bytes per second from disk
	ofDisk, ofMemory, ofCeiling []float64
}

const measureAbout = `A figure is the median (least–most) of the rounds. Pulls are those that bring no pages into memory to stay. The
ceiling of a run in memory is gather-only with values of its size, that of a run from disk the lower of the disk and the
same program in memory.`

// Measure measures the ceilings of the machine and the programs over the graph, in turn, round by
// round. It needs much memory, and a machine without other work.
func Measure(ctx context.Context, g *garaph.Graph, o Options) (*Report, error) {
	return measured(g, o, false, measureAbout, func(m *measurement) error { return m.programs(ctx) })
}

func (m *measurement) programs(ctx context.Context) (err error) {
	if err := m.searchFrom(m.opt.Source); err != nil {
		return err
	}
	for _, w := range m.workloads {
		m.runs = append(m.runs, &programRun{workload: w, budget: m.opt.Memory})
		if m.opt.Disk > 0 {
			m.runs = append(m.runs, &programRun{workload: w, budget: m.opt.Disk})
		}
	}
	for m.round = range m.opt.Rounds {
		if err := m.measureRound(ctx); err != nil {
			return err
		}
	}
	t := m.report.table("ceiling", "speed", "unit")
	for i, unit := range [ceilings]string{"edges/s", "edges/s", "bytes/s"} {
		t.add(ceilingNames[i], rates(m.speeds[i]...), unit)
	}
	t = m.report.table("program", "from", "iterations", "seconds", "pulls", "seconds/pull", "edges/s", "read B/s",
		"of disk", "of memory", "of ceiling")
	for _, x := range m.runs {
		from := "disk"
		if x.inMemory {
			from = "memory"
		}
		t.add(x.name, from, x.iterations, seconds(x.seconds...), x.pulls, seconds(x.each...), rates(x.edges...),
			rates(x.bytes...),
			shares(x.ofDisk...), shares(x.ofMemory...), shares(x.ofCeiling...))
	}
	return nil
}

// searchFrom finds and records the vertex that searches begin at.
func (m *measurement) searchFrom(id string) (err error) {
	if m.source, err = sourceOf(m.graph, id); err == nil {
		if id, err = m.graph.ID(gas.VertexID(m.source)); err == nil {
			m.report.fact("source", "%s", id)
		}
	}
	return err
}

// measureRound measures each program, in memory and from disk. On a shared machine the next
// second is not like this one: the ceiling of a run is measured right before it.
func (m *measurement) measureRound(ctx context.Context) error {
	if err := m.ceiling(ctx, diskRead); err != nil {
		return err
	}
	memory := math.NaN() // edges per second of the program in memory
	for i, x := range m.runs {
		c := x.gather
		if i > 0 && m.runs[i-1].name == x.name {
			c = diskRead
		} else {
			memory = math.NaN()
		}
		if err := m.ceiling(ctx, c); err != nil {
			return err
		}
		m.doing("round %d of %d, %s, budget %s", m.round+1, m.opt.Rounds, x.name, sizeText(x.budget))
		debug.FreeOSMemory()
		o := garaph.RunOptions{Threads: m.opt.Threads, Memory: x.budget, Device: dispatcher.CPU, MoreThreads: MoreThreads}
		result, err := x.run(ctx, m.graph, m.source, o)
		if err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		x.add(result.Report, m.latest(x.gather), m.latest(diskRead), memory)
		if x.inMemory {
			memory = x.edges[len(x.edges)-1]
		}
		if err := result.Close(); err != nil {
			return err
		}
	}
	return nil
}

// add adds a round, given the ceilings and the edges per second of the program in memory.
func (x *programRun) add(r dispatcher.Report, gather, disk, memory float64) {
	x.inMemory, x.iterations, x.pulls = r.InMemory, r.Done()-r.Before, 0
	x.seconds = append(x.seconds, r.Duration.Seconds())
	var each []float64
	var total, edges, bytes float64
	for _, it := range r.Iterations {
		// In memory the pulls that read anything bring pages to stay, and from disk the first does.
		if it.Method != dispatcher.Pull || r.InMemory && it.Traffic.Requested > 0 || !r.InMemory && it.Iteration == 0 {
			continue
		}
		each = append(each, it.Seconds)
		total, edges, bytes = total+it.Seconds, edges+float64(it.Edges), bytes+float64(it.Traffic.Requested)
	}
	x.pulls = len(each)
	x.each, x.edges = append(x.each, median(each)), append(x.edges, edges/total)
	if r.InMemory {
		x.ofCeiling = append(x.ofCeiling, edges/total/gather)
		return
	}
	ofDisk, ofMemory := bytes/total/disk, edges/total/memory
	x.bytes, x.ofDisk, x.ofMemory = append(x.bytes, bytes/total), append(x.ofDisk, ofDisk), append(x.ofMemory, ofMemory)
	if math.IsNaN(ofDisk) || ofMemory > ofDisk { // the larger share is that of the lower ceiling
		ofDisk = ofMemory
	}
	x.ofCeiling = append(x.ofCeiling, ofDisk)
}
