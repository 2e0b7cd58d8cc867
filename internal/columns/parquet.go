package columns

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// ParquetMagic begins and ends a Parquet file.
const ParquetMagic = "PAR1"

// Parquet is a Parquet file.
type Parquet struct {
	Columns []Column
	Rows    int64

	size   int64
	memory *Memory
	meta   *metadata.FileMetaData
	leaves []int // the number of each column among the columns of all levels
}

// OpenParquet reads the directory of a Parquet file of size bytes.
func OpenParquet(in io.ReaderAt, size int64, m *Memory) (f *Parquet, err error) {
	a := &account{Memory: m}
	defer caught(a, &err)
	f = &Parquet{size: size, memory: m}
	r, err := f.reader(in, a)
	if err != nil {
		return nil, err
	}
	f.meta, f.Rows = r.MetaData(), r.NumRows()
	all := int64(0)
	for _, g := range f.meta.RowGroups {
		all += g.NumRows
	}
	if all != f.Rows {
		return nil, fmt.Errorf("its row groups have %d rows, the file %d", all, f.Rows)
	}
	root := f.meta.Schema.Root()
	for i := range root.NumFields() {
		f.Columns = append(f.Columns, describe(root.Field(i)))
		f.leaves = append(f.leaves, f.meta.Schema.ColumnIndexByNode(root.Field(i)))
	}
	return f, nil
}

// reader returns a reader of the file that takes memory from an account.
func (f *Parquet) reader(in io.ReaderAt, a *account) (*file.Reader, error) {
	props := parquet.NewReaderProperties(a)
	props.BufferedStreamEnabled, props.BufferSize = true, 64<<10
	props.MaxCompressedPageSize, props.MaxUncompressedPageSize = math.MaxInt32, math.MaxInt32
	return file.NewParquetReader(io.NewSectionReader(in, 0, f.size), file.WithReadProps(props), file.WithMetadata(f.meta))
}

// describe returns the column of a node at the top level.
func describe(n schema.Node) Column {
	c := Column{Name: n.Name()}
	leaf, ok := n.(*schema.PrimitiveNode)
	if !ok || n.RepetitionType() == parquet.Repetitions.Repeated {
		c.Type = "LIST or GROUP"
		return c
	}
	if c.text, c.Decimal = parquetText(leaf); c.text {
		c.Kind = Text
		return c
	}
	switch t := n.LogicalType().(type) {
	case schema.TimeLogicalType, schema.IntervalLogicalType:
		c.Type, _, _ = strings.Cut(strings.ToUpper(t.String()), "(")
		return c
	case schema.IntLogicalType:
		c.Kind = Int
		if !t.IsSigned() {
			c.Kind = Uint
		}
	}
	switch leaf.PhysicalType() {
	case parquet.Types.Int32, parquet.Types.Int64:
		c.Kind = max(c.Kind, Int)
	case parquet.Types.Float, parquet.Types.Double:
		c.Kind, c.Single = Float, leaf.PhysicalType() == parquet.Types.Float
	case parquet.Types.ByteArray:
		c.Kind = Text
	default:
		c.Kind, c.Type = None, leaf.PhysicalType().String()
	}
	return c
}

// Groups returns the number of row groups.
func (f *Parquet) Groups() int { return len(f.meta.RowGroups) }

// Group describes a row group: its number of rows, and the bytes of its columns in the file.
func (f *Parquet) Group(i int) (rows, bytes int64) {
	return f.meta.RowGroups[i].NumRows, f.meta.RowGroups[i].GetTotalCompressedSize()
}

// Rows reads the rows of a row group.
type Rows struct {
	account *account
	columns []chunk
	values  []Values
	left    int64
}

// Read returns a reader of the picked columns of row group i of the file. It is to be closed.
func (f *Parquet) Read(in io.ReaderAt, i int, picked []int) (r *Rows, err error) {
	r = &Rows{account: &account{Memory: f.memory}, values: make([]Values, len(picked))}
	defer caught(r.account, &err)
	opened, err := f.reader(in, r.account)
	if err != nil {
		return nil, err
	}
	group := opened.RowGroup(i)
	r.left = group.NumRows()
	for _, column := range picked {
		head, err := group.MetaData().ColumnChunk(f.leaves[column])
		if err != nil {
			return nil, err
		}
		if head.NumValues() != r.left {
			return nil, fmt.Errorf("column %q: a row group has %d values of %d rows",
				f.Columns[column].Name, head.NumValues(), r.left)
		}
		if _, err := compress.GetCodec(head.Compression()); err != nil {
			return nil, UnsupportedError(fmt.Sprintf("column %q: compression %v is not supported",
				f.Columns[column].Name, head.Compression()))
		}
		c, err := group.Column(f.leaves[column])
		if err != nil {
			return nil, err
		}
		r.columns = append(r.columns, chunk{ColumnChunkReader: c, Column: f.Columns[column]})
	}
	return r, nil
}

// Next returns the next n rows of all columns, or as many as there are. After the last row it returns io.EOF.
func (r *Rows) Next(n int) (v []Values, rows int, err error) {
	if r.left <= 0 {
		return nil, 0, io.EOF
	}
	defer caught(r.account, &err)
	rows = int(min(int64(n), r.left))
	for i := range r.columns {
		if r.values[i], err = r.columns[i].next(rows); err != nil {
			return nil, 0, fmt.Errorf("column %q: %w", r.columns[i].Descriptor().Name(), err)
		}
	}
	r.left -= int64(rows)
	return r.values, rows, nil
}

// Close returns the memory.
func (r *Rows) Close() { r.account.close() }

// chunk is a column of a row group with its buffers.
type chunk struct {
	file.ColumnChunkReader
	Column
	buffers
	levels []int16
	i32    []int32
	f32    []float32
	i96    []parquet.Int96
	fixed  []parquet.FixedLenByteArray
	bytes  []Bytes
}

// next reads n values.
func (c *chunk) next(n int) (v Values, err error) {
	if c.Column.text {
		return c.asText(n)
	}
	switch r := c.ColumnChunkReader.(type) {
	case *file.Int64ColumnChunkReader:
		v.Ints, v.Null, err = read(c, r.ReadBatch, &c.ints, n)
	case *file.Int32ColumnChunkReader:
		if v.Ints, v.Null, err = read32(c, r, n); c.Kind == Uint {
			for i := range v.Ints {
				v.Ints[i] &= math.MaxUint32
			}
		}
	case *file.Float64ColumnChunkReader:
		v.Floats, v.Null, err = read(c, r.ReadBatch, &c.floats, n)
	case *file.Float32ColumnChunkReader:
		var list []float32
		list, v.Null, err = read(c, r.ReadBatch, &c.f32, n)
		v.Floats = widened(&c.floats, list)
	case *file.ByteArrayColumnChunkReader:
		v.Text, v.Null, err = read(c, r.ReadBatch, &c.buffers.text, n)
	}
	return v, err
}

// read32 reads n integers.
func read32(c *chunk, r *file.Int32ColumnChunkReader, n int) ([]int64, []bool, error) {
	list, null, err := read(c, r.ReadBatch, &c.i32, n)
	return widened(&c.ints, list), null, err
}

// read reads n values with a method of a reader, which leaves nulls out, and moves them to their rows.
func read[T any](
	c *chunk, batch func(int64, []T, []int16, []int16) (int64, int, error), buf *[]T,
	n int,
) (list []T, null []bool, err error) {
	list = grown(buf, n)
	var levels []int16
	if c.Descriptor().MaxDefinitionLevel() > 0 {
		levels = grown(&c.levels, n)
	}
	rows, values, err := batch(int64(n), list, levels, nil)
	switch {
	case err != nil:
		return nil, nil, err
	case c.Err() != nil:
		return nil, nil, c.Err()
	case rows < int64(n) || levels == nil && values < n:
		return nil, nil, errors.New("it has fewer rows than it says")
	case values == n:
		return list, nil, nil
	}
	null = grown(&c.null, n)
	for i := n - 1; i >= 0; i-- {
		if null[i] = levels[i] == 0; !null[i] {
			values--
			list[i] = list[values]
		}
	}
	return list, null, nil
}
