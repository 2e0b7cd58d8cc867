package bench

import (
	"cmp"
	"context"
	"errors"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/shard"
)

const frontierAbout = `Searches from frontier to frontier, the GPU's time alone, from sources with edges: the median (least–most).
Levels are of the last source.`

// MeasureFrontiers measures searches from frontier to frontier on a GPU alone: BFS, and over a graph
// with weights SSSP, from some sources, by each policy.
func MeasureFrontiers(ctx context.Context, g *garaph.Graph, o Options) (*Report, error) {
	f := o.Frontiers
	if len(f.Advance) == 0 {
		f.Advance = gpuengine.AdvanceNames
	}
	if o.Programs = []string{"bfs"}; g.Catalogue().Weighted {
		o.Programs = append(o.Programs, "sssp")
	}
	return measured(g, o, true, frontierAbout, func(m *measurement) error {
		sources, err := chooseSources(g, cmp.Or(f.Sources, 4))
		t := m.report.table("search", "policy", "seconds", "levels", "edges/s", "sources")
		for _, w := range m.workloads {
			for _, policy := range f.Advance {
				m.doing("%s, %s", w.name, policy)
				how, unknown := gpuengine.ParseAdvancing(policy, f.Filter, f.Direction)
				if err := cmp.Or(err, unknown); err != nil {
					return err
				}
				levels := 0
				var took, speeds []float64
				for _, source := range sources {
					result, err := w.run(ctx, g, source, garaph.RunOptions{
						Device: dispatcher.GPU, Method: dispatcher.Frontier, Threads: m.opt.Threads,
						GPU: garaph.GPUOptions{Name: m.opt.GPU, Memory: o.GPUMemory, Advancing: how},
					})
					if err != nil {
						return err
					}
					work := result.Report.Devices[dispatcher.GPU]
					levels = result.Report.Done()
					took, speeds = append(took, work.Seconds), append(speeds, float64(work.Edges)/work.Seconds)
					if err := result.Close(); err != nil {
						return err
					}
				}
				t.add(w.name, policy, seconds(took...), levels, rates(speeds...), len(sources))
			}
		}
		return nil
	})
}

// chooseSources returns vertices that have edges, at even distances.
func chooseSources(g *garaph.Graph, n int) (sources []uint32, err error) {
	c := g.Catalogue()
	step := max(1, c.Vertices/uint32(n))
	next := step / 2
	for i, s := range c.Shards {
		degrees, err := g.Store().Degrees(shard.Out, i)
		if err != nil {
			return nil, err
		}
		for k, d := range degrees {
			if v := s.First + uint32(k); v >= next && d > 0 && len(sources) < n {
				sources = append(sources, v)
				next = (v/step+1)*step + step/2
			}
		}
	}
	if len(sources) == 0 {
		return nil, errors.New("the graph has no edges")
	}
	for i, place := range sources {
		if sources[i], err = idOf(g, place); err != nil {
			return nil, err
		}
	}
	return sources, nil
}
