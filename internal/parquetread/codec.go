package parquetread

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Ways of compression of a chunk.
const (
	codecNone = iota
	codecSnappy
	codecGzip
	codecLZO
	codecBrotli
	codecHadoopLZ4
	codecZstd
	codecLZ4
)

// zstdDecoder unpacks for all goroutines. What it unpacks has the room that a page
// header gives it, and no more.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
})

// unpack unpacks src into all of dst.
func unpack(codec int32, dst, src []byte) error {
	n, err := len(dst), error(nil)
	switch codec {
	case codecNone:
		n = copy(dst, src)
		if len(src) != len(dst) {
			n = len(src)
		}
	case codecSnappy:
		if n, err = snappy.DecodedLen(src); err == nil && n == len(dst) {
			_, err = snappy.Decode(dst, src)
		}
	case codecGzip:
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(src)); err == nil {
			err = unpackStream(dst, z)
		}
	case codecBrotli:
		err = unpackStream(dst, brotli.NewReader(bytes.NewReader(src)))
	case codecZstd:
		var z *zstd.Decoder
		if z, err = zstdDecoder(); err == nil {
			var out []byte
			out, err = z.DecodeAll(src, dst[:0:len(dst)])
			n = len(out)
		}
	case codecLZ4:
		n, err = lz4.UncompressBlock(src, dst)
	case codecHadoopLZ4:
		return fmt.Errorf("%w: pages are compressed with the LZ4 of Hadoop, which is deprecated", ErrUnsupported)
	default:
		return fmt.Errorf("%w: pages are compressed with codec %d", ErrUnsupported, codec)
	}
	if err != nil {
		return fmt.Errorf("%w: it cannot be unpacked: %w", ErrDamaged, err)
	}
	if n != len(dst) {
		return fmt.Errorf("%w: it has %d bytes when unpacked, and its header says %d", ErrDamaged, n, len(dst))
	}
	return nil
}

// unpackStream fills dst, with which the stream ends.
func unpackStream(dst []byte, r io.Reader) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return err
	}
	var more [1]byte
	switch n, err := io.ReadFull(r, more[:]); {
	case n > 0:
		return fmt.Errorf("it has more than the %d bytes that its header says", len(dst))
	case err != io.EOF:
		return err
	}
	return nil
}
