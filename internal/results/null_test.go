package results

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph/gas"
)

// wide is a table of five columns, four of which have nulls, in two batches, the first
// without.
type wide struct{ memory }

func (w *wide) Columns() []Column {
	return []Column{
		{"hops", Int64, true}, {"distance", Float32, true}, {"before", VertexID, true},
		{"score", Float64, true}, {"sure", Int64, false},
	}
}

func newWide(k IDKind) *wide {
	ids := func(list ...int64) IDs {
		var c IDs
		for _, x := range list {
			switch k {
			case IDInt:
				c.Ints = append(c.Ints, x)
			case IDUint:
				c.Uints = append(c.Uints, uint64(x))
			default:
				c.Strings = append(c.Strings, "Zürich "+strconv.Itoa(int(x)))
			}
		}
		return c
	}
	inf, w := math.Inf(1), &wide{}
	w.memory = memory{ids: k, rows: 4, width: 10}
	w.batches = []*Batch{
		{IDs: ids(5),
			Columns: []Values{{I64: []int64{0}}, {F32: []float32{0}}, {V: ids(7)}, {F64: []float64{inf}}, {I64: []int64{1}}}},
		{IDs: ids(6, 7, 8), Columns: []Values{
			{I64: []int64{gas.Unreached, 2, -1}, Null: []bool{true, false, true}},
			{F32: []float32{float32(inf), 0.5, 7}, Null: []bool{true, false, true}},
			{V: ids(0, 5, 0), Null: []bool{true, false, true}},
			{F64: []float64{0.25, -inf, 2}, Null: []bool{false, false, true}},
			{I64: []int64{2, 3, 4}},
		}},
	}
	return w
}

// TestNulls checks that nulls are null in every format.
func TestNulls(t *testing.T) {
	for _, k := range []IDKind{IDInt, IDUint, IDString} {
		id := func(x string) string {
			if k == IDString {
				return "Zürich " + x
			}
			return x
		}
		w := newWide(k)
		if diff := cmp.Diff(strings.Join([]string{
			id("5") + "\t0\t0\t" + id("7") + "\tinf\t1",
			id("6") + "\tinf\tinf\t\t0.25\t2",
			id("7") + "\t2\t0.5\t" + id("5") + "\t-inf\t3",
			id("8") + "\t-1\t7\t\t2\t4\n",
		}, "\n"), string(write(t, TSV, w))); diff != "" {
			t.Errorf("tsv (-want +got):\n%s", diff)
		}
		got, err := csv.NewReader(bytes.NewReader(write(t, CSV, w))).ReadAll()
		if diff := cmp.Diff([][]string{
			{"id", "hops", "distance", "before", "score", "sure"},
			{id("5"), "0", "0", id("7"), "inf", "1"}, {id("6"), "", "", "", "0.25", "2"},
			{id("7"), "2", "0.5", id("5"), "-inf", "3"}, {id("8"), "", "", "", "", "4"},
		}, got); diff != "" || err != nil {
			t.Errorf("csv (-want +got): %v\n%s", err, diff)
		}
		checkNullJSON(t, k, write(t, NDJSON, w))
	}
}

func checkNullJSON(t *testing.T, k IDKind, data []byte) {
	t.Helper()
	id := func(x float64) any {
		if k == IDString {
			return "Zürich " + strconv.Itoa(int(x))
		}
		return x
	}
	want := []map[string]any{
		{"id": id(5), "hops": 0., "distance": 0., "before": id(7), "score": "inf", "sure": 1.},
		{"id": id(6), "hops": nil, "distance": nil, "before": nil, "score": 0.25, "sure": 2.},
		{"id": id(7), "hops": 2., "distance": 0.5, "before": id(5), "score": "-inf", "sure": 3.},
		{"id": id(8), "hops": nil, "distance": nil, "before": nil, "score": nil, "sure": 4.},
	}
	var got []map[string]any
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		row := map[string]any{}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		got = append(got, row)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ndjson (-want +got):\n%s", diff)
	}
}

// TestNullNPY checks that a field says what is null; floats are infinite or no numbers there, too.
func TestNullNPY(t *testing.T) {
	data := write(t, NPY, newWide(IDString))
	start := 10 + int(binary.LittleEndian.Uint16(data[8:]))
	const want = "{'descr': [('id', '<U8'), ('hops', '<i8'), ('hops_null', '|b1'), ('distance', '<f4'), " +
		"('distance_null', '|b1'), ('before', '<U8'), ('before_null', '|b1'), ('score', '<f8'), ('score_null', '|b1'), " +
		"('sure', '<i8')], 'fortran_order': False, 'shape': (4,), }"
	if got := strings.TrimSpace(string(data[10:start])); got != want {
		t.Errorf("header %s", got)
	}
	kinds := []string{"<U8", "<i8", "|S1", "<f4", "|S1", "<U8", "|S1", "<f8", "|S1", "<i8"}
	var got [][]string
	rest := data[start:]
	for range 4 {
		var row []string
		for _, kind := range kinds {
			var cell string
			if kind == "|S1" {
				cell, rest = strconv.Itoa(int(rest[0])), rest[1:]
			} else {
				cell, rest = readField(t, kind, rest)
			}
			row = append(row, cell)
		}
		got = append(got, row)
	}
	max := strconv.Itoa(math.MaxInt64)
	if diff := cmp.Diff([][]string{
		{"Zürich 5", "0", "0", "0", "0", "Zürich 7", "0", "inf", "0", "1"},
		{"Zürich 6", max, "1", "inf", "1", "", "1", "0.25", "0", "2"},
		{"Zürich 7", "2", "0", "0.5", "0", "Zürich 5", "0", "-inf", "0", "3"},
		{"Zürich 8", max, "1", "nan", "1", "", "1", "nan", "1", "4"},
	}, got); diff != "" || len(rest) != 0 {
		t.Errorf("%d bytes are left (-want +got):\n%s", len(rest), diff)
	}
	w := newWide(IDInt)
	if rows := write(t, NPY, w); len(rows) == 0 {
		t.Error("no rows")
	}
}

// TestSameNames checks that readers distinguish columns by name.
func TestSameNames(t *testing.T) {
	for _, f := range allFormats {
		err := Write(io.Discard, f, &twins{})
		if err == nil || !strings.Contains(err.Error(), `two columns named "value"`) {
			t.Errorf("%s: %v", f, err)
		}
	}
}

type twins struct{ memory }

func (*twins) Columns() []Column { return []Column{{"id", Int64, false}, {"value", Int64, false}} }
func (*twins) Rows() int64       { return 0 }
func (*twins) IDKind() IDKind    { return IDInt }
