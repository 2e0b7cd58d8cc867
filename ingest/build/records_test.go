package build

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/shard"
)

// TestRecords checks that records come out of the blocks of buckets in order, each with its
// weight, whatever numbers come: sources that need more bytes than those before them, and
// destinations of 32 bits.
func TestRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := newSpill("", 2, func(int64) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		weight := rapid.SampledFrom([]int{0, 4, 8}).Draw(t, "bytes of a weight")
		weighted := weight > 0
		wide := math.MaxInt // from that edge on, some weights are no float32
		if weighted && rapid.Bool().Draw(t, "wide") {
			wide = rapid.IntRange(0, 2).Draw(t, "first wide weight")
		}
		number := rapid.OneOf(rapid.Uint32Max(20), rapid.Uint32Range(1<<22, 1<<22+20), rapid.Uint32Min(math.MaxUint32-3))
		var w *writer
		bucket := func(uint32) uint32 { return 0 }
		switch rapid.SampledFrom([]string{"anywhere", "group", "buckets"}).Draw(t, "kind") {
		case "anywhere":
			w = s.groupWriter([]group{{last: math.MaxUint32}}, weight)
		case "group":
			w = s.groupWriter([]group{{first: 1 << 20, last: math.MaxUint32}}, weight)
			number = rapid.Uint32Range(1<<20, math.MaxUint32)
		default:
			w = s.writer(16, weight)
			w.shift = 28
			bucket = func(v uint32) uint32 { return v >> 28 }
		}
		var counted int
		w.filled = func(_ *buffer, n int, form recordForm) { counted += n / int(form.step) }
		want, weights, n := make([][][2]uint32, 16), make([][]float64, 16), rapid.SampledFrom([]int{3, 9000}).Draw(t, "edges")
		sample := rapid.SliceOfN(number, 1, 30).Draw(t, "numbers")
		for i := range n {
			src, dst := sample[i*7%len(sample)], sample[i%len(sample)]
			switch {
			case weighted:
				err = w.add(bucket(dst), src, dst, weightAt(i, wide))
			case w.groups == nil && i%2 == 0:
				err = w.addAll([]uint32{src}, []uint32{dst})
			default:
				err = w.add(bucket(dst), src, dst, 1)
			}
			if err != nil {
				t.Fatal(err)
			}
			k := bucket(dst)
			want[k] = append(want[k], [2]uint32{src, dst})
			if weighted {
				weights[k] = append(weights[k], weightAt(i, wide))
			}
		}
		w.flush()
		for k := range w.buckets {
			var got [][2]uint32
			var gotWeights []float64
			if weight == 8 {
				s.wide.Store(true)
			}
			record := recordWords(shard.WeightBytes(weighted, s.wide.Load()))
			err := s.eachUnpacked(context.Background(), w.buckets[k], func(records []uint32) error {
				for ; len(records) > 0; records = records[record:] {
					got = append(got, [2]uint32(records))
					if weighted {
						gotWeights = append(gotWeights, weightOf(records[:record]))
					}
				}
				return nil
			})
			if err != nil || !slices.Equal(got, want[k]) || !slices.Equal(gotWeights, weights[k]) {
				t.Fatalf("bucket %d: %d records, want %d: %v", k, len(got), len(want[k]), err)
			}
		}
		if counted != n {
			t.Fatalf("%d records of %d were looked at", counted, n)
		}
	})
}

// weightAt returns the weight of edge i: from one on, every second is no float32.
func weightAt(i, wide int) float64 {
	if i >= wide && i%2 == 0 {
		return float64(i) + 0.1
	}
	return float64(i)
}
