package chart

import (
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The sizes of a chart, in units of its SVG. Text is 12 of them: on a page that
// shows a chart 390 pixels wide, as on a telephone, labels are 10 pixels high.
const (
	Width    = 480
	height   = 250 // without the legend
	fontSize = 12
	letter   = 6.8 // the width that a letter has in most fonts, and some room
	right    = 20  // half of a label at the end of the axis
	bottom   = 44
	tickLong = 5
)

// markedPoints is up to how many points of a line are marked; of more, only
// those that no line leads to.
const markedPoints = 100

// SVG is the chart: what is to be between <svg viewBox="0 0 Width height"> and </svg>.
func (c *Chart) SVG() (inside string, height float64) {
	if c.Empty() {
		return "", 0
	}
	d := c.layout()
	d.grid()
	all := c.drawn(d.left, Width-right)
	d.legend(all)
	for i, s := range all {
		if s.dashed {
			d.stroke(s, fmt.Sprintf("M%s %sH%d", place(d.left), place(d.y(s.Points[0].Y)), Width-right))
			continue
		}
		d.draw(&all[i])
	}
	return d.text.String(), d.height
}

// Write writes the chart as a file of its own, with a title.
func (c *Chart) Write(w io.Writer, title string) error {
	inside, height := c.SVG()
	const head = 24
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 %d %d %s" width="%d" color="#1a1a1a" fill="currentColor" font-family="Liberation Sans, Arial, sans-serif">
<rect y="%d" width="100%%" height="100%%" fill="#fff"/>
<text x="8" y="-7" font-size="%d" font-weight="bold">%s</text>
%s</svg>
`, -head, Width, place(height+head), 2*Width, -head, fontSize, html.EscapeString(title), inside)
	return err
}

// drawing is a chart that is being drawn.
type drawing struct {
	*Chart
	text           strings.Builder
	left, top      float64
	height         float64
	xFrom, xTo     float64 // places on the axes where they begin and end
	yFrom, yTo     float64
	xTicks, yTicks []tick
}

// layout decides what is where: the legend is above, with as many rows as it takes.
func (c *Chart) layout() *drawing {
	d := &drawing{Chart: c}
	low, high := c.extent()
	d.xFrom, d.xTo = c.X.bounds(low.X, high.X)
	d.yFrom, d.yTo = c.Y.bounds(low.Y, high.Y)
	d.xTicks, d.yTicks = c.X.ticks(d.xFrom, d.xTo), c.Y.ticks(d.yFrom, d.yTo)
	widest := 0
	for _, t := range d.yTicks {
		widest = max(widest, utf8.RuneCountInString(t.label))
	}
	d.left = fontSize + 10 + letter*float64(widest) + tickLong + 3
	_, rows := legendPlaces(c.drawn(0, 0), d.left)
	d.top = 8 + legendRow*float64(rows)
	d.height = d.top + height
	return d
}

func (d *drawing) x(value float64) float64 {
	return d.left + (d.X.at(value)-d.xFrom)/(d.xTo-d.xFrom)*(Width-right-d.left)
}

func (d *drawing) y(value float64) float64 { return d.yAt(d.Y.at(value)) }

func (d *drawing) yAt(at float64) float64 {
	end := d.height - bottom
	return end - (at-d.yFrom)/(d.yTo-d.yFrom)*(end-d.top)
}

// place writes a coordinate.
func place(x float64) string {
	return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64)
}

func (d *drawing) label(x, y float64, anchor, more, text string) {
	fmt.Fprintf(&d.text, "<text x=\"%s\" y=\"%s\" font-size=\"%d\" text-anchor=\"%s\"%s>%s</text>\n",
		place(x), place(y), fontSize, anchor, more, html.EscapeString(text))
}

// grid draws the axes, their ticks and labels, and lines at labelled ticks.
func (d *drawing) grid() {
	var lines, axes strings.Builder
	end := d.height - bottom
	fmt.Fprintf(&axes, "M%s %sV%sH%d", place(d.left), place(d.top), place(end), Width-right)
	for _, t := range d.xTicks {
		x, long := d.left+(t.at-d.xFrom)/(d.xTo-d.xFrom)*(Width-right-d.left), tickLong/2.
		if t.label != "" {
			long = tickLong
			fmt.Fprintf(&lines, "M%s %sV%s", place(x), place(d.top), place(end))
			d.label(x, end+tickLong+fontSize, "middle", "", t.label)
		}
		fmt.Fprintf(&axes, "M%s %sv%s", place(x), place(end), place(long))
	}
	for _, t := range d.yTicks {
		y, long := d.yAt(t.at), tickLong/2.
		if t.label != "" {
			long = tickLong
			fmt.Fprintf(&lines, "M%s %sH%d", place(d.left), place(y), Width-right)
			d.label(d.left-tickLong-3, y+fontSize/3., "end", "", t.label)
		}
		fmt.Fprintf(&axes, "M%s %sh-%s", place(d.left), place(y), place(long))
	}
	fmt.Fprintf(&d.text, "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"0.4\"/>\n", lines.String(), Grey)
	fmt.Fprintf(&d.text, "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"0.8\"/>\n", axes.String(), Text)
	d.label((d.left+Width-right)/2, d.height-8, "middle", "", d.X.Label)
	x, y := place(fontSize), place((d.top+end)/2)
	d.label(fontSize, (d.top+end)/2, "middle", fmt.Sprintf(" transform=\"rotate(-90 %s %s)\"", x, y), d.Y.Label)
}

// draw draws a series: its line, and its marks.
func (d *drawing) draw(s *Series) {
	radius := 2.5
	if d.points > 500 {
		radius = 1.5
	}
	var line, marks strings.Builder
	shown := func(i int) bool { return i >= 0 && i < len(s.Points) && d.shows(s.Points[i]) }
	all := s.Line == 0 || len(s.Points) <= markedPoints
	for i, p := range s.Points {
		if !shown(i) {
			continue
		}
		x, y := d.x(p.X), d.y(p.Y)
		to := byte('L')
		if !shown(i - 1) {
			to = 'M'
		}
		line.WriteByte(to)
		line.WriteString(place(x) + " " + place(y))
		if alone := !shown(i-1) && !shown(i+1); s.Shape.corners > 0 && (all || alone) {
			s.Shape.outline(&marks, x, y, radius)
		}
	}
	if s.Line > 0 {
		d.stroke(*s, line.String())
	}
	d.fill(s.Color, marks.String())
}

func (d *drawing) stroke(s Series, path string) {
	dashes := ""
	if s.dashed {
		dashes = ` stroke-dasharray="5 4"`
	}
	fmt.Fprintf(&d.text, "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s/>\n", path, s.Color, place(s.Line), dashes)
}

func (d *drawing) fill(c Color, path string) {
	if path != "" {
		fmt.Fprintf(&d.text, "<path d=\"%s\" fill=\"%s\"/>\n", path, c)
	}
}

// outline is the shape about a point.
func (s Shape) outline(path *strings.Builder, x, y, radius float64) {
	to := "M"
	for i := range s.corners {
		sin, cos := math.Sincos(2 * math.Pi * (s.angle + float64(i)/float64(s.corners)))
		path.WriteString(to + place(x+radius*cos) + " " + place(y-radius*sin))
		to = "L"
	}
	path.WriteByte('Z')
}
