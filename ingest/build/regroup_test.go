package build

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/ingest/read"
)

// TestRegroup checks that records in buckets of provisional numbers come to the groups of their
// destinations, each record once and with its ends as they were, with weights and without, and
// whether dense ids are in the order of numbers or come from a map.
func TestRegroup(t *testing.T) {
	type record struct {
		src, dst uint32
		weight   float64
	}
	rapid.Check(t, func(t *rapid.T) {
		s, err := newSpill("", rapid.SampledFrom([]int{3, 400}).Draw(t, "blocks"), func(int64) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		wide := rapid.Bool().Draw(t, "wide")
		weighted, mapped := rapid.Bool().Draw(t, "weighted"), rapid.Bool().Draw(t, "mapped")
		most := rapid.SampledFrom([]uint32{100, 1 << 20}).Draw(t, "most")
		numbers := rapid.SliceOfNDistinct(rapid.Uint32Max(most), 3, 60, rapid.ID).Draw(t, "numbers")
		slices.Sort(numbers)
		m := marked(numbers)
		if mapped {
			m = &numbering{n: uint32(len(numbers)), perm: make([]uint32, numbers[len(numbers)-1]+1)}
			for i, at := range rapid.Permutation(numbers).Draw(t, "order") {
				m.perm[at] = uint32(i)
			}
		}
		var groups []group
		for first := uint32(0); first < m.n; first = groups[len(groups)-1].last + 1 {
			groups = append(groups, group{first: first, last: min(m.n-1, first+rapid.Uint32Max(3).Draw(t, "size"))})
		}
		b := &Builder{spill: s, schema: read.Schema{Weighted: weighted}, plan: memoryPlan{buckets: 16, sorters: 2}}
		w := s.writer(b.plan.buckets, b.weightBytes())
		w.shift = uint(max(0, bits.Len32(numbers[len(numbers)-1])-rapid.IntRange(0, 4).Draw(t, "bits")))
		b.workers = []*bucketWriter{{Builder: b, writer: w}}
		want := map[record]int{}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for range rapid.SampledFrom([]int{10, 20000}).Draw(t, "edges") {
			src, dst, weight := numbers[r.IntN(len(numbers))], numbers[r.IntN(len(numbers))], 0.
			if weighted {
				if weight = float64(r.Float32()); wide {
					weight = r.Float64()
				}
			}
			w.widest = max(w.widest, src)
			if err := w.add(dst>>w.shift, src, dst, weight); err != nil {
				t.Fatal(err)
			}
			if mapped {
				src, dst = m.perm[src], m.perm[dst]
			}
			want[record{src, dst, weight}]++
		}
		w.flush()
		if err := b.route(context.Background(), m, groups); err != nil {
			t.Fatal(err)
		}
		for i := range groups {
			g := &groups[i]
			for _, part := range g.parts {
				err := s.eachUnpacked(context.Background(), part, func(records []uint32) error {
					for size := recordWords(b.weightBytes()); len(records) > 0; records = records[size:] {
						e := record{src: records[0], dst: records[1]}
						if weighted {
							e.weight = weightOf(records[:size])
						}
						dense := e.dst
						if !mapped {
							dense = m.dense(e.dst)
						}
						if dense < g.first || dense > g.last { // of the group beside this one
							continue
						}
						want[e]--
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		for e, n := range want {
			if n != 0 {
				t.Errorf("edge %v came %d times too few", e, n)
			}
		}
	})
}
