package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/cmd/garaph/cli/report"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/htmlreport"
	"github.com/garaph/garaph/internal/results"
)

// runPage collects the work and the results of a run, for the page of --report.
type runPage struct {
	path   string
	pages  htmlreport.Pages
	result report.Result
	err    error // why the results are not described
}

// summarize describes the results, with the vertices that --top prints.
func (p *runPage) summarize(t *task) {
	column := t.program.column()
	p.result, p.err = report.NewResult(t.result.Table(column), column, t.heading(), t.program.Ranking,
		cmp.Or(*t.flags.top, defaultTop), t.options.Threads)
}

// heading names and describes the value column of the table.
func (t *task) heading() string {
	column := t.program.column()
	table := t.result.Table(column)
	switch first := table.Columns()[0]; {
	case table.IDName() != results.IDColumn:
		return column
	case t.program.Ranking == Groups && (first.Kind == results.VertexID || first.Kind == results.Int64):
		return fmt.Sprintf("vertices (largest %s first)", show.Plural(column))
	case first.Kind == results.VertexID:
		return column + " (of the first vertices)"
	}
	switch t.program.Ranking {
	case Largest:
		return column + " (largest first)"
	case Members:
		return column + " (of its first members)"
	}
	from := "nearest"
	if source := t.cmd.Flags().Lookup("source"); source != nil {
		from += " to " + sourcesText(source)
	}
	return fmt.Sprintf("%s (%s first, of those reached)", column, from)
}

// save writes the page of a run that is done.
func (p *runPage) save(t *task) error {
	if p.err != nil {
		return fmt.Errorf("page of a run: %w", p.err)
	}
	page := htmlreport.Page{Title: fmt.Sprintf("%s on %s", t.program.Name, t.name()), Sections: []htmlreport.Section{
		{Facts: t.facts()}, p.result.Section,
		{Title: "How it ran", Facts: t.work(), Plots: htmlreport.RunPlots(t.result.Report, &p.pages)},
	}}
	return output.WriteWhole(p.path, true, func(w io.Writer) error { return htmlreport.Write(w, page) })
}

// facts describes the run.
func (t *task) facts() []htmlreport.Fact {
	return append([]htmlreport.Fact{
		{"Program", t.program.Name + ": " + t.program.Short},
		{"Graph", report.GraphText(t.name(), t.input.graph.Catalogue())},
		{"Parameters", report.ParametersText(t.parameters())},
	}, report.PlaceFacts(versionText())...)
}

// work describes the time and memory of the run.
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
			facts = append(facts, htmlreport.Fact{"Total of " + total.Name, totalNumber(total.Value)})
		}
		if a.GPU != "" {
			facts = append(facts, htmlreport.Fact{"GPU",
				fmt.Sprintf("%s; %s of its memory, %s of computing", a.GPU, show.Bytes(a.GPUMemory), show.Seconds(a.Kernels))})
		}
	} else {
		end := t.end()
		if r.Before > 0 {
			end = humanize.Comma(int64(r.Before)) + " of them before it was resumed; " + end
		}
		facts = append(facts, htmlreport.Fact{"Iterations", humanize.Comma(int64(r.Done())) + "; " + end})
	}
	if r.GPU.Name != "" {
		gpu := fmt.Sprintf("%s; %s of its memory, where %s edges stayed",
			r.GPU.Name, show.Bytes(r.GPU.Memory), show.Count(float64(r.GPU.Resident)))
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
		text := fmt.Sprintf("%.3g s for %s edges (%s: %s)",
			did.Seconds, show.Count(float64(did.Edges)), pagesOf(d), humanize.Comma(int64(did.Pages)))
		facts = append(facts, htmlreport.Fact{"Device " + string(d), text})
	}
	return facts
}
