package htmlreport

import (
	_ "embed" // the template
	"fmt"
	"html/template"
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

//go:embed degrees.html
var degreesText string

var degreesTemplate = template.Must(template.New("degrees").Parse(degreesText))

// WriteDegrees writes the page. Its plots are bars of text, which stay readable on a narrow screen.
func WriteDegrees(w io.Writer, d Degrees) error {
	if err := degreesTemplate.Execute(w, d); err != nil {
		return fmt.Errorf("page of degrees: %w", err)
	}
	return nil
}
