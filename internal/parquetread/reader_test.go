package parquetread

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/garaph/garaph/internal/columnar"
)

// tableOf is a column of each kind, null in every nth row.
func tableOf(r *rand.Rand, rows, nth int) [][]parquet.Value {
	var list [][]parquet.Value
	for i := range rows {
		small := r.Int64N(200)
		row := []parquet.Value{
			parquet.Int64Value(small - 100),
			parquet.Int64Value(int64(r.Uint64())),
			parquet.Int32Value(int32(r.Uint32())),
			parquet.FloatValue(float32(r.NormFloat64())),
			parquet.DoubleValue(r.NormFloat64()),
			parquet.ByteArrayValue([]byte(fmt.Sprintf("https://example.org/%d/%d", small, r.IntN(1<<20)))),
			parquet.ByteArrayValue([]byte(strings.Repeat("ü", r.IntN(4)))),
			parquet.Int32Value(int32(small)),
		}
		for c := range row {
			if nth > 0 && (i+c)%nth == 0 {
				row[c] = parquet.Value{}
			}
		}
		list = append(list, row)
	}
	return list
}

// schemaOf has the columns of tableOf, in an encoding each.
func schemaOf(optional bool, e func(column int, n parquet.Node) parquet.Node) *parquet.Schema {
	nodes := []parquet.Node{
		parquet.Int(64), parquet.Uint(64), parquet.Int(32), parquet.Leaf(parquet.FloatType), parquet.Leaf(parquet.DoubleType),
		parquet.String(), parquet.Leaf(parquet.ByteArrayType), parquet.Uint(32),
	}
	g := parquet.Group{}
	for i, n := range nodes {
		if n = e(i, n); optional {
			n = parquet.Optional(n)
		}
		g[fmt.Sprintf("c%d", i)] = n
	}
	return parquet.NewSchema("table", g)
}

// write writes rows with parquet-go.
func write(t testing.TB, s *parquet.Schema, rows [][]parquet.Value, optional bool, perGroup int, o ...parquet.WriterOption) []byte {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[any](&out, append(o, s)...)
	for i, row := range rows {
		r := make(parquet.Row, len(row))
		for c, v := range row {
			level := 0
			if optional && !v.IsNull() {
				level = 1
			}
			r[c] = v.Level(0, level, c)
		}
		if _, err := w.WriteRows([]parquet.Row{r}); err != nil {
			t.Fatal(err)
		}
		if (i+1)%perGroup == 0 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// all picks all columns.
func all(list []columnar.Column) ([]int, error) {
	var at []int
	for i, c := range list {
		if c.Kind != columnar.None {
			at = append(at, i)
		}
	}
	return at, nil
}

// read reads all columns of a file, as text.
func read(b []byte, limit int64, step int) ([][]string, *File, error) {
	f, picked, err := Open(bytes.NewReader(b), int64(len(b)), limit, all)
	if err != nil {
		return nil, nil, err
	}
	var got [][]string
	var r Reader
	err = f.Tasks(bytes.NewReader(b), picked, limit, func(task *Task) error {
		r.Start(bytes.NewReader(b), task)
		if task.FileRow != int64(len(got)) {
			return fmt.Errorf("a task begins with row %d, not %d", task.FileRow, len(got))
		}
		for {
			v, n, err := r.Next(step)
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			if n == 0 || n > step {
				return fmt.Errorf("%d rows of %d", n, step)
			}
			for i := range n {
				got = append(got, rowText(f, v, i))
			}
		}
		if want := task.FileRow + task.Rows; want != int64(len(got)) {
			return fmt.Errorf("a task of %d rows ends with row %d, not %d", task.Rows, len(got), want)
		}
		return nil
	})
	return got, f, err
}

func rowText(f *File, v []columnar.Values, i int) []string {
	var row []string
	for c := range v {
		switch {
		case v[c].IsNull(i):
			row = append(row, "-")
		case v[c].Ints != nil:
			row = append(row, string(columnar.AppendInteger(nil, f.Columns[c].Kind, v[c].Ints[i])))
		case v[c].Floats != nil:
			row = append(row, fmt.Sprint(v[c].Floats[i]))
		default:
			row = append(row, string(v[c].Text.At(i)))
		}
	}
	return row
}

// texts are rows as rowText has them.
func texts(rows [][]parquet.Value) [][]string {
	var want [][]string
	for _, row := range rows {
		var cells []string
		for c, v := range row {
			switch {
			case v.IsNull():
				cells = append(cells, "-")
			case c == 1:
				cells = append(cells, fmt.Sprint(uint64(v.Int64())))
			case c == 3:
				cells = append(cells, fmt.Sprint(float64(v.Float())))
			case c == 7:
				cells = append(cells, fmt.Sprint(v.Uint32()))
			default:
				cells = append(cells, v.String())
			}
		}
		want = append(want, cells)
	}
	return want
}

// encodings of numbers and of strings, by name.
var encodings = map[string]func(column int, n parquet.Node) parquet.Node{
	"plain":      func(_ int, n parquet.Node) parquet.Node { return parquet.Encoded(n, &parquet.Plain) },
	"dictionary": func(_ int, n parquet.Node) parquet.Node { return parquet.Encoded(n, &parquet.RLEDictionary) },
	"delta": func(c int, n parquet.Node) parquet.Node {
		switch c {
		case 3, 4:
			return parquet.Encoded(n, &parquet.ByteStreamSplit)
		case 5:
			return parquet.Encoded(n, &parquet.DeltaByteArray)
		case 6:
			return parquet.Encoded(n, &parquet.DeltaLengthByteArray)
		}
		return parquet.Encoded(n, &parquet.DeltaBinaryPacked)
	},
}

// TestRead reads what parquet-go writes: in all encodings, ways of compression and
// versions of pages, with and without nulls.
func TestRead(t *testing.T) {
	codecs := []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd, &parquet.Lz4Raw}
	r := rand.New(rand.NewPCG(1, 2))
	for name, e := range encodings {
		for i, codec := range codecs {
			for version := 1; version <= 2; version++ {
				for _, nth := range []int{0, 1, 3, 200} {
					optional := nth > 0 || i%2 == 0
					rows := tableOf(r, 300, nth)
					b := write(t, schemaOf(optional, e), rows, optional, 130, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.PageBufferSize(500+200*i))
					got, f, err := read(b, 64<<20, 1+r.IntN(300))
					if err != nil {
						t.Fatalf("%s, %s, version %d, nulls %d: %v", name, codec, version, nth, err)
					}
					if diff := cmp.Diff(texts(rows), got); diff != "" {
						t.Fatalf("%s, %s, version %d, nulls %d (-want +got):\n%.2000s", name, codec, version, nth, diff)
					}
					if f.Rows != 300 || len(f.groups) != 3 {
						t.Errorf("%d rows, %d groups", f.Rows, len(f.groups))
					}
				}
			}
		}
	}
}

// TestTasks: a row group of many pages is several tasks, whose borders are not those of pages of
// all columns.
func TestTasks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	rows := tableOf(r, 3*taskRows+1000, 1000)
	b := write(t, schemaOf(true, encodings["dictionary"]), rows, true, len(rows), parquet.PageBufferSize(100_000))
	got, f, err := read(b, 64<<20, 8192)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(texts(rows), got); diff != "" {
		t.Fatalf("(-want +got):\n%.2000s", diff)
	}
	tasks := 0
	if err := f.Tasks(bytes.NewReader(b), []int{0, 1, 2, 3, 4, 5, 6, 7}, 64<<20, func(*Task) error { tasks++; return nil }); err != nil || tasks < 3 {
		t.Errorf("%d tasks: %v", tasks, err)
	}
}

// TestColumns: what the columns of a file are called, and of which types they are.
func TestColumns(t *testing.T) {
	g := parquet.Group{
		"bool": parquet.Leaf(parquet.BooleanType), "date": parquet.Date(), "decimal": parquet.Decimal(2, 9, parquet.Int32Type),
		"int8": parquet.Int(8), "list": parquet.Repeated(parquet.Int(64)), "nested": parquet.Group{"x": parquet.Int(64), "y": parquet.String()},
		"time": parquet.Timestamp(parquet.Millisecond), "uint16": parquet.Uint(16), "uuid": parquet.UUID(), "zstring": parquet.Optional(parquet.String()),
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[any](&out, parquet.NewSchema("t", g))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, f, err := read(out.Bytes(), 1<<20, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, c := range f.Columns {
		got = append(got, fmt.Sprintf("%s: %s, kind %d, leaf %d", c.Name, c.Type, c.Kind, f.columns[i].leaf))
	}
	want := []string{
		"bool: bool, kind 0, leaf 0", "date: date, kind 0, leaf 1", "decimal: decimal, kind 0, leaf 2",
		"int8: int32, kind 1, leaf 3", "list: list, kind 0, leaf -1", "nested: nested, kind 0, leaf -1",
		"time: time, kind 0, leaf 7", "uint16: uint32, kind 2, leaf 8", "uuid: fixed-length bytes, kind 0, leaf 9",
		"zstring: string, kind 4, leaf 10",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLargest: statistics tell the largest id before a page is read.
func TestLargest(t *testing.T) {
	rows := tableOf(rand.New(rand.NewPCG(5, 6)), 100, 0)
	want := [8]uint64{}
	for _, row := range rows {
		want[7] = max(want[7], uint64(row[7].Uint32()))
	}
	rows[7][1] = parquet.Int64Value(-1) // the largest of 64 bits
	b := write(t, schemaOf(false, encodings["plain"]), rows, false, 30)
	_, f, err := read(b, 1<<20, 100)
	if err != nil {
		t.Fatal(err)
	}
	if top, ok := f.Largest(7); !ok || top != want[7] {
		t.Errorf("largest %d, %v; want %d", top, ok, want[7])
	}
	for _, c := range []int{0, 1, 2, 3, 5} { // negative ones, above MaxInt64, and no integers
		if top, ok := f.Largest(c); ok {
			t.Errorf("column %d has a largest value %d", c, top)
		}
	}
}

// TestLongStatistics: a page of values so long that its header is not read is no damaged one.
func TestLongStatistics(t *testing.T) {
	schema := parquet.NewSchema("table", parquet.Group{"c0": parquet.String()})
	for length, fits := range map[int]bool{60_000: true, 200_000: true, 1_200_000: false} {
		row := []parquet.Value{parquet.ByteArrayValue(bytes.Repeat([]byte("x"), length))}
		b := write(t, schema, [][]parquet.Value{row}, false, 1, parquet.DataPageStatistics(true), parquet.Compression(&parquet.Uncompressed))
		_, _, err := read(b, 64<<20, 100)
		switch {
		case fits && err != nil:
			t.Errorf("a value of %d bytes: %v", length, err)
		case !fits && (!errors.Is(err, ErrUnsupported) || errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "statistics")):
			t.Errorf("a value of %d bytes: got %v", length, err)
		}
	}
}
