package ingest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"

	cols "github.com/garaph/garaph/internal/columns"
)

// byExtension is what a file's name says, below a name of compression.
var byExtension = map[string]Format{
	".mtx": MatrixMarket, ".gr": DIMACS, ".el": EL, ".wel": WEL, ".sg": SG, ".wsg": WSG,
	".v": LDBC, ".e": LDBC, ".metis": METIS, ".graph": METIS, ".adj": Ligra, ".graphml": GraphML, ".bin": Raw, ".u32": Raw, ".wbin": RawW,
	".parquet": Parquet, ".pq": Parquet, ".arrow": Arrow, ".arrows": Arrow, ".feather": Arrow, ".ipc": Arrow,
}

// extension is the ending of a name below .gz, .zst and .bz2, in lower case.
func extension(name string) string {
	ext := strings.ToLower(filepath.Ext(name))
	switch ext {
	case ".gz", ".gzip", ".zst", ".zstd", ".bz2":
		return strings.ToLower(filepath.Ext(strings.TrimSuffix(name, filepath.Ext(name))))
	}
	return ext
}

// detectFormat recognises the format of an input by its content, then its name.
func detectFormat(h *inputHead) Format {
	if f := formatOfContent(h); f != Auto {
		return f
	}
	return cmp.Or(byExtension[extension(h.in.name)], Text)
}

// formatOfContent recognises what says itself what it is; Auto for the rest.
func formatOfContent(h *inputHead) Format {
	switch text := bytes.TrimPrefix(h.bytes, utf8BOM); {
	case bytes.HasPrefix(h.bytes, []byte(cols.ParquetMagic)) && !isTextBytes(h.bytes):
		return Parquet
	case isArrow(h.bytes):
		return Arrow
	case isLigra(text):
		return Ligra
	case isGraphML(text):
		return GraphML
	}
	for {
		text := bytes.TrimPrefix(h.bytes, utf8BOM)
		if hasBanner(text) {
			return MatrixMarket
		}
		found, decided := hasProblemLine(text)
		if found {
			return DIMACS
		}
		if decided || !h.more() {
			return Auto
		}
	}
}

// checkText refuses what is no text. A format that the user named may have any
// number of control characters in its names, but no zero byte.
func checkText(h *inputHead, f Format, named bool) error {
	b := h.bytes
	text := isTextBytes(b)
	refused := func(problem, advice string) error {
		return &InputError{File: h.in.name, Problem: problem, Advice: advice}
	}
	what := ""
	for _, f := range foreignBytes {
		if bytes.HasPrefix(b, []byte(f.magic)) {
			what = f.what
		}
	}
	switch {
	case len(b) > 262 && string(b[257:262]) == "ustar":
		what = "a tar archive"
	case f == DIMACS && isGalois(b):
		what = "a binary .gr file of Galois"
	}
	switch zero := bytes.IndexByte(b, 0); {
	case what != "" && !text:
		return refused("is "+what+", which is not read", seeFormats)
	case bytes.IndexByte(b, '\n') < 0 && bytes.IndexByte(bytes.TrimRight(b, "\r"), '\r') >= 0:
		return refused("has carriage returns and no line feeds, so that all of it is one line", "")
	case !named && !text && !(f == GraphML && bytes.HasPrefix(b, []byte("<"))): // names may have any bytes
		return refused("looks binary, but would be read as "+string(f), "name its format with --format")
	case zero >= 0:
		return refused(fmt.Sprintf("byte %d is zero, which text in the format %s never has", zero, f), "")
	}
	return nil
}

// isTextBytes reports whether b has no zero byte and few control characters: a
// handful, or one in a hundred bytes.
func isTextBytes(b []byte) bool {
	if bytes.IndexByte(b, 0) >= 0 {
		return false
	}
	control := 0
	for _, c := range b {
		if c < ' ' && (c < '\t' || c > '\r') || c == 0x7f {
			control++
		}
	}
	return control <= 4+len(b)/100
}

// isGalois recognises the binary .gr of Galois: a version of 1 or 2, then the
// size of an edge's data, as 64-bit integers.
func isGalois(b []byte) bool {
	if len(b) < 32 {
		return false
	}
	version, size := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	return (version == 1 || version == 2) && size <= 64
}

// utf8BOM may stand before any text.
var utf8BOM = []byte("\xef\xbb\xbf")

// cutLine cuts the first line, with its end, off text.
func cutLine(text []byte) (line, rest []byte) {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1], text[i+1:]
	}
	return text, nil
}
