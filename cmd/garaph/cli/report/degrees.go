package report

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/htmlreport"
	"github.com/garaph/garaph/shard"
)

// Degrees describes how the degrees of one direction are distributed.
type Degrees struct {
	Direction string  `json:"direction"`
	Min       uint64  `json:"min"`
	Median    uint64  `json:"median"`
	Mean      float64 `json:"mean"`
	P99       uint64  `json:"p99"`
	Max       uint64  `json:"max"`
	// MaxVertex is the first vertex of the largest degree.
	MaxVertex string      `json:"max_vertex"`
	Bins      []DegreeBin `json:"bins"`
}

// DegreeBin counts the vertices whose degree is From to To.
type DegreeBin struct {
	From     uint64  `json:"from"`
	To       uint64  `json:"to"`
	Vertices uint64  `json:"vertices"`
	Share    float64 `json:"share"`
}

// DescribeDegrees reads the degrees that lie beside the edges, a shard at a time: in-degrees, out-degrees and
// their sums; of an undirected graph, where these are the same edges, one.
func DescribeDegrees(ctx context.Context, g *garaph.Graph) ([]Degrees, error) {
	c, s := g.Catalogue(), g.Store()
	var in, out, total degreeCounts
	v := uint32(0) // the first vertex of shard k
	for k := range c.Shards {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ins, err := s.Degrees(shard.In, k)
		if err != nil {
			return nil, err
		}
		var outs []uint32
		if !c.Symmetric {
			if outs, err = s.Degrees(shard.Out, k); err != nil {
				return nil, err
			}
		}
		for i, d := range ins {
			if c.Symmetric {
				total.add(v+uint32(i), uint64(d))
				continue
			}
			in.add(v+uint32(i), uint64(d))
			out.add(v+uint32(i), uint64(outs[i]))
			total.add(v+uint32(i), uint64(d)+uint64(outs[i]))
		}
		v += uint32(len(ins))
	}
	var list []Degrees
	for _, d := range []struct {
		direction string
		counts    *degreeCounts
	}{{"in", &in}, {"out", &out}, {"total", &total}} {
		if d.counts.vertices == 0 {
			continue
		}
		info := d.counts.describe()
		info.Direction = d.direction
		var err error
		if info.MaxVertex, err = g.ID(gas.VertexID(d.counts.maxVertex)); err != nil {
			return nil, err
		}
		list = append(list, info)
	}
	return list, nil
}

// degreeCounts counts how many vertices have each degree. Large degrees are few: n different ones take n²/2 edges.
type degreeCounts struct {
	small     [1 << 12]uint64
	large     map[uint64]uint64
	vertices  uint64
	sum       uint64
	max       uint64
	maxVertex uint32
}

func (c *degreeCounts) add(v uint32, degree uint64) {
	if degree < uint64(len(c.small)) {
		c.small[degree]++
	} else {
		if c.large == nil {
			c.large = map[uint64]uint64{}
		}
		c.large[degree]++
	}
	c.vertices++
	c.sum += degree
	if degree > c.max || c.vertices == 1 {
		c.max, c.maxVertex = degree, v
	}
}

// each calls f with each degree that occurs, ascending, and the number of vertices that have it.
func (c *degreeCounts) each(f func(degree, vertices uint64)) {
	for d, n := range c.small {
		if n > 0 {
			f(uint64(d), n)
		}
	}
	for _, d := range slices.Sorted(maps.Keys(c.large)) {
		f(d, c.large[d])
	}
}

// describe returns the distribution. Median and p99 are the smallest degrees that half and 99 % of
// the vertices do not exceed.
func (c *degreeCounts) describe() Degrees {
	i := Degrees{Mean: float64(c.sum) / float64(c.vertices), Max: c.max, Bins: make([]DegreeBin, bits.Len64(c.max)+1)}
	for b := 1; b < len(i.Bins); b++ {
		i.Bins[b].From, i.Bins[b].To = 1<<(b-1), 1<<b-1
	}
	half, most := (c.vertices+1)/2, c.vertices-c.vertices/100
	seen := uint64(0)
	c.each(func(degree, vertices uint64) {
		if seen == 0 {
			i.Min = degree
		}
		if seen < half {
			i.Median = degree
		}
		if seen < most {
			i.P99 = degree
		}
		seen += vertices
		i.Bins[bits.Len64(degree)].Vertices += vertices
	})
	for b := range i.Bins {
		i.Bins[b].Share = float64(i.Bins[b].Vertices) / float64(c.vertices)
	}
	return i
}

// PrintDegrees prints a table with a column for each direction.
func PrintDegrees(w io.Writer, list []Degrees) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name string, cell func(Degrees) string) {
		cells := []string{name}
		for _, d := range list {
			cells = append(cells, cell(d))
		}
		fmt.Fprintln(table, strings.Join(cells, "\t")) // errors are kept until Flush
	}
	number := func(n uint64) string { return humanize.Comma(int64(n)) }
	row("degree", func(d Degrees) string { return d.Direction })
	row("minimum", func(d Degrees) string { return number(d.Min) })
	row("median", func(d Degrees) string { return number(d.Median) })
	row("mean", func(d Degrees) string { return strconv.FormatFloat(d.Mean, 'f', 2, 64) })
	row("99 %", func(d Degrees) string { return number(d.P99) })
	row("maximum", func(d Degrees) string { return number(d.Max) + " of vertex " + show.Printable(d.MaxVertex) })
	longest := slices.MaxFunc(list, func(a, b Degrees) int { return cmp.Compare(len(a.Bins), len(b.Bins)) })
	for i, b := range longest.Bins {
		row(degreesText(b), func(d Degrees) string {
			if i >= len(d.Bins) {
				return "–"
			}
			return fmt.Sprintf("%s, %.2f %%", number(d.Bins[i].Vertices), 100*d.Bins[i].Share)
		})
	}
	return table.Flush()
}

// degreesText returns a range of degrees.
func degreesText(b DegreeBin) string {
	text := humanize.Comma(int64(b.From))
	if b.To > b.From {
		text += "–" + humanize.Comma(int64(b.To))
	}
	return text
}

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
