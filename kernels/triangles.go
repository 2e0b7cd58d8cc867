package kernels

import (
	"cmp"
	"slices"

	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
)

// TrianglesArgs holds the arguments of kernel triangles, which counts the triangles at each of N vertices of a
// graph as an undirected simple one.
type TrianglesArgs struct {
	InOff  device.Pointer // const uint64_t *: N+1 of them
	In     device.Pointer // uint32_t *: ascending rows
	OutOff device.Pointer // const uint64_t *: if 0, In has both directions of every edge
	Out    device.Pointer // uint32_t *
	Twice  device.Pointer // uint32_t *: TwiceBytes, 0 at first
	Degree device.Pointer // uint32_t *: N of them, the neighbours that are counted
	Rows   device.Pointer // uint32_t *: N of them, or 3N with out-edges
	Counts device.Pointer // uint64_t *: N of them, 0 at first
	Next   device.Pointer // uint64_t *: 0 before each stage; it is done when Next is N or more
	N      uint32
	Stage  uint32 // from 0, before TriangleStages

	// Weighted is not 0 if a triangle counts twice at a vertex where the edge of the other two leads both ways.
	Weighted     uint32
	Milliseconds uint32 // a launch ends after that time, to be continued by another one
}

// TriangleStages is the number of stages.
const TriangleStages = 4

// TwiceBytes returns the bytes of Twice for a number of out-edges.
func TwiceBytes(edges int64) int64 { return (edges/32 + 2) * 4 }

// Triangles is kernel triangles. It leaves in In and Out the edges of each vertex to those before it, by descending
// degree, at the beginning of its rows.
type Triangles struct {
	f      device.Function
	blocks int
}

// LoadTriangles loads the kernel, which is the same for all programs.
func LoadTriangles(d device.Device) (k Triangles, err error) {
	k.f, err = load(d, "triangles", compiled.Fragments{}, guarded(trianglesBlock, nil))
	if err == nil {
		k.blocks, err = k.f.Together(Threads, 0)
	}
	return k, err
}

// Launch queues some of a stage, or all.
func (k Triangles) Launch(s device.Stream, a *TrianglesArgs) error {
	return k.f.Launch(s, k.blocks, Threads, 0, bytesOf(a))
}

// trianglesOn is the memory of the kernel.
type trianglesOn struct {
	*TrianglesArgs
	in, out      rowsView
	twice        []uint32
	degree, rows []uint32
	counts       []uint64
}

// trianglesBlock does a stage, or nothing if another block has: vertex by vertex, in the memory of the kernel.
func trianglesBlock(m device.Memory, _ device.Grid, a *TrianglesArgs) error {
	x, n, sides := access{memory: m}, int64(a.N), int64(1)
	on := trianglesOn{TrianglesArgs: a, in: viewRows(&x, a.InOff, a.In, n), out: viewRows(&x, a.OutOff, a.Out, n),
		degree: view[uint32](&x, a.Degree, n), counts: view[uint64](&x, a.Counts, n)}
	if a.OutOff != 0 {
		sides, on.twice = 3, view[uint32](&x, a.Twice, TwiceBytes(int64(len(on.out.nbr)))/4)
	}
	on.rows = view[uint32](&x, a.Rows, sides*n)
	next := view[uint64](&x, a.Next, 1)
	if x.err != nil {
		return x.err
	}
	stage := []func(v uint32){on.countDegree, on.orient, func(v uint32) {
		if ends := on.ends(v); len(ends) <= trianglesShort {
			on.count(v, ends)
		}
	}, func(v uint32) {
		if ends := on.ends(v); len(ends) > trianglesShort {
			on.count(v, ends)
		}
	}}[a.Stage]
	for ; next[0] < uint64(n); next[0]++ {
		stage(uint32(next[0]))
	}
	return nil
}

// trianglesShort is the length of rows up to which a warp counts, as triangles.cu has it.
const trianglesShort = 128

// edge is one of a vertex, and twice if there are two, in both directions.
type edge struct {
	to    uint32
	twice bool
}

func (on *trianglesOn) countDegree(v uint32) {
	in, out := on.in.row(v), on.out.row(v)
	seen := map[uint32]bool{v: true}
	for _, u := range in {
		seen[u] = true
	}
	for i, u := range out {
		if _, twice := slices.BinarySearch(in, u); twice && u != v && (i == 0 || u != out[i-1]) {
			at := on.out.off[v] + uint64(i)
			on.twice[at/32] |= 1 << (at % 32)
		}
		seen[u] = true
	}
	on.degree[v] = uint32(len(seen) - 1)
}

func (on *trianglesOn) orient(v uint32) {
	in, out := on.in.row(v), on.out.row(v)
	keep := func(row []uint32, i int) bool {
		before := cmp.Or(cmp.Compare(on.degree[v], on.degree[row[i]]), cmp.Compare(row[i], v)) < 0
		return before && (i == 0 || row[i] != row[i-1])
	}
	var once, both, other []uint32
	for i, u := range in {
		if _, twice := slices.BinarySearch(out, u); keep(in, i) && !twice {
			once = append(once, u)
		}
	}
	for i, u := range out {
		at := on.out.off[v] + uint64(i)
		switch twice := on.twice[at/32]>>(at%32)&1 != 0; {
		case !keep(out, i):
		case twice:
			both = append(both, u)
		default:
			other = append(other, u)
		}
	}
	copy(in, slices.Concat(once, both))
	copy(out, other)
	on.rows[v] = uint32(len(once))
	if on.OutOff != 0 {
		on.rows[uint64(on.N)+uint64(v)], on.rows[2*uint64(on.N)+uint64(v)] = uint32(len(both)), uint32(len(other))
	}
}

// ends returns the edges that orient has left of a vertex.
func (on *trianglesOn) ends(v uint32) (list []edge) {
	in, out := on.in.row(v), on.out.row(v)
	once, both, other := on.rows[v], uint32(0), uint32(0)
	if on.OutOff != 0 {
		both, other = on.rows[uint64(on.N)+uint64(v)], on.rows[2*uint64(on.N)+uint64(v)]
	}
	for i, u := range in[:once+both] {
		list = append(list, edge{u, uint32(i) >= once})
	}
	for _, u := range out[:other] {
		list = append(list, edge{u, false})
	}
	return list
}

// count counts the triangles of a vertex with two of its edges.
func (on *trianglesOn) count(v uint32, ends []edge) {
	weight := func(e edge) uint64 {
		if e.twice && on.Weighted != 0 {
			return 2
		}
		return 1
	}
	near := map[uint32]edge{}
	for _, e := range ends {
		near[e.to] = e
	}
	for _, e := range ends {
		for _, far := range on.ends(e.to) {
			if third, is := near[far.to]; is {
				on.counts[v] += weight(far)
				on.counts[e.to] += weight(third)
				on.counts[third.to] += weight(e)
			}
		}
	}
}
