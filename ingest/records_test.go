package ingest

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestRecords: what is put into buckets comes out of their blocks, in order and each with its
// weight, whatever numbers come: sources that need more bytes than those before them, and
// destinations of 32 bits.
func TestRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := newSpill("", 2, func(int64) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		weighted := rapid.Bool().Draw(t, "weighted")
		number := rapid.OneOf(rapid.Uint32Max(20), rapid.Uint32Range(1<<22, 1<<22+20), rapid.Uint32Min(math.MaxUint32-3))
		var w *writer
		bucket := func(uint32) uint32 { return 0 }
		switch rapid.SampledFrom([]string{"anywhere", "group", "buckets"}).Draw(t, "kind") {
		case "anywhere":
			w = s.groupWriter([]group{{last: math.MaxUint32}}, weighted)
		case "group":
			w = s.groupWriter([]group{{first: 1 << 20, last: math.MaxUint32}}, weighted)
			number = rapid.Uint32Range(1<<20, math.MaxUint32)
		default:
			w = s.writer(16, weighted)
			w.shift = 28
			bucket = func(v uint32) uint32 { return v >> 28 }
		}
		var counted int
		w.filled = func(_ *buffer, n int, form recordForm) { counted += n / int(form.step) }
		want, n := make([][]uint32, 16), rapid.SampledFrom([]int{3, 9000}).Draw(t, "edges")
		sample := rapid.SliceOfN(number, 1, 30).Draw(t, "numbers")
		for i := range n {
			src, dst := sample[i*7%len(sample)], sample[i%len(sample)]
			switch {
			case weighted:
				err = w.add(bucket(dst), src, dst, float32(i))
			case w.groups == nil && i%2 == 0:
				err = w.addAll([]uint32{src}, []uint32{dst})
			default:
				err = w.add(bucket(dst), src, dst, 1)
			}
			if err != nil {
				t.Fatal(err)
			}
			k := bucket(dst)
			want[k] = append(want[k], src, dst)
			if weighted {
				want[k] = append(want[k], math.Float32bits(float32(i)))
			}
		}
		w.flush()
		for k := range w.buckets {
			var got []uint32
			err := s.eachUnpacked(context.Background(), w.buckets[k], func(records []uint32) error {
				got = append(got, records...)
				return nil
			})
			if err != nil || !slices.Equal(got, want[k]) {
				t.Fatalf("bucket %d: %d words, want %d: %v", k, len(got), len(want[k]), err)
			}
		}
		if counted != n {
			t.Fatalf("%d records of %d were looked at", counted, n)
		}
	})
}
