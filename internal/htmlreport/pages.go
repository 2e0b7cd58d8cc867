package htmlreport

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/internal/chart"
)

// computeFigure shows what replication brings: the time of pages by their edges.
func computeFigure(p *Pages) figure {
	f := figure{ID: "pages", Title: "Time of a page, with and without replicated accumulators"}
	c := chart.Chart{X: chart.Scale{Label: "edges of the page", Log: true}, Y: secondsAxis("compute time", true)}
	var gone []string
	seen, kept, wrong := 0, 0, 0
	for i, s := range pageStyles {
		for _, w := range p.series[i].pages {
			s.Points = append(s.Points, chart.Point{X: float64(w.Edges), Y: w.Compute})
		}
		shown := c.Add(s)
		seen, kept, wrong = seen+p.series[i].seen, kept+len(s.Points), wrong+len(s.Points)-shown
		if shown == 0 {
			gone = append(gone, s.Name)
		}
	}
	if seen == 0 {
		f.Caption = "The engine reported no page."
		return f
	}
	f.draw(&c)
	if seen == p.series[onCPU].seen {
		f.Title = "Time of a page"
		f.Caption = caption("All pages were done by the CPU.", sampled(kept, seen), leftOut(wrong, "page", "pages", "edges or a time"))
		return f
	}
	absent := ""
	if len(gone) > 0 {
		absent = fmt.Sprintf("There is no page of: %s.", strings.Join(gone, "; "))
	}
	f.Caption = caption("On the GPU a page is a batch, and the time its own, without copies.", absent, sampled(kept, seen), leftOut(wrong, "page", "pages", "edges or a time"))
	return f
}

var pageStyles = [pageSeries]chart.Series{
	onCPU:        {Name: "CPU", Color: chart.Blue, Shape: chart.Octagon},
	onReplicated: {Name: "GPU, replicated", Color: chart.Vermilion, Shape: chart.Diamond},
	onSingle:     {Name: "GPU, one accumulator each", Color: chart.Green, Shape: chart.Triangle},
}

func sampled(kept, seen int) string {
	if kept == seen {
		return ""
	}
	return fmt.Sprintf("Shown is an even sample: %s of %s.", humanize.Comma(int64(kept)), count(seen, "page", "pages"))
}

// copyFigure shows the time of copies to the GPU by their bytes.
func copyFigure(p *Pages) figure {
	f := figure{ID: "copies", Title: "Time of a copy to the GPU"}
	s := chart.Series{Name: "copy of a page", Color: chart.Vermilion, Shape: chart.Diamond}
	c := chart.Chart{X: chart.Scale{Label: "size (bytes)", Unit: "B", Log: true}, Y: secondsAxis("copy time", true)}
	seen, kept, still := 0, 0, 0
	for _, i := range []int{onReplicated, onSingle} {
		for _, w := range p.series[i].pages {
			if w.Bytes == 0 && w.Copy == 0 {
				still++
			}
			s.Points = append(s.Points, chart.Point{X: float64(w.Bytes), Y: w.Copy})
		}
		seen, kept = seen+p.series[i].seen, kept+len(p.series[i].pages)
	}
	shown := c.Add(s)
	switch {
	case seen == 0:
		f.Caption = "No page was copied to a GPU."
		return f
	case still == kept:
		f.Caption = "No page was copied: all edges that the GPU gathered along stayed there."
		return f
	}
	f.draw(&c)
	stayed := ""
	if still > 0 {
		stayed = count(still, "page", "pages") + " had nothing to copy."
	}
	f.Caption = caption(count(shown, "copy", "copies")+".", stayed, sampled(kept, seen), leftOut(kept-still-shown, "copy", "copies", "bytes or a time"))
	return f
}
