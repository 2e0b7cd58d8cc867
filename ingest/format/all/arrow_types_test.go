package all_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph/ingest/read"
)

// warehouseTable has a column "from" of a type, with values as in JSON, a null behind them, "to"
// and a column of weights.
func warehouseTable(
	t *testing.T, kind arrow.DataType, values []string, weights arrow.DataType,
	weight func(i int) string,
) arrow.RecordBatch {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{{Name: "from", Type: kind, Nullable: true},
		{Name: "to", Type: arrow.PrimitiveTypes.Int64}, {Name: "weight", Type: weights}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	for i, v := range append(values, array.NullValueStr) {
		for k, text := range []string{v, fmt.Sprint(i), weight(i)} {
			var err error
			if text == array.NullValueStr {
				b.Field(k).AppendNull()
			} else {
				err = b.Field(k).AppendValueFromString(text)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.NewRecordBatch()
}

// TestArrowTypes checks ids and weights of the types of warehouses; see TestParquetColumns for Parquet.
func TestArrowTypes(t *testing.T) {
	dictionary := func(index, value arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: index, ValueType: value}
	}
	uuids := []string{"00112233-4455-6677-8899-aabbccddeeff", "ffffffff-ffff-ffff-ffff-ffffffffffff"}
	raw := []string{
		base64.StdEncoding.EncodeToString([]byte("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff")),
		base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xff}, 16)),
	}
	money, stamp := &arrow.Decimal128Type{Precision: 20, Scale: 2},
		&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	for _, c := range []struct {
		kind   arrow.DataType
		values []string // as arrow-go reads them
		ids    []string // if they differ
	}{
		{kind: money, values: []string{"12.50", "-0.01", "123456789012345678.99"}},
		{kind: &arrow.Decimal128Type{Precision: 38, Scale: 0},
			values: []string{"7", "-3", "99999999999999999999999999999999999999"}},
		{kind: &arrow.Decimal256Type{Precision: 60, Scale: 3},
			values: []string{"1234567890123456789012345678901234567890.125"}},
		{kind: &arrow.Decimal128Type{Precision: 9, Scale: 4}, values: []string{"12345.6789", "-1.0000"}},
		{kind: arrow.FixedWidthTypes.Date32, values: []string{"2024-01-31", "1969-12-31"}},
		{kind: arrow.FixedWidthTypes.Date64, values: []string{"2024-02-29", "1969-12-31"}},
		{kind: stamp, values: []string{"2024-01-31T23:59:59.123456Z", "1969-12-31T23:59:59Z"}},
		{kind: &arrow.TimestampType{Unit: arrow.Nanosecond}, values: []string{"2024-01-31T23:59:59.123456789"},
			ids: []string{"2024-01-31T23:59:59.123456789Z"}},
		{kind: &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "Europe/Berlin"},
			values: []string{"2024-07-01T12:00:00+02:00"}, ids: []string{"2024-07-01T10:00:00Z"}},
		{kind: &arrow.FixedSizeBinaryType{ByteWidth: 16}, values: raw, ids: uuids},
		{kind: arrow.BinaryTypes.LargeString, values: []string{"Zürich", "x"}},
		{kind: arrow.BinaryTypes.LargeBinary, values: []string{"eA=="}, ids: []string{"x"}},
		{kind: arrow.BinaryTypes.StringView, values: []string{"x", "longer than twelve bytes"}},
		{kind: dictionary(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String), values: []string{"a", "b", "a"}},
		{kind: dictionary(arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int64),
			values: []string{"-5", "9007199254740993", "-5"}},
		{kind: dictionary(arrow.PrimitiveTypes.Int32, arrow.FixedWidthTypes.Date32),
			values: []string{"2024-01-31", "2000-01-01", "2024-01-31"}},
		{kind: dictionary(arrow.PrimitiveTypes.Uint32, money), values: []string{"1.10", "2.20", "1.10"}},
	} {
		for _, weights := range []arrow.DataType{money, arrow.PrimitiveTypes.Float32,
			&arrow.Decimal256Type{Precision: 50, Scale: 10}} {
			batch := warehouseTable(t, c.kind, c.values, weights, func(i int) string { return fmt.Sprintf("%d.25", i) })
			var out bytes.Buffer
			w := ipc.NewWriter(&out, ipc.WithSchema(batch.Schema()))
			if err := w.Write(batch); err != nil {
				t.Fatal(err)
			}
			_ = w.Close() // in memory
			ids := c.values
			if c.ids != nil {
				ids = c.ids
			}
			want := map[string]string{}
			for i, id := range ids {
				want[fmt.Sprint(i)] = fmt.Sprintf("%s %d.25", id, i)
			}
			r := readBytes(t, "g.arrow", out.Bytes(), read.Options{SkipBadLines: true, Threads: 2})
			if r.err != nil {
				t.Errorf("%v, %v: %v", c.kind, weights, r.err)
				continue
			}
			got := map[string]string{}
			for _, e := range r.sink.sorted() {
				got[e.V] = fmt.Sprintf("%s %v", e.U, e.W)
			}
			if diff := cmp.Diff(want, got); diff != "" ||
				!strings.Contains(strings.Join(r.warns, "\n"), "the first is g.arrow: row") {
				t.Errorf("%v, %v: %s%v", c.kind, weights, diff, r.warns)
			}
		}
	}
}
