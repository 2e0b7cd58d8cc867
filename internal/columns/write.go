package columns

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/klauspost/compress/zstd"
)

// Type is the type of a column that is written.
type Type uint8

// The types. Values of Binary need not be UTF-8.
const (
	Int64 Type = iota
	Uint64
	Float32
	Float64
	Utf8
	Binary
)

// Field describes a column that is written.
type Field struct {
	Name     string
	Type     Type
	Nullable bool
	Sorted   bool // Parquet encodes the differences of integers.
}

// Data are values of a column that is written: one of the slices, as its Type says. If Null is empty, none is null.
type Data struct {
	I64  []int64
	U64  []uint64
	F32  []float32
	F64  []float64
	Text []string
	Null []bool
}

// Writer writes a file of columns.
type Writer interface {
	// Write writes rows of all columns.
	Write(rows int, data []Data) error
	// Close writes the end of the file.
	Close() error
}

const (
	// rowsPerBatch and bytesPerBatch bound a record batch, which is in memory until it is whole.
	rowsPerBatch  = 1 << 16
	bytesPerBatch = 2 << 20
	// rowsPerGroup and bytesPerGroup bound a row group, which is in memory until it is whole.
	rowsPerGroup  = 1 << 19
	bytesPerGroup = 8 << 20
	// pageBytes is about the size of a page, which is compressed by itself.
	pageBytes = 256 << 10
)

// bounds counts the rows and bytes in memory.
type bounds struct{ rows, bytes int }

// add counts rows, and reports whether a bound is reached.
func (b *bounds) add(rows int, data []Data, mostRows, mostBytes int) bool {
	b.rows += rows
	b.bytes += 8 * len(data) * rows
	for _, d := range data {
		for _, s := range d.Text {
			b.bytes += len(s)
		}
	}
	return b.rows >= mostRows || b.bytes >= mostBytes
}

// unclosed hides the method Close of a writer, which arrow-go would call.
type unclosed struct{ io.Writer }

// stopped makes a panic of arrow-go an error.
func stopped(err *error) {
	switch p := recover().(type) {
	case nil:
	case error:
		*err = p
	default:
		*err = fmt.Errorf("%v", p)
	}
}

// arrowWriter gathers rows of a record batch.
type arrowWriter struct {
	out interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	builder *array.RecordBuilder
	bounds
}

// NewArrow returns a writer of an Arrow IPC stream, or of a file.
func NewArrow(w io.Writer, fields []Field, inFile bool) (x Writer, err error) {
	defer stopped(&err)
	numbers, texts := arrow.PrimitiveTypes, arrow.BinaryTypes
	types := []arrow.DataType{numbers.Int64, numbers.Uint64, numbers.Float32, numbers.Float64, texts.String, texts.Binary}
	var list []arrow.Field
	for _, f := range fields {
		list = append(list, arrow.Field{Name: f.Name, Type: types[f.Type], Nullable: f.Nullable})
	}
	s := arrow.NewSchema(list, nil)
	a := &arrowWriter{builder: array.NewRecordBuilder(memory.DefaultAllocator, s)}
	if !inFile {
		a.out = ipc.NewWriter(unclosed{w}, ipc.WithSchema(s))
		return a, nil
	}
	a.out, err = ipc.NewFileWriter(unclosed{w}, ipc.WithSchema(s))
	return a, err
}

// Write implements [Writer].
func (x *arrowWriter) Write(rows int, data []Data) (err error) {
	defer stopped(&err)
	for i := 0; x.rows == 0 && i < len(data); i++ { // a builder of strings grows with its strings
		if b, ok := x.builder.Field(i).(interface{ ReserveData(int) }); ok {
			b.ReserveData(bytesPerBatch)
		}
	}
	for i, d := range data {
		var valid []bool
		for _, null := range d.Null {
			valid = append(valid, !null)
		}
		switch b := x.builder.Field(i).(type) {
		case *array.Int64Builder:
			b.AppendValues(d.I64, valid)
		case *array.Uint64Builder:
			b.AppendValues(d.U64, valid)
		case *array.Float32Builder:
			b.AppendValues(d.F32, valid)
		case *array.Float64Builder:
			b.AppendValues(d.F64, valid)
		case *array.StringBuilder:
			b.AppendValues(d.Text, valid)
		case *array.BinaryBuilder:
			b.AppendStringValues(d.Text, valid)
		}
	}
	if x.add(rows, data, rowsPerBatch, bytesPerBatch) {
		return x.flush()
	}
	return nil
}

func (x *arrowWriter) flush() error {
	x.bounds = bounds{}
	record := x.builder.NewRecordBatch()
	defer record.Release()
	return x.out.Write(record)
}

// Close implements [Writer]. A stream begins with its schema also if it has no rows.
func (x *arrowWriter) Close() (err error) {
	defer stopped(&err)
	if x.rows > 0 {
		err = x.flush()
	}
	return errors.Join(err, x.out.Close())
}

// parquetWriter gathers rows of a row group.
type parquetWriter struct {
	out   *file.Writer
	group file.BufferedRowGroupWriter // nil before the first row
	bounds
	levels []int16
	ints   []int64
	text   []parquet.ByteArray
	buffer []byte // of text
}

// NewParquet returns a writer of a Parquet file.
func NewParquet(w io.Writer, fields []Field) (x Writer, err error) {
	defer stopped(&err)
	options := []parquet.WriterProperty{
		parquet.WithCreatedBy("garaph"), parquet.WithDictionaryDefault(false), parquet.WithDataPageSize(pageBytes),
		parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCompressionLevel(1),
	}
	var list schema.FieldList
	for _, f := range fields {
		repetition := parquet.Repetitions.Required
		if f.Nullable {
			repetition = parquet.Repetitions.Optional
		}
		var t schema.LogicalType = schema.NoLogicalType{}
		types := parquet.Types
		physical := []parquet.Type{types.Int64, types.Int64, types.Float, types.Double, types.ByteArray,
			types.ByteArray}[f.Type]
		switch f.Type {
		case Int64, Uint64:
			t = schema.NewIntLogicalType(64, f.Type == Int64)
		case Utf8:
			t = schema.StringLogicalType{}
		}
		n, err := schema.NewPrimitiveNodeLogical(f.Name, repetition, t, physical, 0, -1)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
		if f.Sorted && physical == parquet.Types.Int64 {
			options = append(options, parquet.WithEncodingFor(f.Name, parquet.Encodings.DeltaBinaryPacked))
		}
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, list, -1)
	if err != nil {
		return nil, err
	}
	out, err := file.NewParquetWriterWithError(unclosed{w}, root,
		file.WithWriterProps(parquet.NewWriterProperties(options...)))
	return &parquetWriter{out: out}, err
}

// Write implements [Writer].
func (x *parquetWriter) Write(rows int, data []Data) (err error) {
	defer stopped(&err)
	if x.group == nil {
		if x.group, err = x.out.AppendBufferedRowGroupChecked(); err != nil {
			return err
		}
	}
	for i, d := range data {
		c, err := x.group.Column(i)
		if err != nil {
			return err
		}
		var levels []int16
		if c.Descr().MaxDefinitionLevel() > 0 {
			levels = grown(&x.levels, rows)
			for k := range levels {
				levels[k] = 1
				if len(d.Null) > 0 && d.Null[k] {
					levels[k] = 0
				}
			}
		}
		switch c := c.(type) {
		case *file.Int64ColumnChunkWriter:
			list := d.I64
			if list == nil {
				list = widened(&x.ints, d.U64)
			}
			_, err = c.WriteBatch(present(list, d.Null), levels, nil)
		case *file.Float32ColumnChunkWriter:
			_, err = c.WriteBatch(present(d.F32, d.Null), levels, nil)
		case *file.Float64ColumnChunkWriter:
			_, err = c.WriteBatch(present(d.F64, d.Null), levels, nil)
		case *file.ByteArrayColumnChunkWriter:
			_, err = c.WriteBatch(x.strings(present(d.Text, d.Null)), levels, nil)
		}
		if err != nil {
			return err
		}
	}
	if x.add(rows, data, rowsPerGroup, bytesPerGroup) {
		return x.flush()
	}
	return nil
}

// present returns the values that are not null.
func present[T any](list []T, null []bool) []T {
	if !slices.Contains(null, true) {
		return list
	}
	var some []T
	for i, v := range list {
		if !null[i] {
			some = append(some, v)
		}
	}
	return some
}

// strings returns the bytes of strings.
func (x *parquetWriter) strings(list []string) []parquet.ByteArray {
	x.text, x.buffer = x.text[:0], x.buffer[:0]
	for _, s := range list {
		from := len(x.buffer)
		x.buffer = append(x.buffer, s...)
		x.text = append(x.text, x.buffer[from:])
	}
	return x.text
}

func (x *parquetWriter) flush() error {
	x.bounds = bounds{}
	err := x.group.Close()
	x.group = nil
	return err
}

// Close implements [Writer].
func (x *parquetWriter) Close() (err error) {
	defer stopped(&err)
	if x.group != nil {
		err = x.flush()
	}
	return errors.Join(err, x.out.Close())
}

// zstdCodec compresses with one encoder of a small window, and decompresses on all cores. The
// encoders of arrow-go have 8 MiB each and are made again after every garbage collection, and its
// decoder serves four goroutines.
type zstdCodec struct {
	codec
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

type codec interface {
	compress.Codec
	compress.StreamingCodec
}

// EncodeLevel implements [compress.Codec].
func (c zstdCodec) EncodeLevel(dst, src []byte, _ int) []byte {
	return c.encoder.EncodeAll(src, dst[:0])
}

// DecodeWithError implements [compress.ErrorCodec].
func (c zstdCodec) DecodeWithError(dst, src []byte) ([]byte, error) {
	return c.decoder.DecodeAll(src, dst[:0])
}

func init() {
	c, err := compress.GetCodec(compress.Codecs.Zstd)
	e, errEncoder := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(2*pageBytes), zstd.WithZeroFrames(true))
	d, errDecoder := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0))
	if err := errors.Join(err, errEncoder, errDecoder); err != nil {
		panic(err)
	}
	compress.RegisterCodec(compress.Codecs.Zstd, zstdCodec{c.(codec), e, d})
}
