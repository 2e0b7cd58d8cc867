package rowweights

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packedrows"
)

// TestRuns checks that the weights of a run can be read as soon as it has come, and a damaged one
// is refused.
func TestRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		distinct := rapid.SampledFrom([]int{1, 3, 300, 70_000}).Draw(t, "distinct weights")
		weights := make([]float32, rapid.SampledFrom([]int{0, 1, 7, 100, 2000, 100_000}).Draw(t, "edges"))
		for i := range weights {
			weights[i] = float32(i*7919%distinct) / 7
		}
		blob := pack(&Packer{}, weights).Blob()
		n, err := HeadBytes(blob[:shard.HeaderBytes], int64(len(blob)))
		if err != nil {
			t.Fatal(err)
		}
		head, err := DecodeHead(slices.Clone(blob[:n]), int64(len(blob)))
		if err != nil {
			t.Fatal(err)
		}
		s, off := head.In(slices.Repeat([]byte{0xff}, len(blob))), offsets(len(weights))
		v := rapid.IntRange(0, 11).Draw(t, "vertex")
		i, from, to := s.Run(v)
		copy(s.blob[from:to], blob[from:to])
		if err := s.CheckRun(i, 0); err != nil {
			t.Fatal(err)
		}
		first := v - v%packedrows.RunVertices
		begin, end := s.bounds(i)
		edges := (end - begin) / s.CodeBytes()
		if s.First(i) != int(off[first]) || edges != int(off[first+packedrows.RunVertices]-off[first]) {
			t.Fatalf("run %d has %d edges from %d on, offsets %v", i, edges, s.First(i), off)
		}
		got := make([]float32, off[v+1]-off[v])
		s.Weights(got, int(off[v]))
		for k, w := range got {
			if math.Float32bits(w) != math.Float32bits(weights[int(off[v])+k]) {
				t.Fatalf("weight %d of vertex %d: %v, want %v", k, v, w, weights[int(off[v])+k])
			}
		}
		if from < to {
			s.blob[rapid.Int64Range(from, to-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
			if err := s.CheckRun(i, 0); !errors.Is(err, shard.ErrChecksum) {
				t.Fatalf("a flipped bit: %v", err)
			}
		}
	})
}

// TestHeads checks that a head that is damaged is refused.
func TestHeads(t *testing.T) {
	blob := pack(&Packer{}, slices.Repeat([]float32{1, 2}, 20)).Blob()
	n, err := HeadBytes(blob[:shard.HeaderBytes], int64(len(blob)))
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * n {
		head := slices.Clone(blob[:n])
		head[bit/8] ^= 1 << (bit % 8)
		if _, err := DecodeHead(head, int64(len(blob))); err == nil {
			t.Fatalf("bit %d of byte %d flipped, and not reported", bit%8, bit/8)
		}
	}
}
