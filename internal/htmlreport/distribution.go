package htmlreport

import (
	"fmt"
	"math"
	"slices"

	"github.com/garaph/garaph/internal/results"
)

// leastLog is the least number on a logarithmic axis: uPlot finds no ticks below.
const leastLog = 1e-15

// Distribution returns the plot of how many things (such as vertices) have which value (such as hops): points on
// logarithmic axes if the tail is heavy, points on a logarithmic y axis if most bins are far smaller than others, and
// bars otherwise. Of values that are all equal, there is nothing to plot.
func Distribution(title, value, things string, s *results.Summary) Plot {
	bins, heavy := s.Bins(), s.HeavyTailed()
	shown := slices.IndexFunc(bins, func(b results.Bin) bool { return !heavy || b.From >= leastLog })
	bins = bins[max(shown, 0):]
	var counts []Value
	least, most := math.Inf(1), 0.0
	for _, b := range bins {
		counts = append(counts, Value(b.Count))
		if n := float64(b.Count); n > 0 {
			least, most = min(least, n), max(most, n)
		}
	}
	points := heavy || len(bins) > 20 && most >= 1000*least
	p := Plot{
		Title: title, X: Axis{Label: value, Log: heavy, Whole: s.Whole}, Y: Axis{Label: things, Log: points, Whole: true},
		Data: make([][]Value, 1),
	}
	for _, b := range bins {
		from, to := b.From, b.To
		if s.Whole {
			from, to = math.Ceil(from), math.Ceil(to)-1
		}
		if points {
			to = from
		}
		p.Data[0] = append(p.Data[0], Value((from+to)/2))
	}
	switch {
	case points:
		p.Caption = fmt.Sprintf("A point is the number of %s with values from there up to the next point.", things)
	case len(bins) > 0 && !(s.Whole && bins[0].To-bins[0].From == 1):
		p.Caption = fmt.Sprintf("A bar is the number of %s with values in an interval of width %.4g.",
			things, bins[0].To-bins[0].From)
	}
	if heavy && s.Zeros > 0 {
		p.Caption += " Values of 0 are not shown."
	}
	if shown > 0 {
		p.Caption += fmt.Sprintf(" Values below %.0e are not shown.", leastLog)
	}
	if s.Min == s.Max {
		return p
	}
	p.Add(Series{Name: things, Color: Colors[0], Bars: !points}, counts)
	return p
}
