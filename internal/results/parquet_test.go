package results

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

func TestParquet(t *testing.T) {
	for _, m := range append(tables(stranger), tables([]string{"valid", "ünïcode", "", "a\nb"})[8:]...) {
		m.name = "größe (m²)"
		data := write(t, Parquet, m)
		file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([][]string{{"id"}, {m.name}}, file.Schema().Columns()); diff != "" {
			t.Error(diff)
		}
		same(t, m, parquetRows(t, file, m), m.want())
	}
	data := write(t, Parquet, empty())
	if file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data))); err != nil || file.NumRows() != 0 {
		t.Errorf("empty table: %v", err)
	}
}

func parquetRows(t *testing.T, file *parquet.File, m *memory) [][2]string {
	got := [][2]string{}
	rows := parquet.NewReader(file)
	defer func() { _ = rows.Close() }()
	id := func(v parquet.Value) string {
		switch m.ids {
		case IDInt:
			return strconv.FormatInt(v.Int64(), 10)
		case IDUint:
			return strconv.FormatUint(v.Uint64(), 10)
		}
		return string(v.ByteArray())
	}
	row := make([]parquet.Row, 1)
	for {
		if n, err := rows.ReadRows(row); n == 0 {
			if err != io.EOF {
				t.Fatal(err)
			}
			return got
		}
		var value string
		switch v := row[0][1]; m.values {
		case Float32:
			value = special(strconv.FormatFloat(float64(v.Float()), 'g', -1, 32))
		case Float64:
			value = special(strconv.FormatFloat(v.Double(), 'g', -1, 64))
		case Int64:
			value = strconv.FormatInt(v.Int64(), 10)
		case VertexID:
			value = id(v)
		}
		got = append(got, [2]string{id(row[0][0]), value})
	}
}

// TestParquetRowGroups: groups end at their bounds of rows and of bytes.
func TestParquetRowGroups(t *testing.T) {
	many := &memory{name: "result"}
	ids := make([]int64, 300_000)
	for range 5 {
		many.batches = append(many.batches, &Batch{IDs: IDs{Ints: ids}, Columns: []Values{{F32: make([]float32, len(ids))}}})
		many.rows += int64(len(ids))
	}
	wide := &memory{ids: IDString, name: "result"}
	wide.setStrings(slices.Repeat([]string{strings.Repeat("x", 64<<10)}, 1100))
	for _, c := range []struct {
		table *memory
		want  []int64
	}{{many, []int64{rowsPerGroup, rowsPerGroup, 1_500_000 - 2*rowsPerGroup}}, {wide, append(slices.Repeat([]int64{32}, 34), 12)}} {
		data := write(t, Parquet, c.table)
		file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, g := range file.RowGroups() {
			got = append(got, g.NumRows())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Error(diff)
		}
	}
}
