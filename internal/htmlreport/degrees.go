package htmlreport

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"math"

	"github.com/dustin/go-humanize"
)

// Degrees is the page of how the degrees of a graph are distributed.
type Degrees struct {
	Title         string
	Facts         []Fact
	Distributions []Distribution
}

// Distribution has how many vertices there are of each range of degrees in a direction.
type Distribution struct {
	Direction string
	Caption   string
	Bins      []Bin
}

// Bin is a range of degrees.
type Bin struct {
	Name     string
	Vertices uint64
	Share    float64 // of all vertices
}

// Length is how long the bar of a bin is, in percent: by the logarithm of its vertices, for hubs are few.
func (b Bin) Length(most uint64) string {
	if b.Vertices == 0 {
		return "0"
	}
	return fmt.Sprintf("%.1f", 100*math.Log1p(float64(b.Vertices))/math.Log1p(float64(most)))
}

// Text is the number and the share.
func (b Bin) Text() string {
	return fmt.Sprintf("%s (%.2f %%)", humanize.Comma(int64(b.Vertices)), 100*b.Share)
}

// Most is the number of vertices in the fullest bin.
func (d Distribution) Most() (n uint64) {
	for _, b := range d.Bins {
		n = max(n, b.Vertices)
	}
	return n
}

// WriteDegrees writes the page. Its plots are bars of text, which stay readable on a narrow screen.
func WriteDegrees(w io.Writer, d Degrees) error {
	var page bytes.Buffer
	writeHead(&page, d.Title, d.Facts)
	for i := range d.Distributions {
		d.Distributions[i].write(&page)
	}
	page.WriteString(end)
	if _, err := page.WriteTo(w); err != nil {
		return fmt.Errorf("page of degrees: %w", err)
	}
	return nil
}

func (d *Distribution) write(page *bytes.Buffer) {
	title := "Edges of a vertex"
	switch d.Direction {
	case "in":
		title = "Edges into a vertex"
	case "out":
		title = "Edges out of a vertex"
	}
	fmt.Fprintf(page, "<figure id=\"%s\">\n<h2>%s</h2>\n<dl class=\"bars\">\n", html.EscapeString(d.Direction), title)
	most := d.Most()
	for _, b := range d.Bins {
		fmt.Fprintf(page, "<dt>%s</dt><dd><i style=\"width:%s%%\"></i><span>%s</span></dd>\n", html.EscapeString(b.Name), b.Length(most), html.EscapeString(b.Text()))
	}
	fmt.Fprintf(page, "</dl>\n<figcaption>%s. Bars are by the logarithm of the number of vertices.</figcaption>\n</figure>\n", html.EscapeString(d.Caption))
}
