// Package report builds the reports of commands about a graph and about results: the first rows, distributions,
// facts and sections of pages, and JSON objects.
package report

import (
	"fmt"
	"strconv"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/htmlreport"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/internal/results"
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
