package results

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/garaph/garaph/internal/decimal"
)

// memory is a table of batches in memory.
type memory struct {
	ids     IDKind
	values  ValueKind
	name    string
	rows    int64
	width   int
	batches []*Batch
	err     error // after the last batch
}

func (m *memory) Rows() int64            { return m.rows }
func (m *memory) IDKind() IDKind         { return m.ids }
func (m *memory) IDName() string         { return IDColumn }
func (m *memory) Vertex(v uint32) uint32 { return v }
func (m *memory) Filler() Fill           { return nil }
func (m *memory) Columns() []Column      { return []Column{{Name: m.name, Kind: m.values}} }

func (m *memory) Batches(yield func(*Batch) error) error {
	for _, b := range m.batches {
		if err := yield(b); err != nil {
			return err
		}
	}
	return m.err
}

func (m *memory) Numbers(int, int64, int64, func(*Values) error) error { panic("files have ids, too") }

func (m *memory) Vertices(int, func([]uint32) error) error { panic("files have the user's ids") }
func (m *memory) Room() int64                              { return 0 }

func (m *memory) IDsOf(int, func(int) uint32, func(int, *IDs) error) error {
	panic("files have the user's ids")
}

var allFormats = []Format{TSV, CSV, NDJSON, Parquet, NPY, Arrow, Arrows, "tsv.gz", "csv.zst", "ndjson.gz"}

// strange ids; those with tabs and line ends are not for tsv.
var strange = []string{
	"plain", "", " leading", "trailing ", `quo"te`, "com,ma", `back\slash`, "ünïcode", "日本", "\U0001F600", "\u2028",
	"\x00start", "\x1b", "\x7f", "null", "inf", "'", "\xff\xfe invalid", "half \xe6\x97",
}

var stranger = append([]string{"new\nline", "ta\tb", "carriage\rreturn", "\r\n", `"`, `""`}, strange...)

// tables has one of each kind of id and value, in two batches.
func tables(texts []string) []*memory {
	ints := []int64{0, 1, -1, math.MaxInt64, math.MinInt64, 42, 1<<53 + 1}
	uints := []uint64{0, 1, math.MaxUint64, 1 << 63, 42, 7, 1<<53 + 1}
	f32 := []float32{0, 1, -0.5, 1e-7, math.MaxFloat32, float32(math.Inf(1)), float32(math.NaN())}
	f64 := []float64{0, 0.1, -1e300, 5e-324, 1e6, math.Inf(1), math.Inf(-1)}
	i64 := []int64{0, -5, math.MaxInt64, 12, math.MinInt64, math.MaxInt64, 1}
	var all []*memory
	for _, k := range []IDKind{IDInt, IDUint, IDString} {
		for _, v := range []ValueKind{Float32, Float64, Int64, VertexID} {
			m := &memory{ids: k, values: v, name: "result", rows: 7}
			for from := 0; from < len(ints); from += 4 {
				to := min(from+4, len(ints))
				b := &Batch{IDs: IDs{Ints: ints[from:to], Uints: uints[from:to]}}
				b.Columns = []Values{{F32: f32[from:to], F64: f64[from:to], I64: i64[from:to], V: b.IDs}}
				m.batches = append(m.batches, b)
			}
			if k == IDString {
				m.setStrings(texts)
			}
			all = append(all, m)
		}
	}
	return all
}

// setStrings makes one batch per text.
func (m *memory) setStrings(texts []string) {
	m.batches, m.rows = nil, int64(len(texts))
	for i, s := range texts {
		m.width = max(m.width, len(s))
		m.batches = append(m.batches, &Batch{
			IDs: IDs{Strings: []string{s}},
			Columns: []Values{{
				F32: []float32{float32(i) / 4}, F64: []float64{float64(i) / 3}, I64: []int64{int64(i)},
				V: IDs{Strings: []string{texts[len(texts)-1-i]}},
			}},
		})
	}
}

// want returns the rows as text, as the text formats write them without quoting.
func (m *memory) want() [][2]string {
	rows := [][2]string{}
	id := func(c *IDs, i int) string {
		switch m.ids {
		case IDInt:
			return strconv.FormatInt(c.Ints[i], 10)
		case IDUint:
			return strconv.FormatUint(c.Uints[i], 10)
		}
		return c.Strings[i]
	}
	for _, b := range m.batches {
		for i := range b.IDs.rows(m.ids) {
			var value string
			switch v := b.Columns[0]; m.values {
			case Float32:
				value = special(decimal.Format(float64(v.F32[i]), 32))
			case Float64:
				value = special(decimal.Format(v.F64[i], 64))
			case Int64:
				value = strconv.FormatInt(v.I64[i], 10)
			case VertexID:
				value = id(&v.V, i)
			}
			rows = append(rows, [2]string{id(&b.IDs, i), value})
		}
	}
	return rows
}

func special(s string) string {
	switch s {
	case "+Inf":
		return "inf"
	case "-Inf":
		return "-inf"
	case "NaN":
		return "nan"
	}
	return s
}

// write returns m as the bytes of a file.
func write(t *testing.T, f Format, m Table) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := Write(&buf, f, m); err != nil {
		t.Fatalf("%s, %v, %v: %v", f, m.IDKind(), m.Columns(), err)
	}
	return buf.Bytes()
}

// longNames is a table of 8 kB names that are made as they are read.
type longNames struct{ *memory }

func (l longNames) Batches(yield func(*Batch) error) error {
	text := []byte(strings.Repeat("/a-rather-long-path", 430))
	for v := range l.rows {
		copy(text, fmt.Sprintf("%09d", v))
		var b Batch
		b.IDs.Strings = []string{string(text)}
		b.Columns = []Values{{V: b.IDs}}
		if err := yield(&b); err != nil {
			return err
		}
	}
	return nil
}

// heapWatch notes what is on the heap after every megabyte that it takes.
type heapWatch struct {
	written, next int64
	most          uint64
}

func (w *heapWatch) Write(p []byte) (int, error) {
	if w.written += int64(len(p)); w.written >= w.next {
		w.next = w.written + 1<<20
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		w.most = max(w.most, m.HeapAlloc)
	}
	return len(p), nil
}

// TestHeapBounded checks that what a format holds on the heap does not grow with a table of
// long names.
func TestHeapBounded(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // how much is at hand at once is a matter of luck elsewhere
	for _, f := range allFormats {
		if f == NPY {
			continue // it has no such names
		}
		var peaks [2]uint64
		for i := range peaks {
			names := longNames{&memory{ids: IDString, values: VertexID, name: "x", rows: int64(2000 + 10_000*i), width: 9000}}
			w := heapWatch{}
			if err := Write(&w, f, names); err != nil {
				t.Fatal(err)
			}
			peaks[i] = w.most
		}
		if peaks[1] > peaks[0]+4<<20 {
			t.Errorf("%s: %d bytes are on the heap for 2,000 names, %d for 12,000", f, peaks[0], peaks[1])
		}
	}
}
