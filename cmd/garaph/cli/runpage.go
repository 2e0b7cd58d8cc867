package cli

import (
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

// runPage collects what a run did, for the page of --report.
type runPage struct {
	path  string
	pages htmlreport.Pages
}

// newRunPage returns nil for no path. The error is the one that writing would end
// with, before the job.
func newRunPage(path string, inputs []string) (*runPage, error) {
	if path == "" {
		return nil, nil
	}
	return &runPage{path: path}, checkBeside("the report", path, inputs)
}

// save writes the page of a run that is done.
func (p *runPage) save(ctx context.Context, t *task) error {
	top, err := t.topTable(ctx)
	if err != nil {
		return fmt.Errorf("page of a run: %w", err)
	}
	run := htmlreport.Run{
		Title: fmt.Sprintf("%s on %s", t.program.Name, t.name()),
		Facts: t.facts(), Top: top, Report: t.result.Report, Pages: p.pages,
	}
	return writeWhole(p.path, true, func(w io.Writer) error { return htmlreport.Write(w, run) })
}

// topTable has the vertices that --top prints, ten of them without it.
func (t *task) topTable(ctx context.Context) (htmlreport.Table, error) {
	n := *t.flags.top
	if n == 0 {
		n = defaultTop
	}
	n = min(n, mostOnPage)
	table := htmlreport.Table{Title: "First vertices", Columns: []string{"rank", "id", t.heading()}}
	rows, err := newTopRows(cancellable{t.result.Table(t.program.column()), ctx}, n, t.program.Ranking)
	if err != nil {
		return table, err
	}
	defer rows.close()
	err = rows.each(func(r topRow) error {
		table.Rows = append(table.Rows, []string{strconv.Itoa(r.Rank), printable(fmt.Sprint(r.ID)), r.valueText()})
		return nil
	})
	return table, err
}

// mostOnPage is how many vertices a page shows.
const mostOnPage = 1000

// facts are those of the run, for a reader.
func (t *task) facts() []htmlreport.Fact {
	r, c := t.result.Report, t.input.graph.Catalogue()
	var all []htmlreport.Fact
	fact := func(name, format string, args ...any) {
		all = append(all, htmlreport.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	fact("Date", "%s", time.Now().Format("2006-01-02 15:04:05 -07:00"))
	fact("Version", "%s", versionText())
	if host, err := os.Hostname(); err == nil {
		fact("Host", "%s, %s", printable(host), counted(int64(runtime.NumCPU()), "processor", "processors"))
	}
	fact("Program", "%s: %s", t.program.Name, t.program.Short)
	fact("Graph", "%s", t.name())
	fact("Parameters", "%s", parametersText(t.parameters()))
	fact("Vertices", "%s", humanize.Comma(int64(c.Vertices)))
	fact("Edges", "%s", humanize.Comma(int64(c.Edges)))
	for _, d := range slices.Sorted(maps.Keys(r.Devices)) {
		did := r.Devices[d]
		fact("Device "+string(d), "%.3g s for %s edges (%s: %s)", did.Seconds, countText(float64(did.Edges)), pagesOf(d), humanize.Comma(int64(did.Pages)))
	}
	if r.GPU == "" {
		fact("GPU", "none")
	} else {
		fact("GPU", "%s", r.GPU)
		budget := "what was free"
		if t.options.GPU.Memory > 0 {
			budget = bytesText(t.options.GPU.Memory)
		}
		fact("GPU memory", "%s of %s; %s edges stayed there", bytesText(r.GPUMemory), budget, countText(float64(r.Resident)))
		if r.Lost != "" {
			fact("GPU lost", "%s", r.Lost)
		}
	}
	end := "not converged"
	if r.Converged {
		end = "converged"
	}
	before := ""
	if r.Before > 0 {
		before = fmt.Sprintf(", %s of them before it was resumed", humanize.Comma(int64(r.Before)))
	}
	fact("Iterations", "%s%s; %s", humanize.Comma(int64(r.Done())), before, end)
	fact("Time", "%s, and %s of loading before", seconds(r.Duration), seconds(r.Load))
	fact("Speed", "%s edges/s", countText(perSecond(float64(r.Edges), r.Duration)))
	where := "in memory"
	if !r.InMemory {
		where = "from disk"
	}
	if r.AccessRatio > 0 {
		where += fmt.Sprintf(", which reads %.3g times as fast in order as at random", r.AccessRatio)
	}
	fact("Edges were read", "%s", where)
	fact("Peak memory (RSS)", "%s", bytesText(t.peakMemory()))
	return all
}

// parametersText is the parameters in the order of their names.
func parametersText(all map[string]any) string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		value := fmt.Sprint(all[name])
		switch x := all[name].(type) {
		case json.RawMessage:
			value = string(x)
		case int64: // of memory and gpu_memory; 0 is no limit
			if x > 0 {
				value = bytesText(x)
			}
		}
		texts = append(texts, name+" "+value)
	}
	return strings.Join(texts, ", ")
}
