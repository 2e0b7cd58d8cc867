package bench

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// WritePlot draws the time of each shard's pull in each way to gather, as a PNG:
// even lines where replication balances the shards (Garaph, section 4.3).
func (r *Report) WritePlot(w io.Writer) error {
	i := slices.IndexFunc(r.Tables, func(t *Table) bool { return t.Columns[len(t.Columns)-1].Name == perEdge })
	if i < 0 {
		return errors.New("there is nothing to plot: kernels were not timed")
	}
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Pull of each shard, %s", r.GPU.Name)
	p.X.Label.Text, p.Y.Label.Text = "shards with edges", "ns per edge"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Legend.Top = true
	for i, row := range r.Tables[i].Rows {
		name, seconds := row[0].(string), row[len(row)-1].(*Spread)
		points := make(plotter.XYs, len(seconds.Values))
		for k, s := range seconds.Values {
			points[k] = plotter.XY{X: float64(k), Y: 1e9 * s}
		}
		dots, err := plotter.NewScatter(points)
		if err != nil {
			return fmt.Errorf("plot %s: %w", name, err)
		}
		dots.Color, dots.Shape, dots.Radius = plotutil.Color(i), plotutil.Shape(i), vg.Points(1.5)
		p.Add(dots)
		p.Legend.Add(name, dots)
	}
	p.Y.Min, p.Y.Max = p.Y.Min/1.2, p.Y.Max*1.2 // never one number alone, for which the scale has no room
	png, err := p.WriterTo(24*vg.Centimeter, 14*vg.Centimeter, "png")
	if err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	_, err = png.WriteTo(w)
	return err
}
