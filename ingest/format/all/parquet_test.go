package all_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph/ingest/build"
	"github.com/garaph/garaph/ingest/read"
)

// cells is a column of a Parquet file to be written; a value that is nil is null.
type cells struct {
	name    string
	logical schema.LogicalType
	kind    parquet.Type
	values  []any
}

// parquetFile writes optional columns, sorted by name, in row groups of so many rows.
func parquetFile(t testing.TB, perGroup int, list ...cells) []byte {
	t.Helper()
	slices.SortFunc(list, func(a, b cells) int { return strings.Compare(a.name, b.name) })
	var fields schema.FieldList
	for _, c := range list {
		length := -1
		if c.kind == parquet.Types.FixedLenByteArray {
			length = len(c.values[0].(parquet.FixedLenByteArray))
		}
		n, err := schema.NewPrimitiveNodeLogical(c.name, parquet.Repetitions.Optional, c.logical, c.kind, length, -1)
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, n)
	}
	root, err := schema.NewGroupNode("edges", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(parquet.NewWriterProperties(parquet.WithDataPageSize(64))))
	for from := 0; from < len(list[0].values); from += perGroup {
		g, err := w.AppendRowGroupChecked()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			column, err := g.NextColumn()
			if err != nil {
				t.Fatal(err)
			}
			writeCells(t, column, c.values[from:min(from+perGroup, len(c.values))])
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func writeCells(t testing.TB, column file.ColumnChunkWriter, values []any) {
	t.Helper()
	var levels []int16
	var ints []int64
	var small []int32
	var doubles []float64
	var floats []float32
	var bools []bool
	var texts []parquet.ByteArray
	var fixed []parquet.FixedLenByteArray
	var times []parquet.Int96
	for _, v := range values {
		if v == nil {
			levels = append(levels, 0)
			continue
		}
		levels = append(levels, 1)
		switch x := reflect.ValueOf(v); x.Kind() {
		case reflect.Slice:
			texts, fixed = append(texts, x.Bytes()), append(fixed, x.Bytes())
		case reflect.Array:
			times = append(times, v.(parquet.Int96))
		case reflect.String:
			texts = append(texts, []byte(x.String()))
		case reflect.Bool:
			bools = append(bools, x.Bool())
		case reflect.Float32, reflect.Float64:
			doubles, floats = append(doubles, x.Float()), append(floats, float32(x.Float()))
		case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			ints, small = append(ints, int64(x.Uint())), append(small, int32(x.Uint()))
		default:
			ints, small = append(ints, x.Int()), append(small, int32(x.Int()))
		}
	}
	var err error
	switch w := column.(type) {
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(ints, levels, nil)
	case *file.Int32ColumnChunkWriter:
		_, err = w.WriteBatch(small, levels, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(doubles, levels, nil)
	case *file.Float32ColumnChunkWriter:
		_, err = w.WriteBatch(floats, levels, nil)
	case *file.BooleanColumnChunkWriter:
		_, err = w.WriteBatch(bools, levels, nil)
	case *file.FixedLenByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(fixed, levels, nil)
	case *file.Int96ColumnChunkWriter:
		_, err = w.WriteBatch(times, levels, nil)
	case *file.ByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(texts, levels, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func integers(name string, bits int8, signed bool, values ...any) cells {
	kind := parquet.Types.Int32
	if bits == 64 {
		kind = parquet.Types.Int64
	}
	return cells{name, schema.NewIntLogicalType(bits, signed), kind, values}
}

func int64s(name string, values ...any) cells { return integers(name, 64, true, values...) }

func strs(name string, values ...any) cells {
	return cells{name, schema.StringLogicalType{}, parquet.Types.ByteArray, values}
}

func doubles(name string, values ...any) cells {
	return cells{name, schema.NoLogicalType{}, parquet.Types.Double, values}
}

func bools(name string, values ...any) cells {
	return cells{name, schema.NoLogicalType{}, parquet.Types.Boolean, values}
}

func times(name string, values ...any) cells {
	return cells{name, schema.NewTimestampLogicalType(true, schema.TimeUnitMillis), parquet.Types.Int64, values}
}

// TestParquetColumns checks which columns are taken, how their types are read, and which are refused.
func TestParquetColumns(t *testing.T) {
	i64 := func(v ...int64) (list []any) {
		for _, x := range v {
			list = append(list, x)
		}
		return list
	}
	ab := []cells{int64s("from", i64(1, 2)...), int64s("to", i64(3, 4)...)}
	with := func(c ...cells) []cells { return append(slices.Clone(ab), c...) }
	const firstTwo = `g.parquet: the first two columns, "a" and "b", are taken as source and target; use --columns ` +
		`SRC,DST[,WEIGHT] to choose columns`
	fixed := func(s string) any { return parquet.FixedLenByteArray(s) }
	var day parquet.Int96 // 2024-01-31
	binary.LittleEndian.PutUint32(day[8:], 2_440_588+19_753)
	pick := func(names ...string) read.Options { return table(0, read.HeaderAuto, names...) }
	for _, c := range []struct {
		name    string
		columns []cells
		o       read.Options
		want    string // edges, or a part of the error
		warns   string
	}{
		{name: "names", columns: with(strs("comment", "x", "y")), want: "1-3 2-4"},
		{name: "first two", columns: []cells{int64s("a", i64(1, 2)...), int64s("b", i64(3, 4)...)}, want: "1-3 2-4"},
		{name: "first two, a weight by name",
			columns: []cells{int64s("a", i64(1)...), int64s("b", i64(3)...), int64s("c", i64(5)...), int64s("w", i64(7)...)},
			want:    "1-3:7", warns: firstTwo},
		{name: "first two, the third a weight",
			columns: []cells{int64s("a", i64(1)...), int64s("b", i64(3)...), int64s("km", i64(5)...)}, want: "1-3:5",
			warns: firstTwo},
		{name: "a pair of names",
			columns: []cells{int64s("booked", i64(9)...), strs("payee", "a"), strs("payer", "b"), doubles("amount", 5.0)},
			want:    "b-a"},
		{name: "a pair around a weight",
			columns: []cells{strs("sender", "a"), doubles("amount", 5.0), strs("receiver", "b")}, want: "a-b:5"},
		{name: "a pair of which one is a time",
			columns: []cells{int64s("payer", i64(1)...), times("payee", i64(1)...)}, want: "1-1970-01-01T00:00:00.001Z",
			warns: `g.parquet: one of the columns "payer" and "payee" is text and the other numbers, so all ids are ` +
				`taken as text`},
		{name: "weight by name", columns: with(int64s("Weight", i64(7, 0)...), int64s("x", i64(1, 1)...)),
			want: "1-3:7 2-4:0"},
		{name: "whole numbers that are rounded", columns: with(int64s("w", i64(1<<24+1, 1<<53)...)),
			o: read.Options{Weights: read.WeightsFloat32}, want: "1-3:1.6777216e+07 2-4:9.007199e+15",
			warns: `1 weight was rounded to 24 bits, the largest to 16777216`},
		{name: "largest integers", columns: with(integers("w", 64, false, uint64(math.MaxUint64), uint64(1<<63))),
			want:  "1-3:1.8446744e+19 2-4:9.223372e+18",
			warns: `1 weight was rounded to 24 bits, the largest to 18446744073709551616; --weights float64 keeps 53`},
		{name: "integers next to ones of few bits",
			columns: with(int64s("w", i64(1<<53+1, 1<<54+1)...)), want: "1-3:9.007199e+15 2-4:1.8014399e+16",
			warns: `2 weights were rounded to 24 bits, the largest to 18014398509481984; --weights float64 keeps 53`},
		{name: "whole floats that are rounded", columns: with(doubles("w", 16777219.0, 16777216.5)),
			o: read.Options{Weights: read.WeightsFloat32}, want: "1-3:1.677722e+07 2-4:1.6777216e+07",
			warns: `1 weight was rounded to 24 bits, the largest to 16777220`},
		{name: "third number", columns: with(doubles("x", 0.5, 1e-3)), want: "1-3:0.5 2-4:0.001",
			warns: `g.parquet: column "x" is taken as the weight; --weights no leaves it out`},
		{name: "weight as text", columns: with(strs("weight", "1", "2")), want: `column "weight": strings are no weights`},
		{name: "two more numbers", columns: with(doubles("x", 0.5, 1.0), doubles("y", 0.5, 1.0)), want: "1-3 2-4"},
		{name: "time is no weight", columns: with(times("x", i64(1, 2)...)), want: "1-3 2-4"},
		{name: "no weights", columns: with(doubles("weight", 0.5, 1.0)),
			o: read.Options{Weights: read.WeightsNo}, want: "1-3 2-4"},
		{name: "weights required", columns: ab, o: read.Options{Weights: read.WeightsYes}, want: "has no column of weights"},
		{name: "chosen", columns: with(doubles("x", 0.5, 1.0)), o: pick("TO", "1", "x"), want: "3-1:0.5 4-2:1"},
		{name: "no such", columns: ab, o: pick("from", "weight"), want: `has no column "weight", but from, to`},
		{name: "source is bool", columns: []cells{bools("source", true), int64s("target", i64(1)...), int64s("x", i64(1)...)},
			want: `column "source": BOOLEAN is not supported`},
		{name: "chosen decimal",
			columns: with(cells{"x", schema.NewDecimalLogicalType(9, 2), parquet.Types.Int64, i64(1, 2)}),
			o:       pick("from", "to", "x"), want: "1-3:0.01 2-4:0.02"},
		{name: "decimals of bytes", columns: []cells{
			{"src", schema.NewDecimalLogicalType(30, 2), parquet.Types.FixedLenByteArray, []any{
				fixed("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04\xd2"),
				fixed("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), nil,
			}},
			{"dst", schema.NewDecimalLogicalType(9, 0), parquet.Types.ByteArray,
				[]any{parquet.ByteArray("\x7f"), parquet.ByteArray("\xff\x00"), parquet.ByteArray("")}},
			{"weight", schema.NewDecimalLogicalType(9, 3), parquet.Types.Int32, []any{int32(2500), int32(125), int32(0)}},
		}, o: read.Options{SkipBadLines: true}, want: "12.34-127:2.5 -0.01--256:0.125",
			warns: `1 bad line was passed over; the first is g.parquet: row 2 (from 0): null: expected an id in column "src"`},
		{name: "dates", columns: []cells{
			{"src", schema.DateLogicalType{}, parquet.Types.Int32, []any{int32(19753), int32(-1)}},
			int64s("dst", i64(1, 2)...),
		}, o: read.Options{IDs: read.IDsString}, want: "2024-01-31-1 1969-12-31-2"},
		{name: "timestamps", columns: []cells{
			{"src", schema.NewTimestampLogicalType(false, schema.TimeUnitNanos), parquet.Types.Int64,
				i64(1_706_745_599_123_456_789, -1)},
			{"dst", schema.NewTimestampLogicalType(true, schema.TimeUnitMicros), parquet.Types.Int64, i64(0, 1_500_000)},
		}, want: "2024-01-31T23:59:59.123456789Z-1970-01-01T00:00:00Z 1969-12-31T23:59:59.999999999Z-1970-01-01T00:00:01.5Z"},
		{name: "timestamps of 96 bits",
			columns: []cells{{"src", schema.NoLogicalType{}, parquet.Types.Int96, []any{day, nil}}, strs("dst", "x", "y")},
			o:       read.Options{SkipBadLines: true}, want: "2024-01-31T00:00:00Z-x",
			warns: `1 bad line was passed over; the first is g.parquet: row 1 (from 0): null: expected an id in column "src"`},
		{name: "UUIDs", columns: []cells{
			{"src", schema.UUIDLogicalType{}, parquet.Types.FixedLenByteArray,
				[]any{fixed("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff")}},
			{"dst", schema.NoLogicalType{}, parquet.Types.FixedLenByteArray, []any{fixed("0123456789abcdef")}},
		}, want: "00112233-4455-6677-8899-aabbccddeeff-30313233-3435-3637-3839-616263646566"},
		{name: "bytes of another length", columns: []cells{{"src", schema.NoLogicalType{}, parquet.Types.FixedLenByteArray,
			[]any{fixed("abc")}}, strs("dst", "x")}, want: `column "src": FIXED_LEN_BYTE_ARRAY is not supported`},
		{name: "delimiter", columns: ab, o: table(',', read.HeaderAuto),
			want: "is in format parquet, which has no delimiter"},
		{name: "one column", columns: []cells{int64s("a", i64(1)...)}, want: "has 1 columns"},

		{name: "unsigned", columns: []cells{integers("src", 64, false, uint64(math.MaxUint64), uint64(1)),
			integers("dst", 32, false, uint32(math.MaxUint32), uint32(2))}, want: "-1-4294967295 1-2"},
		{name: "small integers",
			columns: []cells{integers("src", 8, true, int8(-3), int8(5)), integers("dst", 16, true, int16(-300), int16(7))},
			want:    "-3--300 5-7"},
		{name: "floats as ids", columns: []cells{doubles("src", 1.0, -2.0), doubles("dst", 3.0, 1e15)},
			want: "-2-1000000000000000 1-3"},
		{name: "no integers", columns: []cells{doubles("src", 1.0, 2.5), doubles("dst", 3.0, 4.0)}, want: `g.parquet: row ` +
			`1 (from 0): "2.5": expected an integer from -9007199254740991 to 9007199254740991 in column "src"`},
		{name: "the largest float", columns: []cells{doubles("src", 9007199254740991.0), doubles("dst", -9007199254740991.0)},
			want: "9007199254740991--9007199254740991"},
		{name: "a float of two integers", columns: []cells{doubles("src", 9007199254740992.0), doubles("dst", 3.0)},
			want: `"9.007199254740992e+15": expected an integer`},
		{name: "floats of 32 bits", columns: []cells{{"src", schema.NoLogicalType{}, parquet.Types.Float,
			[]any{float32(1<<24 - 1)}}, doubles("dst", float64(1<<24))}, want: "16777215-16777216"},
		{name: "names of vertices", columns: []cells{strs("src", "Zürich", "a b"), strs("dst", "x", "Zürich")},
			want: "Zürich-x a b-Zürich"},
		{name: "text and numbers", columns: []cells{strs("src", "a", "b"), int64s("dst", i64(-3, 4)...)}, want: "a--3 b-4",
			warns: `g.parquet: one of the columns "src" and "dst" is text and the other numbers, so all ids are taken as text`},
		{name: "numbers as text", columns: ab, o: read.Options{IDs: read.IDsString}, want: "1-3 2-4"},
		{name: "text as numbers", columns: []cells{strs("src", "1", " -2"), strs("dst", "03", "4")},
			o: read.Options{IDs: read.IDsInt}, want: "-2-4 1-3"},
		{name: "text that is none", columns: []cells{strs("src", "1"), strs("dst", "x")}, o: read.Options{IDs: read.IDsInt},
			want: `"x": expected an integer of at most 64 bits in column "dst"; use --ids string`},
		{name: "dense", columns: ab, o: read.Options{IDs: read.IDsDense}, want: "1-3 2-4"},
		{name: "not dense",
			columns: []cells{int64s("src", i64(1, 1<<40)...), int64s("dst", i64(1, 2)...)}, o: read.Options{IDs: read.IDsDense},
			want: `"1099511627776": expected a dense id from 0 to 4294967294 in column "src"`},
		{name: "both signs",
			columns: []cells{int64s("src", i64(1, -1)...), integers("dst", 64, false, uint64(1), uint64(1<<63))},
			want:    `has ids of no one range`},

		{name: "null id", columns: []cells{int64s("src", 1, 2, 3), int64s("dst", 1, 2, nil)}, want: `g.parquet: row 2 ` +
			`(from 0): null: expected an id in column "dst"; use --skip-bad-lines to pass over such lines`},
		{name: "null ids passed over", columns: []cells{strs("src", nil, "a", "b"), strs("dst", "x", nil, "c")},
			o: read.Options{SkipBadLines: true}, want: "b-c",
			warns: `2 bad lines were passed over; the first is g.parquet: row 0 (from 0): null: expected an id in column "src"`},
		{name: "null weight", columns: with(doubles("weight", 1.0, nil)),
			want: `row 1 (from 0): null: expected a weight in column "weight"; use --weights no`},
		{name: "tiny weight", columns: with(doubles("weight", 1.0, 1e-50)),
			want: `"1e-50": expected a weight of 0, or of at least 1.4e-45 in column "weight"`},
		{name: "empty name", columns: []cells{strs("src", "a"), strs("dst", "")},
			want: `row 0 (from 0): "": expected an id that is not empty in column "dst"`},
		{name: "long name", columns: []cells{strs("src", "a"), strs("dst", strings.Repeat("x", read.MaxName+1))},
			want: `expected an id of at most 65535 bytes, not of 65536 in column "dst"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, cs := range c.columns { // ints for int64s
				for i, v := range cs.values {
					if x, ok := v.(int); ok {
						cs.values[i] = int64(x)
					}
				}
			}
			c.o.Threads = 2
			r := readBytes(t, "g.parquet", parquetFile(t, 2, c.columns...), c.o)
			if r.err != nil {
				if !strings.Contains(r.err.Error(), c.want) ||
					strings.HasPrefix(c.want, "g.parquet:") != strings.HasPrefix(r.err.Error(), c.want) ||
					strings.Contains(c.want, "-") && !strings.Contains(c.want, " ") {
					t.Fatalf("got %v, want %s", r.err, c.want)
				}
				return
			}
			var got []string
			for _, e := range r.sink.sorted() {
				s := e.U + "-" + e.V
				if r.schema.Weighted {
					s += fmt.Sprintf(":%v", e.W)
				}
				got = append(got, s)
			}
			want := strings.Fields(strings.ReplaceAll(c.want, "a b", "a_b"))
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(strings.Join(want, " "), strings.ReplaceAll(strings.Join(got, " "), "a b", "a_b")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.warns, strings.Join(r.warns, "\n")); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestParquetParts checks that a folder of parts is one graph, parts of different kinds are none.
func TestParquetParts(t *testing.T) {
	one := string(parquetFile(t, 2, int64s("src", int64(1), int64(2)), int64s("dst", int64(3), int64(4))))
	two := string(parquetFile(t, 2, int64s("x", int64(9)), int64s("src", int64(5)), int64s("dst", int64(6))))
	dir := writeFolder(t, map[string]string{"part-0.parquet": one, "_SUCCESS": "", "year=2024/part-1.parquet": two})
	r := readNames(t, read.Options{Table: read.TableOptions{Columns: []string{"src", "dst"}}}, []string{dir})
	if want := []string{"1-3", "2-4", "5-6"}; r.err != nil || !slices.Equal(edgesOf(r), want) {
		t.Errorf("got %q, %v", edgesOf(r), r.err)
	}
	three := string(parquetFile(t, 2, strs("src", "a"), strs("dst", "b")))
	dir = writeFolder(t, map[string]string{"part-0.parquet": one, "part-1.parquet": three})
	if r := readNames(t, read.Options{}, []string{dir}); r.err == nil ||
		!strings.Contains(r.err.Error(), "in the kind of ids") {
		t.Errorf("got %v", r.err)
	}
}

// TestParquetWhere checks that Parquet from a pipe, or truncated, is an error.
func TestParquetWhere(t *testing.T) {
	b := parquetFile(t, 2, int64s("src", int64(1), int64(2), int64(5)), int64s("dst", int64(3), int64(4), int64(6)))
	large, err := os.ReadFile(filepath.Join("testdata", "other", "duckdb-v2.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		content []byte
		o       read.Options
		want    string
	}{
		{"g.parquet.gz", gzipped(t, b), read.Options{}, "is a Parquet file within gzip; unpack it first"},
		{"g.parquet", nil, read.Options{}, "g.parquet: is no Parquet file: it does not begin with PAR1"},
		{"g.parquet", []byte("1 2\n"), read.Options{}, "g.parquet: is no Parquet file: it does not begin with PAR1"},
		{"g", b[:len(b)-1], read.Options{}, "the file is damaged"},
		{"g", large, read.Options{RowBytes: 10_000}, "does not fit in the 9.8 KiB of memory for rows; raise --memory"},
	} {
		c.o.Threads = 1
		r := readBytes(t, c.name, c.content, c.o)
		if r.err == nil || !strings.Contains(r.err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, r.err, c.want)
		}
		if c.o.RowBytes > 0 && !errors.Is(r.err, build.ErrMemory) {
			t.Errorf("got %v", r.err)
		}
	}
	r := readNames(t, read.Options{Stdin: bytes.NewReader(b)}, []string{"-"})
	want := "standard input: is a Parquet file from a pipe, but its directory is at its end; save it as a file first"
	if r.err == nil || r.err.Error() != want {
		t.Errorf("got %v", r.err)
	}
}

// TestOtherWriters reads files of DuckDB and Polars; testdata/other/README.md says what is in them.
func TestOtherWriters(t *testing.T) {
	for name, asText := range map[string]bool{"duckdb-strings.parquet": true, "duckdb-v2.parquet": true,
		"polars.parquet": false} {
		path := filepath.Join("testdata", "other", name)
		r := readNames(t, read.Options{SkipBadLines: true}, []string{path})
		if r.err != nil {
			t.Fatal(r.err)
		}
		var want []edgeSeen
		for i := range 3000 {
			u, v := fmt.Sprint(i*7919%1000), fmt.Sprint((i*104729+13)%1000)
			if name == "duckdb-strings.parquet" && v == "500" {
				continue
			}
			if asText {
				u, v = "https://example.org/"+u, "https://example.org/"+v
			}
			want = append(want, edgeSeen{U: u, V: v, W: float32(i%16) / 4})
		}
		slices.SortFunc(want, compareSeen)
		if diff := cmp.Diff(want, r.sink.sorted()); diff != "" {
			t.Errorf("%s (-want +got):\n%.1000s", name, diff)
		}
	}
}

// TestParquetDamage checks that a file with a changed byte, or that ends early, gives an error or a graph,
// never a panic; the pages that it has are bounded whatever it claims.
func TestParquetDamage(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "other", "polars.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(b); n += 1 + n/50 {
		var damaged *read.DamagedError
		if r := readBytes(t, "g.parquet", b[:n], read.Options{Threads: 1}); !errors.As(r.err, &damaged) {
			t.Fatalf("of %d bytes: %v", n, r.err)
		}
	}
	for i := range b {
		if i > 600 && i < len(b)-1200 && i%37 != 0 {
			continue
		}
		damaged := slices.Clone(b)
		damaged[i] ^= byte(1 << (i % 8))
		readBytes(t, "g.parquet", damaged, read.Options{Threads: 2, RowBytes: 16 << 20})
	}
}

func FuzzReadParquet(f *testing.F) {
	for _, name := range []string{"duckdb-v2.parquet", "polars.parquet"} {
		b, err := os.ReadFile(filepath.Join("testdata", "other", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint16(0))
	}
	f.Add(parquetFile(f, 2, int64s("src", int64(1), nil, int64(-5)), strs("dst", "a", "b", "")), uint16(37|16))
	f.Add(parquetFile(f, 3, doubles("src", 1.0, nil, 3.0), doubles("dst", 1.5, 2.0, 3.0)), uint16(3))
	f.Fuzz(func(t *testing.T, b []byte, choice uint16) {
		o := fuzzOptions("parquet", choice)
		o.RowBytes = 16 << 20
		r := sameOutcome(t, t, "g.parquet", b, o, read.Options{Threads: 1 + int(choice>>11&3)})
		checkKind(t, r)
	})
}
