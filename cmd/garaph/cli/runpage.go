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

	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/htmlreport"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/store"
)

// mostOnPage is how many vertices a page shows.
const mostOnPage = 1000

// runPage collects what a run did and found, for the page of --report.
type runPage struct {
	path      string
	pages     htmlreport.Pages
	summaries []summaryReport
	result    htmlreport.Section
	err       error // why the results are not described
}

// summarize describes the results: how the numbers of each column are distributed, or how large groups are, and the
// vertices that --top prints.
func (p *runPage) summarize(ctx context.Context, t *task) error {
	table := output.Cancellable{Table: t.result.Table(t.program.column()), Context: ctx}
	p.result = htmlreport.Section{Title: "Result", Table: htmlreport.Table{Title: "First vertices", Columns: []string{"rank", "id", t.heading()}}}
	n := min(cmp.Or(*t.flags.top, defaultTop), mostOnPage)
	rows, err := newTopRows(table, n, t.program.Ranking)
	if err != nil {
		return err
	}
	defer rows.close()
	err = rows.each(func(r topRow) error {
		p.result.Table.Rows = append(p.result.Table.Rows, []string{strconv.Itoa(r.Rank), show.Printable(fmt.Sprint(r.ID)), r.valueText()})
		return nil
	})
	if err != nil {
		return err
	}
	if rows.groups != nil {
		p.addGroups(t.program.column(), table.Rows(), rows.groups)
	}
	for i, c := range table.Columns() {
		if c.Kind == results.VertexID || i == 0 && rows.groups != nil {
			continue
		}
		s, err := results.Summarize(table, i, t.options.Threads)
		if err != nil {
			return err
		}
		p.result.Facts = append(p.result.Facts, htmlreport.Fact{c.Name, summaryText(s)})
		p.add(c.Name, "vertices", s, htmlreport.Distribution("Distribution of "+c.Name, c.Name, "vertices", s))
	}
	return nil
}

func (p *runPage) add(column, things string, s *results.Summary, plot htmlreport.Plot) {
	p.summaries = append(p.summaries, newSummaryReport(column, things, s))
	p.result.Plots = append(p.result.Plots, plot)
}

// addGroups adds the sizes of the groups that the values of a column name.
func (p *runPage) addGroups(column string, vertices int64, s *results.Summary) {
	groups := column + "s"
	p.result.Table.Title = "Largest " + groups
	p.result.Facts = append(p.result.Facts,
		htmlreport.Fact{"Number of " + groups, humanize.Comma(s.Count)},
		htmlreport.Fact{"Largest", fmt.Sprintf("%s, %.4g %% of all", show.Counted(int64(s.Max), "vertex", "vertices"), 100*s.Max/float64(max(vertices, 1)))},
		htmlreport.Fact{"Vertices in one", summaryText(s)})
	p.add(column, groups, s, htmlreport.Distribution("Sizes of "+groups, "vertices in a "+column, groups, s))
}

// save writes the page of a run that is done.
func (p *runPage) save(t *task) error {
	if p.err != nil {
		return fmt.Errorf("page of a run: %w", p.err)
	}
	page := htmlreport.Page{Title: fmt.Sprintf("%s on %s", t.program.Name, t.name()), Sections: []htmlreport.Section{
		{Facts: t.facts()}, p.result, {Title: "How it ran", Facts: t.work(), Plots: htmlreport.RunPlots(t.result.Report, &p.pages)},
	}}
	return output.WriteWhole(p.path, true, func(w io.Writer) error { return htmlreport.Write(w, page) })
}

// summaryText returns a summary in one sentence; numbers that are estimates are marked.
func summaryText(s *results.Summary) string {
	text := "no vertex has one"
	if s.Count > 0 {
		number := func(x float64, exact bool) string {
			about := "≈ "
			if exact {
				about = ""
			}
			if s.Whole && max(-s.Min, s.Max) < 1e15 {
				return about + humanize.Comma(int64(x))
			}
			return about + strconv.FormatFloat(x, 'g', 4, 64)
		}
		text = fmt.Sprintf("minimum %s, median %s, mean %.4g, 99 %% have %s or less, maximum %s",
			number(s.Min, true), number(s.Quantile(0.5)), s.Mean(), number(s.Quantile(0.99)), number(s.Max, true))
	}
	for _, also := range []struct {
		n         int64
		one, many string
	}{{s.Zeros, "is 0", "are 0"}, {s.Infinite, "is infinite", "are infinite"}, {s.Null, "has no value", "have no value"}} {
		if also.n > 0 {
			text += "; " + show.Counted(also.n, also.one, also.many)
		}
	}
	return text
}

// facts returns what the run was, for a reader.
func (t *task) facts() []htmlreport.Fact {
	return append([]htmlreport.Fact{
		{"Program", t.program.Name + ": " + t.program.Short},
		{"Graph", graphText(t.name(), t.input.graph.Catalogue())},
		{"Parameters", parametersText(t.parameters())},
	}, placeFacts()...)
}

func graphText(name string, c *store.Catalogue) string {
	return fmt.Sprintf("%s: %s, %s", name, show.Counted(int64(c.Vertices), "vertex", "vertices"), show.Counted(int64(c.Edges), "edge", "edges"))
}

// placeFacts returns when and where a command ran.
func placeFacts() []htmlreport.Fact {
	host, _ := os.Hostname()
	return []htmlreport.Fact{
		{"Date", time.Now().Format("2006-01-02 15:04:05 -07:00")},
		{"Version", versionText()},
		{"Host", show.Printable(host) + ", " + show.Counted(int64(runtime.NumCPU()), "processor", "processors")},
	}
}

// work returns what the run took, for a reader.
func (t *task) work() []htmlreport.Fact {
	took, load, edges, inMemory := t.took()
	where, r := "from disk", t.result.Report
	if inMemory {
		where = "in memory"
	}
	var facts []htmlreport.Fact
	if a := t.result.Algorithm; a != nil {
		if t.by() != "" {
			facts = append(facts, htmlreport.Fact{"Algorithm", t.by()})
		}
		for _, total := range a.Totals {
			facts = append(facts, htmlreport.Fact{"Total of " + total.Name, humanize.Comma(total.Value)})
		}
		if a.GPU != "" {
			facts = append(facts, htmlreport.Fact{"GPU", fmt.Sprintf("%s; %s of its memory, %s of computing", a.GPU, show.Bytes(a.GPUMemory), show.Seconds(a.Kernels))})
		}
	} else {
		end := t.end()
		if r.Before > 0 {
			end = humanize.Comma(int64(r.Before)) + " of them before it was resumed; " + end
		}
		facts = append(facts, htmlreport.Fact{"Iterations", humanize.Comma(int64(r.Done())) + "; " + end})
	}
	if r.GPU.Name != "" {
		gpu := fmt.Sprintf("%s; %s of its memory, where %s edges stayed", r.GPU.Name, show.Bytes(r.GPU.Memory), show.Count(float64(r.GPU.Resident)))
		if r.GPU.Lost != "" {
			gpu += "; lost: " + r.GPU.Lost
		}
		facts = append(facts, htmlreport.Fact{"GPU", gpu})
	}
	facts = append(facts,
		htmlreport.Fact{"Time", show.Seconds(took) + ", and " + show.Seconds(load) + " of loading before"},
		htmlreport.Fact{"Speed", show.Count(show.PerSecond(float64(edges), took)) + " edges/s, " + where},
		htmlreport.Fact{"Peak memory (RSS)", show.Bytes(t.peakMemory())})
	for _, d := range slices.Sorted(maps.Keys(r.Devices)) {
		did := r.Devices[d]
		text := fmt.Sprintf("%.3g s for %s edges (%s: %s)", did.Seconds, show.Count(float64(did.Edges)), pagesOf(d), humanize.Comma(int64(did.Pages)))
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
			value = show.Bytes(x)
		}
		texts = append(texts, fmt.Sprint(name, " ", value))
	}
	return strings.Join(texts, ", ")
}
