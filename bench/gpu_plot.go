package bench

import (
	"errors"
	"fmt"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// WritePlot draws the time of each shard's pull in each way to gather, as a PNG:
// even lines where replication balances the shards (Garaph, section 4.3).
func (r *GPUReport) WritePlot(w io.Writer) error {
	if len(r.Replication) == 0 {
		return errors.New("there is nothing to plot: kernels were not timed")
	}
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Pull of each shard, %s", r.GPU.Name)
	p.X.Label.Text, p.Y.Label.Text = "shard", "ns per edge"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Legend.Top = true
	for i, x := range r.Replication {
		points := make(plotter.XYs, len(x.Shards))
		for k, s := range x.Shards {
			points[k] = plotter.XY{X: float64(s), Y: 1e9 * x.PerEdge.Values[k]}
		}
		dots, err := plotter.NewScatter(points)
		if err != nil {
			return fmt.Errorf("plot %s: %w", x.Name, err)
		}
		dots.Color, dots.Shape, dots.Radius = plotutil.Color(i), plotutil.Shape(i), vg.Points(1.5)
		p.Add(dots)
		p.Legend.Add(x.Name, dots)
	}
	p.Y.Min, p.Y.Max = p.Y.Min/1.2, p.Y.Max*1.2 // never one number alone, for which the scale has no room
	png, err := p.WriterTo(24*vg.Centimeter, 14*vg.Centimeter, "png")
	if err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	_, err = png.WriteTo(w)
	return err
}
