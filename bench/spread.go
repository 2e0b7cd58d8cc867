package bench

import (
	"cmp"
	"math"
	"slices"
)

// Spread is a figure that was measured several times.
type Spread struct {
	Median float64   `json:"median"`
	Min    float64   `json:"min"`
	Max    float64   `json:"max"`
	Values []float64 `json:"values"` // in order
}

// spread returns the spread of the values that are numbers; nil when none is. A
// figure that could not be had is NaN.
func spread(values []float64) *Spread {
	known := slices.DeleteFunc(slices.Clone(values), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	if len(known) == 0 {
		return nil
	}
	return &Spread{Median: median(known), Min: slices.Min(known), Max: slices.Max(known), Values: known}
}

// one is a figure that was measured once.
func one(value float64) *Spread { return spread([]float64{value}) }

// median of the values, the mean of the two in the middle when their number is
// even; NaN of none.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// weighted is a value that counts as often as its weight says.
type weighted struct{ value, weight float64 }

// weightedMedian returns the least value that, with those below it, has half of
// the weight; NaN of none.
func weightedMedian(values []weighted) float64 {
	sorted := slices.SortedFunc(slices.Values(values), func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	var total, below float64
	for _, v := range sorted {
		total += v.weight
	}
	for _, v := range sorted {
		if below += v.weight; 2*below >= total {
			return v.value
		}
	}
	return math.NaN()
}
