package htmlreport

import (
	"html/template"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size of a plot, in the units of its SVG.
const width, height = 720, 320

// legendHeight is that of the row above a plot that names its series.
const legendHeight = 26

// Colours that can be distinguished, also by the colour-blind, on white and on
// black (Okabe and Ito). black is the colour of the text around the plot.
var (
	black     = color.Black
	grey      = color.NRGBA{128, 128, 128, 160}
	blue      = color.NRGBA{0, 114, 178, 255}
	vermilion = color.NRGBA{213, 94, 0, 255}
	green     = color.NRGBA{0, 158, 115, 255}
)

// shape is the regular polygon of a mark.
type shape struct {
	corners int     // 0: no marks
	angle   float64 // of the first corner, in full circles from the right
}

var (
	square   = shape{4, 1. / 8}
	diamond  = shape{4, 0}
	triangle = shape{3, 1. / 4}
	octagon  = shape{8, 1. / 16}
)

// outline is the shape about a point.
func (s shape) outline(center vg.Point, radius vg.Length) vg.Path {
	var p vg.Path
	for i := range s.corners {
		sin, cos := math.Sincos(2 * math.Pi * (s.angle + float64(i)/float64(s.corners)))
		corner := center.Add(vg.Point{X: vg.Length(cos), Y: vg.Length(sin)}.Scale(radius))
		if i == 0 {
			p.Move(corner)
		} else {
			p.Line(corner)
		}
	}
	p.Close()
	return p
}

// markedPoints is up to how many points of a line are marked; of more, only
// those that no line leads to.
const markedPoints = 100

// series is one kind of point: a line through them, marks at them, or both. It
// is drawn as one path each, so that thousands of points stay small. A point that
// an axis cannot show is a gap in the line.
type series struct {
	name   string // in the legend; "": not there
	points plotter.XYs
	color  color.Color
	line   draw.LineStyle // of width 0: none
	shape  shape
}

// chart is a plot of some series.
type chart struct {
	x, y   scale
	series []series
	points int     // of all series, that the axes can show
	level  float64 // of a dashed line over an axis of iterations; 0: none
	name   string  // of the dashed line
}

func (c *chart) shows(p plotter.XY) bool { return c.x.shows(p.X) && c.y.shows(p.Y) }

// add adds a series, unless the axes can show none of its points. It returns how
// many they can.
func (c *chart) add(s series) (shown int) {
	for _, p := range s.points {
		if c.shows(p) {
			shown++
		}
	}
	if shown > 0 {
		c.series = append(c.series, s)
		c.points += shown
	}
	return shown
}

// extent is what the axes are to show at least.
func (c *chart) extent() (low, high plotter.XY) {
	low, high = plotter.XY{X: math.Inf(1), Y: math.Inf(1)}, plotter.XY{X: math.Inf(-1), Y: math.Inf(-1)}
	if c.level > 0 {
		low.Y, high.Y = c.level, c.level
	}
	for _, s := range c.series {
		for _, q := range s.points {
			if c.shows(q) {
				low = plotter.XY{X: min(low.X, q.X), Y: min(low.Y, q.Y)}
				high = plotter.XY{X: max(high.X, q.X), Y: max(high.Y, q.Y)}
			}
		}
	}
	return low, high
}

// into draws the chart into a figure; one without points is left out.
func (c *chart) into(f *figure) {
	if c.points == 0 {
		return
	}
	radius := vg.Length(3)
	if c.points > 500 {
		radius = 2
	}
	p := plot.New()
	p.BackgroundColor = nil
	low, high := c.extent()
	set(&p.X, c.x, low.X, high.X)
	set(&p.Y, c.y, low.Y, high.Y)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = grey, grey
	p.Add(grid)
	var legend []drawn
	if c.level > 0 {
		dashed := series{
			name: c.name, points: plotter.XYs{{X: p.X.Min, Y: c.level}, {X: p.X.Max, Y: c.level}}, color: black,
			line: draw.LineStyle{Color: black, Width: 1, Dashes: []vg.Length{5, 4}},
		}
		p.Add(drawn{dashed, c, radius})
		legend = append(legend, drawn{dashed, c, 3})
	}
	for _, s := range c.series {
		p.Add(drawn{s, c, radius})
		if s.name != "" {
			legend = append(legend, drawn{s, c, 3})
		}
	}
	svg := vgsvg.New(width, height)
	canvas := draw.New(svg)
	p.Draw(draw.Crop(canvas, 6, -4, 0, -legendHeight))
	drawLegend(canvas, legend)
	var text strings.Builder
	_, _ = svg.WriteTo(&text) // nothing that could fail
	f.Width, f.Height, f.Plot = width, height, inside(text.String())
}

// inside is what an SVG document has in its outermost element. Black becomes
// the colour of the text around it.
func inside(document string) template.HTML {
	_, document, _ = strings.Cut(document, "<svg")
	_, document, _ = strings.Cut(document, ">")
	document = strings.TrimSuffix(strings.TrimSpace(document), "</svg>")
	return template.HTML(strings.ReplaceAll(document, "#000000", "currentColor"))
}

// set makes an axis.
func set(a *plot.Axis, s scale, low, high float64) {
	a.Min, a.Max = s.bounds(low, high)
	a.Padding = 0
	a.Tick.Marker = s
	a.Tick.Length = 5
	a.Label.Text = s.label
	a.Label.Padding = 4
	a.Label.TextStyle.Font, a.Tick.Label.Font = sans(11), sans(10)
}

func sans(size font.Length) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}

// drawn is a series on its chart.
type drawn struct {
	series
	chart  *chart
	radius vg.Length
}

// Plot draws the series.
func (d drawn) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var line, marks vg.Path
	shown := func(i int) bool { return i >= 0 && i < len(d.points) && d.chart.shows(d.points[i]) }
	all := d.line.Width == 0 || len(d.points) <= markedPoints
	for i, q := range d.points {
		if !shown(i) {
			continue
		}
		at := vg.Point{X: x(d.chart.x.at(q.X)), Y: y(d.chart.y.at(q.Y))}
		if shown(i - 1) {
			line.Line(at)
		} else {
			line.Move(at)
		}
		if alone := !shown(i-1) && !shown(i+1); d.shape.corners > 0 && (all || alone) {
			marks = append(marks, d.shape.outline(at, d.radius)...)
		}
	}
	d.paint(c, line, marks)
}

func (d drawn) paint(c draw.Canvas, line, marks vg.Path) {
	if d.line.Width > 0 {
		c.SetLineStyle(d.line)
		c.Stroke(line)
	}
	if len(marks) > 0 {
		c.SetColor(d.color)
		c.Fill(marks)
	}
}

// drawLegend names the series in a row at the top.
func drawLegend(c draw.Canvas, all []drawn) {
	style := draw.TextStyle{Color: black, Font: sans(11), Handler: plot.DefaultTextHandler, YAlign: draw.YCenter}
	at := vg.Point{X: c.Min.X + 12, Y: c.Max.Y - legendHeight/2}
	for _, d := range all {
		room := vg.Length(8)
		if d.line.Width > 0 {
			room = 22
		}
		var line, mark vg.Path
		line.Move(at)
		line.Line(at.Add(vg.Point{X: room}))
		if d.shape.corners > 0 {
			mark = d.shape.outline(at.Add(vg.Point{X: room / 2}), 4)
		}
		d.paint(c, line, mark)
		at.X += room + 6
		c.FillText(style, at, d.name)
		at.X += style.Width(d.name) + 24 // room for a wider font
	}
}
