package algorithms

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/internal/walk"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Sample is layered sampling of neighbours (GraphSAGE: Hamilton, Ying, Leskovec, NIPS 2017), as PyG's NeighborLoader
// does for a batch of seeds: layer 1 has up to Fanouts[0] edges of each seed, and layer k up to Fanouts[k-1] of each
// vertex that layer k-1 has met first. Its rows are the edges, from source to target, with their layer, ordered by
// layer, by the vertex whose edges they are, and by their position in its row. Without Replace, the edges of a
// vertex are different ones, parallel edges included, and all if there are no more than the fan-out.
//
// The random numbers of a vertex follow from the seed and the vertex. The rows of a layer are read together.
// Memory: 16 bytes for an edge of the sample and 16 for a vertex of a layer, at most, a bit for each vertex, and
// pages.
type Sample struct {
	Seeds   []uint32 // ascending
	Fanouts []int    // by layer; a negative one stands for all edges
	Along   shard.Direction
	Replace bool
	Seed    uint64
}

// Plan returns the rows, and the largest sample that is possible.
func (c Sample) Plan(g *store.Catalogue, _ int) Plan {
	vertices, edges := c.most(g)
	return Plan{Rows: []shard.Direction{c.Along}, Arrays: []Array{
		{"the sample", 16 * edges}, {"the vertices of a layer", 16*vertices + 8},
		{"vertices that were met", 8 * int64(bitset.Words(g.Vertices))},
	}}
}

// most returns the largest number of vertices of a layer, and of edges of all together.
func (c Sample) most(g *store.Catalogue) (vertices, edges int64) {
	layer := int64(len(c.Seeds))
	for _, fanout := range c.Fanouts {
		vertices = max(vertices, layer)
		most := layer * int64(fanout)
		if all := int64(g.Edges); fanout < 0 || !c.Replace && most > all {
			most = all
		}
		edges, layer = edges+most, min(most, int64(g.Vertices))
	}
	return max(vertices, layer), edges
}

// sampling is a run of Sample.
type sampling struct {
	Sample
	env              *Env
	met              bitset.Set
	layer, next      []uint32 // vertices, ascending
	begin            []int64  // of the edges of each vertex of the layer
	sources, targets []gas.VertexID
	layers           []int64
}

// Run samples layer after layer.
func (c Sample) Run(ctx context.Context, e *Env) ([]gas.VertexID, error) {
	s, err := c.start(e)
	if err != nil {
		return nil, err
	}
	edges := int64(0)
	for i, fanout := range c.Fanouts {
		begun := edges
		if edges, err = s.count(ctx, begun, fanout); err != nil {
			return nil, err
		}
		if err := s.sample(ctx, i+1, edges-begun); err != nil {
			return nil, err
		}
		found := s.sources[begun:edges]
		if c.Along == shard.Out {
			found = s.targets[begun:edges]
		}
		s.next = s.next[:0]
		for _, v := range found {
			if !s.met.Has(uint32(v)) {
				s.met.Add(uint32(v))
				s.next = append(s.next, uint32(v))
			}
		}
		slices.Sort(s.next)
		s.layer, s.next = s.next, s.layer
	}
	e.Keys("source", s.sources[:edges])
	AddColumn(e, "layer", s.layers[:edges])
	e.Total("edges", edges)
	e.Total("vertices", int64(s.met.Count(0, e.Graph.Vertices)))
	return s.targets[:edges], nil
}

// start makes the layer of the seeds.
func (c Sample) start(e *Env) (*sampling, error) {
	vertices, edges := c.most(e.Graph)
	s := &sampling{Sample: c, env: e}
	err := makeAll(e, into(&s.met, bitset.Words(e.Graph.Vertices)), into(&s.begin, int(vertices)+1),
		into(&s.layer, int(vertices)), into(&s.next, int(vertices)),
		into(&s.sources, int(edges)), into(&s.targets, int(edges)), into(&s.layers, int(edges)))
	if err != nil {
		return nil, err
	}
	s.layer = append(s.layer[:0], c.Seeds...)
	for _, v := range c.Seeds {
		s.met.Add(v)
	}
	return s, nil
}

// count sets where the edges of each vertex of the layer begin, behind those of the layers before, from the degrees
// that are stored beside the edges. It returns where the last ones end.
func (s *sampling) count(ctx context.Context, at int64, fanout int) (end int64, err error) {
	err = eachDegree(ctx, s.env, []shard.Direction{s.Along}, s.layer, func(v, n uint32) {
		k, ok := slices.BinarySearch(s.layer, v)
		if !ok {
			return
		}
		degree := int64(n)
		if fanout >= 0 && degree > 0 && (degree >= int64(fanout) || s.Replace) {
			degree = int64(fanout)
		}
		s.begin[k] = degree
	})
	if err != nil {
		return 0, err
	}
	for k := range s.layer {
		s.begin[k], at = at, at+s.begin[k]
	}
	s.begin[len(s.layer)] = at
	return at, nil
}

// sample chooses the edges of each vertex of the layer.
func (s *sampling) sample(ctx context.Context, layer int, edges int64) error {
	replace := s.Replace && s.Fanouts[layer-1] > 0
	chosen, places := make([]map[uint32]bool, s.env.Threads), make([][]uint32, s.env.Threads)
	for i := range chosen {
		chosen[i] = map[uint32]bool{}
	}
	var done atomic.Int64
	return s.env.Rows().EachRow(ctx, s.layer, func(worker int, b *Block, i, k int) error {
		v, row := s.layer[k], b.Row(s.Along, i)
		at, end := s.begin[k], s.begin[k+1]
		random := walk.Mixed(walk.Mixed(s.Seed+walk.Gamma) + uint64(v)*walk.Gamma)
		next := func(n int) int {
			random += walk.Gamma
			return int(walk.Below(walk.Mixed(random), uint64(n)))
		}
		list := someOf(places[worker][:0], chosen[worker], len(row), int(end-at), replace, next)
		for n, place := range list {
			n := at + int64(n)
			if s.sources[n], s.targets[n] = gas.VertexID(row[place]), gas.VertexID(v); s.Along == shard.Out {
				s.sources[n], s.targets[n] = s.targets[n], s.sources[n]
			}
			s.layers[n] = int64(layer)
		}
		places[worker] = list
		s.env.Progress("layer "+strconv.Itoa(layer), done.Add(end-at), edges)
		return nil
	})
}

// someOf appends some of the numbers below n to list, ascending. Without replace they are different. chosen is empty,
// and memory for numbers that were chosen. next returns a random number below its argument.
func someOf(
	list []uint32, chosen map[uint32]bool, n, some int, replace bool, next func(n int) int,
) []uint32 {
	for i := range some {
		if replace {
			list = append(list, uint32(next(n)))
			continue
		}
		i += n - some // Floyd's algorithm
		number := uint32(next(i + 1))
		if chosen[number] {
			number = uint32(i)
		}
		chosen[number] = true
		list = append(list, number)
	}
	clear(chosen)
	slices.Sort(list)
	return list
}

// ColumnName returns "target".
func (Sample) ColumnName() string { return "target" }

// SampleCommand describes garaph run sample.
var SampleCommand = registry.Command{
	Name: "sample", Value: Sample{Fanouts: []int{1}},
	Short: "layered sample of the neighbours of given vertices: its edges, as graph neural networks take them",
	Long: `Layer 1 has some edges of each source, and the next layer some edges of each vertex that
was met first in the layer before, as in one batch of PyG's NeighborLoader. A row has
source, target and layer of an edge. Only the rows of these vertices are read.`,
	Example: `  garaph run sample web.graph --sources batch.txt --fanouts 15,10 --output sample.npy
  garaph run sample web.graph --source 7 --fanouts 5,-1 --along out --output sample.parquet`,
	Setup: func(fs *pflag.FlagSet) registry.Make {
		flags.RequiredSources(fs, "to sample around")
		fanouts := flags.Checked(fs, "fanouts", "LIST", []int{15, 10}, parseFanouts, func(list []int) string {
			return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]")
		}, "edges of a vertex in each layer; -1: all")
		along := flags.Enum(fs, "along", "in", []string{"in", "out"}, "edges that lead to the vertex, or out of it")
		replace := fs.Bool("replace", false, "draw with replacement: an edge may come several times")
		seed := seedFlag(fs)
		return func(e registry.Env) (any, error) {
			seeds, err := e.Sources()
			dir := shard.In
			if *along == "out" {
				dir = shard.Out
			}
			return Sample{Seeds: seeds, Fanouts: *fanouts, Along: dir, Replace: *replace, Seed: uint64(*seed)}, err
		}
	},
}

// mostFanout is the largest fan-out.
const mostFanout = 1 << 20

func parseFanouts(text string) (list []int, err error) {
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < -1 || n == 0 || n > mostFanout {
			return nil, fmt.Errorf("%q: expected numbers from 1 to %d or -1, such as 15,10", word, mostFanout)
		}
		list = append(list, n)
	}
	return list, nil
}
