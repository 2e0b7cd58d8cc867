package results

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Format is a file format of results. The text formats may carry the suffix
// ".gz" or ".zst", which compresses them: "tsv.gz".
type Format string

// The formats.
const (
	TSV     Format = "tsv"     // id, tab, value; no header
	CSV     Format = "csv"     // header, RFC 4180 quoting, lines end with LF
	NDJSON  Format = "ndjson"  // one JSON object a line
	Parquet Format = "parquet" // columns, zstd
	NPY     Format = "npy"     // NumPy 1.0, a structured array
	Arrow   Format = "arrow"   // Arrow IPC, a file (Feather version 2)
	Arrows  Format = "arrows"  // Arrow IPC, a stream
)

const known = "tsv, csv, ndjson (each also with .gz or .zst), parquet, arrow, arrows or npy"

var byExtension = map[string]Format{
	".tsv": TSV, ".txt": TSV, ".tab": TSV,
	".csv":    CSV,
	".ndjson": NDJSON, ".jsonl": NDJSON,
	".parquet": Parquet, ".pq": Parquet,
	".npy":   NPY,
	".arrow": Arrow, ".feather": Arrow, ".ipc": Arrow,
	".arrows": Arrows,
}

// FormatOf recognises the format by the extension of path: .tsv, .txt, .tab,
// .csv, .ndjson, .jsonl, each also with .gz or .zst behind it, .parquet, .pq, .arrow,
// .feather, .ipc, .arrows and .npy. Case does not matter.
func FormatOf(path string) (Format, error) {
	name := strings.ToLower(filepath.Base(path))
	ext := filepath.Ext(name)
	var suffix string
	if ext == gzipSuffix || ext == zstdSuffix {
		suffix = ext
		ext = filepath.Ext(strings.TrimSuffix(name, suffix))
	}
	f, ok := byExtension[ext]
	if !ok {
		return "", fmt.Errorf("garaph knows no results format with the extension of %s; name the file or the format as %s",
			path, known)
	}
	if suffix != "" && !f.isText() {
		return "", fmt.Errorf("a %s file cannot have the suffix %s: parquet is compressed inside, and npy and arrow are "+
			"not read compressed; leave the suffix out of %s", f, suffix, path)
	}
	return f + Format(suffix), nil
}

// ParseFormat checks the name of a format, as given on a command line.
func ParseFormat(s string) (Format, error) {
	f := Format(strings.ToLower(s))
	base, suffix := f.split()
	switch base {
	case TSV, CSV, NDJSON:
		return f, nil
	case Parquet, NPY, Arrow, Arrows:
		if suffix == "" {
			return f, nil
		}
	}
	return "", fmt.Errorf("%q is not a results format; the formats are %s", s, known)
}

// Formats returns the names that [ParseFormat] takes.
func Formats() []string {
	var names []string
	for _, f := range []Format{TSV, CSV, NDJSON} {
		names = append(names, string(f), string(f)+gzipSuffix, string(f)+zstdSuffix)
	}
	return append(names, string(Parquet), string(Arrow), string(Arrows), string(NPY))
}

// split separates the suffix of compression, "" without one.
func (f Format) split() (base Format, suffix string) {
	for _, s := range []string{gzipSuffix, zstdSuffix} {
		if b, ok := strings.CutSuffix(string(f), s); ok {
			return Format(b), s
		}
	}
	return f, ""
}

func (f Format) isText() bool { return f == TSV || f == CSV || f == NDJSON }

// Write writes all of t to w. After an error the bytes in w are of no use. Writes
// to w are large; w needs no buffer.
func Write(w io.Writer, f Format, t Table) error {
	if _, err := ParseFormat(string(f)); err != nil {
		return err
	}
	if err := check(t); err != nil {
		return err
	}
	base, suffix := f.split()
	return compressed(w, suffix, func(w io.Writer) error {
		switch base {
		case TSV:
			return writeText(w, t, tsvLayout(columnsOf(t)))
		case CSV:
			return writeText(w, t, csvLayout(t.IDName(), columnsOf(t)))
		case NDJSON:
			return writeText(w, t, ndjsonLayout(t.IDName(), columnsOf(t)))
		case NPY:
			return writeNPY(w, t)
		}
		names, err := namesOf(t)
		if err != nil {
			return err
		}
		return writeColumns(w, base, t, names.utf8)
	})
}

// Binary reports whether a file of the format is nothing that people read.
func (f Format) Binary() bool {
	base, suffix := f.split()
	return !base.isText() || suffix != ""
}

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
