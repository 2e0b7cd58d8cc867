package results

import (
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	gzipSuffix = ".gz"
	zstdSuffix = ".zst"
)

// zstdWindow is the number of bytes back in which zstd looks for matches. Eight times
// as many, its default, compress rows no better and take 8 MiB more.
const zstdWindow = 512 << 10

// Compressed runs write with a writer to w, which compresses if a file of
// this name should be compressed: .gz with gzip, .zst with zstd.
func Compressed(w io.Writer, name string, write func(io.Writer) error) error {
	_, suffix := Format(strings.ToLower(name)).split()
	return compressed(w, suffix, write)
}

// compressed runs write with a writer that compresses into w as the suffix
// says, at the fastest level: rows come at hundreds of megabytes a second,
// and the levels above cost several times the time for a tenth of the size.
// After an error the stream is left without an end, so that no reader takes it
// for whole.
func compressed(w io.Writer, suffix string, write func(io.Writer) error) error {
	switch suffix {
	case gzipSuffix:
		z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
		if err != nil {
			return err
		}
		if err := write(z); err != nil {
			return err
		}
		return z.Close()
	case zstdSuffix:
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2),
			zstd.WithWindowSize(zstdWindow))
		if err != nil {
			return err
		}
		if err := write(z); err != nil {
			z.Reset(nil) // ends its goroutine
			return err
		}
		return z.Close()
	default:
		return write(w)
	}
}
