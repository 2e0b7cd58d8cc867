package ingest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"regexp"
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
func detectFormat(h *inputHead) (Format, error) {
	if f := formatOfContent(h); f != Auto {
		return f, nil
	}
	ext := extension(h.in.name)
	f, ok := byExtension[ext]
	if !ok {
		return Text, nil
	}
	return f, nil
}

// formatOfContent recognises what says itself what it is; Auto for the rest.
func formatOfContent(h *inputHead) Format {
	if bytes.HasPrefix(h.bytes, []byte(cols.ParquetMagic)) && !isTextBytes(h.bytes) {
		return Parquet
	}
	if isArrow(h.bytes) {
		return Arrow
	}
	if isLigra(bytes.TrimPrefix(h.bytes, utf8BOM)) {
		return Ligra
	}
	if isGraphML(bytes.TrimPrefix(h.bytes, utf8BOM)) {
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
	name, b := h.in.name, h.bytes
	if what, advice := foreignBinary(name, b); what != "" && !isTextBytes(b) {
		return &InputError{File: name, Problem: what + ", which cannot be read", Advice: h.pasted(advice)}
	}
	for _, r := range refusedMagic {
		if bytes.HasPrefix(b, []byte(r.magic)) && !isTextBytes(b) {
			switch r.what {
			case "is a zip archive":
				return zipped(h)
			case "is compressed with xz", "is compressed with lz4":
				return &InputError{File: name, Problem: r.what + ", which cannot be read", Advice: beside(name, toUnpack(strings.TrimPrefix(r.what, "is compressed with "), "", name))}
			case "is a Parquet file", "is an Arrow file":
				return &InputError{File: name, Problem: r.what + ", which is no text", Advice: r.advice}
			}
			return &InputError{File: name, Problem: r.what + ", which cannot be read", Advice: r.advice}
		}
	}
	if utf16 := bytes.HasPrefix(b, []byte{0xff, 0xfe}) || bytes.HasPrefix(b, []byte{0xfe, 0xff}); utf16 && !isTextBytes(b) {
		return &InputError{File: name, Problem: "is UTF-16 text", Advice: h.pasted(toUTF8(name))}
	}
	if f == DIMACS && isGalois(b) {
		return &InputError{
			File: name, Problem: "is a binary .gr file of Galois, which cannot be read",
			Advice: "turn it into text with graph-convert --gr2edgelist of Galois",
		}
	}
	if returns := bytes.TrimRight(b, "\r\n"); bytes.IndexByte(b, '\n') < 0 && bytes.IndexByte(returns, '\r') >= 0 {
		return &InputError{File: name, Problem: "has carriage returns and no line feeds, so that all of it is one line", Advice: adviceReturns}
	}
	zero := bytes.IndexByte(b, 0)
	switch {
	case !named && !isTextBytes(b) && !(f == GraphML && bytes.HasPrefix(b, []byte("<"))): // names may have any bytes
		return &InputError{
			File: name, Problem: "looks binary, but would be read as " + string(f),
			Advice: "name its format with --format (" + formatList() + ")",
		}
	case zero >= 0:
		return &InputError{
			File: name, Problem: fmt.Sprintf("byte %d is zero, which text in the format %s never has", zero, f),
			Advice: "name another format (" + formatList() + "), or remove the zero bytes",
		}
	}
	return nil
}

// toUTF8 says how to turn UTF-16 into a file of the same kind.
func toUTF8(name string) string {
	ext := extension(name)
	if plain := regexp.MustCompile(`^\.[a-z0-9]+$`); !plain.MatchString(ext) {
		ext = ".txt"
	}
	return "turn it into UTF-8: iconv -f UTF-16 -t UTF-8 " + shellWord(name) + " > edges" + ext + ", and import edges" + ext
}

// zipped refuses a zip archive, which several formats are within.
func zipped(h *inputHead) error {
	name := h.in.name
	if isNPZ(h) {
		return zippedArrays(h)
	}
	e := &InputError{File: name, Problem: "is a zip archive, which cannot be read", Advice: "unpack it first"}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".xlsx", ".xlsm", ".ods":
		e.Problem = "is a spreadsheet, which cannot be read"
		e.Advice = "save its table of edges as CSV"
	}
	return e
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
