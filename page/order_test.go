package page

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/shard"
)

// randomSide has up to most edges a vertex, from n vertices.
func randomSide(rng *rand.Rand, dir shard.Direction, vertices, most int, n uint32, weighted bool) shard.Side {
	s := shard.Side{Dir: dir, Off: make([]uint32, 1, vertices+1)}
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
// sources, and each accumulator gets the edges of one piece of its vertex,
// between two chunk borders, in the order of the shard.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		n := rapid.SampledFrom([]uint32{1, 64, 65, 1000, 1 << 20, 1 << 31}).Draw(t, "vertices of the graph")
		s := Shard{Ordering: &Ordering{Vertices: n}}
		vertices := rapid.IntRange(1, 40).Draw(t, "vertices")
		most := rapid.SampledFrom([]int{0, 1, 5, 200}).Draw(t, "edges of a vertex")
		weighted := rapid.Bool().Draw(t, "weighted")
		for k := range rapid.IntRange(1, 2).Draw(t, "sides") {
			s.Sides = append(s.Sides, randomSide(rng, shard.Direction(k), vertices, most, n, weighted && k == 0))
		}
		p := &Page{Shards: []Shard{s}}
		size := rapid.Uint64Range(1, 300).Draw(t, "edges per chunk")
		if p.Order(0, size, false) != nil {
			t.Fatal("made though it is not wanted")
		}
		o := p.Order(0, size, true)

		// What each accumulator must get, on each side.
		want := make([][2][]edge, vertices+len(o.Cuts))
		extra := 0
		chunks := p.AppendChunks(nil, 0, size)
		for v := range vertices {
			slot, at := v, s.Before(v)
			for k := range s.Sides {
				for i := s.Sides[k].Off[v]; i < s.Sides[k].Off[v+1]; i++ {
					if at > s.Before(v) && slices.ContainsFunc(chunks, func(c Chunk) bool { return c.From == at }) {
						slot = vertices + extra
						if extra >= len(o.Cuts) || int(o.Cuts[extra]) != v {
							t.Fatalf("piece %d belongs to vertex %d: %v", extra, v, o.Cuts)
						}
						extra++
					}
					e := edge{nbr: s.Sides[k].Nbr[i]}
					if s.Sides[k].Weight != nil {
						e.weight = s.Sides[k].Weight[i]
					}
					want[slot][k] = append(want[slot][k], e)
					at++
				}
			}
		}
		if extra != len(o.Cuts) {
			t.Fatalf("%d cuts, want %d", len(o.Cuts), extra)
		}
		for k, side := range o.Sides {
			got := make([][]edge, len(want))
			for i, u := range side.Nbr {
				if n <= 1<<20 && i > 0 && side.Nbr[i-1]>>segmentBits > u>>segmentBits {
					t.Fatalf("side %d: %d after %d", k, u, side.Nbr[i-1])
				}
				e := edge{nbr: u}
				if side.Weight != nil {
					e.weight = side.Weight[i]
				}
				got[side.Slot[i]] = append(got[side.Slot[i]], e)
			}
			for slot := range want {
				if !slices.Equal(got[slot], want[slot][k]) {
					t.Fatalf("side %d, accumulator %d: got %v, want %v", k, slot, got[slot], want[slot][k])
				}
			}
		}
		if p.Order(0, size, false) != o {
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
		p := &Page{Shards: []Shard{{Sides: []shard.Side{s}, Ordering: &Ordering{Vertices: 10}}}}
		if p.Order(0, uint64(c.chunk), true) != nil {
			t.Errorf("%d vertices of %d edges have one", c.vertices, c.most)
		}
	}
}
