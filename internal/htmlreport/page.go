// Package htmlreport writes HTML pages with tables and plots. A page is one file, with the
// plotting library uPlot (MIT licence, in the folder uplot) in it; it needs no network.
package htmlreport

import (
	_ "embed" // the page and the library
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
)

// Page is the content of a page.
type Page struct {
	Title    string
	Sections []Section
}

// Section is a part of a page under a title, if that is not empty. The table is left out if it has no columns.
type Section struct {
	Title string
	Facts []Fact
	Table Table
	Plots []Plot
}

// A Fact is a row of a table: a name and a value.
type Fact [2]string

// Table is a table of text.
type Table struct {
	Title   string
	Columns []string
	Rows    [][]string
}

// Plot shows series over a common x axis.
type Plot struct {
	Title, Caption string
	X, Y           Axis
	Series         []Series
	Data           [][]Value // x in ascending order, then y of each series
}

// Axis is a linear or logarithmic axis. Labels of its ticks have the unit, with a prefix; they are integers if
// Whole is set.
type Axis struct {
	Label, Unit string
	Log, Whole  bool
}

// Series is drawn as a line, as dots, as bars around their places, or dashed.
type Series struct {
	Name, Color        string
	Dots, Bars, Dashed bool
}

// Value is a number, or NaN for a gap.
type Value float64

var gap = Value(math.NaN())

// MarshalJSON writes null for what no axis can show.
func (v Value) MarshalJSON() ([]byte, error) {
	if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

// Colors can be distinguished, also by the colour-blind (Okabe and Ito).
var Colors = [...]string{"#0072b2", "#d55e00", "#009e73", "#56b4e9", "#e69f00", "#cc79a7", "#000000"}

const grey = "#888888"

// Add adds a series unless it is all gaps. On a logarithmic axis, numbers ≤ 0 are gaps.
func (p *Plot) Add(s Series, values []Value) {
	empty := true
	for i, v := range values {
		if p.Y.Log && v <= 0 {
			values[i] = gap
		}
		empty = empty && math.IsNaN(float64(values[i]))
	}
	if !empty {
		p.Series, p.Data = append(p.Series, s), append(p.Data, values)
	}
}

var (
	//go:embed page.html
	text string
	//go:embed uplot/uPlot.iife.min.js
	script string
	//go:embed uplot/uPlot.min.css
	style string
)

// Write writes the page. It does not use html/template, which keeps the linker from dropping unused methods.
func Write(w io.Writer, p Page) error {
	for i, s := range p.Sections {
		p.Sections[i].Plots = slices.DeleteFunc(s.Plots, func(p Plot) bool { return len(p.Series) == 0 })
	}
	data, err := json.Marshal(p) // escapes <, > and &
	if err != nil {
		return err
	}
	r := strings.NewReplacer("TITLE", html.EscapeString(p.Title), "STYLE", style, "SCRIPT", script, "DATA", string(data))
	if _, err := r.WriteString(w, text); err != nil {
		return fmt.Errorf("HTML page: %w", err)
	}
	return nil
}
