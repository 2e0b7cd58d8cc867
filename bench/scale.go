package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/shard"
)

// ScaleParts are the parts of [MeasureScale]: edges that stay on the GPUs, and edges of which each holds a tenth.
var ScaleParts = []string{"resident", "streamed"}

// scaledShare is the part of the edges that the memory of each GPU holds.
const scaledShare = 10

const scaleAbout = `Figures are the later half of the iterations of PageRank: the median (least–most) of the rounds.`

// MeasureScale measures what jobs on several GPUs gain over jobs on one. Options.GPU lists the GPUs; all if "".
func MeasureScale(ctx context.Context, g *garaph.Graph, o Options) (*Report, error) {
	names, err := device.Split(cmp.Or(o.GPU, device.All))
	if err != nil {
		return nil, err
	}
	o.GPU = names[0]
	return measured(g, o, true, scaleAbout, func(m *measurement) error {
		for _, part := range ScaleParts {
			if len(o.Parts) > 0 && !slices.Contains(o.Parts, part) {
				continue
			}
			memory := int64(0)
			if part == "streamed" {
				least, err := leastGPU(m.device, m.graph.Catalogue())
				if err != nil {
					return err
				}
				memory = least + sideBytes(m.graph.Catalogue(), shard.In)/scaledShare
			}
			if err := m.scale(ctx, part, memory, names); errors.Is(err, garaph.ErrMemory) {
				m.report.note("part %s was left out: %v", part, err)
			} else if err != nil {
				return err
			}
		}
		return nil
	})
}

// scale runs PageRank on one GPU, on two, and so on, each with the given memory.
func (m *measurement) scale(ctx context.Context, part string, memory int64, names []string) error {
	n := len(names)
	took, speeds, stayed := make([][]float64, n), make([][]float64, n), make([]float64, n)
	for round := range m.opt.Rounds {
		for k := range names {
			list := strings.Join(names[:k+1], ",")
			r, err := m.job(ctx, m.roundName(part, round, "GPU "+list), pageRankWorkload, garaph.RunOptions{
				Device: dispatcher.GPU, GPU: garaph.GPUOptions{Name: list, Memory: memory}, Method: dispatcher.Pull,
				Iterations: inTurnIterations,
			}, 0)
			if err != nil {
				return err
			}
			took[k] = append(took[k], r.later(func(it garaph.Iteration) float64 { return it.Seconds }))
			speeds[k] = append(speeds[k], r.later(edgesPerSecond))
			stayed[k] = float64(r.report.GPU.Resident) / float64(m.graph.Catalogue().Edges)
		}
	}
	t := m.report.table(part, "on the GPUs", "seconds/iteration", "edges/s", "times one")
	for k := range names {
		t.add(fmt.Sprintf("%d GPUs", k+1), shares(stayed[k]), seconds(took[k]...), rates(speeds[k]...),
			fmt.Sprintf("%.2f", median(took[0])/median(took[k])))
	}
	m.ofBest(part+": edges/s of all GPUs / the best number of them", speeds)
	return nil
}
