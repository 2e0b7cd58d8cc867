package shard_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/shard"
)

// TestWeights checks that all weights are whole numbers of the unit, and not all of twice the unit.
func TestWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weight := rapid.OneOf(rapid.Float32Range(0, math.MaxFloat32),
			rapid.Map(rapid.IntRange(0, 300), func(n int) float32 { return float32(n) * 0.5 }),
			rapid.SampledFrom([]float32{0, 1, 3, 0x1p-149, 0x1p-126, 0x1p127, math.MaxFloat32}))
		lists := rapid.SliceOfN(rapid.SliceOfN(weight, 0, 4), 0, 4).Draw(t, "weights")
		var got, wide shard.Weights
		largest := float32(0)
		for _, list := range lists {
			got.Join(shard.WeightsOf(shard.Plane{Narrow: list}))
			same := make([]float64, len(list))
			for i, w := range list {
				same[i] = float64(w)
				largest = max(largest, w)
			}
			wide.Join(shard.WeightsOf(shard.Plane{Wide: same}))
		}
		if wide.Unit != got.Unit || wide.Most() != got.Most() {
			t.Fatalf("got %+v, and %+v of wide weights", got, wide)
		}
		odd := largest == 0 && got.Unit == 0
		for _, list := range lists {
			for _, w := range list {
				units := math.Ldexp(float64(w), -got.Unit)
				if units != math.Trunc(units) {
					t.Fatalf("%v is %v units of 2^%d", w, units, got.Unit)
				}
				odd = odd || math.Mod(units, 2) == 1
			}
		}
		if !odd || got.Max != largest {
			t.Fatalf("got %+v", got)
		}
	})
}
