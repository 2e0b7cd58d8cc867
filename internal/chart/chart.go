// Package chart draws lines and marks over two axes as SVG: no fonts, no
// pictures, no script, and the same numbers give the same bytes.
package chart

import "math"

// A Color can be distinguished from the others, also by the colour-blind, on white
// and on black (Okabe and Ito).
type Color string

// The colours. Text is that of the text around the chart.
const (
	Text      Color = "currentColor"
	Grey      Color = "#888888"
	Blue      Color = "#0072b2"
	Vermilion Color = "#d55e00"
	Green     Color = "#009e73"
	Orange    Color = "#e69f00"
	Purple    Color = "#cc79a7"
	Sky       Color = "#56b4e9"
)

// Shape is the regular polygon of a mark.
type Shape struct {
	corners int     // 0: no marks
	angle   float64 // of the first corner, in full circles from the right
}

// The shapes.
var (
	Square   = Shape{4, 1. / 8}
	Diamond  = Shape{4, 0}
	Triangle = Shape{3, 1. / 4}
	Octagon  = Shape{8, 1. / 16}
)

// Point is a point of a series.
type Point struct{ X, Y float64 }

// Series is one kind of point: a line through them, marks at them, or both. It
// is drawn as one path each, so that thousands of points stay small. A point that
// an axis cannot show is a gap in the line.
type Series struct {
	Name   string // in the legend; "": not there
	Points []Point
	Color  Color
	Line   float64 // its width; 0: none
	Shape  Shape
	dashed bool
}

// Chart is a plot of some series.
type Chart struct {
	X, Y   Scale
	Level  float64 // of a dashed line, from one end of X to the other; 0: none
	Name   string  // of the dashed line
	series []Series
	points int // of all series, that the axes can show
}

func (c *Chart) shows(p Point) bool { return c.X.Shows(p.X) && c.Y.Shows(p.Y) }

// Add adds a series, unless the axes can show none of its points. It returns how
// many they can.
func (c *Chart) Add(s Series) (shown int) {
	for _, p := range s.Points {
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

// Empty reports whether there is nothing to draw.
func (c *Chart) Empty() bool { return c.points == 0 }

// extent is what the axes are to show at least.
func (c *Chart) extent() (low, high Point) {
	low, high = Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	if c.Level > 0 {
		low.Y, high.Y = c.Level, c.Level
	}
	for _, s := range c.series {
		for _, p := range s.Points {
			if c.shows(p) {
				low = Point{min(low.X, p.X), min(low.Y, p.Y)}
				high = Point{max(high.X, p.X), max(high.Y, p.Y)}
			}
		}
	}
	return low, high
}

// drawn is what is drawn, in this order: the dashed line, and the series.
func (c *Chart) drawn(from, to float64) []Series {
	if c.Level == 0 {
		return c.series
	}
	level := Series{Name: c.Name, Points: []Point{{from, c.Level}, {to, c.Level}}, Color: Text, Line: 1, dashed: true}
	return append([]Series{level}, c.series...)
}
