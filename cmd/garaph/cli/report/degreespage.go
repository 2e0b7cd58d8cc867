package report

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/htmlreport"
)

// DegreesSection returns the section of a page with the facts and the distributions of degrees.
func DegreesSection(facts []htmlreport.Fact, list []Degrees) htmlreport.Section {
	number := func(n uint64) string { return humanize.Comma(int64(n)) }
	section := htmlreport.Section{Facts: facts}
	plot := htmlreport.Plot{
		Title: "Degrees of vertices", Data: make([][]htmlreport.Value, 1),
		Caption: "A point is the number of vertices with degrees from this power of two up to the next. Degree 0 " +
			"is not shown.",
		X: htmlreport.Axis{Label: "degree (edges of a vertex)", Log: true}, Y: htmlreport.Axis{Label: "vertices", Log: true},
	}
	for k, d := range list {
		section.Facts = append(section.Facts, htmlreport.Fact{"Degree, " + d.Direction, fmt.Sprintf(
			"minimum %s, median %s, mean %.2f, 99 %% have %s or fewer; the most, %s, has vertex %s; degree 0: %s",
			number(d.Min), number(d.Median), d.Mean, number(d.P99), number(d.Max), show.Printable(d.MaxVertex),
			number(d.Bins[0].Vertices))})
		var vertices []htmlreport.Value
		for n, b := range d.Bins[1:] {
			if vertices = append(vertices, htmlreport.Value(b.Vertices)); n == len(plot.Data[0]) {
				plot.Data[0] = append(plot.Data[0], htmlreport.Value(b.From))
			}
		}
		plot.Add(htmlreport.Series{Name: d.Direction, Color: htmlreport.Colors[k]}, vertices)
	}
	section.Plots = append(section.Plots, plot)
	return section
}
