package gpuengine

import (
	"testing"

	"pgregory.net/rapid"
)

// TestCut checks that chunks cover all edges once, keep to their limits, begin where wide
// loads can, and know which of their vertices go on elsewhere.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := limits{edges: grain * rapid.IntRange(2, 8).Draw(t, "edges/16"), window: rapid.IntRange(1, 60).Draw(t, "window")}
		degree := rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 3), rapid.IntRange(0, 200))
		off := []uint32{0}
		for _, d := range rapid.SliceOfN(degree, 1, 200).Draw(t, "degrees") {
			off = append(off, off[len(off)-1]+uint32(d))
		}
		n, edges := len(off)-1, off[len(off)-1]
		seen := make([]int, n) // chunks of each vertex
		flagged := make([]bool, n)
		var count int64
		for e := uint32(0); e < edges; count++ {
			p := l.cut(off, e)
			if p.from != e || p.to <= e || p.to-p.from > uint32(l.edges) || p.end-p.begin > l.window || p.begin >= p.end {
				t.Fatalf("chunk %+v at edge %d, limits %+v", p, e, l)
			}
			if off[p.begin] > p.from || off[p.begin+1] <= p.from || off[p.end-1] >= p.to || off[p.end] < p.to {
				t.Fatalf("chunk %+v has not the vertices of its edges", p)
			}
			if p.to%grain != 0 && p.to < edges && p.to-p.from&^(grain-1) >= 2*grain {
				t.Fatalf("chunk %+v ends between grains", p)
			}
			for v := p.begin; v < p.end; v++ {
				if off[v+1] > off[v] {
					seen[v]++
				}
			}
			flagged[p.begin] = flagged[p.begin] || p.head
			flagged[p.end-1] = flagged[p.end-1] || p.tail
			e = p.to
		}
		for v := range seen {
			if (seen[v] > 1) != flagged[v] {
				t.Fatalf("vertex %d is in %d chunks, flagged %v", v, seen[v], flagged[v])
			}
		}
		if most := l.most(n, edges); count > most {
			t.Fatalf("%d chunks, at most %d expected", count, most)
		}
	})
}

// TestCopies checks the formula of Garaph until the copies do not fit.
func TestCopies(t *testing.T) {
	for _, c := range []struct {
		edges            uint32
		vertices, shared int
		want             uint32
	}{
		{100, 100, 48 << 10, 0}, {150, 100, 48 << 10, 1}, {200, 100, 48 << 10, 1}, {300, 100, 48 << 10, 2},
		{1600, 100, 48 << 10, 4}, {100_000, 100, 48 << 10, 5}, {100_000, 100, 6400, 4}, {1, 100, 48 << 10, 0},
		{16 << 10, 12288, 48 << 10, 0},
	} {
		if got := copies(c.edges, c.vertices, 4, c.shared); got != c.want {
			t.Errorf("%d edges, %d vertices, %d bytes: 2^%d copies, want 2^%d", c.edges, c.vertices, c.shared, got, c.want)
		}
	}
}
