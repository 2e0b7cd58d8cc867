package packed

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/garaph/garaph/shard"
)

// TestCuts checks that intervals that are read from a blob have the edges of the side, each once,
// whatever the bounds; damaged heads are an error.
func TestCuts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, sources := range []uint64{1, 40, 5000, 1 << 30} {
		const vertices = 300
		keys := make([]uint64, 70_000) // more blocks than are read at once
		for i := range keys {
			keys[i] = r.Uint64N(sources)<<32 | r.Uint64N(vertices)<<16
		}
		slices.Sort(keys)
		var p Packer
		if err := p.Keys(shard.Header{Dir: shard.In, Vertices: vertices}, keys); err != nil {
			t.Fatal(err)
		}
		blob := make([]byte, p.Size())
		p.Write(blob)
		side, err := Decode(blob)
		if err != nil {
			t.Fatal(err)
		}
		bounds := []uint32{0, uint32(sources / 3), uint32(sources / 3), uint32(sources/2 + 1), uint32(sources)}
		slices.Sort(bounds)
		cuts := side.Cuts(bounds)
		read := func(at int64, to []byte) error {
			copy(to, blob[at:at+int64(len(to))])
			return nil
		}
		var got []uint64
		var c CutReader
		for k := range len(bounds) - 1 {
			err := c.Interval(&cuts, k, read, func(nbr []uint32, dst []uint16) error {
				for i, u := range nbr {
					if u >= bounds[k] && u < bounds[k+1] {
						got = append(got, uint64(u)<<32|uint64(dst[i])<<16)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got, keys) {
			t.Errorf("%d sources: %d edges, want those %d", sources, len(got), len(keys))
		}
		data := side.Layout.Places().Data + int64(side.Heads[0].Width())
		blob[data] ^= 1 // the first edge's destination is another vertex
		if err := c.Interval(&cuts, 0, read, func([]uint32, []uint16) error { return nil }); sources > 2 &&
			!errors.Is(err, shard.ErrChecksum) {
			t.Errorf("%d sources: another destination: %v", sources, err)
		}
		blob[data] ^= 1
		blob[shard.HeaderBytes+4] ^= 0x3f // width of the first block
		if err := c.Interval(&cuts, 0, read, func([]uint32, []uint16) error { return nil }); sources > 2 &&
			!errors.Is(err, shard.ErrInvalid) {
			t.Errorf("%d sources: a damaged head: %v", sources, err)
		}
	}
}
