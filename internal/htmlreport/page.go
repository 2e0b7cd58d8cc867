// Package htmlreport writes what a run did as one HTML page: its facts in a
// table and plots as inline SVG. The page needs no network, no other file and
// no script, and the same run gives the same bytes.
package htmlreport

import (
	_ "embed" // the template
	"fmt"
	"html/template"
	"io"

	"github.com/garaph/garaph/dispatcher"
)

// Run is what a page shows.
type Run struct {
	Title  string
	Facts  []Fact
	Report dispatcher.Report
	Pages  Pages
}

// Fact is a row of the page's table.
type Fact struct{ Name, Value string }

// figure is a plot with its caption, or, where there is nothing to plot, a
// caption that says so.
type figure struct {
	ID, Title, Caption string
	Width, Height      float64
	Plot               template.HTML // the inside of an SVG element
}

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Write writes the page.
func Write(w io.Writer, r Run) error {
	page := struct {
		Title   string
		Facts   []Fact
		Figures []figure
	}{r.Title, r.Facts, []figure{
		timeFigure(r.Report.Iterations),
		fractionFigure(r.Report),
		alphaFigure(r.Report),
		computeFigure(&r.Pages),
		copyFigure(&r.Pages),
	}}
	if err := pageTemplate.Execute(w, page); err != nil {
		return fmt.Errorf("page of a run: %w", err)
	}
	return nil
}
