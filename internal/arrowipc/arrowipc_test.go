package arrowipc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/pierrec/lz4/v4"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/internal/columnar"
)

// drawn is a table to be written: cells as text, "" for a null.
type drawn struct {
	fields  []Field
	batches [][][]string // by batch, column and row
	bytes   []byte
}

// draw draws a table, and writes it as a stream or as a file.
func draw(t *rapid.T) drawn {
	d := drawn{}
	for i := range rapid.IntRange(0, 4).Draw(t, "columns") {
		d.fields = append(d.fields, Field{
			Name: fmt.Sprint("column ", i), Type: Type(rapid.IntRange(int(Int64), int(Binary)).Draw(t, "type")), Nullable: rapid.Bool().Draw(t, "nullable"),
		})
	}
	var out bytes.Buffer
	file := rapid.Bool().Draw(t, "file")
	w, err := NewWriter(&out, d.fields, file)
	if err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(0, 3).Draw(t, "batches") {
		rows := rapid.IntRange(0, 30).Draw(t, "rows")
		var columns []Data
		var cells [][]string
		for _, f := range d.fields {
			data, text := drawColumn(t, f, rows)
			columns, cells = append(columns, data), append(cells, text)
		}
		if err := w.Batch(rows, columns); err != nil {
			t.Fatal(err)
		}
		d.batches = append(d.batches, cells)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d.bytes = out.Bytes()
	if file {
		d.bytes = d.bytes[len(FileMagic)+2:]
	}
	return d
}

// drawColumn draws the values of a column in a batch.
func drawColumn(t *rapid.T, f Field, rows int) (Data, []string) {
	var d Data
	text := make([]string, rows)
	if f.Type >= Utf8 {
		d.Offsets = append(d.Offsets, 0)
	}
	for i := range text {
		switch f.Type {
		case Int64, Uint64:
			x := rapid.Uint64().Draw(t, "integer")
			d.Bytes = binary.LittleEndian.AppendUint64(d.Bytes, x)
			if text[i] = fmt.Sprint(x); f.Type == Int64 {
				text[i] = fmt.Sprint(int64(x))
			}
		case Float32:
			x := rapid.Float32().Draw(t, "float")
			d.Bytes = binary.LittleEndian.AppendUint32(d.Bytes, math.Float32bits(x))
			text[i] = fmt.Sprint(float64(x))
		case Float64:
			x := rapid.Float64().Draw(t, "float")
			d.Bytes = binary.LittleEndian.AppendUint64(d.Bytes, math.Float64bits(x))
			text[i] = fmt.Sprint(x)
		default:
			s := "." + rapid.StringN(0, 20, -1).Draw(t, "string") // "" is a null
			d.Bytes = append(d.Bytes, s...)
			d.Offsets = append(d.Offsets, int32(len(d.Bytes)))
			text[i] = s
		}
	}
	if f.Nullable {
		d.Null = rapid.SliceOfN(rapid.Bool(), rows, rows).Draw(t, "null")
		for i, is := range d.Null {
			if is {
				text[i] = ""
			}
		}
	}
	return d, text
}

// errLarge is what a test has no memory for.
var errLarge = errors.New("too large for a test")

// readAll reads a stream: the columns, and of each batch the cells of all of them, some rows at a time.
func readAll(b []byte, some int) (s *Schema, batches [][][]string, err error) {
	r := bytes.NewReader(b)
	d := Dictionaries{}
	var all []int
	for {
		m, _, err := ReadMessage(r)
		if err != nil || m == nil {
			return s, batches, err
		}
		if s == nil {
			if s, err = ParseSchema(m); err != nil {
				return nil, nil, err
			}
			for i, c := range s.Columns {
				if c.Kind != columnar.None {
					all = append(all, i)
				}
			}
		}
		if err := m.ReadBody(r); err != nil {
			return nil, nil, err
		}
		if !m.IsBatch() && !m.IsDictionary() {
			continue
		}
		if n, err := s.Unpacked(m, all); err != nil {
			return nil, nil, err
		} else if n > 1<<24 {
			return nil, nil, errLarge
		}
		switch {
		case m.IsDictionary():
			if _, _, known := s.Dictionary(m, all); known {
				err = s.LoadDictionary(m, all, d)
			}
		case m.IsBatch():
			var cells [][]string
			if cells, err = readBatch(s, m, all, d, some); err == nil {
				batches = append(batches, cells)
			}
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

func readBatch(s *Schema, m *Message, all []int, d Dictionaries, some int) ([][]string, error) {
	b, err := s.Load(m, all, d)
	if err != nil || b.Rows > 1<<20 {
		return nil, err
	}
	cells := make([][]string, len(all))
	for k := range cells {
		cells[k] = make([]string, 0, b.Rows)
	}
	var x Scratch
	for from := 0; from < b.Rows; from += some {
		to := min(from+some, b.Rows)
		values, err := b.Values(from, to, &x)
		if err != nil {
			return nil, err
		}
		for k, column := range all {
			for i := range to - from {
				cells[k] = append(cells[k], cell(&values[k], s.Columns[column].Kind, i))
			}
		}
	}
	return cells, nil
}

func cell(v *columnar.Values, kind columnar.Kind, i int) string {
	switch {
	case v.IsNull(i):
		return ""
	case kind == columnar.Text:
		return string(v.Text.At(i))
	case kind == columnar.Float:
		return fmt.Sprint(v.Floats[i])
	}
	return string(columnar.AppendInteger(nil, kind, v.Ints[i]))
}

// TestRoundTrip: what is written is read, however many rows at a time.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		s, batches, err := readAll(d.bytes, rapid.IntRange(1, 40).Draw(t, "rows at a time"))
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Columns) != len(d.fields) || len(batches) != len(d.batches) {
			t.Fatalf("%d columns and %d batches, want %d and %d", len(s.Columns), len(batches), len(d.fields), len(d.batches))
		}
		kinds := map[Type]columnar.Kind{Int64: columnar.Int, Uint64: columnar.Uint, Float32: columnar.Float, Float64: columnar.Float, Utf8: columnar.Text, Binary: columnar.Text}
		for i, f := range d.fields {
			if c := s.Columns[i]; c.Name != f.Name || c.Kind != kinds[f.Type] {
				t.Fatalf("column %d is %+v, want %+v", i, c, f)
			}
		}
		for i, want := range d.batches {
			for k := range want {
				if !slices.Equal(batches[i][k], want[k]) {
					t.Fatalf("batch %d, column %d: got %q, want %q", i, k, batches[i][k], want[k])
				}
			}
		}
	})
}

// TestDamage: a stream that was cut or changed is read, or is an error of this package's kinds: never a panic.
func TestDamage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		b := slices.Clone(d.bytes)
		cut := rapid.Bool().Draw(t, "cut")
		if cut {
			b = b[:rapid.IntRange(0, len(b)-1).Draw(t, "length")]
		}
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			if len(b) > 0 {
				at := rapid.IntRange(0, len(b)-1).Draw(t, "place")
				b[at] = rapid.OneOf(rapid.SampledFrom([]byte{0, 1, 0x7f, 0x80, 0xff}), rapid.Byte()).Draw(t, "byte")
			}
		}
		_, _, err := readAll(b, 7)
		checkError(t, err)
	})
}

// checkError refuses errors that do not say what is wrong with an input.
func checkError(t rapid.TB, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrUnsupported) && !errors.Is(err, errLarge) {
		t.Fatalf("an error of no kind: %v", err)
	}
}

// TestCut: no beginning of a message is a message.
func TestCut(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, []Field{{Name: "id", Type: Utf8}}, false)
	if err == nil {
		err = errors.Join(w.Batch(2, []Data{{Bytes: []byte("BernBasel"), Offsets: []int32{0, 4, 9}}}), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	whole, ends := out.Bytes(), map[int]bool{}
	for r := bytes.NewReader(whole); ; {
		ends[len(whole)-r.Len()] = true
		m, _, err := ReadMessage(r)
		if err != nil {
			t.Fatal(err)
		}
		if m == nil {
			break
		}
		if _, err := io.CopyN(io.Discard, r, m.Body); err != nil {
			t.Fatal(err)
		}
	}
	for n := range whole {
		if _, _, err := readAll(whole[:n], 1); (err == nil) != ends[n] || err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// TestNoSchema: a stream begins with a schema; metadata has a limit, whatever a head promises.
func TestNoSchema(t *testing.T) {
	head := func(size uint32) []byte {
		return binary.LittleEndian.AppendUint32([]byte{0xff, 0xff, 0xff, 0xff}, size)
	}
	for _, b := range [][]byte{head(maxMetadata + 1), head(math.MaxInt32), head(8), append(head(8), make([]byte, 8)...), {1, 0}, {0xff, 0xff, 0xff, 0xff, 1}} {
		if _, _, err := readAll(b, 1); !errors.Is(err, ErrDamaged) {
			t.Errorf("% x: %v", b[:min(len(b), 16)], err)
		}
	}
	if s, _, err := readAll(nil, 1); err != nil || s != nil {
		t.Errorf("nothing: %v, %v", s, err)
	}
}

// frame packs blocks as an LZ4 frame, with some of what a frame may have.
func frame(t *rapid.T, text []byte) []byte {
	flags := byte(1<<6 | lz4Independent)
	size, sums := rapid.Bool().Draw(t, "content size"), rapid.Bool().Draw(t, "sums of blocks")
	if size {
		flags |= lz4ContentSize
	}
	if sums {
		flags |= lz4BlockSum
	}
	b := append(binary.LittleEndian.AppendUint32(nil, lz4Magic), flags, 0x40)
	if size {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(text)))
	}
	b = append(b, 0) // of the header
	for len(text) > 0 {
		part := text[:rapid.IntRange(1, len(text)).Draw(t, "block")]
		text = text[len(part):]
		packed := make([]byte, lz4.CompressBlockBound(len(part)))
		n, err := lz4.CompressBlock(part, packed, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 && n < len(part) {
			b = append(binary.LittleEndian.AppendUint32(b, uint32(n)), packed[:n]...)
		} else {
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(part))|lz4Stored), part...)
		}
		if sums {
			b = append(b, 1, 2, 3, 4) // which nobody looks at
		}
	}
	return append(b, 0, 0, 0, 0)
}

// TestLZ4Frame: frames unpack to what was packed; cut or changed ones, and others than the buffer has room for, are
// errors or other bytes, never a panic.
func TestLZ4Frame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := bytes.Repeat(rapid.SliceOfN(rapid.Byte(), 1, 30).Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "times"))
		b := frame(t, text)
		dst := make([]byte, len(text))
		if err := unpackFrame(dst, b); err != nil || !bytes.Equal(dst, text) {
			t.Fatalf("%v\n% x\n% x", err, dst, text)
		}
		if err := unpackFrame(make([]byte, len(text)+1), b); err == nil {
			t.Fatal("a frame that is too short fills a buffer")
		}
		if len(text) > 0 {
			if err := unpackFrame(make([]byte, len(text)-1), b); err == nil {
				t.Fatal("a frame that is too long fits")
			}
		}
		if err := unpackFrame(dst, b[:rapid.IntRange(0, len(b)-1).Draw(t, "length")]); err == nil {
			t.Fatal("a frame that was cut is one")
		}
		b[rapid.IntRange(0, len(b)-1).Draw(t, "place")] = rapid.Byte().Draw(t, "byte")
		_ = unpackFrame(dst, b) // that it comes back is all
	})
}

func FuzzRead(f *testing.F) {
	for _, file := range []bool{false, true} {
		var out bytes.Buffer
		w, err := NewWriter(&out, []Field{{Name: "id", Type: Utf8, Nullable: true}, {Name: "x", Type: Float32}}, file)
		if err == nil {
			err = w.Batch(2, []Data{{Bytes: []byte("Bern"), Offsets: []int32{0, 4, 4}, Null: []bool{false, true}}, {Bytes: make([]byte, 8)}})
		}
		if err := errors.Join(err, w.Close()); err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.TrimPrefix(out.Bytes(), []byte(FileMagic+"\x00\x00")))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _, err := readAll(b, 5)
		checkError(t, err)
	})
}
