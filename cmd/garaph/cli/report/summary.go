package report

import (
	"fmt"
	"strconv"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/results"
)

// Summary describes how the values of a column are distributed, or how large the groups are that they name.
type Summary struct {
	Column   string      `json:"column"`
	Of       string      `json:"of"` // vertices, or the plural of the column, which are groups of vertices
	Count    int64       `json:"count"`
	Null     int64       `json:"null"`
	Infinite int64       `json:"infinite"`
	Zeros    int64       `json:"zeros"`
	Min      show.Number `json:"min"`
	Median   show.Number `json:"median"`
	Mean     show.Number `json:"mean"`
	P99      show.Number `json:"p99"`
	Max      show.Number `json:"max"`
	Bins     []bin       `json:"bins"`
}

// bin counts the values of an interval without its end.
type bin struct {
	From  show.Number `json:"from"`
	To    show.Number `json:"to"`
	Count int64       `json:"count"`
}

func newSummary(column, of string, s *results.Summary) Summary {
	median, _ := s.Quantile(0.5)
	p99, _ := s.Quantile(0.99)
	r := Summary{
		Column: column, Of: of, Count: s.Count, Null: s.Null, Infinite: s.Infinite, Zeros: s.Zeros,
		Min: show.Number(s.Min), Max: show.Number(s.Max),
		Median: show.Number(median), Mean: show.Number(s.Mean()), P99: show.Number(p99), Bins: []bin{},
	}
	for _, b := range s.Bins() {
		r.Bins = append(r.Bins, bin{show.Number(b.From), show.Number(b.To), b.Count})
	}
	return r
}

// SummaryText returns a summary in one sentence; numbers that are estimates are marked.
func SummaryText(s *results.Summary) string {
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
