package build

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestDegreesUpToTheLast counts the largest numbers, in bytes and in totals.
func TestDegreesUpToTheLast(t *testing.T) {
	for _, own := range []uint32{0, 10, math.MaxUint32 - 1} {
		d, err := newDegrees(own, math.MaxUint32)
		if err != nil {
			t.Fatal(err)
		}
		defer d.free()
		x, err := d.tally()
		if err != nil {
			t.Fatal(err)
		}
		x.add([]uint32{5, math.MaxUint32 - 2, 5, math.MaxUint32 - 1}, math.MaxUint32-1)
		x.close()
		if err := d.sum(); err != nil {
			t.Fatal(err)
		}
		for v, want := range map[uint32]uint32{5: 2, 6: 0, math.MaxUint32 - 2: 1, math.MaxUint32 - 1: 1} {
			if got := d.of(v); got != want {
				t.Errorf("%d in bytes: the degree of %d is %d, want %d", own, v, got, want)
			}
		}
	}
}

// TestDegrees checks that several tallies count what one array would.
func TestDegrees(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom([]uint32{1, 7, 300, 2*sumStep + 3}).Draw(rt, "numbers")
		d, err := newDegrees(min(n, rapid.SampledFrom([]uint32{0, 1, 200, sumStep, math.MaxUint32}).Draw(rt, "own")),
			uint64(n))
		if err != nil {
			rt.Fatal(err)
		}
		defer d.free()
		want := map[uint32]uint32{}
		for range rapid.IntRange(1, 3).Draw(rt, "goroutines") {
			x, err := d.tally()
			if err != nil {
				rt.Fatal(err)
			}
			list := rapid.SliceOf(rapid.Uint32Range(0, n-1)).Draw(rt, "list")
			hub := rapid.Uint32Range(0, n-1).Draw(rt, "hub")
			for range rapid.SampledFrom([]int{0, 255, 256, 600}).Draw(rt, "times") {
				list = append(list, hub)
			}
			top := uint32(0)
			for _, v := range list {
				want[v]++
				top = max(top, v)
			}
			if len(list) > 0 {
				x.add(list, top)
			}
			x.close()
		}
		if err := d.sum(); err != nil {
			rt.Fatal(err)
		}
		for v, w := range want {
			if d.of(v) != w {
				rt.Fatalf("the degree of %d is %d, want %d", v, d.of(v), w)
			}
		}
		if _, there := want[0]; !there && d.of(0) != 0 {
			rt.Fatalf("the degree of 0 is %d, want 0", d.of(0))
		}
	})
}
