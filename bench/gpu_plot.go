package bench

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/garaph/garaph/internal/chart"
)

// plotStyles are those of the ways to gather, in the order of the table.
var plotStyles = []chart.Series{
	{Color: chart.Blue, Shape: chart.Octagon},
	{Color: chart.Vermilion, Shape: chart.Diamond},
	{Color: chart.Green, Shape: chart.Triangle},
	{Color: chart.Orange, Shape: chart.Square},
	{Color: chart.Purple, Shape: chart.Octagon},
	{Color: chart.Sky, Shape: chart.Diamond},
}

// WritePlot draws the time of each shard's pull in each way to gather, as SVG:
// even lines where replication balances the shards (Garaph, section 4.3).
func (r *Report) WritePlot(w io.Writer) error {
	i := slices.IndexFunc(r.Tables, func(t *Table) bool { return t.Columns[len(t.Columns)-1].Name == perEdge })
	if i < 0 {
		return errors.New("there is nothing to plot: kernels were not timed")
	}
	c := chart.Chart{X: chart.Scale{Label: "shards with edges", Whole: true}, Y: chart.Scale{Label: "time of an edge", Unit: "s", Log: true}}
	for i, row := range r.Tables[i].Rows {
		s := plotStyles[i%len(plotStyles)]
		s.Name = row[0].(string)
		for k, seconds := range row[len(row)-1].(*Spread).Values {
			s.Points = append(s.Points, chart.Point{X: float64(k), Y: seconds})
		}
		c.Add(s)
	}
	if c.Empty() {
		return errors.New("there is nothing to plot: no shard has a time")
	}
	if err := c.Write(w, fmt.Sprintf("Pull of each shard, %s", r.GPU.Name)); err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	return nil
}
