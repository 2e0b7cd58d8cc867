package cli

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/results"
)

// topRow is a line of --top.
type topRow struct {
	Rank  int `json:"rank"`
	ID    any `json:"id"`    // int64, uint64 or string
	Value any `json:"value"` // valueText, or an id
}

// valueText is a value as it is printed.
type valueText string

// MarshalJSON gives a number, or, as NDJSON results do, the strings "inf",
// "-inf" and "nan".
func (v valueText) MarshalJSON() ([]byte, error) {
	if json.Valid([]byte(v)) {
		return []byte(v), nil
	}
	return json.Marshal(string(v))
}

// topRows selects the first k rows of t.
func topRows(t results.Table, k int, ranking Ranking) ([]topRow, error) {
	switch t.ValueKind() {
	case results.Float32:
		return topFloats(t, k, ranking, 32, func(b *results.Batch) []float32 { return b.F32 })
	case results.Float64:
		return topFloats(t, k, ranking, 64, func(b *results.Batch) []float64 { return b.F64 })
	case results.Int64:
		if ranking == Groups {
			return topLabels(t, k)
		}
		passed := func(x int64) bool { return x == gas.Unreached || ranking == Members && x == 0 }
		show := func(x int64) valueText { return valueText(strconv.FormatInt(x, 10)) }
		return topValues(t, k, ranking, func(b *results.Batch) []int64 { return b.I64 }, passed, show)
	}
	if ranking == Groups {
		return topComponents(t, k)
	}
	return firstRows(t, k)
}

// firstRows gives the first k rows of a result that is a vertex.
func firstRows(t results.Table, k int) ([]topRow, error) {
	rows := []topRow{}
	err := t.Batches(func(b *results.Batch) error {
		for i := 0; i < idCount(&b.IDs) && len(rows) < k; i++ {
			rows = append(rows, topRow{Rank: len(rows) + 1, ID: idOf(&b.IDs, i), Value: idOf(&b.V, i)})
		}
		if len(rows) == k {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return rows, nil
}

// errEnough ends the reading of a table of which no more rows are needed.
var errEnough = errors.New("enough rows")

func topFloats[F float32 | float64](t results.Table, k int, ranking Ranking, bits int, column func(*results.Batch) []F) ([]topRow, error) {
	passed := func(x F) bool { return x != x || ranking == Nearest && math.IsInf(float64(x), 1) }
	show := func(x F) valueText {
		switch {
		case math.IsInf(float64(x), 1):
			return "inf"
		case math.IsInf(float64(x), -1):
			return "-inf"
		}
		return valueText(strconv.FormatFloat(float64(x), 'g', -1, bits))
	}
	return topValues(t, k, ranking, column, passed, show)
}

// scored is an id with its value.
type scored[N any] struct {
	value N
	id    any
}

// topValues selects the largest values, or the least, without those that are to
// be passed over; of equal values those of the first vertices.
func topValues[N cmp.Ordered](t results.Table, k int, ranking Ranking, column func(*results.Batch) []N, passed func(N) bool, show func(N) valueText) ([]topRow, error) {
	before := func(a, b scored[N]) bool { return a.value > b.value }
	switch ranking {
	case Nearest:
		before = func(a, b scored[N]) bool { return a.value < b.value }
	case Members:
		before = func(scored[N], scored[N]) bool { return false }
	}
	top := newBest(k, before)
	err := t.Batches(func(b *results.Batch) error {
		for i, x := range column(b) {
			if s := (scored[N]{value: x}); !passed(x) && top.takes(s) {
				s.id = idOf(&b.IDs, i)
				top.offer(s)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows := []topRow{}
	for i, s := range top.sorted() {
		rows = append(rows, topRow{Rank: i + 1, ID: s.id, Value: show(s.value)})
	}
	return rows, nil
}

func idCount(c *results.IDs) int { return max(len(c.Strings), len(c.Uints), len(c.Ints)) }

// idOf is an id of a column, as a copy that does not keep the column's memory.
func idOf(c *results.IDs, i int) any {
	switch {
	case c.Strings != nil:
		return strings.Clone(c.Strings[i])
	case c.Uints != nil:
		return c.Uints[i]
	default:
		return c.Ints[i]
	}
}

// heading names the value column of the table, and says what is in it.
func (t *task) heading() string {
	column := t.program.column()
	switch kind := t.result.Table(column).ValueKind(); {
	case t.program.Ranking == Groups && (kind == results.VertexID || kind == results.Int64):
		return fmt.Sprintf("vertices (largest %ss first)", column)
	case kind == results.VertexID:
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
		from += " to " + source.Value.String()
	}
	return fmt.Sprintf("%s (%s first, of those reached)", column, from)
}

// writeTop prints rows as a table.
func writeTop(w io.Writer, heading string, rows []topRow) error {
	buffered := bufio.NewWriter(w)
	table := tabwriter.NewWriter(buffered, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "rank\tid\t%s\n", printable(heading)) // errors are kept until Flush
	for _, r := range rows {
		fmt.Fprintf(table, "%d\t%s\t%s\n", r.Rank, printable(fmt.Sprint(r.ID)), printable(fmt.Sprint(r.Value)))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return buffered.Flush()
}

// printable writes control characters and broken UTF-8, which are the names' own
// and not the terminal's business, as Go does in strings: \x1b, \t.
func printable(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch _, size := utf8.DecodeRuneInString(text[i:]); {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}
