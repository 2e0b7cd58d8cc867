package chart

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// legendRow is the height of a row of names above a chart.
const legendRow = 18

// sampleRoom is the width of what stands before a name.
func (s *Series) sampleRoom() float64 {
	if s.Line > 0 {
		return 18
	}
	return 8
}

// legendPlaces is where each name's sample begins, row by row from left; names
// that are "" have no place.
func legendPlaces(all []Series, left float64) (places []Point, rows int) {
	x := left
	for i := range all {
		s := &all[i]
		places = append(places, Point{})
		if s.Name == "" {
			continue
		}
		long := s.sampleRoom() + 5 + letter*float64(utf8.RuneCountInString(s.Name))
		if rows == 0 || x+long > Width-right {
			x = left
			rows++
		}
		places[i] = Point{x, 4 + legendRow*(float64(rows)-0.5)}
		x += long + 10
	}
	return places, rows
}

// legend names the series.
func (d *drawing) legend(all []Series) {
	places, _ := legendPlaces(all, d.left)
	for i, s := range all {
		if s.Name == "" {
			continue
		}
		at, room := places[i], s.sampleRoom()
		if s.Line > 0 {
			d.stroke(s, fmt.Sprintf("M%s %sh%s", place(at.X), place(at.Y), place(room)))
		}
		var mark strings.Builder
		if s.Shape.corners > 0 {
			s.Shape.outline(&mark, at.X+room/2, at.Y, 3.5)
		}
		d.fill(s.Color, mark.String())
		d.label(at.X+room+5, at.Y+fontSize/3., "start", "", s.Name)
	}
}
