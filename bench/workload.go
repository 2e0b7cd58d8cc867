package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/programs"
)

// pageRankIterations are enough that one slow pull does not move their median.
const pageRankIterations = 24

// workload is a program to measure.
type workload struct {
	name   string
	gather int // the gather-only ceiling for the size of its values
	run    func(context.Context, *garaph.Graph, uint32, garaph.RunOptions) (*garaph.Result, error)
}

var pageRankWorkload = workload{"pagerank", gather4, pageRank[float32]}

// workloads are all that can be measured.
var workloads = []workload{
	pageRankWorkload,
	{"pagerank64", gather8, pageRank[float64]},
	{"bfs", gather4, runner(func(source uint32) gas.Program[uint32, uint32] { return programs.BFS{Source: source} })},
	{"sssp", gather4, runner(func(source uint32) gas.Program[float32, float32] { return programs.SSSP[float32]{Source: source} })},
	{"wcc", gather4, runner(func(uint32) gas.Program[uint32, uint32] { return programs.WCC{} })},
}

// withGeneric adds each workload through the generic loops.
func withGeneric(list []workload) []workload {
	var both []workload
	for _, w := range list {
		both = append(both, w, workload{w.name + ", generic", w.gather, func(ctx context.Context, g *garaph.Graph, source uint32, o garaph.RunOptions) (*garaph.Result, error) {
			o.Generically()
			return w.run(ctx, g, source, o)
		}})
	}
	return both
}

// ProgramNames are the programs that can be measured; pagerank64 is PageRank
// with 64-bit values.
func ProgramNames() []string {
	var names []string
	for _, w := range workloads {
		names = append(names, w.name)
	}
	return names
}

// workloadsOf finds workloads by name; no name stands for all.
func workloadsOf(names []string) ([]workload, error) {
	if len(names) == 0 {
		return workloads, nil
	}
	var list []workload
	for _, name := range names {
		i := slices.IndexFunc(workloads, func(w workload) bool { return w.name == name })
		if i < 0 {
			return nil, fmt.Errorf("%q is not a program that can be measured; expected some of %s", name, strings.Join(ProgramNames(), ", "))
		}
		list = append(list, workloads[i])
	}
	return list, nil
}

// runner runs the program of a source vertex until nothing changes.
func runner[V, A any](program func(source uint32) gas.Program[V, A]) func(context.Context, *garaph.Graph, uint32, garaph.RunOptions) (*garaph.Result, error) {
	return func(ctx context.Context, g *garaph.Graph, source uint32, o garaph.RunOptions) (*garaph.Result, error) {
		return garaph.Run(ctx, g, program(source), o)
	}
}

func pageRank[F float32 | float64](ctx context.Context, g *garaph.Graph, _ uint32, o garaph.RunOptions) (*garaph.Result, error) {
	o.Iterations = cmp.Or(o.Iterations, pageRankIterations)
	return garaph.Run(ctx, g, programs.PageRank[F]{Damping: 0.85}, o)
}
