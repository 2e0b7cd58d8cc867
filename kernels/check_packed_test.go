package kernels

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
)

// TestCheckPacked does on an emulated device what TestCUDACheckPacked does on others.
func TestCheckPacked(t *testing.T) {
	d := device.NewEmulated(device.EmulatedOptions{})
	compareChecks(t, newGPU(t, d))
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// compareChecks compares the kernel with the host's check, on sound sides and on damaged ones
// whose checksums are right.
func compareChecks(t *testing.T, g *gpu) {
	k, err := LoadCheckPacked(g.Device)
	g.must(err)
	refused := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		blob, n := drawSide(t)
		for _, how := range damages {
			s, err := packed.Decode(slices.Clone(blob))
			if err == nil {
				err = s.CheckValues(n)
			}
			if err != nil || !g.checks(k, s, n) {
				t.Fatalf("a sound side: %v", err)
			}
			n := how.do(t, s, n)
			teststore.Reseal(s)
			if s, err = packed.Decode(s.Blob()); err != nil { // the device does not get it
				continue
			}
			if err = s.CheckValues(n); err != nil {
				refused[how.name]++
			}
			if got := s.CheckTables(n) == nil && g.checks(k, s, n); got != (err == nil) {
				t.Fatalf("%s: the device finds it sound: %v, the host says: %v", how.name, got, err)
			}
		}
	})
	t.Log("refused:", refused)
}

// checks reports whether the kernel finds the blocks of a side sound, and as many edges as the
// header says.
func (g *gpu) checks(k CheckPacked, s *packed.Side, n uint32) bool {
	at, result := upload(g, s.Blob()), upload(g, []CheckPackedResult{{}})
	a := checkArgs(s, at, result, n)
	g.must(k.Launch(g.s, &a))
	found := download[CheckPackedResult](g, result, 1)[0]
	g.must(g.Free(at))
	g.must(g.Free(result))
	return found.Wrong == 0 && found.Edges == s.Layout.Edges
}

// checkArgs are for a side that lies on a device, of a graph of n vertices.
func checkArgs(s *packed.Side, at, result device.Pointer, n uint32) CheckPackedArgs {
	p := s.Layout.Places()
	a := CheckPackedArgs{
		Heads: at + device.Pointer(p.Heads), Data: at + device.Pointer(p.Data), Result: result,
		Blocks: uint32(s.Layout.Blocks), N: n, Vertices: uint32(s.Layout.Vertices), Bits: uint32(s.Layout.Bits),
		Entries: uint32(s.Layout.Entries),
	}
	if s.Layout.Weighted {
		a.Codes, a.Code = at+device.Pointer(p.Codes), uint32(s.Layout.CodeBytes())
	}
	return a
}

// drawSide is a packed side with gaps, weights and vertices of any kind, of a graph of n vertices.
func drawSide(t *rapid.T) (blob []byte, n uint32) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	h := shard.Header{
		Vertices: rapid.SampledFrom([]int{1, 5, 12288, 1<<14 - 1, 1 << 14, packed.MaxVertices}).Draw(t, "vertices"),
		Weighted: rapid.Bool().Draw(t, "weighted"),
	}
	kinds := rapid.SampledFrom([]int{1, 200, 256, 257, 5000, 1 << 24}).Draw(t, "weights")
	type edge struct {
		to     uint16
		weight float32
	}
	var nbr []uint32
	var edges []edge
	for u := uint64(0); len(nbr) == 0 || rapid.IntRange(0, 4).Draw(t, "more") > 0; {
		gap := uint64(1) << rapid.IntRange(0, 31).Draw(t, "gap")
		for range rapid.SampledFrom([]int{1, 200, 257, 5000}).Draw(t, "edges") {
			if u < math.MaxUint32-1 {
				u = min(u+rng.Uint64N(gap), math.MaxUint32-1)
			}
			nbr, edges = append(nbr, uint32(u)), append(edges, edge{uint16(rng.IntN(h.Vertices)), float32(rng.IntN(kinds))})
		}
	}
	for from := 0; from < len(nbr); {
		to := from + 1
		for to < len(nbr) && nbr[to] == nbr[from] {
			to++
		}
		slices.SortFunc(edges[from:to], func(a, b edge) int { return int(a.to) - int(b.to) })
		from = to
	}
	var dst []uint16
	var weights []float32
	for _, e := range edges {
		dst = append(dst, e.to)
		if h.Weighted {
			weights = append(weights, e.weight)
		}
	}
	n = max(nbr[len(nbr)-1]+1, uint32(h.Vertices))
	h.First = n - uint32(h.Vertices)
	var p packed.Packer
	plane := shard.Plane{Narrow: weights}
	if h.Weighted && rapid.Bool().Draw(t, "wide") {
		h.Wide, plane = true, shard.Plane{Wide: make([]float64, len(weights))}
		for i, w := range weights {
			plane.Wide[i] = float64(w)
		}
	}
	if err := p.Sorted(h, nbr, dst, plane); err != nil {
		t.Fatal(err)
	}
	blob = make([]byte, p.Size())
	p.Write(blob)
	return blob, n
}

// damages are what may be wrong with a side, or with the number of vertices of its graph.
var damages = []struct {
	name string
	do   func(t *rapid.T, s *packed.Side, n uint32) uint32
}{
	{"a graph of fewer vertices", func(t *rapid.T, _ *packed.Side, n uint32) uint32 {
		return n - rapid.Uint32Range(0, min(n, 3)).Draw(t, "fewer")
	}},
	{"edges of the header", func(t *rapid.T, s *packed.Side, n uint32) uint32 {
		binary.LittleEndian.PutUint32(s.Blob()[24:], s.Layout.Edges+rapid.Uint32Range(0, 2).Draw(t, "more")-1)
		return n
	}},
	{"vertices of the header", func(t *rapid.T, s *packed.Side, n uint32) uint32 {
		binary.LittleEndian.PutUint32(s.Blob()[20:], rapid.Uint32Range(1, packed.MaxVertices).Draw(t, "vertices"))
		return n
	}},
	{"entries of the header", func(t *rapid.T, s *packed.Side, n uint32) uint32 {
		binary.LittleEndian.PutUint32(s.Blob()[44:], uint32(s.Layout.Entries)-1)
		return n
	}},
	{"source of a block", func(t *rapid.T, s *packed.Side, n uint32) uint32 {
		i := rapid.IntRange(0, s.Layout.Blocks-1).Draw(t, "block")
		s.Heads[i].Source += uint32(rapid.SampledFrom([]int{-1, 1, 1000, -1 << 31}).Draw(t, "more"))
		return n
	}},
	{"gaps of a block", func(t *rapid.T, s *packed.Side, n uint32) uint32 {
		i := rapid.IntRange(0, s.Layout.Blocks-1).Draw(t, "block")
		w, at := s.Heads[i].Width(), s.Layout.Places().Data
		for _, head := range s.Heads[:i] {
			at += 32 * int64(head.Width()+s.Layout.Bits)
		}
		g := int64(rapid.IntRange(0, packed.Groups-1).Draw(t, "group"))
		for k := range int64(w) {
			s.Blob()[at+g*int64(w+s.Layout.Bits)+k] = 0xff
		}
		return n
	}},
	{"a byte of the data", func(t *rapid.T, s *packed.Side, n uint32) uint32 {
		return flip(t, s, n, s.Layout.Places().Data, s.Layout.Places().Dictionary)
	}},
	{"a destination", func(t *rapid.T, s *packed.Side, n uint32) uint32 {
		i := rapid.IntRange(0, s.Layout.Blocks-1).Draw(t, "block")
		at := s.Layout.Places().Data
		for _, head := range s.Heads[:i] {
			at += 32 * int64(head.Width()+s.Layout.Bits)
		}
		at += int64(rapid.IntRange(0, packed.Groups-1).Draw(t, "group")*(s.Heads[i].Width()+s.Layout.Bits) +
			s.Heads[i].Width())
		to := s.Blob()[at:][:2] // the first one of a group begins at a byte
		mask := uint16(1<<s.Layout.Bits - 1)
		d := uint16(s.Layout.Vertices) + uint16(rapid.IntRange(0, 2).Draw(t, "more")) - 1
		binary.LittleEndian.PutUint16(to, binary.LittleEndian.Uint16(to)&^mask|d&mask)
		return n
	}},
	{"a byte of the dictionary", func(t *rapid.T, s *packed.Side, n uint32) uint32 {
		return flip(t, s, n, s.Layout.Places().Dictionary, s.Layout.Places().Codes)
	}},
	{"a code", func(t *rapid.T, s *packed.Side, n uint32) uint32 {
		if !s.Layout.Weighted {
			return n
		}
		size := s.Layout.CodeBytes()
		code := s.Blob()[s.Layout.Places().Codes:][size*
			rapid.IntRange(0, packed.BlockSlots*s.Layout.Blocks-1).Draw(t, "slot"):][:size]
		switch s.Layout.Coding {
		case packed.Floats:
			w := rapid.SampledFrom([]float64{0, math.Copysign(0, -1), -1, math.Inf(1), math.NaN(), math.MaxFloat32, 1e-40,
				-1e-40}).Draw(t, "weight")
			if s.Layout.Wide {
				binary.LittleEndian.PutUint64(code, math.Float64bits(w))
			} else {
				binary.LittleEndian.PutUint32(code, math.Float32bits(float32(w)))
			}
		case packed.Bytes:
			code[0] = byte(s.Layout.Entries - rapid.IntRange(0, 1).Draw(t, "less"))
		case packed.Words:
			binary.LittleEndian.PutUint16(code, uint16(s.Layout.Entries-rapid.IntRange(0, 1).Draw(t, "less")))
		}
		return n
	}},
}

// flip changes a bit between two places of the blob.
func flip(t *rapid.T, s *packed.Side, n uint32, from, to int64) uint32 {
	if from < to {
		s.Blob()[rapid.Int64Range(from, to-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	}
	return n
}
