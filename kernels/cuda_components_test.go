//go:build cuda

package kernels

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
)

// undirected is a graph of m edges, each in the rows of both its ends. edge gives edge i, the
// same each time: it is called twice.
func undirected(n, m int, edge func(i int) (u, v uint32)) *csc {
	g := &csc{off: make([]uint64, n+1), nbr: make([]uint32, 2*m)}
	count := make([]uint32, n)
	parallelRanges(m, func(from, to int) {
		for i := from; i < to; i++ {
			u, v := edge(i)
			atomic.AddUint32(&count[u], 1)
			atomic.AddUint32(&count[v], 1)
		}
	})
	for v, c := range count {
		g.off[v+1] = g.off[v] + uint64(c)
	}
	parallelRanges(m, func(from, to int) {
		for i := from; i < to; i++ {
			u, v := edge(i)
			g.nbr[g.off[u]+uint64(atomic.AddUint32(&count[u], ^uint32(0)))] = v
			g.nbr[g.off[v]+uint64(atomic.AddUint32(&count[v], ^uint32(0)))] = u
		}
	})
	const rows = 1 << 10 // sorted by a goroutine at a time: the first ones may be the longest
	var next atomic.Int64
	parallelRanges(64, func(int, int) {
		for at := int(next.Add(rows)) - rows; at < n; at = int(next.Add(rows)) - rows {
			for v := at; v < min(at+rows, n); v++ {
				slices.Sort(g.nbr[g.off[v]:g.off[v+1]])
			}
		}
	})
	return g
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

// starGraph has a hub amid its leaves, or before them.
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

// leastOf is a forest on the host, edge by edge.
func leastOf(g *csc) emulatedForest {
	f := make(emulatedForest, g.vertices())
	for v := range f {
		f[v] = uint32(v)
	}
	halving := func(v uint32) uint32 {
		for f[v] != v {
			f[v] = f[f[v]]
			v = f[v]
		}
		return v
	}
	for v := range f {
		for _, u := range g.nbr[g.off[v]:g.off[v+1]] {
			a, b := halving(u), halving(uint32(v))
			f[max(a, b)] = min(a, b)
		}
	}
	f.compress()
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
		{"few edges among isolated vertices", undirected(n, 100, func(i int) (u, v uint32) { return uint32(i * 9999), uint32(i * 7) })},
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

// TestCUDAComponentsSpeed prints the median time of components.
func TestCUDAComponentsSpeed(t *testing.T) {
	if testing.Short() {
		t.Skip("large graphs")
	}
	g := openGPU(t)
	t.Logf("%s, %d MiB", g.Info().Name, g.Info().Memory>>20)
	for _, x := range []struct {
		name string
		make func() *csc
	}{
		{"rmat 24", func() *csc { return rmatGraph(24, 16) }},
		{"uniform 24", func() *csc { return uniformGraph(24, 8) }},
		{"grid 2000", func() *csc { return gridGraph(2000) }},
		{"star 10^7", func() *csc { return starGraph(10_000_000, 0) }},
		{"star 10^7, hub behind its leaves", func() *csc { return starGraph(10_000_000, 10_000_000) }},
	} {
		graph := x.make()
		for _, symmetric := range []bool{true, false} {
			l := newLabelling(g, graph, symmetric)
			ms := make([]float64, 11)
			for i := range ms {
				ms[i] = 1e3 * l.launchSeconds()
			}
			slices.Sort(ms[1:])
			labels := download[uint32](g, l.args.Parent, graph.vertices())
			parallelRanges(graph.vertices(), func(from, to int) {
				for v := from; v < to; v++ {
					if r := labels[v]; r > uint32(v) || labels[r] != r {
						t.Errorf("%s: vertex %d has label %d", x.name, v, r)
						return
					}
					for _, u := range graph.nbr[graph.off[v]:graph.off[v+1]] {
						if labels[u] != labels[v] {
							t.Errorf("%s: the labels of %d and %d differ", x.name, u, v)
							return
						}
					}
				}
			})
			t.Logf("%-32s %9d edges, left out of the large component: %-5v %.3f ms, %.3f to %.3f", x.name, len(graph.nbr), symmetric, ms[5], ms[1], ms[10])
			l.free()
		}
	}
}

// launchSeconds is the time of a launch on the device.
func (l *labelling) launchSeconds() float64 {
	a, err := l.NewEvent()
	l.must(err)
	b, err := l.NewEvent()
	l.must(err)
	l.must(l.s.Fill(l.args.Arrived, 0, 4))
	l.must(l.s.Record(a))
	l.must(l.kernel.Launch(l.s, &l.args))
	l.must(l.s.Record(b))
	l.must(l.s.Sync())
	seconds, err := b.Since(a)
	l.must(err)
	return seconds
}
