package results

import (
	"io"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
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
	out := parquet.NewGenericWriter[any](w, schema,
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest, Concurrency: 1}),
		parquet.CreatedBy("garaph", "", ""),
		parquet.WriteBufferSize(1<<20),
		parquet.DataPageStatistics(false),
	)
	p := parquetEncoder{out: out, ids: t.IDKind(), values: t.ValueKind()}
	if err := eachBatch(t, p.batch); err != nil {
		return err
	}
	return out.Close()
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
