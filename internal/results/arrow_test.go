package results

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph/internal/arrowipc"
	"github.com/garaph/garaph/internal/columnar"
)

// arrowCells reads a file or stream, each row as text.
func arrowCells(t *testing.T, data []byte) ([]columnar.Column, [][]string) {
	t.Helper()
	r := bytes.NewReader(data)
	if file := bytes.HasPrefix(data, []byte(arrowipc.FileMagic)); file {
		if _, err := r.Seek(8, io.SeekStart); err != nil {
			t.Fatal(err)
		}
	}
	m, _, err := arrowipc.ReadMessage(r)
	if err != nil {
		t.Fatal(err)
	}
	s, err := arrowipc.ParseSchema(m)
	if err != nil {
		t.Fatal(err)
	}
	var picked []int
	for i := range s.Columns {
		picked = append(picked, i)
	}
	rows := [][]string{}
	var x arrowipc.Scratch
	for {
		m, marked, err := arrowipc.ReadMessage(r)
		if m == nil {
			if err != nil || !marked {
				t.Fatalf("the end is marked: %v, %v", marked, err)
			}
			return s.Columns, rows
		}
		if err := m.ReadBody(r); err != nil {
			t.Fatal(err)
		}
		b, err := s.Load(m, picked, nil)
		if err != nil {
			t.Fatal(err)
		}
		v, err := b.Values(0, b.Rows, &x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows {
			var row []string
			for c := range v {
				row = append(row, arrowCell(&v[c], s.Columns[c], i))
			}
			rows = append(rows, row)
		}
	}
}

func arrowCell(v *columnar.Values, c columnar.Column, i int) string {
	switch {
	case v.IsNull(i):
		return "-"
	case v.Ints != nil:
		return string(columnar.AppendInteger(nil, c.Kind, v.Ints[i]))
	case v.Floats == nil:
		return string(v.Text.At(i))
	case c.Type == "float":
		return special(strconv.FormatFloat(v.Floats[i], 'g', -1, 32))
	}
	return special(strconv.FormatFloat(v.Floats[i], 'g', -1, 64))
}

func TestArrow(t *testing.T) {
	for _, f := range []Format{Arrow, Arrows} {
		for _, m := range append(tables(stranger), empty()) {
			m.name = "größe (m²)"
			list, rows := arrowCells(t, write(t, f, m))
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

// TestArrowNulls: nulls are nulls.
func TestArrowNulls(t *testing.T) {
	for _, k := range []IDKind{IDInt, IDUint, IDString} {
		_, rows := arrowCells(t, write(t, Arrow, newWide(k)))
		var got []string
		for _, r := range rows {
			got = append(got, strings.ReplaceAll(strings.Join(r, ","), "Zürich ", ""))
		}
		if diff := cmp.Diff([]string{"5,0,0,7,inf,1", "6,-,-,-,0.25,2", "7,2,0.5,5,-inf,3", "8,-,-,-,-,4"}, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", k, diff)
		}
	}
}

// TestArrowBatches: record batches end at their bounds of rows and of bytes.
func TestArrowBatches(t *testing.T) {
	many := &memory{name: "result", rows: 200_000}
	ids := make([]int64, many.rows)
	for i := range ids {
		ids[i] = int64(i)
	}
	many.batches = []*Batch{{IDs: IDs{Ints: ids[:150_000]}, Columns: []Values{{F32: make([]float32, 150_000)}}}, {IDs: IDs{Ints: ids[150_000:]}, Columns: []Values{{F32: make([]float32, 50_000)}}}}
	_, rows := arrowCells(t, write(t, Arrow, many))
	for i, r := range rows {
		if r[0] != fmt.Sprint(i) {
			t.Fatalf("row %d has id %s", i, r[0])
		}
	}
	wide := &memory{ids: IDString, name: "result"}
	texts := make([]string, 100)
	for i := range texts {
		texts[i] = strings.Repeat("x", 60<<10) + fmt.Sprint(i)
	}
	wide.setStrings(texts)
	_, rows = arrowCells(t, write(t, Arrows, wide))
	for i, r := range rows {
		if r[0] != texts[i] {
			t.Fatalf("row %d has another id", i)
		}
	}
	if len(rows) != 100 {
		t.Errorf("%d rows", len(rows))
	}
}
