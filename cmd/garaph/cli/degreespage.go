package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/internal/htmlreport"
)

// writeDegrees writes the page of how degrees are distributed.
func writeDegrees(path string, i graphInfo) error {
	page := htmlreport.Degrees{Title: "Degrees of " + i.Graph}
	fact := func(name, value string) { page.Facts = append(page.Facts, htmlreport.Fact{Name: name, Value: value}) }
	fact("Graph", i.Graph)
	fact("Vertices", humanize.Comma(int64(i.Vertices)))
	fact("Edges", humanize.Comma(int64(i.Edges)))
	fact("Fingerprint", i.Fingerprint)
	fact("Imported", i.Created.Format(time.RFC3339))
	for _, d := range i.Degrees {
		x := htmlreport.Distribution{Direction: d.Direction, Caption: fmt.Sprintf("minimum %s, median %s, mean %.2f, 99 %% have %s or fewer; the most, %s, has vertex %s",
			humanize.Comma(int64(d.Min)), humanize.Comma(int64(d.Median)), d.Mean, humanize.Comma(int64(d.P99)), humanize.Comma(int64(d.Max)), printable(d.MaxVertex))}
		for _, b := range d.Bins {
			x.Bins = append(x.Bins, htmlreport.Bin{Name: degreesText(b), Vertices: b.Vertices, Share: b.Share})
		}
		page.Distributions = append(page.Distributions, x)
	}
	return writeWhole(path, true, func(w io.Writer) error { return htmlreport.WriteDegrees(w, page) })
}

// degreesText is a range of degrees.
func degreesText(b degreeBin) string {
	text := humanize.Comma(int64(b.From))
	if b.To > b.From {
		text += "–" + humanize.Comma(int64(b.To))
	}
	return text
}
