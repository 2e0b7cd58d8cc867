package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/shard"
)

// HybridParts are the parts of [MeasureHybrid]: whether CPU and GPU together reach the sum of
// both, what a graph that stays on the GPU loses by it, and whether auto finds the best choice.
var HybridParts = []string{"pays", "resident", "switch"}

const (
	streamedShare    = 8 // of the edges, the part that the GPU's memory holds
	inTurnIterations = 48
)

const hybridAbout = `Streamed and resident are the later half of the iterations of PageRank: the median (least–most) of the
rounds. Of a whole job the fastest round counts, from the first iteration to the end; one that took much longer than
the best was stopped.`

// MeasureHybrid measures what jobs on the CPU and the GPU gain over those on either.
func MeasureHybrid(ctx context.Context, g *garaph.Graph, o Options) (*Report, error) {
	return measured(g, o, true, hybridAbout, func(m *measurement) error {
		err := m.searchFrom("")
		for i, measure := range []func(context.Context) error{m.pays, m.resident, m.switches} {
			part := HybridParts[i]
			if err != nil || len(o.Parts) > 0 && !slices.Contains(o.Parts, part) {
				continue
			}
			if err = measure(ctx); errors.Is(err, garaph.ErrMemory) {
				m.report.note("part %s was left out: %v", part, err)
				err = nil
			}
		}
		return err
	})
}

// hybridRun is one job.
type hybridRun struct {
	report  dispatcher.Report
	seconds float64 // from the first iteration to the end
	whole   float64 // with opening and loading
	stopped bool    // by the limit
}

// job runs a job, and stops it when its iterations have taken limit seconds, if that is positive.
func (m *measurement) job(ctx context.Context, name string, w workload, o garaph.RunOptions,
	limit float64) (r hybridRun, err error) {
	m.doing("%s", name)
	debug.FreeOSMemory()
	o.GPU.Name, o.Threads, o.Memory, o.MoreThreads = cmp.Or(o.GPU.Name, m.opt.GPU), m.opt.Threads,
		cmp.Or(o.Memory, m.opt.Memory), MoreThreads
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
		r.report, r.seconds = result.Report, result.Report.Duration.Seconds()
		err = result.Close()
	case ctx.Err() == nil && limited.Err() != nil && errors.Is(err, limited.Err()):
		r.report, r.stopped, err = result.Report, true, nil
	}
	if err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	if r.report.GPU.Lost != "" {
		m.report.note("%s went on without the GPU: %s", name, r.report.GPU.Lost)
	}
	return r, nil
}

// later returns the median of a figure over the later half of the iterations: those before load
// pages and learn the speeds of the devices.
func (r *hybridRun) later(figure func(garaph.Iteration) float64) float64 {
	var values []float64
	for _, it := range r.report.Iterations[len(r.report.Iterations)/2:] {
		values = append(values, figure(it))
	}
	return median(values)
}

func (m *measurement) roundName(part string, round int, what string) string {
	return fmt.Sprintf("%s, round %d of %d, %s", part, round+1, m.opt.Rounds, what)
}

// inTurn runs PageRank on several devices, in turn, and adds a table with a row for each. It returns
// the edges per second of each device by round.
func (m *measurement) inTurn(ctx context.Context, part, title string, gpuMemory int64,
	devices ...dispatcher.Device) ([][]float64, error) {
	n := len(devices)
	speeds, took, byCPU, stayed := make([][]float64, n), make([][]float64, n), make([][]float64, n), make([]float64, n)
	for round := range m.opt.Rounds {
		for i, d := range devices {
			r, err := m.job(ctx, m.roundName(part, round, string(d)), pageRankWorkload, garaph.RunOptions{
				Device: d, GPU: garaph.GPUOptions{Memory: gpuMemory}, Method: dispatcher.Pull, Iterations: inTurnIterations,
			}, 0)
			if err != nil {
				return nil, err
			}
			took[i] = append(took[i], r.later(func(it garaph.Iteration) float64 { return it.Seconds }))
			speeds[i] = append(speeds[i], r.later(edgesPerSecond))
			byCPU[i] = append(byCPU[i], r.later(func(it garaph.Iteration) float64 {
				return float64(it.Devices[dispatcher.CPU].Edges) / float64(max(1, it.Edges))
			}))
			stayed[i] = float64(r.report.GPU.Resident) / float64(m.graph.Catalogue().Edges)
		}
	}
	t := m.report.table(title, "on the GPU", "seconds/iteration", "edges/s", "by the CPU")
	for i, d := range devices {
		t.add(d, shares(stayed[i]), seconds(took[i]...), rates(speeds[i]...), shares(byCPU[i]...))
	}
	return speeds, nil
}

// pays runs a graph that does not fit into the GPU's memory. What CPU and GPU do together is compared
// with the sum of what each does alone.
func (m *measurement) pays(ctx context.Context) error {
	few := m.opt.GPUMemory
	if few == 0 {
		least, err := leastGPU(m.device, m.graph.Catalogue())
		if err != nil {
			return err
		}
		few = least + sideBytes(m.graph.Catalogue(), shard.In)/streamedShare
	}
	speeds, err := m.inTurn(ctx, "pays", "streamed, "+sizeText(few)+" of the GPU", few, dispatcher.CPU, dispatcher.GPU,
		dispatcher.Hybrid)
	if err != nil {
		return err
	}
	var ofAlone []float64
	for k, x := range speeds[2] {
		ofAlone = append(ofAlone, x/(speeds[0][k]+speeds[1][k]))
	}
	m.report.verdict("streamed: edges/s of hybrid / (cpu + gpu)", median(ofAlone), atLeast, 0.9)
	m.ofBest("streamed: edges/s of hybrid / the better of cpu and gpu", speeds)
	return nil
}

// ofBest adds how fast all workers together, the last of the speeds by round, are as a part of the fastest.
func (m *measurement) ofBest(name string, speeds [][]float64) {
	var ratios []float64
	for round, x := range speeds[len(speeds)-1] {
		best := 0.0
		for _, s := range speeds[:max(1, len(speeds)-1)] {
			best = max(best, s[round])
		}
		ratios = append(ratios, x/best)
	}
	m.report.verdict(name, median(ratios), atLeast, 0.95)
}

// resident runs a graph that stays on the GPU.
func (m *measurement) resident(ctx context.Context) error {
	speeds, err := m.inTurn(ctx, "resident", "resident", 0, dispatcher.GPU, dispatcher.Hybrid)
	if err != nil {
		return err
	}
	var ratios []float64
	for k, x := range speeds[1] {
		ratios = append(ratios, speeds[0][k]/x)
	}
	m.report.verdict("resident: seconds of hybrid / gpu", median(ratios), atMost, 1.03)
	return nil
}

// choices are auto, and the devices and methods that it is compared with.
var choices = []struct {
	name   string
	device dispatcher.Device
	method dispatcher.Method
}{
	{"auto", dispatcher.AutoDevice, dispatcher.Auto},
	{"gpu", dispatcher.GPU, dispatcher.Auto},
	{"hybrid", dispatcher.Hybrid, dispatcher.Auto},
	{"cpu", dispatcher.CPU, dispatcher.Auto},
	{"cpu pull", dispatcher.CPU, dispatcher.Pull},
	{"cpu notify-pull", dispatcher.CPU, dispatcher.NotifyPull},
}

// switches compares auto with every fixed choice, program by program, after a job that measures
// the speeds of the devices.
func (m *measurement) switches(ctx context.Context) error {
	t := m.report.table("whole job", "choice", "seconds", "with loading", "end", "iterations")
	limit, gpu := m.opt.Limit.Seconds(), garaph.GPUOptions{Memory: m.opt.GPUMemory}
	for _, w := range m.workloads {
		warm, err := m.job(ctx, "switch, "+w.name+", warming up", w, garaph.RunOptions{GPU: gpu}, limit)
		if err != nil {
			return err
		}
		best := math.Inf(1)
		if !warm.stopped {
			best = warm.seconds
		}
		runs := make([]hybridRun, len(choices)) // the fastest of each choice
		for round := range m.opt.Rounds {
			for i, c := range choices {
				if round > 0 && (runs[i].stopped || runs[i].seconds == 0) {
					continue
				}
				stop := limit
				if i > 0 {
					stop = stopAfter(best, limit)
				}
				r, err := m.job(ctx, m.roundName("switch", round, w.name+", "+c.name), w,
					garaph.RunOptions{Device: c.device, Method: c.method, GPU: gpu}, stop)
				if errors.Is(err, garaph.ErrMemory) {
					m.report.note("%v", err)
					continue
				}
				if err != nil {
					return err
				}
				if !r.stopped {
					best = min(best, r.seconds)
				}
				if round == 0 || !r.stopped && r.seconds < runs[i].seconds {
					runs[i] = r
				}
			}
		}
		fixed := -1
		for i, x := range runs {
			if x.seconds == 0 {
				continue
			}
			end := "done"
			if x.stopped {
				end = "stopped"
			} else if i > 0 && (fixed < 0 || x.seconds < runs[fixed].seconds) {
				fixed = i
			}
			t.add(w.name, choices[i].name, seconds(x.seconds), seconds(x.whole), end, len(x.report.Iterations))
		}
		if fixed > 0 && !runs[0].stopped {
			m.report.verdict(fmt.Sprintf("%s: seconds of auto / %s", w.name, choices[fixed].name),
				runs[0].seconds/runs[fixed].seconds, atMost, 1.1)
		}
	}
	return nil
}
