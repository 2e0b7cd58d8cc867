// Package report builds the reports of commands about a graph and about results: the first rows, distributions,
// facts and sections of pages, and JSON objects.
package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/htmlreport"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/store"
)

// MostOnPage is the largest number of vertices that a page shows.
const MostOnPage = 1000

// Result describes the results of a run, for its page and as JSON.
type Result struct {
	Section   htmlreport.Section
	Summaries []Summary
}

// NewResult describes a table: how the numbers of each column are distributed, or how large groups are, and the
// first k rows, under a heading. The column is the name of the first column.
func NewResult(
	t results.Table, column, heading string, ranking registry.Ranking, k, threads int,
) (r Result, err error) {
	rows, err := Top(t, min(k, MostOnPage), ranking)
	if err != nil {
		return r, err
	}
	defer rows.Close()
	things := "vertices"
	if rows.names != nil {
		things = "rows"
	}
	r.Section = htmlreport.Section{Title: "Result", Table: htmlreport.Table{
		Title: "First " + things, Columns: append([]string{"rank"}, rows.head(heading)...),
	}}
	err = rows.each(func(row topRow) error {
		r.Section.Table.Rows = append(r.Section.Table.Rows,
			append([]string{strconv.Itoa(row.Rank)}, row.cells()...))
		return nil
	})
	if err != nil {
		return r, err
	}
	if rows.groups != nil {
		r.addGroups(column, t.Rows(), rows.groups)
	}
	for i, c := range t.Columns() {
		if c.Kind == results.VertexID || i == 0 && rows.groups != nil {
			continue
		}
		s, err := results.Summarize(t, i, threads)
		if err != nil {
			return r, err
		}
		r.Section.Facts = append(r.Section.Facts, htmlreport.Fact{c.Name, SummaryText(s)})
		r.add(c.Name, things, s, htmlreport.Distribution("Distribution of "+c.Name, c.Name, things, s))
	}
	return r, nil
}

func (r *Result) add(column, things string, s *results.Summary, plot htmlreport.Plot) {
	r.Summaries = append(r.Summaries, newSummary(column, things, s))
	r.Section.Plots = append(r.Section.Plots, plot)
}

// addGroups adds the sizes of the groups that the values of a column name.
func (r *Result) addGroups(column string, vertices int64, s *results.Summary) {
	groups := show.Plural(column)
	r.Section.Table.Title = "Largest " + groups
	r.Section.Facts = append(r.Section.Facts,
		htmlreport.Fact{"Number of " + groups, humanize.Comma(s.Count)},
		htmlreport.Fact{"Largest", fmt.Sprintf("%s, %.4g %% of all",
			show.Counted(int64(s.Max), "vertex", "vertices"), 100*s.Max/float64(max(vertices, 1)))},
		htmlreport.Fact{"Vertices in one", SummaryText(s)})
	r.add(column, groups, s, htmlreport.Distribution("Sizes of "+groups, "vertices in a "+column, groups, s))
}

// GraphText returns the name of a graph, and how large it is.
func GraphText(name string, c *store.Catalogue) string {
	return fmt.Sprintf("%s: %s, %s",
		name, show.Counted(int64(c.Vertices), "vertex", "vertices"), show.Counted(int64(c.Edges), "edge", "edges"))
}

// PlaceFacts returns when and where a command ran.
func PlaceFacts(version string) []htmlreport.Fact {
	host, _ := os.Hostname()
	return []htmlreport.Fact{
		{"Date", time.Now().Format("2006-01-02 15:04:05 -07:00")},
		{"Version", version},
		{"Host", show.Printable(host) + ", " + show.Counted(int64(runtime.NumCPU()), "processor", "processors")},
	}
}

// ParametersText returns the parameters in the order of their names.
func ParametersText(all map[string]any) string {
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
