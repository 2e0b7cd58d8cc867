package bench

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
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

var workloads = []workload{
	pageRankWorkload,
	{"pagerank64", gather8, pageRank[float64]},
	{"bfs", gather4, runner(bfs)},
	{"sssp", gather4, runner(sssp)},
	{"wcc", gather4, runner(func(uint32) gas.Program[uint32, uint32] { return programs.WCC{} })},
}

func bfs(source uint32) gas.Program[uint32, uint32] { return programs.BFS{Source: source} }

func sssp(source uint32) gas.Program[float32, float32] { return programs.SSSP[float32]{Source: source} }

// ProgramNames returns the programs that can be measured; pagerank64 is PageRank with 64-bit values.
func ProgramNames() (names []string) {
	for _, w := range workloads {
		names = append(names, w.name)
	}
	return names
}

// workloadsOf finds workloads by name. No name stands for all.
func workloadsOf(names []string) ([]workload, error) {
	if len(names) == 0 {
		return workloads, nil
	}
	var list []workload
	for _, name := range names {
		i := slices.IndexFunc(workloads, func(w workload) bool { return w.name == name })
		if i < 0 {
			return nil, fmt.Errorf("%q is not a program that can be measured; expected some of %s", name,
				strings.Join(ProgramNames(), ", "))
		}
		list = append(list, workloads[i])
	}
	return list, nil
}

func runner[V, A any](program func(source uint32) gas.Program[V, A]) func(context.Context, *garaph.Graph, uint32,
	garaph.RunOptions) (*garaph.Result, error) {
	return func(ctx context.Context, g *garaph.Graph, source uint32, o garaph.RunOptions) (*garaph.Result, error) {
		return garaph.Run(ctx, g, program(source), o)
	}
}

func pageRank[F float32 | float64](ctx context.Context, g *garaph.Graph, _ uint32,
	o garaph.RunOptions) (*garaph.Result, error) {
	o.Iterations = cmp.Or(o.Iterations, pageRankIterations)
	return garaph.Run(ctx, g, programs.PageRank[F]{Damping: 0.85}, o)
}

// sourceOf returns the vertex with the user's id, or for "" the one with the most out-edges.
func sourceOf(g *garaph.Graph, id string) (uint32, error) {
	if id != "" {
		return g.Vertex(id)
	}
	var source, most uint32
	for i, s := range g.Catalogue().Shards {
		degrees, err := g.Store().Degrees(shard.Out, i)
		if err != nil {
			return 0, err
		}
		for v, d := range degrees {
			if d > most {
				source, most = s.First+uint32(v), d
			}
		}
	}
	return idOf(g, source)
}

// idOf returns the id of the vertex at a place.
func idOf(g *garaph.Graph, place uint32) (uint32, error) {
	ids, err := g.Store().OrderedIDs()
	defer hostmem.Free(ids)
	if ids != nil {
		place = ids[place]
	}
	return place, err
}

// sideBytes returns the size of the edges of one direction.
func sideBytes(c *store.Catalogue, dir shard.Direction) (n int64) {
	for i := range c.Shards {
		n += c.Bytes(dir, i)
	}
	return n
}

// MoreThreads lets the process run n threads more than it computes with, until end is called:
// those that wait for a disk or a GPU.
func MoreThreads(n int) (end func()) {
	before := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(before + n)
	return func() { runtime.GOMAXPROCS(before) }
}

// parallel calls task for 0 ≤ i < n on some goroutines and returns the first error, after which
// no task begins.
func parallel(threads, n int, task func(i int) error) error {
	var next atomic.Int64
	var g errgroup.Group
	for range min(threads, n) {
		g.Go(func() error {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := task(i); err != nil {
					next.Store(int64(n))
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}
