package shard

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// header draws a sound one.
func header(rt *rapid.T) Header {
	h := Header{
		Version: rapid.Uint16().Draw(rt, "version"), Dir: rapid.SampledFrom([]Direction{In, Out}).Draw(rt, "side"),
		Index: rapid.Uint32().Draw(rt, "index"), Vertices: rapid.IntRange(1, MaxVertices).Draw(rt, "vertices"),
		Edges: rapid.Uint32().Draw(rt, "edges"), Weighted: rapid.Bool().Draw(rt, "weighted"),
		Flags: rapid.Uint16().Draw(rt, "flags") &^ (3 | wide),
	}
	h.Wide = h.Weighted && rapid.Bool().Draw(rt, "wide")
	h.First = rapid.Uint32Range(0, math.MaxUint32-uint32(h.Vertices)).Draw(rt, "first")
	return h
}

// TestHeader reads what was written, and refuses it with any bit turned.
func TestHeader(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h, blob := header(rt), make([]byte, HeaderBytes+8)
		h.Put(blob)
		h.Checksum = SealHeader(blob)
		got, err := DecodeHeader(blob)
		if err != nil || got != h {
			rt.Fatalf("%+v was read as %+v: %v", h, got, err)
		}
		bit := rapid.IntRange(0, 8*HeaderBytes-1).Draw(rt, "bit")
		blob[bit/8] ^= 1 << (bit % 8)
		if _, err := DecodeHeader(blob); !errors.Is(err, ErrFormat) && !errors.Is(err, ErrChecksum) {
			rt.Fatalf("with bit %d turned: %v", bit, err)
		}
	})
}

// TestHeaderRefused checks that headers are refused that have sound checksums and say what cannot be.
func TestHeaderRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		h    Header
		want error
	}{
		{"no vertices", Header{}, ErrInvalid},
		{"many vertices", Header{Vertices: MaxVertices + 1}, ErrInvalid},
		{"vertices beyond the last", Header{First: math.MaxUint32, Vertices: 1}, ErrInvalid},
		{"no such encoding", Header{Vertices: 1, Version: math.MaxUint16}, ErrFormat},
	} {
		blob := make([]byte, HeaderBytes)
		c.h.Put(blob)
		SealHeader(blob)
		if _, err := Decode(blob); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, expected %v", c.name, err, c.want)
		}
	}
	if _, err := Decode(make([]byte, HeaderBytes-1)); !errors.Is(err, ErrFormat) {
		t.Errorf("a short blob: %v", err)
	}
}

// TestChecksum checks that the sum of two sections is that of both as one, and a section with
// another sum is refused.
func TestChecksum(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := rapid.SliceOf(rapid.Byte()).Draw(rt, "a"), rapid.SliceOf(rapid.Byte()).Draw(rt, "b")
		sum := AddChecksum(Checksum(a), b)
		if err := CheckSection(slices.Concat(a, b), sum, "section", 0); err != nil {
			rt.Fatal(err)
		}
		if err := CheckSection(slices.Concat(a, b), sum+1, "section", 0); !errors.Is(err, ErrChecksum) {
			rt.Fatalf("with another sum: %v", err)
		}
	})
}

// TestBelow compares with a plain loop.
func TestBelow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list, n := rapid.SliceOf(rapid.Uint32Range(0, 40)).Draw(rt, "list"), rapid.Uint32Range(0, 41).Draw(rt, "n")
		want := !slices.ContainsFunc(list, func(x uint32) bool { return x >= n })
		if got := Below(list, n); got != want {
			rt.Fatalf("all of %v below %d: %v", list, n, got)
		}
	})
}

// TestNarrowSound knows sound weights wherever they stand, and a -0 is refused here.
func TestNarrowSound(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for at := range 9 {
		for _, c := range []struct {
			weight float32
			want   bool
		}{
			{0, true}, {1, true}, {math.MaxFloat32, true}, {math.SmallestNonzeroFloat32, true},
			{inf, false}, {-inf, false}, {nan, false}, {-1, false}, {float32(math.Copysign(0, -1)), false},
		} {
			weights := make([]float32, 9)
			weights[at] = c.weight
			if got := narrowSound(weights); got != c.want {
				t.Errorf("%v at %d: %v", c.weight, at, got)
			}
		}
	}
}
