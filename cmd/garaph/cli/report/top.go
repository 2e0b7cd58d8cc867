package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/decimal"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/internal/results"
)

// topRow is a line of --top.
type topRow struct {
	Rank  int `json:"rank"`
	ID    any `json:"id"`    // int64, uint64 or string, valid until the next row
	Value any `json:"value"` // valueText, an id, or nil: none
	// Columns are the values of further columns, by name, if rows are not vertices. names is their order.
	Columns map[string]any `json:"columns,omitempty"`
	names   []string
}

// valueText is a value as it is printed.
type valueText string

// valueText returns the value as the table prints it.
func (r topRow) valueText() string { return printed(r.Value) }

func printed(value any) string {
	if value == nil {
		return "none"
	}
	return show.Printable(fmt.Sprint(value))
}

// cells returns the cells of a row behind the rank.
func (r topRow) cells() []string {
	cells := []string{show.Printable(fmt.Sprint(r.ID)), r.valueText()}
	for _, name := range r.names {
		cells = append(cells, printed(r.Columns[name]))
	}
	return cells
}

// MarshalJSON returns a number, or, as NDJSON results do, the strings "inf",
// "-inf" and "nan".
func (v valueText) MarshalJSON() ([]byte, error) {
	if json.Valid([]byte(v)) {
		return []byte(v), nil
	}
	return json.Marshal(string(v))
}

// TopRows are the lines of --top. each goes through them in order; Close ends their use.
type TopRows struct {
	each   func(yield func(topRow) error) error
	Close  func()
	names  []string         // of the columns of ids and of further columns, if rows are not vertices
	groups *results.Summary // the sizes of all groups; nil if rows are vertices
}

// Top finds the first k rows of t.
func Top(t results.Table, k int, ranking registry.Ranking) (TopRows, error) {
	k = int(min(int64(k), t.Rows()))
	switch t.Columns()[0].Kind {
	case results.Float32:
		return topFloats(t, k, ranking, 32, func(v *results.Values) []float32 { return v.F32 })
	case results.Float64:
		return topFloats(t, k, ranking, 64, func(v *results.Values) []float64 { return v.F64 })
	case results.Int64:
		if ranking == registry.Groups {
			return topLabels(t, k)
		}
		passed := func(x int64) bool { return ranking == registry.Members && x == 0 }
		return topValues(t, k, ranking, func(v *results.Values) []int64 { return v.I64 }, passed, showInt)
	}
	if ranking == registry.Groups {
		return topComponents(t, k)
	}
	return firstRows(t, k), nil
}

// firstRows returns the first k rows of a result that is a vertex, with all columns if rows are not vertices.
func firstRows(t results.Table, k int) TopRows {
	var names []string
	if t.IDName() != results.IDColumn {
		names = append(names, t.IDName())
		for _, c := range t.Columns()[1:] {
			names = append(names, c.Name)
		}
	}
	each := func(yield func(topRow) error) error {
		rank := 0
		err := t.Batches(func(b *results.Batch) error {
			for i := range idCount(&b.IDs) {
				if rank == k {
					return errEnough
				}
				rank++
				row := topRow{Rank: rank, ID: IDOf(&b.IDs, i), Value: cellOf(t.Columns()[0], &b.Columns[0], i)}
				if len(names) > 1 {
					row.names, row.Columns = names[1:], map[string]any{}
					for c, name := range row.names {
						row.Columns[name] = cellOf(t.Columns()[c+1], &b.Columns[c+1], i)
					}
				}
				if err := yield(row); err != nil {
					return err
				}
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			return nil
		}
		return err
	}
	return TopRows{each: each, Close: func() {}, names: names}
}

// cellOf returns the value in a row of a batch, or nil if there is none.
func cellOf(c results.Column, values *results.Values, i int) any {
	switch {
	case len(values.Null) > 0 && values.Null[i]:
		return nil
	case c.Kind == results.Float32:
		return floatText(values.F32[i], 32)
	case c.Kind == results.Float64:
		return floatText(values.F64[i], 64)
	case c.Kind == results.Int64:
		return showInt(values.I64[i])
	}
	return IDOf(&values.V, i)
}

// floatText returns a float as it is printed.
func floatText[F float32 | float64](x F, bits int) valueText {
	switch {
	case math.IsInf(float64(x), 1):
		return "inf"
	case math.IsInf(float64(x), -1):
		return "-inf"
	}
	return valueText(decimal.Format(float64(x), bits))
}

// errEnough ends the reading of a table of which no more rows are needed.
var errEnough = errors.New("enough rows")

func topFloats[F float32 | float64](
	t results.Table, k int, ranking registry.Ranking, bits int, column func(*results.Values) []F,
) (TopRows, error) {
	passed := func(x F) bool { return x != x || ranking == registry.Nearest && math.IsInf(float64(x), 1) }
	show := func(x F) valueText { return floatText(x, bits) }
	return topValues(t, k, ranking, column, passed, show)
}

// topValues selects the largest values, or the least, without nulls and those that are to
// be passed over; of equal values those of the first vertices.
func topValues[N cmp.Ordered](
	t results.Table, k int, ranking registry.Ranking, column func(*results.Values) []N, passed func(N) bool,
	show func(N) valueText,
) (TopRows, error) {
	before := func(a, b scored[N]) bool { return a.value > b.value || a.value == b.value && a.v < b.v }
	switch ranking {
	case registry.Nearest:
		before = func(a, b scored[N]) bool { return a.value < b.value || a.value == b.value && a.v < b.v }
	case registry.Members:
		before = func(a, b scored[N]) bool { return a.v < b.v }
	}
	each := func(yield func(scored[N])) error {
		v := uint32(0)
		return t.Numbers(0, 0, t.Rows(), func(values *results.Values) error {
			for i, x := range column(values) {
				if !passed(x) && (len(values.Null) == 0 || !values.Null[i]) {
					yield(scored[N]{x, v})
				}
				v++
			}
			return nil
		})
	}
	first, err := newRanked(k, t.Room(), before, each)
	return topVertices(t, first, show), err
}

// topVertices returns the rows of the vertices of a ranking, under the user's ids.
func topVertices[N cmp.Ordered](t results.Table, first []scored[N], show func(N) valueText) TopRows {
	each := func(yield func(topRow) error) error {
		vertex := func(i int) uint32 { return t.Vertex(first[i].v) }
		return t.IDsOf(len(first), vertex, func(from int, ids *results.IDs) error {
			for i := range idCount(ids) {
				if err := yield(topRow{Rank: from + i + 1, ID: IDOf(ids, i), Value: show(first[from+i].value)}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return TopRows{each: each, Close: func() { freeRanked(first) }}
}

func idCount(c *results.IDs) int { return max(len(c.Strings), len(c.Uints), len(c.Ints)) }

// IDOf returns an id of a column.
func IDOf(c *results.IDs, i int) any {
	switch {
	case c.Strings != nil:
		return c.Strings[i]
	case c.Uints != nil:
		return c.Uints[i]
	default:
		return c.Ints[i]
	}
}

// WriteTop prints rows as a table. heading names the column of values.
func WriteTop(w io.Writer, heading string, rows TopRows) error {
	buffered := bufio.NewWriter(w)
	table := tabwriter.NewWriter(buffered, 0, 0, 2, ' ', 0) // errors are kept until Flush
	fmt.Fprintln(table, "rank\t"+strings.Join(rows.head(heading), "\t"))
	err := rows.each(func(r topRow) error {
		fmt.Fprintf(table, "%d\t%s\n", r.Rank, strings.Join(r.cells(), "\t"))
		return nil
	})
	if err != nil {
		return err
	}
	return errors.Join(table.Flush(), buffered.Flush())
}

// head returns the names of the columns behind the rank. heading is the name of the values.
func (rows *TopRows) head(heading string) []string {
	if rows.names == nil {
		return []string{"id", show.Printable(heading)}
	}
	list := []string{show.Printable(rows.names[0]), show.Printable(heading)}
	for _, name := range rows.names[1:] {
		list = append(list, show.Printable(name))
	}
	return list
}

// InObject returns the list of rows for a report, or nil.
func (rows *TopRows) InObject() *List {
	if rows == nil {
		return nil
	}
	return &List{Key: "top", Each: func(item func(any) error) error {
		return rows.each(func(r topRow) error { return item(r) })
	}}
}
