package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/garaph/garaph/shard"
)

// TestDegreesBytes checks that the bound holds for the degrees that take most.
func TestDegreesBytes(t *testing.T) {
	for _, d := range []uint32{0, 1, 127, 128, 1<<14 - 1, 1 << 14, 1 << 21, 1 << 28, math.MaxUint32} {
		b := sealDegrees(degreesOf{d})
		if n := int64(len(b)); n > degreesBytes(1, d) {
			t.Errorf("degree %d takes %d bytes, at most %d expected", d, n, degreesBytes(1, d))
		}
		if got, err := opened(b, 1, d); err != nil || got[0] != d {
			t.Errorf("degree %d is %d: %v", d, got, err)
		}
	}
	rng, large := rand.New(rand.NewPCG(1, 1)), make(degreesOf, shard.MaxVertices) // whose bytes no one compresses
	for v := range large {
		large[v] = rng.Uint32N(1 << 14)
	}
	b := sealDegrees(large)
	if got, err := opened(b, len(large), large.sum()); err != nil || !slices.Equal(got, large) ||
		int64(len(b)) > degreesBytes(len(large), large.sum()) {
		t.Errorf("%d bytes: %v", len(b), err)
	}
	mixed := make(degreesOf, 5000) // most are small, and decoded by eights
	for v := range mixed {
		if mixed[v] = rng.Uint32N(128); rng.IntN(40) == 0 {
			mixed[v] = rng.Uint32N(1 << 20)
		}
	}
	for n := range 40 {
		mixed := mixed[:len(mixed)-n]
		if got, err := opened(sealDegrees(mixed), len(mixed), mixed.sum()); err != nil || !slices.Equal(got, mixed) {
			t.Errorf("%d small degrees: %v", len(mixed), err)
		}
	}
}

// degreesOf is a side of which only the degrees are there.
type degreesOf []uint32

func (d degreesOf) sum() (edges uint32) {
	for _, x := range d {
		edges += x
	}
	return edges
}

func (d degreesOf) Header() shard.Header     { return shard.Header{Vertices: len(d), Edges: d.sum()} }
func (d degreesOf) Blob() []byte             { return nil }
func (d degreesOf) CheckValues(uint32) error { return nil }
func (d degreesOf) CheckOrder() error        { return nil }
func (d degreesOf) Degrees(to []uint32)      { copy(to, d) }

// sealed are bytes as they lie behind a blob.
func sealed(b []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, shard.Checksum(b)), b...)
}

// TestForgedDegrees checks that what a right checksum vouches for is not believed.
func TestForgedDegrees(t *testing.T) {
	for what, varints := range map[string][]byte{
		"another sum":    {1, 2, 4},
		"a vertex less":  {1, 5},
		"a vertex more":  {1, 2, 3, 0},
		"no end":         {1, 2, 0x83},
		"above 32 bits":  {1, 2, 0x83, 0x80, 0x80, 0x80, 0x80, 1},
		"above 64 bits":  bytes.Repeat([]byte{0xff}, 11),
		"more than fits": make([]byte, 1<<20),
		"nothing":        nil,
	} {
		if got, err := opened(sealed(compressor().EncodeAll(varints, nil)), 3, 6); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
	b := compressor().EncodeAll([]byte{1, 2, 3}, nil)
	if got, err := opened(sealed(b), 3, 6); err != nil || !slices.Equal(got, []uint32{1, 2, 3}) {
		t.Errorf("%v, %v", got, err)
	}
	b[0] ^= 1
	if _, err := opened(sealed(b), 3, 6); !errors.Is(err, ErrDamaged) {
		t.Errorf("damaged: %v", err)
	}
}

// opened returns what openDegrees decodes.
func opened(b []byte, vertices int, edges uint32) ([]uint32, error) {
	degrees := slices.Repeat([]uint32{77}, vertices) // a buffer that had others
	if err := openDegrees(degrees, b, make([]byte, 0, varintBytes(vertices, edges)), edges); err != nil {
		return nil, err
	}
	return degrees, nil
}

// FuzzDegrees checks that no bytes under a right checksum make the decoder panic, or give other
// degrees than as many as there are vertices, which add up to the edges.
func FuzzDegrees(f *testing.F) {
	f.Add(sealDegrees(degreesOf{1, 2, 300})[degreesHead:], uint16(3), uint32(303))
	f.Fuzz(func(t *testing.T, b []byte, vertices uint16, edges uint32) {
		degrees, err := opened(sealed(b), int(vertices), edges)
		if err == nil && (len(degrees) != int(vertices) || degreesOf(degrees).sum() != edges) {
			t.Fatalf("%d degrees add up to %d, of %d and %d", len(degrees), degreesOf(degrees).sum(), vertices, edges)
		}
	})
}
