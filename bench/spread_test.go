package bench

import (
	"math"
	"testing"
)

func TestSpread(t *testing.T) {
	s := spread([]float64{3, math.NaN(), 1, 2, math.Inf(1)})
	if s == nil || s.Median != 2 || s.Min != 1 || s.Max != 3 || len(s.Values) != 3 || s.Values[0] != 3 {
		t.Errorf("got %+v", s)
	}
	if s := spread([]float64{math.NaN()}); s != nil {
		t.Errorf("got %+v of no number, want none", s)
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{{[]float64{5}, 5}, {[]float64{9, 1}, 5}, {[]float64{9, 1, 2}, 2}} {
		if got := median(test.values); got != test.want {
			t.Errorf("median of %v is %v, want %v", test.values, got, test.want)
		}
	}
	if !math.IsNaN(median(nil)) || !math.IsNaN(weightedMedian(nil)) {
		t.Error("the median of nothing is a number")
	}
}

func TestWeightedMedian(t *testing.T) {
	for _, test := range []struct {
		values []weighted
		want   float64
	}{
		{[]weighted{{7, 1}}, 7},
		{[]weighted{{7, 0}}, 7},
		{[]weighted{{9, 1}, {1, 10}, {5, 1}}, 1},
		{[]weighted{{1, 1}, {2, 1}, {9, 10}}, 9},
	} {
		if got := weightedMedian(test.values); got != test.want {
			t.Errorf("weighted median of %v is %v, want %v", test.values, got, test.want)
		}
	}
}
