package programs_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/internal/looptest"
	"github.com/garaph/garaph/programs"
)

// What the compiled loops earn: beside each a loop written by hand over the
// same arrays, and one that calls the methods of the interface. All on one
// thread, over an RMAT graph of 2²⁰ vertices in shards of 12,288.
//
//	go test -run - -bench Loops ./programs

// rmat is the graph in destination order.
type rmat struct {
	blocks []compiled.Block
	lists  [][]uint16
	edges  int
}

const (
	rmatScale     = 20
	rmatVertices  = 1 << rmatScale
	shardVertices = 12_288
)

var theRMAT = sync.OnceValue(func() *rmat {
	rng := rand.New(rand.NewPCG(1, 2))
	type edge struct{ dst, src uint32 }
	edges := make([]edge, 16*rmatVertices)
	permutation := rng.Perm(rmatVertices)
	for i := range edges {
		var e edge
		for range rmatScale { // quadrants of 0.57, 0.19, 0.19, 0.05
			x := rng.Uint32N(100)
			e.src, e.dst = e.src<<1, e.dst<<1
			if x >= 57 && x < 76 || x >= 95 {
				e.dst |= 1
			}
			if x >= 76 {
				e.src |= 1
			}
		}
		edges[i] = edge{uint32(permutation[e.dst]), uint32(permutation[e.src])}
	}
	slices.SortFunc(edges, func(a, b edge) int {
		return int(int64(uint64(a.dst)<<32|uint64(a.src)) - int64(uint64(b.dst)<<32|uint64(b.src)))
	})
	g := &rmat{edges: len(edges)}
	degree := make([]uint32, rmatVertices)
	for i := range degree {
		degree[i] = 1
	}
	for first := 0; first < rmatVertices; first += shardVertices {
		n := min(shardVertices, rmatVertices-first)
		b := compiled.Block{First: uint32(first), N: rmatVertices, Off: make([]uint32, n+1), Degree: degree, Step: gas.Step{Iteration: 2}}
		end := 0
		for end < len(edges) && int(edges[end].dst) < first+n {
			b.Off[int(edges[end].dst)-first+1]++
			b.Nbr = append(b.Nbr, edges[end].src)
			b.Weight = append(b.Weight, float32(end%7+1))
			end++
		}
		for v := range n {
			b.Off[v+1] += b.Off[v]
		}
		list := make([]uint16, n)
		for v := range list {
			list[v] = uint16(v)
		}
		edges = edges[end:]
		g.blocks, g.lists = append(g.blocks, b), append(g.lists, list)
	}
	return g
})

// loopBench runs one loop over all shards.
func loopBench(b *testing.B, loop func(g *rmat, shard int)) {
	g := theRMAT()
	for b.Loop() {
		for i := range g.blocks {
			loop(g, i)
		}
	}
	b.ReportMetric(float64(g.edges)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Medges/s")
	b.ReportMetric(0, "ns/op")
}

func gatherBench[V, A any](b *testing.B, weighted bool, gather func([]A, []uint16, *compiled.Block, []V) int, zero A, value func(v int) V) {
	cur, acc := make([]V, rmatVertices), make([]A, shardVertices)
	for v := range cur {
		cur[v] = value(v)
	}
	loopBench(b, func(g *rmat, i int) {
		block := g.blocks[i]
		if !weighted {
			block.Weight = nil
		}
		for v := range acc {
			acc[v] = zero
		}
		gather(acc[:len(g.lists[i])], g.lists[i], &block, cur)
	})
}

func BenchmarkLoops(b *testing.B) {
	rank := programs.PageRank[float32]{Damping: 0.85}
	share := func(v int) float32 { return float32(v%100) / 100 }
	compiledRank, plainRank := rank.Loops(), looptest.Plain[float32, int64](rank)
	b.Run("PageRank/Gather/compiled", func(b *testing.B) { gatherBench(b, false, compiledRank.Gather, 0, share) })
	b.Run("PageRank/Gather/by-hand", func(b *testing.B) { gatherBench(b, false, rankGather, 0, share) })
	b.Run("PageRank/Gather/interface", func(b *testing.B) { gatherBench(b, false, plainRank.Gather, 0, share) })

	path := programs.SSSP[float32]{}
	far := float32(math.Inf(1))
	length := func(v int) float32 { return float32(v % 1000) }
	compiledPath, plainPath := path.Loops(), looptest.Plain[float32, float32](path)
	b.Run("SSSP/Gather/compiled", func(b *testing.B) { gatherBench(b, true, compiledPath.Gather, far, length) })
	b.Run("SSSP/Gather/by-hand", func(b *testing.B) { gatherBench(b, true, pathGather, far, length) })
	b.Run("SSSP/Gather/interface", func(b *testing.B) { gatherBench(b, true, plainPath.Gather, far, length) })

	hops := programs.BFS{}
	hop := func(v int) uint32 { // a vertex in fifty is in the frontier
		if v%50 == 0 {
			return 2
		}
		return math.MaxUint32
	}
	compiledHops, plainHops := hops.Loops(), looptest.Plain[uint32, uint32](hops)
	b.Run("BFS/Gather/compiled", func(b *testing.B) { gatherBench(b, false, compiledHops.Gather, math.MaxUint32, hop) })
	b.Run("BFS/Gather/by-hand", func(b *testing.B) { gatherBench(b, false, hopGather, math.MaxUint32, hop) })
	b.Run("BFS/Gather/interface", func(b *testing.B) { gatherBench(b, false, plainHops.Gather, math.MaxUint32, hop) })
}

func rankGather(acc []int64, list []uint16, b *compiled.Block, cur []float32) int {
	for i, v := range list {
		a := acc[i]
		for _, u := range b.Nbr[b.Off[v]:b.Off[v+1]] {
			a += int64(cur[u] * 0x1p60)
		}
		acc[i] = a
	}
	return len(b.Nbr)
}

func pathGather(acc []float32, list []uint16, b *compiled.Block, cur []float32) int {
	for i, v := range list {
		a := acc[i]
		nbr := b.Nbr[b.Off[v]:b.Off[v+1]]
		weight := b.Weight[b.Off[v]:][:len(nbr)]
		for k, u := range nbr {
			if d := cur[u] + weight[k]; d < a {
				a = d
			}
		}
		acc[i] = a
	}
	return len(b.Nbr)
}

func hopGather(acc []uint32, list []uint16, b *compiled.Block, cur []uint32) (edges int) {
	reached := uint32(b.Step.Iteration)
	for i, v := range list {
		for _, u := range b.Nbr[b.Off[v]:b.Off[v+1]] {
			edges++
			if cur[u] <= reached {
				acc[i] = cur[u] + 1
				break
			}
		}
	}
	return edges
}
