package results

import (
	"io"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	parquetzstd "github.com/parquet-go/parquet-go/compress/zstd"
)

// writeParquet writes two required columns. Integer ids are delta-encoded,
// since they come in ascending order as a rule; strings are of the type STRING
// when all are UTF-8 and plain BYTE_ARRAY otherwise. Columns are filled
// directly: rows would go through reflection.
func writeParquet(w io.Writer, t Table) error {
	areText, err := allUTF8(t)
	if err != nil {
		return err
	}
	id := idNode(t.IDKind(), areText)
	value := id
	switch t.ValueKind() {
	case Float32:
		value = parquet.Leaf(parquet.FloatType)
	case Float64:
		value = parquet.Leaf(parquet.DoubleType)
	case Int64:
		value = parquet.Int(64)
	}
	schema := parquet.NewSchema("results", columns{fields: []parquet.Field{
		column{parquet.Required(id), idColumn},
		column{parquet.Required(value), nameOf(t)},
	}})
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
		options = append(options, parquet.SkipPageBounds(idColumn), parquet.SkipPageBounds(nameOf(t)))
	}
	out := parquet.NewGenericWriter[any](w, append(options, schema)...)
	p := parquetEncoder{out: out, ids: t.IDKind(), values: t.ValueKind()}
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

// allUTF8 looks through all strings of t, in a pass of its own.
func allUTF8(t Table) (bool, error) {
	valid := true
	if t.IDKind() != IDString {
		return valid, nil
	}
	err := eachBatch(t, func(b *Batch, _ int) error {
		for _, column := range [][]string{b.IDs.Strings, b.V.Strings} {
			for _, s := range column {
				valid = valid && utf8.ValidString(s)
			}
		}
		return nil
	})
	return valid, err
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
