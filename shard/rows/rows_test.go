package rows

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/shard"
)

// fill makes a sealed shard of random edges between n vertices.
func fill(rng *rand.Rand, dir shard.Direction, first uint32, degrees []int, n uint32, weight int) []byte {
	edges := 0
	for _, d := range degrees {
		edges += d
	}
	blob := aligned(int(Size(len(degrees), uint32(edges), weight)))
	s := Layout(blob, dir, 7, first, len(degrees), uint32(edges), weight)
	at := uint32(0)
	for v, d := range degrees {
		s.Off[v] = at
		list := s.Nbr[at : at+uint32(d)]
		for i := range list {
			list[i] = rng.Uint32N(n)
			switch weight {
			case 4:
				s.Weight[int(at)+i] = rng.Float32()
			case 8:
				s.Wide[int(at)+i] = rng.Float64()
			}
		}
		slices.Sort(list)
		at += uint32(d)
	}
	s.Off[len(degrees)] = at
	Seal(blob)
	return blob
}

// aligned returns bytes at a multiple of 8.
func aligned(n int) []byte { return make([]byte, n, (n+7)&^7) }

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		degrees := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 40).Draw(t, "degrees")
		dir := shard.Direction(rapid.IntRange(0, 1).Draw(t, "dir"))
		weight := rapid.SampledFrom([]int{0, 4, 8}).Draw(t, "bytes of a weight")
		blob := fill(rng, dir, 100, degrees, 1000, weight)
		s, err := Decode(blob)
		if err != nil {
			t.Fatal(err)
		}
		if s.Dir != dir || s.Index != 7 || s.First != 100 || s.Vertices() != len(degrees) ||
			s.Plane().None() == (weight > 0 && s.Edges() > 0) {
			t.Fatalf("decoded %+v", s)
		}
		for v, d := range degrees {
			if int(s.Off[v+1]-s.Off[v]) != d {
				t.Fatalf("vertex %d: %v, want %d edges", v, s.Off, d)
			}
		}
		if err := errors.Join(s.CheckValues(1000), s.CheckOrder()); err != nil {
			t.Fatal(err)
		}
		if len(blob)%16 != 0 {
			t.Fatalf("%d bytes are no multiple of 16", len(blob))
		}
	})
}

// Every single flipped bit is reported, padding and reserved bytes included.
func TestEveryFlippedBit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, weight := range []int{0, 4, 8} {
		blob := fill(rng, shard.In, 12288, []int{3, 0, 5, 1, 0}, 50000, weight)
		for bit := range 8 * len(blob) {
			blob[bit/8] ^= 1 << (bit % 8)
			if _, err := Decode(blob); err == nil {
				t.Fatalf("weights of %d bytes: bit %d of byte %d flipped, and not reported", weight, bit%8, bit/8)
			}
			blob[bit/8] ^= 1 << (bit % 8)
		}
		if _, err := Decode(blob); err != nil {
			t.Fatal(err)
		}
	}
}

func TestErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	sound := func() []byte { return fill(rng, shard.In, 0, []int{2, 3}, 10, 4) }
	for _, c := range []struct {
		name string
		blob func() []byte
		want error
	}{
		{"empty", func() []byte { return nil }, shard.ErrFormat},
		{"cut in the header", func() []byte { return sound()[:60] }, shard.ErrFormat},
		{"cut in the edges", func() []byte { b := sound(); return b[:len(b)-16] }, shard.ErrInvalid},
		{"another file", func() []byte { return append([]byte("PNG"), sound()...) }, shard.ErrFormat},
		{"an offset changed", func() []byte { b := sound(); b[shard.HeaderBytes+4]++; return b }, shard.ErrChecksum},
		{"offsets out of order but sealed", func() []byte { b := sound(); b[shard.HeaderBytes+4] = 200; Seal(b); return b },
			shard.ErrInvalid},
	} {
		if _, err := Decode(c.blob()); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		name   string
		values bool // CheckValues sees it
		damage func(*Side)
	}{
		{"neighbour out of range", true, func(s *Side) { s.Nbr[1] = 10 }},
		{"last neighbour out of range", true, func(s *Side) { s.Nbr[4] = math.MaxUint32 }},
		{"neighbours out of order", false, func(s *Side) { s.Nbr[0], s.Nbr[1] = 5, 4 }},
		{"negative weight", true, func(s *Side) { s.Weight[0] = -1 }},
		{"weight is no number", true, func(s *Side) { s.Weight[3] = float32(math.NaN()) }},
		{"infinite weight", true, func(s *Side) { s.Weight[4] = float32(math.Inf(1)) }},
		{"negative wide weight", true, func(s *Side) { s.Weight, s.Wide = nil, []float64{0, 1, -1, 2, 3} }},
		{"infinite wide weight", true, func(s *Side) { s.Weight, s.Wide = nil, []float64{0, 1, math.Inf(1), 2, 3} }},
	} {
		s, err := Decode(fill(rng, shard.In, 0, []int{2, 3}, 10, 4))
		if err != nil {
			t.Fatal(err)
		}
		s.Weight[2] = float32(math.Copysign(0, -1))
		if err := errors.Join(s.CheckValues(10), s.CheckOrder()); err != nil {
			t.Fatal(err)
		}
		c.damage(s)
		if err := s.CheckValues(10); errors.Is(err, shard.ErrInvalid) != c.values {
			t.Errorf("%s: CheckValues: %v", c.name, err)
		}
		if err := s.CheckOrder(); errors.Is(err, shard.ErrInvalid) == c.values {
			t.Errorf("%s: CheckOrder: %v", c.name, err)
		}
	}
}

// FuzzDecode checks that no bytes make the decoder panic or accept what is not sound. A
// sealed blob leads past the checksums, to the checks behind them.
func FuzzDecode(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 1))
	f.Add(fill(rng, shard.In, 0, []int{2, 3}, 10, 4), uint8(2), uint8(5), true, false)
	f.Add(fill(rng, shard.In, 0, []int{2, 3}, 10, 8), uint8(2), uint8(5), true, true)
	f.Add(fill(rng, shard.Out, 5, []int{0}, 10, 0), uint8(1), uint8(0), false, false)
	f.Fuzz(func(t *testing.T, data []byte, vertices, edges uint8, weighted, wide bool) {
		weight := shard.WeightBytes(weighted, wide)
		raw := aligned(len(data))
		copy(raw, data)
		try(t, raw)
		sealed := aligned(int(Size(int(vertices)+1, uint32(edges), weight)))
		Layout(sealed, shard.In, 1, 2, int(vertices)+1, uint32(edges), weight)
		copy(sealed[shard.HeaderBytes:], data)
		Seal(sealed)
		try(t, sealed)
	})
}

func try(t *testing.T, blob []byte) {
	s, err := Decode(blob)
	if err != nil {
		return
	}
	if s.Off[0] != 0 || s.Off[s.Vertices()] != s.Edges() {
		t.Fatalf("accepted offsets %v for %d edges", s.Off, s.Edges())
	}
	for v := range s.Vertices() {
		_ = s.Nbr[s.Off[v]:s.Off[v+1]]
	}
	_ = s.CheckValues(10)
	_ = s.CheckOrder()
}
