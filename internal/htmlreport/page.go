// Package htmlreport writes what a run did as one HTML page: its facts and its
// top vertices in tables, and plots as inline SVG. The page needs no network, no
// other file and no script, and the same run gives the same bytes.
package htmlreport

import (
	"bytes"
	_ "embed" // the head of a page
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/internal/chart"
)

// Run is what a page shows.
type Run struct {
	Title  string
	Facts  []Fact
	Top    Table // of vertices; without columns it is left out
	Report dispatcher.Report
	Pages  Pages
}

// Fact is a row of the page's table.
type Fact struct{ Name, Value string }

// Table is a table of text.
type Table struct {
	Title   string
	Columns []string
	Rows    [][]string
}

// figure is a plot with its caption, or, where there is nothing to plot, a
// caption that says so.
type figure struct {
	ID, Title, Caption string
	height             float64
	plot               string // the inside of an SVG element
}

// draw makes the plot; a chart without points is left out.
func (f *figure) draw(c *chart.Chart) { f.plot, f.height = c.SVG() }

// head is a page up to its content; TITLE stands for the title.
//
//go:embed page.html
var head string

// Write writes the page.
func Write(w io.Writer, r Run) error {
	var page bytes.Buffer
	writeHead(&page, r.Title, r.Facts)
	r.Top.write(&page)
	for _, f := range r.figures() {
		f.write(&page)
	}
	page.WriteString(end)
	if _, err := page.WriteTo(w); err != nil {
		return fmt.Errorf("page of a run: %w", err)
	}
	return nil
}

// writeHead writes a page up to its facts. It is not html/template: docs/decisions.md
// says what that costs.
func writeHead(page *bytes.Buffer, title string, facts []Fact) {
	title = html.EscapeString(title)
	page.WriteString(strings.Replace(head, "TITLE", title, 1))
	fmt.Fprintf(page, "<h1>%s</h1>\n<table>\n<tbody>\n", title)
	for _, f := range facts {
		fmt.Fprintf(page, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", html.EscapeString(f.Name), html.EscapeString(f.Value))
	}
	page.WriteString("</tbody>\n</table>\n")
}

// end is what follows the content of a page.
const end = "</main>\n</body>\n</html>\n"

// figures are the plots. Without a GPU nothing is chosen by its speed, or copied.
func (r *Run) figures() []figure {
	all := []figure{timeFigure(r.Report.Iterations), fractionFigure(r.Report)}
	alpha, copies := alphaFigure(r.Report), copyFigure(&r.Pages)
	if r.Report.GPU != "" || alpha.plot != "" {
		all = append(all, alpha)
	}
	all = append(all, computeFigure(&r.Pages))
	if r.Report.GPU != "" || copies.plot != "" {
		all = append(all, copies)
	}
	return all
}

func (f *figure) write(page *bytes.Buffer) {
	fmt.Fprintf(page, "<figure id=\"%s\">\n<h2 id=\"%[1]s-title\">%s</h2>\n", f.ID, html.EscapeString(f.Title))
	if f.plot != "" {
		fmt.Fprintf(page, "<svg viewBox=\"0 0 %d %.0f\" role=\"img\" aria-labelledby=\"%s-title\">\n%s</svg>\n", chart.Width, f.height, f.ID, f.plot)
	}
	fmt.Fprintf(page, "<figcaption>%s</figcaption>\n</figure>\n", html.EscapeString(f.Caption))
}

// write writes the table.
func (t *Table) write(page *bytes.Buffer) {
	if len(t.Columns) == 0 {
		return
	}
	fmt.Fprintf(page, "<section id=\"top\">\n<h2>%s</h2>\n<table>\n<thead>\n<tr>", html.EscapeString(t.Title))
	for _, c := range t.Columns {
		fmt.Fprintf(page, "<th scope=\"col\">%s</th>", html.EscapeString(c))
	}
	page.WriteString("</tr>\n</thead>\n<tbody>\n")
	for _, row := range t.Rows {
		page.WriteString("<tr>")
		for _, cell := range row {
			fmt.Fprintf(page, "<td>%s</td>", html.EscapeString(cell))
		}
		page.WriteString("</tr>\n")
	}
	page.WriteString("</tbody>\n</table>\n</section>\n")
}
