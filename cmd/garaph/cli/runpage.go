package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/internal/htmlreport"
)

// mostOnPage is how many vertices a page shows.
const mostOnPage = 1000

// runPage collects what a run did, for the page of --report.
type runPage struct {
	path  string
	pages htmlreport.Pages
}

// save writes the page of a run that is done, with the vertices that --top prints.
func (p *runPage) save(ctx context.Context, t *task) error {
	top := htmlreport.Table{Title: "First vertices", Columns: []string{"rank", "id", t.heading()}}
	n := min(cmp.Or(*t.flags.top, defaultTop), mostOnPage)
	rows, err := newTopRows(cancellable{t.result.Table(t.program.column()), ctx}, n, t.program.Ranking)
	if err == nil {
		defer rows.close()
		err = rows.each(func(r topRow) error {
			top.Rows = append(top.Rows, []string{strconv.Itoa(r.Rank), printable(fmt.Sprint(r.ID)), r.valueText()})
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("page of a run: %w", err)
	}
	page := htmlreport.Page{
		Title: fmt.Sprintf("%s on %s", t.program.Name, t.name()), Facts: t.facts(), Top: top,
		Plots: htmlreport.RunPlots(t.result.Report, &p.pages),
	}
	return writeWhole(p.path, true, func(w io.Writer) error { return htmlreport.Write(w, page) })
}

// facts returns the facts of the run, for a reader.
func (t *task) facts() []htmlreport.Fact {
	r, c, number := t.result.Report, t.input.graph.Catalogue(), func(n int) string { return humanize.Comma(int64(n)) }
	host, _ := os.Hostname()
	end, gpu, where := t.end(), "none", "from disk"
	if r.Before > 0 {
		end = number(r.Before) + " of them before it was resumed; " + end
	}
	if r.GPU != "" {
		gpu = fmt.Sprintf("%s; %s of its memory, where %s edges stayed", r.GPU, bytesText(r.GPUMemory), countText(float64(r.Resident)))
	}
	if r.Lost != "" {
		gpu += "; lost: " + r.Lost
	}
	if r.InMemory {
		where = "in memory"
	}
	facts := []htmlreport.Fact{
		{"Date", time.Now().Format("2006-01-02 15:04:05 -07:00")},
		{"Version", versionText()},
		{"Host", printable(host) + ", " + counted(int64(runtime.NumCPU()), "processor", "processors")},
		{"Program", t.program.Name + ": " + t.program.Short},
		{"Graph", fmt.Sprintf("%s: %s vertices, %s edges", t.name(), number(int(c.Vertices)), number(int(c.Edges)))},
		{"Parameters", parametersText(t.parameters())},
		{"GPU", gpu},
		{"Iterations", number(r.Done()) + "; " + end},
		{"Time", seconds(r.Duration) + ", and " + seconds(r.Load) + " of loading before"},
		{"Speed", countText(perSecond(float64(r.Edges), r.Duration)) + " edges/s, " + where},
		{"Peak memory (RSS)", bytesText(t.peakMemory())},
	}
	for _, d := range slices.Sorted(maps.Keys(r.Devices)) {
		did := r.Devices[d]
		text := fmt.Sprintf("%.3g s for %s edges (%s: %s)", did.Seconds, countText(float64(did.Edges)), pagesOf(d), number(did.Pages))
		facts = append(facts, htmlreport.Fact{"Device " + string(d), text})
	}
	return facts
}

// parametersText returns the parameters in the order of their names.
func parametersText(all map[string]any) string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		value := all[name]
		switch x := value.(type) {
		case json.RawMessage:
			value = string(x)
		case int64: // of memory and gpu_memory
			value = bytesText(x)
		}
		texts = append(texts, fmt.Sprint(name, " ", value))
	}
	return strings.Join(texts, ", ")
}
