package bench

import (
	"context"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/programs"
)

// gpuSubject is what kernels and pipelines are measured with: a program, and a way to
// gather.
type gpuSubject struct {
	name     string
	wide     bool // values of 8 bytes
	shards   bool // the pull of each shard is timed too
	probe    func(context.Context, *gpuMeasurement) (kernelTimes, error)
	pipeline func(ctx context.Context, m *gpuMeasurement, memory int64) (cells []any, err error) // nil: none
}

func subject[V, A any](name string, program gas.Program[V, A], o gpuengine.Options) gpuSubject {
	return gpuSubject{
		name: name, shards: true,
		probe: func(ctx context.Context, m *gpuMeasurement) (kernelTimes, error) { return probe(ctx, m, program, o) },
		pipeline: func(ctx context.Context, m *gpuMeasurement, memory int64) ([]any, error) {
			o := o
			o.Memory, o.Streams = memory, m.opt.Streams
			return pipeline(ctx, m, program, o)
		},
	}
}

// kernelsOnly leaves the pipelines and the shards of a subject away.
func (s gpuSubject) kernelsOnly() gpuSubject {
	s.shards, s.pipeline = false, nil
	return s
}

// subjects are those of the graph's layout: the ways to gather along rows; and along
// packed edges, what is native (integers, minima) and what takes copies (floats).
func (m *gpuMeasurement) subjects() (list []gpuSubject) {
	name := "8-byte values"
	if m.packed {
		list = append(list, subject("PageRank", rankProgram[float32](), gpuengine.Options{}), subject[uint32, uint32]("BFS", programs.BFS{}, gpuengine.Options{}))
		if m.graph.Catalogue().Weighted {
			list = append(list, subject[float32, float32]("SSSP", programs.SSSP[float32]{}, gpuengine.Options{}))
		}
		katz := programs.Katz[float32]{Alpha: 1e-9, Beta: 1}
		list = append(list, subject[float32, float64]("Katz, R by formula", katz, gpuengine.Options{}),
			subject[float32, float64]("Katz, R = 1", katz, gpuengine.Options{Single: true}))
		name = "PageRank, 8-byte values"
	} else {
		list = append(list, subject("segmented", rankProgram[float32](), gpuengine.Options{Gather: gpuengine.GatherSegmented}),
			subject("replicated, R by formula", rankProgram[float32](), gpuengine.Options{Gather: gpuengine.GatherReplicated}),
			subject("replicated, R = 1", rankProgram[float32](), gpuengine.Options{Gather: gpuengine.GatherReplicated, Single: true}))
		name = "segmented, " + name
	}
	wide := subject(name, rankProgram[float64](), gpuengine.Options{Gather: gpuengine.GatherSegmented}).kernelsOnly()
	wide.wide = true
	return append(list, wide)
}
