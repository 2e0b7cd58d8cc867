package columns

import (
	"errors"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/zstd"
)

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
