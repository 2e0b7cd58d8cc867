package bench_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"flag"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/garaph/garaph/bench"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
)

// The graph of the benchmarks: RMAT, unless there are rows of a grid or vertices.
var (
	scale   = flag.Int("scale", 18, "of the RMAT graph that is packed")
	uniform = flag.Uint64("uniform", 0, "pack a uniform graph of so many vertices and 16 edges for each")
	side    = flag.Uint64("rows", 0, "pack a square grid")
	permute = flag.Bool("permute", false, "scramble the ids of the RMAT graph")
)

// graph is the graph in shards, as an import cuts them.
type graph struct {
	n      uint32
	edges  int
	degree []uint32 // out-degrees
	sides  []rows.Side
}

var whole = sync.OnceValue(func() *graph {
	o := bench.GenOptions{Kind: bench.RMAT, Scale: *scale, Degree: 16, Permute: *permute, Seed: 1, Format: bench.RawW}
	if *uniform > 0 {
		o.Kind, o.Vertices, o.Edges = bench.Uniform, *uniform, 16**uniform
	}
	if *side > 0 {
		o.Kind, o.Rows, o.Cols = bench.Grid, *side, *side
	}
	_, edges, err := o.Size()
	if err != nil {
		panic(err)
	}
	var buffer bytes.Buffer
	buffer.Grow(12 * int(edges))
	if err := bench.Generate(context.Background(), &buffer, o, nil); err != nil {
		panic(err)
	}
	return cut(buffer.Bytes())
})

// cut makes shards of raw edges with weights. Vertices without edges go away.
func cut(raw []byte) *graph {
	le := binary.LittleEndian
	g := &graph{edges: len(raw) / 12}
	end := func(i int) uint32 { return le.Uint32(raw[12*(i/2)+4*(i%2):]) }
	var top uint32
	for i := range 2 * g.edges {
		top = max(top, end(i))
	}
	dense := make([]uint32, top+1)
	for i := range 2 * g.edges {
		dense[end(i)] = 1
	}
	for v, used := range dense {
		dense[v] = g.n
		g.n += used
	}
	g.degree = make([]uint32, g.n)
	off := make([]uint32, g.n+2)
	for i := range g.edges {
		g.degree[dense[end(2*i)]]++
		off[dense[end(2*i+1)]+2]++
	}
	for v := range g.n {
		off[v+2] += off[v+1]
	}
	nbr, weight := make([]uint32, g.edges), make([]float32, g.edges)
	for i := range g.edges {
		at := &off[dense[end(2*i+1)]+1]
		nbr[*at], weight[*at] = dense[end(2*i)], math.Float32frombits(le.Uint32(raw[12*i+8:]))
		*at++
	}
	for v := range g.n {
		slices.Sort(nbr[off[v]:off[v+1]])
	}
	for first := uint32(0); first < g.n; {
		last := first + 1
		for last < g.n && last-first < shard.DefaultVertices && off[last+1]-off[first] <= 1<<20 {
			last++
		}
		lo, hi := off[first], off[last]
		s := rows.Side{Index: uint32(len(g.sides)), First: first, Nbr: nbr[lo:hi], Weight: weight[lo:hi]}
		for v := first; v <= last; v++ {
			s.Off = append(s.Off, off[v]-lo)
		}
		g.sides = append(g.sides, s)
		first = last
	}
	return g
}

// packs packs all sides, and checks them.
func (g *graph) packs(b *testing.B, weighted bool) (sides []*packed.Side, size int64) {
	var p packed.Packer
	for i := range g.sides {
		x := g.sides[i]
		if !weighted {
			x.Weight = nil
		}
		if err := p.Side(&x, weighted); err != nil {
			b.Fatal(err)
		}
		blob := make([]byte, p.Size())
		p.Write(blob)
		s, err := packed.Decode(blob)
		if err == nil {
			err = s.CheckValues(g.n)
		}
		if err != nil {
			b.Fatal(err)
		}
		sides = append(sides, s)
		size += p.Size()
	}
	return sides, size
}

// BenchmarkSize reports the bytes of an edge with all headers.
func BenchmarkSize(b *testing.B) {
	g := whole()
	for _, weighted := range []bool{false, true} {
		b.Run(map[bool]string{false: "unweighted", true: "weighted"}[weighted], func(b *testing.B) {
			for b.Loop() {
				sides, size := g.packs(b, weighted)
				var slots, used int
				count := map[int]int{}
				for _, s := range sides {
					slots += s.Blocks * packed.BlockSlots
					used += int(s.Edges)
					for _, h := range s.Heads {
						count[h.Width()]++
					}
				}
				b.ReportMetric(float64(size)/float64(g.edges), "B/edge")
				b.ReportMetric(float64(slots)/float64(used), "slots/edge")
				widths := []int{}
				for w := range count {
					widths = append(widths, w)
				}
				slices.SortFunc(widths, func(x, y int) int { return cmp.Compare(count[y], count[x]) })
				for _, w := range widths {
					b.Logf("width %d: %.2f %%", w, 100*float64(count[w])/float64(slots/256))
				}
			}
		})
	}
}

// BenchmarkPack packs from compressed sparse columns: sorting, and all. It reports
// thread CPU time.
func BenchmarkPack(b *testing.B) {
	g := whole()
	for _, weighted := range []bool{false, true} {
		b.Run(map[bool]string{false: "unweighted", true: "weighted"}[weighted], func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			var p packed.Packer
			var blob []byte
			edges, from := 0, threadTime()
			for i := 0; b.Loop(); i++ {
				x := g.sides[i%len(g.sides)]
				if !weighted {
					x.Weight = nil
				}
				if err := p.Side(&x, weighted); err != nil {
					b.Fatal(err)
				}
				blob = slices.Grow(blob[:0], int(p.Size()))[:p.Size()]
				p.Write(blob)
				edges += len(x.Nbr)
			}
			b.ReportMetric(float64(threadTime()-from)/float64(edges), "ns/edge")
		})
	}
}

// BenchmarkPlain makes plain rows of packed sides. It reports thread CPU time.
func BenchmarkPlain(b *testing.B) {
	g := whole()
	for _, weighted := range []bool{false, true} {
		sides, _ := g.packs(b, weighted)
		size := int64(0)
		for _, s := range sides {
			size = max(size, rows.Size(s.Vertices, s.Edges, weighted))
		}
		blob := make([]byte, size)
		b.Run(map[bool]string{false: "unweighted", true: "weighted"}[weighted], func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			edges, from := 0, threadTime()
			for i := 0; b.Loop(); i++ {
				s := sides[i%len(sides)]
				rows.Unpack(s, blob[:rows.Size(s.Vertices, s.Edges, weighted)], weighted)
				edges += int(s.Edges)
			}
			b.ReportMetric(float64(threadTime()-from)/float64(edges), "ns/edge")
		})
	}
}
