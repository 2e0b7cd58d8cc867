package results

import (
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	parquetzstd "github.com/parquet-go/parquet-go/compress/zstd"
)

// writeParquet writes required columns, and optional ones where values may be null. Integer ids are delta-encoded,
// since they come in ascending order as a rule; strings are of the type STRING
// when all are UTF-8 and plain BYTE_ARRAY otherwise. Columns are filled
// directly: rows would go through reflection. ids is the name of the first column.
func writeParquet(w io.Writer, t Rows, ids string, areText bool) error {
	list := columnsOf(t)
	id := idNode(t.IDKind(), areText)
	fields := []parquet.Field{column{parquet.Required(id), ids}}
	for _, c := range list {
		value := id
		switch c.Kind {
		case Float32:
			value = parquet.Leaf(parquet.FloatType)
		case Float64:
			value = parquet.Leaf(parquet.DoubleType)
		case Int64:
			value = parquet.Int(64)
		}
		if c.Nullable {
			value = parquet.Optional(value)
		} else {
			value = parquet.Required(value)
		}
		fields = append(fields, column{value, c.Name})
	}
	schema := parquet.NewSchema("results", columns{fields: fields})
	codec, err := newPageCodec()
	if err != nil {
		return err
	}
	options := []parquet.WriterOption{
		parquet.Compression(codec),
		parquet.PageBufferSize(pageBytes),
		parquet.CreatedBy("garaph", "", ""),
		parquet.WriteBufferSize(pageBytes),
		parquet.DataPageStatistics(false),
	}
	if t.IDKind() == IDString && t.MaxIDBytes() > longestBound {
		for _, f := range fields {
			options = append(options, parquet.SkipPageBounds(f.Name()))
		}
	}
	out := parquet.NewWriter(w, append(options, schema)...)
	p := parquetEncoder{out: out, ids: t.IDKind(), list: list}
	if err := eachBatch(t, p.batch); err != nil {
		return err
	}
	return out.Close()
}

// longestBound is up to how many bytes ids are also written as the least and the
// largest of each page: these stay in memory, whole, until the end.
const longestBound = 256

// pageBytes is about the size of a page, which is compressed by itself.
const pageBytes = 256 << 10

// pageCodec is zstd with a window for a page: that of parquet-go has several
// encoders with windows of 4 MiB, which take 16 MiB and compress no better.
type pageCodec struct {
	parquetzstd.Codec
	encoder *zstd.Encoder
}

func newPageCodec() (*pageCodec, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false), zstd.WithWindowSize(pageBytes))
	return &pageCodec{encoder: e}, err
}

// Encode compresses src to the beginning of dst, or to new memory.
func (c *pageCodec) Encode(dst, src []byte) ([]byte, error) {
	return c.encoder.EncodeAll(src, dst[:0]), nil
}

func idNode(k IDKind, areText bool) parquet.Node {
	switch {
	case k == IDInt:
		return parquet.Encoded(parquet.Int(64), &parquet.DeltaBinaryPacked)
	case k == IDUint:
		return parquet.Encoded(parquet.Uint(64), &parquet.DeltaBinaryPacked)
	case areText:
		return parquet.Encoded(parquet.String(), &parquet.Plain)
	default:
		return parquet.Encoded(parquet.Leaf(parquet.ByteArrayType), &parquet.Plain)
	}
}
