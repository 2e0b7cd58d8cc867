package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph/internal/columns"
	"github.com/garaph/garaph/internal/decimal"
)

var columnFormats = []Format{Parquet, Arrow, Arrows}

// cellsOf reads a file of columns, each row as text, and how many rows are in each row group or record batch.
func cellsOf(t *testing.T, f Format, data []byte) (list []columns.Column, rows [][]string, parts []int) {
	t.Helper()
	in, size, m := bytes.NewReader(data), int64(len(data)), columns.NewMemory(1<<30)
	fatal := func(err error) {
		if err != nil {
			t.Fatal(f, err)
		}
	}
	rows = [][]string{}
	add := func(v []columns.Values, n int) {
		for i := range n {
			var row []string
			for c := range list {
				row = append(row, cell(&v[c], list[c], i))
			}
			rows = append(rows, row)
		}
	}
	if f == Parquet {
		file, err := columns.OpenParquet(in, size, m)
		fatal(err)
		list = file.Columns
		for g := range file.Groups() {
			r, err := file.Read(in, g, all(list))
			fatal(err)
			before := len(rows)
			for {
				v, n, err := r.Next(1000)
				if errors.Is(err, io.EOF) {
					break
				}
				fatal(err)
				add(v, n)
			}
			parts = append(parts, len(rows)-before)
		}
		return list, rows, parts
	}
	r, err := columns.OpenArrow(in, m)
	if f == Arrow {
		r, err = columns.OpenArrowFile(in, size, m)
	}
	fatal(err)
	list = r.Columns
	r.Pick(all(list))
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list, rows, parts
		}
		fatal(err)
		var s columns.Scratch
		v, err := b.Values(0, b.Rows, &s)
		fatal(err)
		add(v, b.Rows)
		parts = append(parts, b.Rows)
		b.Release()
	}
}

func all(list []columns.Column) (at []int) {
	for i := range list {
		at = append(at, i)
	}
	return at
}

func cell(v *columns.Values, c columns.Column, i int) string {
	switch {
	case v.IsNull(i):
		return "-"
	case c.Kind != columns.Float:
		return string(v.AppendID(nil, c.Kind, i))
	case c.Single:
		return special(decimal.Format(v.Floats[i], 32))
	}
	return special(decimal.Format(v.Floats[i], 64))
}

func TestColumns(t *testing.T) {
	for _, f := range columnFormats {
		for _, m := range append(append(tables(stranger), tables([]string{"valid", "ünïcode", "", "a\nb"})[8:]...), empty()) {
			m.name = "größe (m²)"
			list, rows, _ := cellsOf(t, f, write(t, f, m))
			if list[0].Name != "id" || list[1].Name != m.name {
				t.Errorf("columns %v", list)
			}
			got := [][2]string{}
			for _, r := range rows {
				got = append(got, [2]string{r[0], r[1]})
			}
			same(t, m, got, m.want())
		}
	}
}

func TestColumnsOfNulls(t *testing.T) {
	for _, f := range columnFormats {
		for _, k := range []IDKind{IDInt, IDUint, IDString} {
			_, rows, _ := cellsOf(t, f, write(t, f, newWide(k)))
			var got []string
			for _, r := range rows {
				got = append(got, strings.ReplaceAll(strings.Join(r, ","), "Zürich ", ""))
			}
			diff := cmp.Diff([]string{"5,0,0,7,inf,1", "6,-,-,-,0.25,2", "7,2,0.5,5,-inf,3", "8,-,-,-,-,4"}, got)
			if diff != "" {
				t.Errorf("%s, %v (-want +got):\n%s", f, k, diff)
			}
		}
	}
}

// TestColumnParts checks that row groups and record batches, which are in memory as a whole, end at
// bounds of rows and of bytes.
func TestColumnParts(t *testing.T) {
	many := &memory{name: "result"}
	ids := make([]int64, 300_000)
	for i := range 5 {
		for k := range ids {
			ids[k] = int64(i*len(ids) + k)
		}
		many.batches = append(many.batches,
			&Batch{IDs: IDs{Ints: slices.Clone(ids)}, Columns: []Values{{F32: make([]float32, len(ids))}}})
		many.rows += int64(len(ids))
	}
	wide := &memory{ids: IDString, name: "result"}
	var texts []string
	for i := range 1100 {
		texts = append(texts, fmt.Sprintf("%0*d", 64<<10, i))
	}
	wide.setStrings(texts)
	for _, f := range columnFormats {
		for m, most := range map[*memory]int{many: 1<<19 + rowsPerChunk, wide: 200} {
			_, rows, parts := cellsOf(t, f, write(t, f, m))
			if slices.Max(parts) > most || len(parts) < 3 {
				t.Errorf("%s: parts of %d rows", f, parts)
			}
			if int64(len(rows)) != m.rows {
				t.Errorf("%s: %d rows of %d", f, len(rows), m.rows)
			}
			for i, r := range rows {
				if n, err := strconv.Atoi(r[0]); err != nil || n != i {
					t.Fatalf("%s: row %d has id %.20s", f, i, r[0])
				}
			}
		}
	}
}
