//go:build cuda

package kernels

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/programs"
)

var scaleFlag = flag.Int("scale", 16, "scale of the RMAT graph of TestCUDAKernels")

// cutTest cuts a graph into chunks of so many edges and vertices at most. It
// fills what does not depend on addresses, and gives the first edge of each.
func cutTest(g *csc, maxEdges, maxVertices int) (list []Chunk, starts []uint64) {
	n := len(g.off) - 1
	v, e := 0, uint64(0)
	for e < g.off[n] {
		for g.off[v+1] <= e {
			v++
		}
		end := min(e+uint64(maxEdges), g.off[n])
		last := v
		for last+1 < n && g.off[last+1] < end && last+1-v < maxVertices {
			last++
		}
		if g.off[last+1] < end {
			end = g.off[last+1]
		}
		c := Chunk{Edges: uint32(end - e), First: uint32(v), Count: uint32(last - v + 1)}
		if g.off[v] < e {
			c.Head = 1
		}
		if g.off[last+1] > end {
			c.Tail = 1
		}
		list, starts = append(list, c), append(starts, e)
		e = end
	}
	return list, starts
}

// openGPU opens the first device that is real.
func openGPU(t testing.TB) *gpu {
	d, err := device.Open("0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return newGPU(t, d)
}

// TestCUDAKernels compares one PageRank step of both gathers with the host.
func TestCUDAKernels(t *testing.T) {
	graph := rmat(*scaleFlag, 16)
	n, edges := len(graph.off)-1, int(graph.off[len(graph.off)-1])
	p := programs.PageRank[float32]{Damping: 0.85}
	f := p.Fragments()
	g := openGPU(t)
	set, err := Load(g.Device, p, f, false)
	g.must(err)
	values := make([]float32, n)
	for v := range values {
		values[v] = rand.Float32() / float32(n)
	}
	want := make([]int64, n)
	parallelRanges(n, func(from, to int) {
		for v := from; v < to; v++ {
			graph.each(v, func(u uint32, _ float64) { want[v] += p.Gather(values[u], gas.Edge{}, 0) })
		}
	})
	in := make([]uint32, n)
	for v := range in {
		in[v] = uint32(graph.off[v+1] - graph.off[v])
	}
	dValues, dNbr := upload(g, values), upload(g, graph.nbr)
	dIn, dOut := upload(g, in), upload(g, graph.out)
	dNext, err := g.Alloc(int64(4 * n))
	g.must(err)
	dAcc, err := g.Alloc(int64(8 * n))
	g.must(err)
	dDst, err := g.Alloc(int64(2*edges + 64))
	g.must(err)
	dFault := upload(g, []uint32{0})
	dTotals := upload(g, []Totals{{}})
	dActive := upload(g, make([]uint32, n/32+8))
	params := make([]byte, max(f.Parameters.Size, 8))
	*(*programs.PageRank[float32])(unsafe.Pointer(&params[0])) = p
	dParams := upload(g, params)
	off32 := make([]uint32, n+1)
	for v, x := range graph.off {
		off32[v] = uint32(x) // RMAT 24 of degree 16 fits
	}
	dOff := upload(g, off32)

	zero := ZeroArgs{Acc: dAcc, Parameters: dParams, Fault: dFault, N: uint32(n)}
	runZero := func() { g.must(set.Zero.Launch(g.s, &zero)) }
	check := func(name string) {
		got := download[int64](g, dAcc, n)
		for v := range got {
			if got[v] != want[v] {
				t.Fatalf("%s: vertex %d of degree %d: got %v, want %v", name, v, in[v], got[v], want[v])
			}
		}
		if fault := download[uint32](g, dFault, 1)[0]; fault != 0 {
			t.Fatalf("%s: fault %v", name, compiled.Fault(fault))
		}
	}
	for _, c := range []struct {
		way                  int
		edges, window        int
		threads, sharedLimit int
		copies               bool
	}{
		{Segmented, 1 << 15, 2048, 256, 0, false},
		{Segmented, 1 << 16, 2048, 256, 0, false},
		{Segmented, 1 << 16, 4096, 256, 0, false},
		{Segmented, 1 << 17, 4096, 256, 0, false},
		{Segmented, 1 << 18, 6144, 256, 0, false},
		{Replicated, 1 << 16, 3072, 1024, 0, false},
		{Replicated, 1 << 16, 3072, 1024, 48 << 10, true},
		{Replicated, 1 << 16, 3072, 1024, 96 << 10, true},
		{Replicated, 1 << 16, 1536, 1024, 48 << 10, true},
		{Replicated, 1 << 15, 1536, 512, 48 << 10, true},
		{Replicated, 1 << 17, 6144, 1024, 48 << 10, true},
	} {
		chunks, starts := cutTest(graph, c.edges, c.window)
		ranges := make([]ExpandRange, len(chunks))
		shared := 0
		for k := range chunks {
			x := &chunks[k]
			x.Nbr, x.Dst = dNbr+device.Pointer(4*starts[k]), dDst+device.Pointer(2*starts[k])
			ranges[k] = ExpandRange{Off: dOff + device.Pointer(4*x.First), Edge: uint32(starts[k])}
			if c.copies {
				r := math.Ceil(math.Log2(float64(x.Edges)/float64(x.Count)) - 0.5)
				x.Copies = uint32(max(0, min(5, r)))
				for x.Copies > 0 && int(x.Count)<<x.Copies*8 > c.sharedLimit {
					x.Copies--
				}
			}
			shared = max(shared, int(x.Count)<<x.Copies*8)
		}
		dChunks, dRanges := upload(g, chunks), upload(g, ranges)
		ex := ExpandArgs{dChunks, dRanges}
		g.must(set.Expand.Launch(g.s, len(chunks), &ex))
		pull := PullArgs{dChunks, dValues, dAcc, dParams, dFault}
		name := fmt.Sprintf("%s, %d edges, %d vertices, shared %d, %d threads", [...]string{"segmented", "replicated"}[c.way],
			c.edges, c.window, shared, c.threads)
		runZero()
		g.must(set.Pull[c.way].f.Launch(g.s, len(chunks), c.threads, shared, bytesOf(&pull)))
		check(name)
		g.must(g.Free(dChunks))
		g.must(g.Free(dRanges))
	}
	// Apply, from the sums of one pull.
	chunks, starts := cutTest(graph, 1<<16, 2048)
	for k := range chunks {
		chunks[k].Nbr, chunks[k].Dst = dNbr+device.Pointer(4*starts[k]), dDst+device.Pointer(2*starts[k])
	}
	blocks := g.Info().Processors * 8
	dSums := upload(g, make([]float64, blocks))
	dChunks := upload(g, chunks)
	ranges := make([]ExpandRange, len(chunks))
	for k := range chunks {
		ranges[k] = ExpandRange{Off: dOff + device.Pointer(4*chunks[k].First), Edge: uint32(starts[k])}
	}
	ex := ExpandArgs{dChunks, upload(g, ranges)}
	g.must(set.Expand.Launch(g.s, len(chunks), &ex))
	pull := PullArgs{dChunks, dValues, dAcc, dParams, dFault}
	ap := ApplyArgs{
		ApplyArrays: ApplyArrays{Acc: dAcc, Values: dValues, Next: dNext, In: dIn, Out: dOut, Degree: dOut,
			Parameters: dParams},
		ApplyResults: ApplyResults{Active: dActive, Totals: dTotals, Sums: dSums, Fault: dFault},
		Iteration:    3, Aggregate: 0.25, First: 0, Count: uint32(n), N: uint32(n),
	}
	runZero()
	g.must(set.Pull[Segmented].Launch(g.s, len(chunks), 2048*8, &pull))
	g.must(set.Apply.f.Launch(g.s, blocks, Threads, 0, bytesOf(&ap)))
	next, counts, active := download[float32](g, dNext, n), download[Totals](g, dTotals, 1)[0],
		download[uint32](g, dActive, n/32+8)
	var expected Totals
	var sum float64
	for v := range n {
		x := gas.Vertex{ID: uint32(v), N: uint32(n), In: in[v], Out: graph.out[v]}
		w := p.Apply(x, values[v], want[v], gas.Step{Iteration: 3, Aggregate: 0.25})
		if math.Abs(float64(w-next[v])) > 1e-6*float64(w) {
			t.Fatalf("vertex %d: got %v, want %v", v, next[v], w)
		}
		rises := p.Activate(x, values[v], next[v])
		if (active[v/32]>>(v%32)&1 != 0) != rises {
			t.Fatalf("vertex %d: active %v", v, !rises)
		}
		expected.Applied++
		if rises {
			expected.Activated++
			expected.Degrees += uint64(graph.out[v])
		}
		sum += p.Aggregate(x, next[v])
	}
	if counts != expected {
		t.Fatalf("got %+v, want %+v", counts, expected)
	}
	var got float64
	for _, x := range download[float64](g, dSums, blocks) {
		got += x
	}
	if math.Abs(got-sum) > 1e-9*sum {
		t.Fatalf("aggregate %v, want %v", got, sum)
	}
}

// TestCUDAPullPacked compares packed pulls with the host's.
func TestCUDAPullPacked(t *testing.T) {
	g := openGPU(t)
	most := g.Info().SharedBlock
	checkEvery(g, rmat(12, 16), 3000, []cut{{3000, 1000, most}, {1000, 2, most / 2}}, everyWeighting())
	checkEvery(g, sparse(1<<21, 300), 65535, []cut{{65535, 1000, most / 2}}, everyWeighting())
}

// TestCUDACheckPacked compares the kernel with the host's check.
func TestCUDACheckPacked(t *testing.T) { compareChecks(t, openGPU(t)) }
