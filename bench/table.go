package bench

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
)

// Table is figures of one kind.
type Table struct {
	Columns []Column `json:"columns"` // the first one has the name of the table
	// Rows have a cell for each column: words, a whole number, or a figure
	// (a *[Spread], nil where it cannot be had).
	Rows [][]any `json:"rows"`
}

// Column is what a column of a table has.
type Column struct {
	Name string `json:"name"`

	text   func(float64) string // writes a figure
	spread bool                 // with the least and the most
}

// table adds a table to the report.
func (r *Report) table(columns ...Column) *Table {
	t := &Table{Columns: columns, Rows: [][]any{}}
	r.Tables = append(r.Tables, t)
	return t
}

// add adds a row.
func (t *Table) add(cells ...any) { t.Rows = append(t.Rows, cells) }

func (t *Table) write(b *strings.Builder) {
	b.WriteByte('\n')
	w := columns(b)
	for i, c := range t.Columns {
		fmt.Fprint(w, tabBefore(i), c.Name)
	}
	fmt.Fprintln(w)
	for _, row := range t.Rows {
		for i, x := range row {
			if s, figure := x.(*Spread); figure {
				x = t.Columns[i].cell(s)
			}
			fmt.Fprint(w, tabBefore(i), x)
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // into memory
}

func tabBefore(column int) string {
	if column == 0 {
		return ""
	}
	return "\t"
}

func columns(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

const absent = "–"

// cell writes the median of a figure, with its least and its most where the
// column has them and they are not the same.
func (c Column) cell(s *Spread) string {
	switch {
	case s == nil:
		return absent
	case !c.spread || len(s.Values) == 1:
		return c.text(s.Median)
	default:
		return fmt.Sprintf("%s (%s–%s)", c.text(s.Median), c.text(s.Min), c.text(s.Max))
	}
}

// rateText rounds to three digits: 1.23G.
func rateText(x float64) string {
	scaled, prefix := humanize.ComputeSI(x)
	return digits(scaled) + prefix
}

func secondsText(x float64) string { return digits(x) }

func shareText(x float64) string { return digits(100*x) + "%" }

func ratioText(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

func nanoText(x float64) string { return digits(1e9 * x) }

func sizeText(n int64) string { return humanize.IBytes(uint64(n)) }

// digits rounds to three digits, without an exponent.
func digits(x float64) string {
	switch {
	case x >= 99.95:
		return fmt.Sprintf("%.0f", x)
	case x >= 9.995:
		return fmt.Sprintf("%.1f", x)
	case x >= 0.9995:
		return fmt.Sprintf("%.2f", x)
	case x < 1e-6:
		return "0"
	default:
		return strconv.FormatFloat(x, 'f', 2-int(math.Floor(math.Log10(x))), 64)
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
