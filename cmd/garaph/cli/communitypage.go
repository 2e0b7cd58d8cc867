package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/cmd/garaph/cli/report"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/htmlreport"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/store"
)

// membersInRow is the largest number of members that a row of a page shows.
const membersInRow = 20

// writePage writes the page of a search.
func (s *communitySearch) writePage() error {
	result, branches, err := s.resultSection()
	if err != nil {
		return fmt.Errorf("page of a search: %w", err)
	}
	c := s.graph.Catalogue()
	facts := append([]htmlreport.Fact{
		{"Graph", report.GraphText(s.path, c)},
		{"Sizes",
			fmt.Sprintf("%s to %s vertices", humanize.Comma(int64(*s.flags.low)), humanize.Comma(int64(*s.flags.high)))},
	}, report.PlaceFacts(versionText())...)
	work := []htmlreport.Fact{
		{"Time",
			fmt.Sprintf("%s, of which %s of preparation", show.Seconds(time.Since(s.began)), show.Seconds(s.report.Prepare))},
		{"Search", branchesText(branches)}, {"Peak memory (RSS)", show.Bytes(peakMemory())},
	}
	for _, c := range s.found {
		if c.GPU != "" {
			work = append(work, htmlreport.Fact{"GPU", c.GPU})
			break
		}
	}
	page := htmlreport.Page{
		Title:    "Communities in " + s.path,
		Sections: []htmlreport.Section{{Facts: facts}, result, {Title: "How it ran", Facts: work}},
	}
	return output.WriteWhole(*s.flags.report, true, func(w io.Writer) error { return htmlreport.Write(w, page) })
}

// resultSection describes the answers and, if there are several, their distribution.
func (s *communitySearch) resultSection() (section htmlreport.Section, branches int64, err error) {
	var degrees, sizes, times results.Summary
	table := htmlreport.Table{
		Title: "Answers", Columns: []string{"query", "minimum degree", "vertices", "best", "search", "members"},
	}
	proven := 0
	for i, c := range s.found {
		branches += c.Branches
		best := "not proven"
		if c.Proven {
			proven++
			best = "proven"
		}
		times.Add(c.Search.Seconds())
		degree := "none"
		if len(c.Members) > 0 {
			degrees.Add(float64(c.MinDegree))
			sizes.Add(float64(len(c.Members)))
			degree = strconv.Itoa(c.MinDegree)
		}
		if i >= report.MostOnPage {
			continue
		}
		members, err := s.membersText(c)
		if err != nil {
			return section, 0, err
		}
		query, err := s.graph.Store().IDs().Text(c.Query.Vertex)
		if err != nil {
			return section, 0, err
		}
		table.Rows = append(table.Rows, []string{show.Printable(query), degree, humanize.Comma(int64(len(c.Members))), best,
			show.Seconds(c.Search), members})
	}
	section = htmlreport.Section{Title: "Result", Table: table, Facts: []htmlreport.Fact{
		{"Answers", fmt.Sprintf("%s, of which %s proven to be the best",
			humanize.Comma(int64(len(s.found))), humanize.Comma(int64(proven)))},
	}}
	if len(s.found) > 1 {
		section.Facts = append(section.Facts, htmlreport.Fact{"Minimum degree", report.SummaryText(&degrees)},
			htmlreport.Fact{"Vertices", report.SummaryText(&sizes)})
		section.Plots = []htmlreport.Plot{
			htmlreport.Distribution("Minimum degrees of communities", "minimum degree", "communities", &degrees),
			htmlreport.Distribution("Sizes of communities", "vertices in a community", "communities", &sizes),
			htmlreport.Distribution("Times of searches", "search time (seconds)", "queries", &times),
		}
	}
	return section, branches, nil
}

// membersText returns the ids of members: of a single answer up to report.MostOnPage, of several some of each.
func (s *communitySearch) membersText(c *garaph.Community) (string, error) {
	n := membersInRow
	if len(s.found) == 1 {
		n = report.MostOnPage
	}
	var ids []string
	for _, v := range c.Members[:min(n, len(c.Members))] {
		id, err := s.graph.Store().IDs().Text(v)
		if err != nil {
			return "", err
		}
		ids = append(ids, show.Printable(id))
	}
	if len(c.Members) > n {
		ids = append(ids, "…")
	}
	return strings.Join(ids, ", "), nil
}

// communityReport is the JSON form of an answer, without its members.
type communityReport struct {
	Graph     string          `json:"graph"`
	Query     json.RawMessage `json:"query"`
	MinSize   int             `json:"min_size"`
	MaxSize   int             `json:"max_size"`
	Found     bool            `json:"found"`
	MinDegree *int            `json:"min_degree"` // null: there is no community
	Size      int             `json:"size"`
	Proven    bool            `json:"proven"`
	searchReport
}

// searchReport describes a search.
type searchReport struct {
	Start          int         `json:"start_min_degree"` // of the community that the search began with
	Vertices       int64       `json:"reduced_vertices"`
	Edges          int64       `json:"reduced_edges"`
	Branches       int64       `json:"branches"`
	PrepareSeconds show.Number `json:"prepare_seconds"`
	SearchSeconds  show.Number `json:"search_seconds"`
	GPU            string      `json:"gpu,omitempty"` // that has searched, in a batch
}

// jsonAnswer reports an answer. Members are numbers where the ids of the graph are.
func (s *communitySearch) jsonAnswer(query string, c *garaph.Community) communityReport {
	r := communityReport{
		Graph: s.path, Query: s.jsonID(query), MinSize: c.Query.Low, MaxSize: c.Query.High, Found: len(c.Members) > 0,
		Size: len(c.Members), Proven: c.Proven,
		searchReport: searchReport{
			Start: c.Start, Vertices: c.Vertices, Edges: c.Edges, Branches: c.Branches,
			PrepareSeconds: show.Number(c.Prepare.Seconds()), SearchSeconds: show.Number(c.Search.Seconds()), GPU: c.GPU,
		},
	}
	if r.Found {
		r.MinDegree = &c.MinDegree
	}
	return r
}

func (s *communitySearch) jsonID(id string) json.RawMessage {
	if s.graph.Catalogue().IDs.Kind != store.IDString {
		return json.RawMessage(id)
	}
	return jsonText(id)
}
