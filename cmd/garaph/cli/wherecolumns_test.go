package cli

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/garaph/garaph/internal/columnar"
)

// TestCellsAreThoseOfCSV: values of columns are compared as they stand in text.
func TestCellsAreThoseOfCSV(t *testing.T) {
	for _, test := range []struct {
		kind   columnar.Kind
		typ    string
		values columnar.Values
		want   string
	}{
		{columnar.Float, "float", columnar.Values{Floats: []float64{float64(float32(0.1))}}, "0.1"},
		{columnar.Float, "double", columnar.Values{Floats: []float64{float64(float32(0.1))}}, "0.10000000149011612"},
		{columnar.Float, "double", columnar.Values{Floats: []float64{1e21}}, "1e+21"},
		{columnar.Float, "float", columnar.Values{Floats: []float64{math.Inf(1)}}, "inf"},
		{columnar.Float, "double", columnar.Values{Floats: []float64{math.Inf(-1)}}, "-inf"},
		{columnar.Float, "double", columnar.Values{Floats: []float64{math.NaN()}}, "nan"},
		{columnar.Int, "int64", columnar.Values{Ints: []uint64{math.MaxUint64}}, "-1"},
		{columnar.Uint, "uint64", columnar.Values{Ints: []uint64{math.MaxUint64}}, "18446744073709551615"},
		{columnar.Text, "string", columnar.Values{Text: columnar.Strings{Data: []byte("Basel"), Spans: []columnar.Span{{From: 0, To: 5}}}}, "Basel"},
	} {
		if got := string(appendCell(nil, &columnar.Column{Kind: test.kind, Type: test.typ}, &test.values, 0)); got != test.want {
			t.Errorf("%s: got %s, want %s", test.typ, got, test.want)
		}
	}
}

// TestColumnsThatOthersWrote: what cannot be ids or values is refused, and so is a row without an id, or one too large
// for the budget.
func TestColumnsThatOthersWrote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	for _, test := range []struct{ fields, rows, where, want string }{
		{"('id', '|u1'), ('x', '|i1')", "\x07\x05\x08\x06", "x = 5", "[7 at 0]"},
		{"('id', '|u1'), ('x', '|i1')", "\x07\x05\x08\x06", "2 = 6", "[8 at 1]"},
		{"('id', '|u1'), ('x', '|i1')", "\x07\x05\x08\x06", "id > 1", "[7 at 0 8 at 1]"},
		{"('id', '<f4')", "\x00\x00\x00\x00\x00\x00\x00\x00", "id = 5", `x.npy: column "id" is of type float: expected ids, integers or strings`},
		{"('id', '|u1'), ('x', '|b1')", "\x07\x01\x08\x00", "x = 1", `x.npy: column "x" is of type |b1, of which no value is read`},
		{"('id', '|u1'), ('x', '|b1')", "\x07\x01\x08\x00", "id = 8", "[8 at 1]"},
		{"('id', '|u1'), ('id_null', '|b1')", "\x07\x00\x08\x01", "id = 8", "x.npy, row 1 (from 0): the row has no id"},
		{"('id', '|u1'), ('x', '|S4000000')", strings.Repeat("a", 2*4000001), "id = 8", "x.npy: a row has 3.8 MiB, and there are 256 KiB of memory for rows; --memory 46MiB is enough for that"},
	} {
		header := fmt.Sprintf("{'descr': [%s], 'shape': (2,)}", test.fields)
		file := "\x93NUMPY\x02\x00" + string([]byte{byte(len(header)), 0, 0, 0}) + header + test.rows
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		where, err := parseCondition(test.where)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		err = matching(context.Background(), path, []condition{where}, 1<<20, func(id string, at int) error {
			found = append(found, fmt.Sprintf("%s at %d", id, at))
			return nil
		})
		got := fmt.Sprint(found)
		if err != nil {
			got = strings.TrimPrefix(err.Error(), filepath.Dir(path)+"/")
		}
		if got != test.want {
			t.Errorf("%s, %s:\ngot  %s\nwant %s", test.fields, test.where, got, test.want)
		}
	}
}
