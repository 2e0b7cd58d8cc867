package rowweights

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/shard"
)

// pack packs weights over what must not stay.
func pack(p *Packer, weights []float32) *Side {
	return packPlane(p, shard.Plane{Narrow: weights}, len(weights), 4)
}

func packPlane(p *Packer, weights shard.Plane, n, bytes int) *Side {
	of := shard.Header{Dir: shard.Out, Index: 7, First: 100, Vertices: 12, Edges: uint32(n)}
	return p.Side(of, offsets(n), weights, bytes, slices.Repeat([]byte{0xff}, int(MostBytes(of.Vertices, of.Edges, 8))))
}

// offsets of the rows of 12 vertices, of which every third has no edges.
func offsets(edges int) []uint32 {
	off := make([]uint32, 13)
	for v := range 12 {
		off[v+1] = off[v]
		if v%3 > 0 {
			off[v+1] = uint32(edges * (v + 1) / 12)
		}
	}
	return off
}

func decoded(blob []byte) (*Side, error) {
	s, err := shard.Decode(blob)
	if err == nil {
		err = errors.Join(s.CheckValues(0), s.CheckOrder())
	}
	if err != nil {
		return nil, err
	}
	return s.(*Side), nil
}

// TestRoundTrip checks that weights come back, all or some of them, in the least bytes.
func TestRoundTrip(t *testing.T) {
	var p Packer
	rapid.Check(t, func(t *rapid.T) {
		distinct := rapid.SampledFrom([]int{1, 3, 256, 300, 70_000}).Draw(t, "distinct weights")
		n := rapid.SampledFrom([]int{0, 1, 7, 100, 2000, 100_000}).Draw(t, "edges")
		weights := make([]float32, n)
		for i := range weights {
			weights[i] = float32(i*7919%distinct) / 7
		}
		if n > 0 {
			weights[n/2] = rapid.SampledFrom([]float32{0, float32(math.Copysign(0, -1)), math.MaxFloat32, 1}).Draw(t, "a weight")
		}
		packed := pack(&p, weights)
		s, err := decoded(packed.Blob())
		if err != nil {
			t.Fatal(err)
		}
		if h := s.Header(); h != packed.Header() || h.Index != 7 || h.First != 100 || h.Vertices != 12 ||
			int(h.Edges) != n || h.Dir != shard.Out || !h.Weighted {
			t.Fatalf("header %+v, packed %+v", h, packed.Header())
		}
		if bytes := len(s.Blob()) - shard.HeaderBytes; n == 2000 && distinct < 200 && bytes > n+1000 ||
			bytes > 4*n+3*align+8*3 {
			t.Fatalf("%d edges of %d weights take %d bytes", n, distinct, bytes)
		}
		from := rapid.IntRange(0, n).Draw(t, "from")
		got := make([]float32, rapid.IntRange(0, n-from).Draw(t, "some"))
		s.Weights(got, from)
		for i, w := range got {
			if math.Float32bits(w) != math.Float32bits(weights[from+i]) {
				t.Fatalf("weight %d is %v, want %v", from+i, w, weights[from+i])
			}
		}
	})
}

// TestWide checks that wide weights come back, all or some of them, and unsound ones are refused.
func TestWide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOf(rapid.Float64Range(0, math.MaxFloat64)).Draw(t, "weights")
		n := len(weights)
		s, err := decoded(packPlane(new(Packer), shard.Plane{Wide: weights}, n, 8).Blob())
		if err != nil {
			t.Fatal(err)
		}
		if h := s.Header(); !h.Wide || s.CodeBytes() != 8 {
			t.Fatalf("header %+v, codes of %d bytes", h, s.CodeBytes())
		}
		from := rapid.IntRange(0, n).Draw(t, "from")
		got := shard.Plane{Wide: make([]float64, rapid.IntRange(0, n-from).Draw(t, "some"))}
		s.Fill(got, from)
		if !slices.Equal(got.Wide, weights[from:][:len(got.Wide)]) {
			t.Fatalf("got %v from %d on, want %v", got.Wide, from, weights)
		}
		for _, bad := range []float64{-1, math.Inf(1), math.NaN()} {
			if _, err := decoded(packPlane(new(Packer), shard.Plane{Wide: append(weights, bad)}, n+1,
				8).Blob()); !errors.Is(err, shard.ErrInvalid) {
				t.Fatalf("%v: %v", bad, err)
			}
		}
	})
}

// Every single flipped bit is reported, padding and reserved bytes included, and so is
// every cut.
func TestEveryFlippedBit(t *testing.T) {
	for _, weights := range [][]float32{{1, 2, 3}, slices.Repeat([]float32{1, 2}, 20)} {
		blob := pack(&Packer{}, weights).Blob()
		for bit := range 8 * len(blob) {
			blob[bit/8] ^= 1 << (bit % 8)
			if _, err := shard.Decode(blob); err == nil {
				t.Fatalf("bit %d of byte %d flipped, and not reported", bit%8, bit/8)
			}
			blob[bit/8] ^= 1 << (bit % 8)
		}
		for n := range len(blob) {
			if _, err := shard.Decode(blob[:n]); err == nil {
				t.Fatalf("%d of %d bytes are accepted", n, len(blob))
			}
		}
	}
}

// reseal makes the checksums right again after damage, where the sizes allow it.
func reseal(blob []byte) {
	shard.SealHeader(blob)
	head, err := shard.DecodeHeader(blob)
	h := layout{Header: head, coding: 1, entries: int(binary.LittleEndian.Uint32(blob[44:]))}
	if err == nil && len(blob) == h.size() {
		h.seal(blob)
	}
}

// TestHostile checks that what no checksum sees is refused.
func TestHostile(t *testing.T) {
	le := binary.LittleEndian
	sound := pack(&Packer{}, slices.Repeat([]float32{1, 2}, 20)).Blob() // 2 entries, 40 codes
	put := func(at int, x uint32) func([]byte) { return func(b []byte) { le.PutUint32(b[at:], x) } }
	for _, c := range []struct {
		name   string
		damage func([]byte)
		text   string
	}{
		{"unknown coding", func(b []byte) { b[10] |= 3 << 2 }, "flags"},
		{"no weights", func(b []byte) { b[10] &^= 1 }, "flags"},
		{"unknown flags", func(b []byte) { b[10] |= 16 }, "flags"},
		{"a reserved field", put(56, 1), "flags"},
		{"more edges", put(24, 1<<31), "the header promises"},
		{"entries without end", put(44, 1<<20), "entries"},
		{"no entries", put(44, 0), "entries"},
		{"floats with a dictionary", func(b []byte) { b[10] &^= 4 }, "entries"},
		{"a code beyond the dictionary", func(b []byte) { b[shard.HeaderBytes+16+32+39] = 2 }, "entry 2"},
		{"runs that descend", put(shard.HeaderBytes+16+4, 41), "begins with edge 41"},
		{"a first run behind the first edge", put(shard.HeaderBytes+16, 1), "begins with edge 1"},
		{"a negative weight", put(shard.HeaderBytes, math.Float32bits(-1)), "weight -1"},
		{"an infinite weight", put(shard.HeaderBytes+4, math.Float32bits(float32(math.Inf(1)))), "weight +Inf"},
		{"no number", put(shard.HeaderBytes, math.Float32bits(float32(math.NaN()))), "weight NaN"},
	} {
		blob := slices.Clone(sound)
		c.damage(blob)
		reseal(blob)
		if _, err := decoded(blob); !errors.Is(err, shard.ErrInvalid) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.text)
		}
	}
}

// FuzzWeights checks that no bytes make the decoder or a reader panic, or give a weight that is no
// finite number ≥ 0. Checksums are made right, to lead past them.
func FuzzWeights(f *testing.F) {
	for _, weights := range [][]float32{nil, {1, 2, 3}, slices.Repeat([]float32{1, 2}, 20)} {
		f.Add(pack(&Packer{}, weights).Blob())
	}
	f.Fuzz(func(t *testing.T, blob []byte) {
		if len(blob) < shard.HeaderBytes {
			return
		}
		blob = slices.Clone(blob) // aligned
		reseal(blob)
		s, err := decoded(blob)
		if err != nil {
			return
		}
		weights := make([]float32, s.Header().Edges)
		s.Weights(weights, 0)
		for _, w := range weights {
			if !(w >= 0) || math.IsInf(float64(w), 1) {
				t.Fatalf("weight %v is accepted", w)
			}
		}
	})
}
