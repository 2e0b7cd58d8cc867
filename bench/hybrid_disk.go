package bench

import (
	"context"
	"errors"
	"math"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/shard"
)

// diskLimits are what bounds a job from disk, and how much of it an iteration
// used.
var diskLimits = []struct {
	name, unit string
	amount     func(garaph.Iteration) float64
}{
	{"disk", "bytes/s", func(it garaph.Iteration) float64 { return float64(it.BytesRead) }},
	{"link, to the GPU", "bytes/s", func(it garaph.Iteration) float64 { return float64(it.BytesCopied) }},
	{"kernel", "edges/s", func(it garaph.Iteration) float64 { return float64(it.Devices[dispatcher.GPU].Edges) }},
}

// disk runs a graph that fits into neither memory.
func (m *hybridMeasurement) disk(ctx context.Context) error {
	memory := m.opt.Starved
	if memory == 0 {
		var err error
		if memory, err = m.starved(ctx); err != nil {
			return err
		}
	}
	link, err := MeasureLink(m.device)
	if err != nil {
		return err
	}
	if err := m.kernelSpeed(ctx); err != nil {
		return err
	}
	iterations := ""
	var edges, slowest []float64
	alone, reached, shares := make([][]float64, len(diskLimits)), make([][]float64, len(diskLimits)), make([][]float64, len(diskLimits))
	for round := range m.opt.Rounds {
		before := m.diskSpeed()
		r, err := m.run(ctx, m.roundName(diskPart, round, string(dispatcher.Hybrid)), pageRankWorkload, garaph.RunOptions{
			Device: dispatcher.Hybrid, GPU: garaph.GPUOptions{Memory: m.gpuMemory}, Memory: memory, Iterations: fromDiskIterations,
		}, 0)
		if err != nil {
			return err
		}
		if r.InMemory {
			m.report.note("part %s was left out: the graph fits into %s", diskPart, sizeText(memory))
			return nil
		}
		disk := (before + m.diskSpeed()) / 2 // it is not the same from one second to the next
		most := 0.0
		for i, speed := range []float64{disk, link.To, m.kernel} {
			rate := r.later(func(it garaph.Iteration) float64 { return diskLimits[i].amount(it) / it.Seconds })
			alone[i], reached[i], shares[i] = append(alone[i], speed), append(reached[i], rate), append(shares[i], rate/speed)
			if rate/speed > most { // not where it is unknown
				most = rate / speed
			}
		}
		slowest, edges = append(slowest, most), append(edges, r.later(edgesPerSecond))
		iterations = sequence(r.Iterations)
	}
	t := m.report.table(Column{Name: "from disk, within " + sizeText(memory)}, Column{Name: "alone", text: rateText, spread: true},
		Column{Name: "reached", text: rateText, spread: true}, Column{Name: "unit"}, Column{Name: "share", text: shareText})
	for i, limit := range diskLimits {
		t.add(limit.name, spread(alone[i]), spread(reached[i]), limit.unit, spread(shares[i]))
	}
	t.add("whole iterations ("+iterations+")", spread(nil), spread(edges), "edges/s", spread(nil))
	m.bar("from disk: share of the slowest alone", median(slowest), atLeast, 0.85)
	return nil
}

// diskSpeed is that of sequential reads; NaN where it cannot be measured.
func (m *hybridMeasurement) diskSpeed() float64 {
	speed, err := m.graph.Store().SequentialRead(diskBytes, m.opt.Threads)
	if err != nil {
		m.report.note("part %s is not compared with the disk, whose speed cannot be measured: %v", diskPart, err)
		return math.NaN()
	}
	return speed
}

// starved is the default budget of the job from disk. A job that is stopped as
// soon as it begins has planned its memory.
func (m *hybridMeasurement) starved(ctx context.Context) (int64, error) {
	c := m.graph.Catalogue()
	size := sideBytes(c, shard.In)
	if !c.Symmetric {
		size += sideBytes(c, shard.Out)
	}
	budget := size / starvedShare
	stopped, stop := context.WithCancel(ctx)
	stop()
	_, err := m.run(stopped, diskPart+", planning", pageRankWorkload, garaph.RunOptions{Device: dispatcher.Hybrid, GPU: garaph.GPUOptions{Memory: m.gpuMemory}, Memory: budget}, 0)
	var need *garaph.MemoryError
	switch {
	case errors.As(err, &need):
		m.report.note("a quarter of the graph is %s: part %s has the least that does, %s", sizeText(budget), diskPart, sizeText(need.Least()))
		return need.Least(), ctx.Err()
	case errors.Is(err, stopped.Err()):
		return budget, ctx.Err()
	default:
		return budget, err
	}
}

// kernelSpeed measures how many edges per second the GPU computes that need not
// be copied there, unless that is known; NaN where there is no room for them.
func (m *hybridMeasurement) kernelSpeed(ctx context.Context) error {
	if m.kernel > 0 {
		return nil
	}
	r, err := m.run(ctx, diskPart+", kernel", pageRankWorkload, garaph.RunOptions{Device: dispatcher.GPU}, 0)
	if err != nil {
		return err
	}
	m.kernel = r.later(edgesPerSecond)
	if r.Resident < m.graph.Catalogue().Edges {
		m.report.note("part %s is not compared with the kernel: the graph does not fit into the GPU's memory", diskPart)
		m.kernel = math.NaN()
	}
	return nil
}
