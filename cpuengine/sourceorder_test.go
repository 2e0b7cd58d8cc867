package cpuengine

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// randomSide has up to most edges a vertex, from n vertices.
func randomSide(rng *rand.Rand, dir shard.Direction, vertices, most int, n uint32, weighted bool) *rows.Side {
	s := &rows.Side{Dir: dir, Off: make([]uint32, 1, vertices+1)}
	for range vertices {
		list := make([]uint32, rng.IntN(most+1))
		for i := range list {
			list[i] = rng.Uint32N(n)
		}
		slices.Sort(list)
		s.Nbr = append(s.Nbr, list...)
		s.Off = append(s.Off, uint32(len(s.Nbr)))
	}
	if weighted {
		for range s.Nbr {
			s.Weight = append(s.Weight, rng.Float32())
		}
	}
	return s
}

type edge struct {
	nbr    uint32
	weight float32
}

// TestOrder: source order holds each side's edges, ascending by segment of 64
// sources, and each accumulator gets the edges of one partial sum of its vertex,
// between two chunk borders, in the order of the shard.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		n := rapid.SampledFrom([]uint32{1, 64, 65, 1000, 1 << 20, 1 << 31}).Draw(t, "vertices of the graph")
		var s rows.Shard
		vertices := rapid.IntRange(1, 40).Draw(t, "vertices")
		most := rapid.SampledFrom([]int{0, 1, 5, 200}).Draw(t, "edges of a vertex")
		weighted := rapid.Bool().Draw(t, "weighted")
		for k := range rapid.IntRange(1, 2).Draw(t, "sides") {
			s = append(s, randomSide(rng, shard.Direction(k), vertices, most, n, weighted && k == 0))
		}
		orders := &Orders{vertices: n, shards: []ordering{{memory: make([]byte, 1<<20)}}}
		size := rapid.Uint64Range(1, 300).Draw(t, "edges per chunk")
		if orders.get(0, s, size, false) != nil {
			t.Fatal("made though it is not wanted")
		}
		o := orders.get(0, s, size, true)

		// What each accumulator must get, on each side.
		want := make([][2][]edge, vertices+len(o.cuts))
		extra := 0
		chunks := s.AppendChunks(nil, 0, size)
		for v := range vertices {
			slot, at := v, s.Before(v)
			for k := range s {
				for i := s[k].Off[v]; i < s[k].Off[v+1]; i++ {
					if at > s.Before(v) && slices.ContainsFunc(chunks, func(c rows.Chunk) bool { return c.From == at }) {
						slot = vertices + extra
						if extra >= len(o.cuts) || int(o.cuts[extra]) != v {
							t.Fatalf("partial sum %d belongs to vertex %d: %v", extra, v, o.cuts)
						}
						extra++
					}
					e := edge{nbr: s[k].Nbr[i]}
					if s[k].Weight != nil {
						e.weight = s[k].Weight[i]
					}
					want[slot][k] = append(want[slot][k], e)
					at++
				}
			}
		}
		if extra != len(o.cuts) {
			t.Fatalf("%d cuts, want %d", len(o.cuts), extra)
		}
		for k, side := range o.sides {
			got := make([][]edge, len(want))
			for i, u := range side.nbr {
				if n <= 1<<20 && i > 0 && side.nbr[i-1]>>segmentBits > u>>segmentBits {
					t.Fatalf("side %d: %d after %d", k, u, side.nbr[i-1])
				}
				e := edge{nbr: u}
				if side.weight != nil {
					e.weight = side.weight[i]
				}
				got[side.slot[i]] = append(got[side.slot[i]], e)
			}
			for slot := range want {
				if !slices.Equal(got[slot], want[slot][k]) {
					t.Fatalf("side %d, accumulator %d: got %v, want %v", k, slot, got[slot], want[slot][k])
				}
			}
		}
		if orders.get(0, s, size, false) != o {
			t.Fatal("it is not kept")
		}
	})
}

// TestNoOrder: shards of too many accumulators or edges have none.
func TestNoOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ vertices, most, chunk int }{
		{shard.MaxVertices, 3, 2},
		{1, 8 << 20, 1 << 14},
	} {
		s := randomSide(rng, shard.In, c.vertices, 0, 10, false)
		for v := range s.Off {
			s.Off[v] = uint32(v * c.most)
		}
		s.Nbr = make([]uint32, c.vertices*c.most)
		if newOrder(rows.Shard{s}, 0, uint64(c.chunk), 10, make([]byte, 1<<26)) != nil {
			t.Errorf("%d vertices of %d edges have one", c.vertices, c.most)
		}
	}
}

// BenchmarkOrder puts a shard in source order, on one goroutine: the time for an edge,
// and that over the time to copy what makes up the order.
func BenchmarkOrder(b *testing.B) {
	const vertices, degree, n = 1 << 16, 16, 1 << 20
	side := randomSide(rand.New(rand.NewPCG(1, 2)), shard.In, vertices, 2*degree, n, false)
	memory := make([]byte, orderBytes(side.Edges(), false))
	other := bytes.Clone(memory)
	var copies time.Duration
	edges := 0
	for b.Loop() {
		if newOrder(rows.Shard{side}, 0, 1<<20, n, memory) == nil {
			b.Fatal("none was made")
		}
		b.StopTimer()
		edges += int(side.Edges())
		start := time.Now()
		copy(other, memory)
		copies += time.Since(start)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(edges), "ns/edge")
	b.ReportMetric(float64(b.Elapsed())/float64(copies), "of-copy")
}
