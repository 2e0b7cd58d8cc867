package htmlreport

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/dispatcher"
)

// RunPlots returns the plots of a run. Those without data are not shown.
func RunPlots(r dispatcher.Report, pages *Pages) []Plot {
	x := Axis{Label: "iteration", Whole: true}
	times := Plot{Title: "Time of each iteration", Caption: "The time of a device is from its first page to its last.",
		X: x, Y: Axis{Label: "time (seconds)", Unit: "s"}}
	alpha := Plot{
		Title:   "α: time of the CPU over time of the GPU",
		Caption: "Up to 1, the CPU works alone; above it, the GPU takes part.",
		X:       x, Y: Axis{Label: "α", Log: true},
	}
	what := Plot{Title: "Share of active edges, and what ran", X: x,
		Y: Axis{Label: "f = edges of active vertices / edges", Log: true},
		Caption: "Where the engine chooses, it notifies where f is at most the limit, and pulls otherwise. " +
			"It also pulls when the aggregate changed, and where a pull looks at few edges. Iterations with f = 0 " +
			"are not shown."}
	for _, p := range []*Plot{&times, &alpha, &what} {
		p.Data = append(p.Data, values(r, func(it dispatcher.Iteration) Value { return Value(it.Iteration + 1) }))
	}
	times.Add(Series{Name: "whole iteration", Color: grey},
		values(r, func(it dispatcher.Iteration) Value { return Value(it.Seconds) }))
	alpha.Add(Series{Name: "α", Color: Colors[2]},
		values(r, func(it dispatcher.Iteration) Value { return Value(it.Alpha) }))
	for i, d := range []dispatcher.Device{dispatcher.CPU, dispatcher.GPU, dispatcher.Hybrid} {
		times.Add(Series{Name: string(d), Color: Colors[i]}, values(r, func(it dispatcher.Iteration) Value {
			if w, ok := it.Devices[d]; ok {
				return Value(w.Seconds)
			}
			return gap
		}))
		for k, m := range []dispatcher.Method{dispatcher.Pull, dispatcher.NotifyPull, dispatcher.Frontier} {
			s := Series{Name: fmt.Sprintf("%s, %s", m, d), Color: Colors[(i+3*k)%len(Colors)], Dots: true}
			what.Add(s, values(r, func(it dispatcher.Iteration) Value {
				if it.Method == m && it.Device == d {
					return Value(it.Fraction)
				}
				return gap
			}))
		}
	}
	limit := slices.Repeat([]Value{Value(r.NotifyLimit)}, len(r.Iterations))
	what.Add(Series{Name: fmt.Sprintf("limit %.3g", r.NotifyLimit), Color: grey, Dashed: true}, limit)
	compute := pages.plot("Time of a page", Axis{Label: "edges of the page", Log: true},
		Axis{Label: "compute time (seconds)", Unit: "s", Log: true},
		func(w dispatcher.PageWork) (x, y Value) { return Value(w.Edges), Value(w.Compute) })
	copied := pages.plot("Time of a copy to the GPU", Axis{Label: "size (bytes)", Unit: "B", Log: true},
		Axis{Label: "copy time (seconds)", Unit: "s", Log: true},
		func(w dispatcher.PageWork) (x, y Value) { return Value(w.Bytes), Value(w.Copy) })
	return []Plot{times, what, alpha, compute, copied}
}

func values(r dispatcher.Report, of func(dispatcher.Iteration) Value) (list []Value) {
	for _, it := range r.Iterations {
		list = append(list, of(it))
	}
	return list
}

const mostPages = 15_000

// Pages are the pages of a run, or a random sample of mostPages. The same run gives the same
// sample. The zero value is empty.
type Pages struct {
	kept   []dispatcher.PageWork
	seen   int
	random *rand.Rand
}

// Add adds a page. It is an Options.Trace.Page.
func (p *Pages) Add(w dispatcher.PageWork) {
	if p.random == nil {
		p.random = rand.New(rand.NewPCG(1, 2))
	}
	if p.seen++; len(p.kept) < mostPages {
		p.kept = append(p.kept, w)
	} else if k := p.random.IntN(p.seen); k < mostPages {
		p.kept[k] = w
	}
}

// plot plots two figures of pages against each other.
func (p *Pages) plot(title string, x, y Axis, of func(dispatcher.PageWork) (x, y Value)) Plot {
	plot := Plot{Title: title, X: x, Y: y, Data: make([][]Value, 1)}
	if slices.ContainsFunc(p.kept, func(w dispatcher.PageWork) bool { return w.Device == dispatcher.GPU }) {
		plot.Caption = "On the GPU a page is a batch; compute time is without copies."
	}
	if p.seen > len(p.kept) {
		plot.Caption += fmt.Sprintf(" An even sample: %s of %s pages.",
			humanize.Comma(int64(len(p.kept))), humanize.Comma(int64(p.seen)))
	}
	names, series := []string{"CPU", "GPU, replicated", "GPU, one accumulator each"}, [3][]Value{}
	slices.SortFunc(p.kept, func(a, b dispatcher.PageWork) int {
		xa, _ := of(a)
		xb, _ := of(b)
		return cmp.Compare(xa, xb)
	})
	for _, w := range p.kept {
		x, y := of(w)
		if x <= 0 {
			continue
		}
		at := [3]Value{gap, gap, gap}
		switch {
		case w.Device == dispatcher.CPU:
			at[0] = y
		case w.Copies > 1:
			at[1] = y
		default:
			at[2] = y
		}
		plot.Data[0] = append(plot.Data[0], x)
		for i := range series {
			series[i] = append(series[i], at[i])
		}
	}
	for i, name := range names {
		plot.Add(Series{Name: name, Color: Colors[i], Dots: true}, series[i])
	}
	return plot
}
