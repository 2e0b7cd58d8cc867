//go:build cuda

package kernels

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// undirected is a graph of m edges, each in the rows of both its ends.
func undirected(n, m int, edge func(i int) (u, v uint32)) *csc {
	list := make([][]uint32, n)
	for i := range m {
		u, v := edge(i)
		list[u], list[v] = append(list[u], v), append(list[v], u)
	}
	return ofRows(list)
}

// mixed is a random number of i.
func mixed(i int) uint64 {
	x := uint64(i)*0x9e3779b97f4a7c15 + 0x632be59bd9b4e019
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func uniformGraph(scale, degree int) *csc {
	return undirected(1<<scale, degree<<scale, func(i int) (u, v uint32) {
		x := mixed(i)
		return uint32(x) & (1<<scale - 1), uint32(x>>32) & (1<<scale - 1)
	})
}

// rmatGraph has the probabilities of rmat in 256ths, a byte of randomness for each bit.
func rmatGraph(scale, degree int) *csc {
	return undirected(1<<scale, degree<<scale, func(i int) (u, v uint32) {
		x := uint64(0)
		for k := range scale {
			if k%8 == 0 {
				x = mixed(i*4 + k/8)
			}
			u, v = u<<1, v<<1
			switch b := x & 255; {
			case b < 146: // 0.57
			case b < 195: // 0.19
				v |= 1
			case b < 244:
				u |= 1
			default:
				u, v = u|1, v|1
			}
			x >>= 8
		}
		return u, v
	})
}

func gridGraph(side int) *csc {
	across := side * (side - 1)
	return undirected(side*side, 2*across, func(i int) (u, v uint32) {
		if i < across {
			at := i/(side-1)*side + i%(side-1)
			return uint32(at), uint32(at + 1)
		}
		return uint32(i - across), uint32(i - across + side)
	})
}

// starGraph returns a star whose hub is in the middle of its leaves, or the first vertex.
func starGraph(leaves int, hub uint32) *csc {
	return undirected(leaves+1, leaves, func(i int) (u, v uint32) {
		if uint32(i) >= hub {
			i++
		}
		return uint32(i), hub
	})
}

// pathGraph goes through all vertices, in the order of their numbers or of list.
func pathGraph(n int, list []int) *csc {
	return undirected(n, n-1, func(i int) (u, v uint32) {
		if list != nil {
			return uint32(list[i]), uint32(list[i+1])
		}
		return uint32(i), uint32(i + 1)
	})
}

// half leaves every edge in the row of one end, by turns.
func half(g *csc) *csc {
	h := &csc{off: []uint64{0}}
	for v := range g.vertices() {
		for _, u := range g.nbr[g.off[v]:g.off[v+1]] {
			if (u^uint32(v))&1 == 0 == (u < uint32(v)) {
				h.nbr = append(h.nbr, u)
			}
		}
		h.off = append(h.off, uint64(len(h.nbr)))
	}
	return h
}

// leastOf are the components, found on the host.
func leastOf(g *csc) []uint32 {
	f := make([]uint32, g.vertices())
	unite(f, g.off, g.nbr)
	return f
}

// TestCUDAComponents compares components with those of a forest on the host.
func TestCUDAComponents(t *testing.T) {
	g := openGPU(t)
	labelSmall(t, g)
	const n = 1_000_000
	for _, x := range []struct {
		name  string
		graph *csc
	}{
		{"rmat 20", rmatGraph(20, 16)},
		{"uniform 20", uniformGraph(20, 8)},
		{"uniform 20, sparse", uniformGraph(20, 1)},
		{"grid", gridGraph(1000)},
		{"star", starGraph(n, 0)},
		{"star with a hub amid its leaves", starGraph(n, n/2)},
		{"star with a hub behind its leaves", starGraph(n, n)},
		{"path", pathGraph(n, nil)},
		{"mixed path", pathGraph(n, rand.New(rand.NewPCG(1, 2)).Perm(n))},
		{"isolated vertices", undirected(n, 0, nil)},
		{"few edges among isolated vertices", undirected(n, 100, func(i int) (u,
			v uint32) {
			return uint32(i * 9999), uint32(i * 7)
		})},
	} {
		want := leastOf(x.graph)
		for _, symmetric := range []bool{true, false} {
			graph := x.graph
			if !symmetric {
				graph = half(graph)
			}
			l := newLabelling(g, graph, symmetric)
			for range 5 {
				if got := l.labels(); !slices.Equal(got, want) {
					v := 0
					for got[v] == want[v] {
						v++
					}
					t.Errorf("%s, symmetric %v: vertex %d: got %d, want %d", x.name, symmetric, v, got[v], want[v])
				}
			}
			l.free()
		}
	}
}
