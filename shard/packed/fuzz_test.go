package packed_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
)

// fuzzed is the most vertices of a graph that is fuzzed.
const fuzzed = 1 << 16

// FuzzLoops checks that no bytes make decoder, check or loops panic, read behind the blob, or
// fold an edge that the graph does not have. Checksums are made right, to lead past
// them, and behind the blob lies memory that nobody may read.
func FuzzLoops(f *testing.F) {
	for seed := range uint64(6) {
		f.Add(drawBlob(f, seed), uint32(fuzzed))
	}
	const room = 1 << 20
	page := os.Getpagesize()
	memory, err := unix.Mmap(-1, 0, room+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err == nil {
		err = unix.Mprotect(memory[room:], unix.PROT_NONE)
	}
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, n uint32) {
		if len(data) < shard.HeaderBytes || len(data) > room || n > fuzzed {
			return
		}
		blob := memory[room-len(data) : room]
		copy(blob, data)
		packed.Reseal(blob)
		s, err := packed.Decode(blob)
		if err != nil || s.CheckValues(n) != nil {
			return
		}
		edges, last := 0, uint32(0)
		for e := range s.All() {
			for i, u := range e.Nbr {
				if u < last || u >= n || int(e.Dst[i]) >= s.Layout.Vertices || !(e.At(i) >= 0) {
					t.Fatalf("edge from %d to %d of weight %v after one from %d", u, e.Dst[i], e.At(i), last)
				}
				last = u
				edges++
			}
		}
		if edges != int(s.Layout.Edges) {
			t.Fatalf("%d edges, want %d", edges, s.Layout.Edges)
		}
		folds(t, s, n, gas.Program[uint32, uint32](programs.WCC{}))
		folds(t, s, n, gas.Program[float32, float32](programs.SSSP[float32]{}))
		folds(t, s, n, gas.Program[programs.Ballot, programs.Votes](programs.LPA{}))
	})
}

// folds compares the compiled loop with the one that calls the methods.
func folds[V any, A comparable](t *testing.T, s *packed.Side, n uint32, p gas.Program[V, A]) {
	cur := make([]V, n)
	for v := range cur {
		cur[v], _ = p.Init(gas.Vertex{ID: uint32(v), N: n})
	}
	loops, own := cpuengine.LoopsOf(p)
	if !own {
		t.Fatal("the program is not compiled")
	}
	var got, want [1 << 16]A
	for i := range got {
		got[i] = p.Zero()
	}
	want = got
	loops.Fold(&got, s.Range(0, s.Layout.Blocks), cur)
	cpuengine.GenericLoops(p).Fold(&want, s.Range(0, s.Layout.Blocks), cur)
	got[s.Layout.Vertices] = want[s.Layout.Vertices] // of dummies
	if got != want {
		t.Fatal("the sums differ")
	}
}

// drawBlob returns a sound blob for the fuzzer to change.
func drawBlob(t testing.TB, seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	h := shard.Header{Vertices: []int{5, 12288, 40000}[seed%3], Weighted: seed%2 == 1, Wide: seed%4 == 3}
	var e packed.Edges
	u := uint32(0)
	for gap := uint32(1); gap < 1<<9; gap *= 8 {
		for i := range 20 {
			u += rng.Uint32N(gap)
			if i == 10 {
				u += 10 * gap
			}
			s := uint16(rng.IntN(h.Vertices))
			if k := len(e.Nbr); k > 0 && e.Nbr[k-1] == u {
				s = max(s, e.Dst[k-1])
			}
			e.Nbr, e.Dst = append(e.Nbr, u), append(e.Dst, s)
			switch h.WeightBytes() {
			case 8:
				e.Wide = append(e.Wide, rng.Float64())
			case 4:
				e.Weight = append(e.Weight, float32(rng.IntN(3+300*int(seed%4))))
			}
		}
		u += 100 * gap
	}
	var p packed.Packer
	if err := p.Sorted(h, e.Nbr, e.Dst, shard.Plane{Narrow: e.Weight, Wide: e.Wide}); err != nil {
		t.Fatal(err)
	}
	blob := make([]byte, p.Size())
	p.Write(blob)
	return blob
}
