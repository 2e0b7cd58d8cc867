package kernels

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/garaph/garaph/examples/influence"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/programs"
)

// portable is a program with fragments.
type portable[V, A any] interface {
	gas.Program[V, A]
	compiled.Portable
}

// least is the smallest value of a source, of any that floats have.
type least struct{ programs.SSSP[float32] }

func (least) Gather(src float32, _ gas.Edge, _ float32) float32 { return src }

func (l least) Fragments() compiled.Fragments { return copies32(l.SSSP.Fragments()) }

// most is the largest.
type most struct{ programs.SSWP[float32] }

func (most) Gather(src float32, _ gas.Edge, _ float32) float32 { return src }

func (m most) Fragments() compiled.Fragments { return copies32(m.SSWP.Fragments()) }

// copies32 are fragments whose Gather copies the value.
func copies32(f compiled.Fragments) compiled.Fragments {
	f.Gather = compiled.Fragment{Inputs: []string{"src.0"}, Text: "mov.b32 ${out.0}, ${src.0};\n"}
	return f
}

// single adds in single precision.
type single struct{ programs.Katz[float32] }

func (single) Zero() float32                                          { return 0 }
func (single) Gather(src float32, _ gas.Edge, _ float32) float32      { return src }
func (single) Sum(a, b float32) float32                               { return a + b }
func (single) Apply(_ gas.Vertex, _, acc float32, _ gas.Step) float32 { return acc }

func (s single) Fragments() compiled.Fragments {
	f := copies32(s.Katz.Fragments())
	f.Accumulator, f.SumOp = f.Value, compiled.SumAdd
	f.Apply = compiled.Fragment{Inputs: []string{"acc.0"}, Text: "mov.b32 ${out.0}, ${acc.0};\n"}
	f.Zero.Text = "mov.b32 ${out.0}, 0;\n"
	f.Sum.Text = "add.rn.f32 ${out.0}, ${a.0}, ${b.0};\n"
	return f
}

// picky does not like what is no edge: in Go it panics, on a GPU it faults.
type picky struct{ programs.KCore }

func (picky) Gather(src uint32, e gas.Edge, _ uint32) uint32 {
	if e.Weight == 0 {
		panic("no edge")
	}
	return src
}

func (p picky) Fragments() compiled.Fragments {
	f := copies32(p.KCore.Fragments())
	f.Gather.Inputs = append(f.Gather.Inputs, "edge.weight")
	f.Gather.Text = "{\n.reg .pred %gp0;\nsetp.eq.f32 %gp0, ${edge.weight}, 0f00000000;\n@%gp0 mov.b32 ${fault}, 4;\n" +
		f.Gather.Text + "}\n"
	return f
}

// page is a packed graph on a device.
type page struct {
	*gpu
	graph  *csc
	blobs  [][]byte
	at     []device.Pointer // of each blob
	memory device.Pointer
}

func newPage(g *gpu, graph *csc, vertices int) *page {
	p := &page{gpu: g, graph: graph, blobs: pack(g.t, graph, vertices, 1<<20)}
	p.memory = upload(g, slices.Concat(p.blobs...))
	at := p.memory
	for _, b := range p.blobs {
		p.at = append(p.at, at)
		at += device.Pointer(len(b))
	}
	return p
}

// cut is how a page becomes chunks.
type cut struct{ window, blocks, shared int }

// pulling is a pull of a page, ready to be launched.
type pulling struct {
	*page
	set    *Set
	zeroed ZeroArgs
	args   PullArgs
	chunks []PackedChunk
	shared int
	slot   int
}

func newPulling[V, A any](p *page, program portable[V, A], values []V, c cut) *pulling {
	f := program.Fragments()
	x := &pulling{page: p, slot: SlotBytes(f.Accumulator)}
	var err error
	x.set, err = Load(p.Device, program, f, p.graph.wide)
	p.must(err)
	for i, b := range p.blobs {
		x.chunks = append(x.chunks, packedChunks(p.t, b, p.at[i], min(c.window, c.shared/x.slot-1), c.blocks, x.slot,
			c.shared)...)
	}
	slices.SortStableFunc(x.chunks, func(a, b PackedChunk) int { return int(b.Blocks) - int(a.Blocks) })
	for _, c := range x.chunks {
		x.shared = max(x.shared, WindowBytes(f.Accumulator, c.Count, c.Copies))
	}
	acc, err := p.Alloc(int64(x.slot * len(values)))
	p.must(err)
	x.args = PullArgs{upload(p.gpu, x.chunks), upload(p.gpu, values), acc,
		upload(p.gpu, make([]byte, max(f.Parameters.Size, 8))), upload(p.gpu, []uint32{0})}
	x.zeroed = ZeroArgs{Acc: acc, Parameters: x.args.Parameters, Fault: x.args.Fault, N: uint32(len(values))}
	return x
}

func (x *pulling) free() {
	for _, p := range []device.Pointer{x.args.Chunks, x.args.Values, x.args.Acc, x.args.Parameters, x.args.Fault} {
		x.must(x.Free(p))
	}
}

// pull folds all in-edges, once.
func (x *pulling) pull() {
	x.must(x.set.Zero.Launch(x.s, &x.zeroed))
	x.must(x.set.Packed.Launch(x.s, len(x.chunks), x.shared, &x.args))
}

// checkPacked compares a pull with the edges one after another.
func checkPacked[V, A any](p *page, program portable[V, A], cuts []cut, value func(*rand.Rand) V) {
	p.t.Helper()
	values, want := expected(p.graph, program, value)
	for _, c := range cuts {
		x := newPulling(p, program, values, c)
		x.pull()
		compareSlots(p.gpu, program.Fragments(), x.args.Acc, want)
		if fault := download[uint32](p.gpu, x.args.Fault, 1)[0]; fault != 0 {
			p.t.Errorf("%T, %+v: %v", program, c, compiled.Fault(fault))
		}
		x.free()
	}
}

// expected gives values, and the accumulators that they lead to.
func expected[V, A any](g *csc, program gas.Program[V, A], value func(*rand.Rand) V) ([]V, []A) {
	r := rand.New(rand.NewPCG(1, 2))
	values, want := make([]V, g.vertices()), make([]A, g.vertices())
	for v := range values {
		values[v] = value(r)
	}
	parallelRanges(len(want), func(from, to int) {
		for v := from; v < to; v++ {
			want[v] = program.Zero()
			g.each(v, func(u uint32, w float64) {
				want[v] = program.Sum(want[v], program.Gather(values[u], gas.Edge{Weight: w}, values[v]))
			})
		}
	})
	return values, want
}

// compareSlots compares accumulators: floats up to the order of sums, all else by
// bits.
func compareSlots[A any](g *gpu, f compiled.Fragments, acc device.Pointer, want []A) {
	g.t.Helper()
	slot := SlotBytes(f.Accumulator)
	got := download[byte](g, acc, slot*len(want))
	for v := range want {
		for _, l := range f.Accumulator.Leaves {
			a, b := got[slot*v+l.Offset:][:l.Kind.Size()], bytesOf(&want[v])[l.Offset:][:l.Kind.Size()]
			if !slices.Equal(a, b) && (f.SumOp == compiled.SumMin || f.SumOp == compiled.SumMax || !near(l.Kind, a, b)) &&
				!nan(l.Kind, a, b) {
				g.t.Fatalf("%s: vertex %d: got %x, want %x", f.Program, v, a, b)
			}
		}
	}
}

func floatOf(k compiled.Kind, b []byte) float64 {
	switch p := unsafe.Pointer(&b[0]); k {
	case compiled.Float32:
		return float64(*(*float32)(p))
	case compiled.Float64:
		return *(*float64)(p)
	}
	return math.Inf(1)
}

func near(k compiled.Kind, a, b []byte) bool {
	x, y := floatOf(k, a), floatOf(k, b)
	return math.Abs(x-y) <= math.Abs(y)*map[compiled.Kind]float64{compiled.Float32: 1e-3, compiled.Float64: 1e-9}[k]
}

func nan(k compiled.Kind, a, b []byte) bool {
	return math.IsNaN(floatOf(k, a)) && math.IsNaN(floatOf(k, b))
}

// checkEvery does it for programs with all kinds of accumulators, and for some
// codings of weights.
func checkEvery(g *gpu, graph *csc, vertices int, cuts []cut, weights []string) {
	g.t.Helper()
	for _, name := range weights {
		graph.weight, graph.wide = weightings[name], name == doubles
		p := newPage(g, graph, vertices)
		share := func(r *rand.Rand) float64 { return r.Float64() / float64(graph.vertices()) }
		distance := func(r *rand.Rand) float32 { return []float32{float32(math.Inf(1)), 100 * r.Float32()}[r.IntN(2)] }
		small := func(r *rand.Rand) float32 { return float32(r.IntN(8)) }
		special := func(r *rand.Rand) float32 {
			negative := math.Copysign(0, -1)
			return float32([]float64{0, negative, -1, 1, math.Inf(1), math.Inf(-1), r.NormFloat64(), math.NaN()}[r.IntN(8)])
		}
		checkPacked(p, programs.WCC{}, cuts, (*rand.Rand).Uint32)
		checkPacked(p, picky{}, cuts, (*rand.Rand).Uint32)
		checkPacked(p, programs.SSSP[float32]{}, cuts, distance)
		checkPacked(p, programs.SSSP[float64]{}, cuts, func(r *rand.Rand) float64 { return float64(distance(r)) })
		checkPacked(p, programs.SSWP[float32]{}, cuts, distance)
		checkPacked(p, programs.PageRank[float32]{}, cuts, func(r *rand.Rand) float32 { return float32(share(r)) })
		checkPacked(p, programs.PageRank[float64]{}, cuts, share)
		checkPacked(p, programs.Katz[float64]{}, cuts, share)
		checkPacked(p, single{}, cuts, func(r *rand.Rand) float32 { return r.Float32() })
		checkPacked(p, least{}, cuts, special)
		checkPacked(p, most{}, cuts, special)
		checkPacked(p, influence.Influence{}, cuts, person)
		if name == "bytes" { // sums of integers, of which the order does not matter
			checkPacked(p, programs.Heat{}, cuts, small)
			checkPacked(p, programs.LPA{}, cuts, func(r *rand.Rand) programs.Ballot {
				return programs.Ballot{Label: r.Uint32N(9), Candidate: r.Uint32N(9), Draw: r.Uint32(), Quiet: 11 * r.Uint32N(4)}
			})
		}
		g.must(g.Free(p.memory))
	}
}

func person(r *rand.Rand) influence.Person {
	return influence.Person{Opinion: r.Float64(), Doubt: r.Float32(), Age: r.Uint32()}
}

func everyWeighting() []string { return slices.Sorted(maps.Keys(weightings)) }

// TestPullPacked does on an emulated device what TestCUDAPullPacked does on others.
func TestPullPacked(t *testing.T) {
	d := device.NewEmulated(device.EmulatedOptions{Shared: 227 << 10})
	checkEvery(newGPU(t, d), rmat(10, 8), 700, []cut{{700, 1000, 60000}, {701, 2, 6000}, {99, 3, 0x8000}},
		everyWeighting())
	weights := everyWeighting()
	if !testsize.Long { // each takes 13 programs over millions of vertices
		weights = []string{"bytes"}
	}
	checkEvery(newGPU(t, d), sparse(1<<21, 300), 65535, []cut{{65535, 1000, 60000}}, weights)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// sparse has so many edges between n vertices, the more of them the higher the
// number: deltas of up to 24 bits and, where there are few edges, more.
func sparse(n, edges int) *csc {
	r := rand.New(rand.NewPCG(3, 4))
	g := &csc{off: make([]uint64, n+1), out: make([]uint32, n)}
	dst := make([]int, edges)
	for i := range dst {
		dst[i] = int(math.Sqrt(r.Float64()) * float64(n))
	}
	slices.Sort(dst)
	for i, v := range dst {
		g.nbr = append(g.nbr, r.Uint32N(uint32(n)))
		g.off[v+1] = uint64(i + 1)
	}
	for v := range n {
		g.off[v+1] = max(g.off[v+1], g.off[v])
	}
	return g
}
