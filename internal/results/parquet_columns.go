package results

import (
	"reflect"

	"github.com/parquet-go/parquet-go"
)

// A row group is buffered in memory, compressed, until it is whole: at most so
// many rows, and about so many bytes before compression. That is part of what
// the dispatcher's budget leaves for the process.
const (
	rowsPerGroup  = 1 << 19
	bytesPerGroup = 8 << 20
)

// A column takes at most so many values, and about so many bytes of strings,
// at once.
const (
	rowsPerChunk  = 1024
	bytesPerChunk = pageBytes
)

// parquetFile is a writer of columns. That of parquet.NewGenericWriter writes rows too, with all that values
// of Go may be, and makes the command 1.8 MB larger.
type parquetFile interface {
	ColumnWriters() []*parquet.ColumnWriter
	Flush() error
	Close() error
}

// parquetEncoder fills the columns of a row group and ends the group when
// it is full.
type parquetEncoder struct {
	out  parquetFile
	ids  IDKind
	list []Column

	rows, bytes int // in the row group

	chunk []parquet.Value // scratch of column
	text  []byte          // what the strings in chunk refer to
}

func (p *parquetEncoder) batch(b *Batch, rows int) error {
	for from := 0; from < rows; {
		to := p.chunkEnd(b, from, rows)
		columns := p.out.ColumnWriters()
		if err := p.column(columns[0], to-from, p.idsOf(&b.IDs, from)); err != nil {
			return err
		}
		for i, c := range p.list {
			if err := p.column(columns[1+i], to-from, p.valuesOf(&b.Columns[i], c, from)); err != nil {
				return err
			}
		}
		p.rows += to - from
		p.bytes += 8 * (1 + len(p.list)) * (to - from)
		if p.rows >= rowsPerGroup || p.bytes >= bytesPerGroup {
			if err := p.out.Flush(); err != nil {
				return err
			}
			p.rows, p.bytes = 0, 0
		}
		from = to
	}
	return nil
}

// chunkEnd returns the row behind the chunk that starts at from.
func (p *parquetEncoder) chunkEnd(b *Batch, from, rows int) int {
	to := min(rows, from+rowsPerChunk, from+rowsPerGroup-p.rows)
	if p.ids != IDString {
		return to
	}
	size := 0
	for i := from; i < to; i++ {
		size += len(b.IDs.Strings[i])
		for j, c := range p.list {
			if c.Kind == VertexID {
				size += len(b.Columns[j].V.Strings[i])
			}
		}
		if size >= bytesPerChunk {
			to = i + 1
		}
	}
	p.bytes += 4 * size // it is in pages first, then encoded, and then compressed
	return to
}

func (p *parquetEncoder) column(c *parquet.ColumnWriter, n int, value func(i int) parquet.Value) error {
	p.chunk, p.text = p.chunk[:0], p.text[:0]
	for i := range n {
		p.chunk = append(p.chunk, value(i))
	}
	_, err := c.WriteRowValues(p.chunk)
	return err
}

func (p *parquetEncoder) idsOf(c *IDs, from int) func(int) parquet.Value {
	switch p.ids {
	case IDInt:
		ints := c.Ints[from:]
		return func(i int) parquet.Value { return parquet.Int64Value(ints[i]) }
	case IDUint:
		uints := c.Uints[from:]
		return func(i int) parquet.Value { return parquet.Int64Value(int64(uints[i])) }
	default:
		strings := c.Strings[from:]
		return func(i int) parquet.Value {
			start := len(p.text)
			p.text = append(p.text, strings[i]...)
			return parquet.ByteArrayValue(p.text[start:])
		}
	}
}

// valuesOf returns the values of a column. Those of an optional one have the definition
// level 1, and nulls have 0.
func (p *parquetEncoder) valuesOf(v *Values, c Column, from int) func(int) parquet.Value {
	var value func(int) parquet.Value
	switch c.Kind {
	case Float32:
		f32 := v.F32[from:]
		value = func(i int) parquet.Value { return parquet.FloatValue(f32[i]) }
	case Float64:
		f64 := v.F64[from:]
		value = func(i int) parquet.Value { return parquet.DoubleValue(f64[i]) }
	case Int64:
		i64 := v.I64[from:]
		value = func(i int) parquet.Value { return parquet.Int64Value(i64[i]) }
	default:
		value = p.idsOf(&v.V, from)
	}
	if !c.Nullable {
		return value
	}
	return func(i int) parquet.Value {
		if v.isNull(from + i) {
			return parquet.NullValue()
		}
		return value(i).Level(0, 1, 0)
	}
}

// columns is the root of a schema that keeps the order of its columns: that of
// a parquet.Group is alphabetical.
type columns struct {
	parquet.Group
	fields []parquet.Field
}

func (c columns) Fields() []parquet.Field { return c.fields }

type column struct {
	parquet.Node
	name string
}

func (c column) Name() string { return c.name }

// Value belongs to the API of rows, which is not used here.
func (c column) Value(reflect.Value) reflect.Value { return reflect.Value{} }
