package chart

import (
	"math"
	"testing"
)

func TestNumber(t *testing.T) {
	for _, x := range []struct {
		value float64
		unit  string
		want  string
	}{
		{0, "s", "0 s"},
		{1e-6, "s", "1 µs"},
		{9.999e-4, "s", "1 ms"},
		{0.0525, "s", "52.5 ms"},
		{1, "s", "1 s"},
		{150, "s", "150 s"},
		{16 << 20, "B", "16.8 MB"},
		{1e6, "", "1 M"},
		{20, "", "20"},
		{0.025, "", "0.025"},
		{1e-20, "s", "1e-20 s"},
		{1e21, "", "1e+21"},
		{math.NaN(), "s", "NaN s"},
		{math.Inf(1), "", "+Inf"},
	} {
		if got := Number(x.value, x.unit); got != x.want {
			t.Errorf("%v %s: got %q, want %q", x.value, x.unit, got, x.want)
		}
	}
}

// TestTicks: an axis has labels enough to be read, and not too many, whatever
// its range.
func TestTicks(t *testing.T) {
	for _, s := range []Scale{{Whole: true}, {Unit: "s"}, {Log: true}} {
		for _, low := range []float64{1e-30, 1e-9, 0.9, 1, 7, 5000} {
			for _, ratio := range []float64{1, 1.01, 2, 5, 9, 11, 150, 999, 1001, 1e9, 1e30} {
				from, to := low, min(low*ratio, beyond)
				if s.Whole {
					from, to = math.Ceil(from), math.Ceil(to)
				}
				a, b := s.bounds(from, to)
				labels := 0
				for _, tick := range s.ticks(a, b) {
					if tick.at < a-1e-9 || tick.at > b+1e-9 {
						t.Errorf("%+v from %v to %v: a tick at %v", s, a, b, tick.at)
					}
					if tick.label != "" {
						labels++
					}
				}
				if labels < 1 || labels > 11 {
					t.Errorf("%+v from %v to %v: %d labels", s, a, b, labels)
				}
			}
		}
	}
}
