package bench

import (
	"context"
	"errors"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
)

// errStreamed: not all edges stay on the GPU.
var errStreamed = errors.New("the edges are streamed")

// gpuJob is a job on the GPU of a measurement, without the dispatcher, so that the
// engine can be taken apart.
type gpuJob[V, A any] struct {
	arrays *vertices.Arrays[V]
	engine *gpuengine.Engine[V, A]
}

func newGPUJob[V, A any](ctx context.Context, m *gpuMeasurement, program gas.Program[V, A], o gpuengine.Options) (*gpuJob[V, A], error) {
	c := m.graph.Catalogue()
	arrays, err := vertices.New[V](c.Vertices, m.device)
	if err != nil {
		return nil, err
	}
	j := &gpuJob[V, A]{arrays: arrays}
	if j.engine, err = gpuengine.New(m.device, program, arrays, c, o); err != nil {
		return nil, errors.Join(err, j.close())
	}
	err = parallel(m.opt.Threads, len(c.Shards), func(i int) error {
		in, err := m.graph.Store().Degrees(shard.In, i)
		out := in
		if err == nil && !c.Symmetric {
			out, err = m.graph.Store().Degrees(shard.Out, i)
		}
		if err != nil {
			return err
		}
		for k := range in {
			v := gas.Vertex{ID: c.Shards[i].First + uint32(k), N: c.Vertices, In: in[k], Out: out[k]}
			arrays.Cur[v.ID], _ = program.Init(v)
			arrays.Degree[v.ID] = v.Out
		}
		return ctx.Err()
	})
	if err == nil {
		err = j.engine.Start(m.pages)
	}
	if err == nil {
		err = j.engine.Load(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, j.close())
	}
	return j, nil
}

func (j *gpuJob[V, A]) close() error {
	var err error
	if j.engine != nil {
		err = j.engine.Close()
	}
	j.arrays.Free()
	return err
}

// rankProgram is the program of most figures.
func rankProgram[F float32 | float64]() gas.Program[F, int64] {
	return programs.PageRank[F]{Damping: 0.85}
}

// pipeline times whole iterations. Its figures are the cells of the table of
// pipelines, without the budget.
func pipeline[V, A any](ctx context.Context, m *gpuMeasurement, program gas.Program[V, A], o gpuengine.Options) (cells []any, err error) {
	j, err := newGPUJob(ctx, m, program, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	batches := 0
	var seconds, speeds, link, copying, computing []float64
	step := gas.Step{}
	for i := range 1 + gpuIterations {
		start := time.Now()
		s, err := j.engine.Iterate(ctx, gpuengine.Work{Step: step})
		if err == nil {
			_, err = j.engine.Commit()
		}
		if err != nil {
			return nil, err
		}
		x := time.Since(start).Seconds()
		step = gas.Step{Iteration: i + 1, Aggregate: s.Aggregate}
		if i == 0 {
			continue
		}
		batches = s.Pages
		seconds, speeds = append(seconds, x), append(speeds, float64(s.Edges)/x)
		var copies, kernels float64
		for _, t := range j.engine.Times() {
			copies += t.Copy
			kernels += t.Compute
		}
		computing = append(computing, kernels/x)
		if s.Bytes > 0 {
			link, copying = append(link, float64(s.Bytes)/x), append(copying, copies/x)
		}
	}
	resident := float64(j.engine.Resident()) / float64(m.graph.Catalogue().Edges)
	return []any{one(resident), j.engine.Streams(), batches, spread(seconds), spread(speeds), one(median(speeds) / m.ceiling.Four),
		spread(link), one(median(link) / m.link.To), one(median(copying)), one(median(computing))}, nil
}

// leastGPU is what a job takes on the GPU beside the edges.
func leastGPU(d device.Device, c *garaph.Catalogue) (int64, error) {
	arrays, err := vertices.New[float32](c.Vertices, d)
	if err != nil {
		return 0, err
	}
	defer arrays.Free()
	need, err := gpuengine.Least(d, rankProgram[float32](), arrays, c, gpuengine.Options{})
	if err != nil {
		return 0, err
	}
	return need.Least(), nil
}
