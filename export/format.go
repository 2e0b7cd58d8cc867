package export

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/garaph/garaph/store"
)

// Format is a format of an edge list. docs/formats.md describes them.
type Format string

// The formats.
const (
	Text         Format = "text" // tabs between the columns
	CSV          Format = "csv"  // with a header
	EL           Format = "el"
	WEL          Format = "wel"
	LDBC         Format = "ldbc" // the edges; the vertices are in a file of their own, see [WriteIDs]
	METIS        Format = "metis"
	Ligra        Format = "ligra"
	GraphML      Format = "graphml"
	MatrixMarket Format = "mtx"
	DIMACS       Format = "dimacs"
	SG           Format = "sg"
	WSG          Format = "wsg"
	Raw          Format = "raw"
	RawW         Format = "raww"
	Parquet      Format = "parquet"
	Arrow        Format = "arrow"  // Arrow IPC, a file (Feather version 2)
	Arrows       Format = "arrows" // Arrow IPC, a stream
)

// Formats lists every format.
func Formats() []Format {
	return []Format{Text, CSV, EL, WEL, LDBC, MatrixMarket, DIMACS, SG, WSG, METIS, Ligra, GraphML, Raw, RawW, Parquet, Arrow, Arrows}
}

var byExtension = map[string]Format{
	".txt": Text, ".tsv": Text, ".tab": Text, ".edges": Text, ".csv": CSV, ".el": EL, ".wel": WEL, ".e": LDBC,
	".mtx": MatrixMarket, ".gr": DIMACS, ".sg": SG, ".wsg": WSG, ".bin": Raw, ".u32": Raw, ".wbin": RawW,
	".metis": METIS, ".graph": METIS, ".adj": Ligra, ".graphml": GraphML,
	".parquet": Parquet, ".pq": Parquet, ".arrow": Arrow, ".feather": Arrow, ".ipc": Arrow, ".arrows": Arrows,
}

// FormatOf recognises a format by the name of a file, below .gz and .zst.
func FormatOf(path string) (Format, error) {
	name := strings.ToLower(filepath.Base(path))
	compressed := ""
	for _, suffix := range []string{".gz", ".zst"} {
		if inside, ok := strings.CutSuffix(name, suffix); ok {
			name, compressed = inside, suffix
		}
	}
	f, ok := byExtension[filepath.Ext(name)]
	if ok && f.HasColumns() && compressed != "" {
		return "", fmt.Errorf("a file as %s cannot have the suffix %s: parquet is compressed inside, and arrow is not read compressed; leave the suffix out of %s", f, compressed, path)
	}
	if !ok {
		return "", fmt.Errorf("no format of edge lists has the extension of %s; name the file otherwise, or give --format: %s", path, formatNames())
	}
	return f, nil
}

// Extension is how the names of files of the format end.
func (f Format) Extension() string {
	switch f {
	case Text:
		return ".tsv"
	case LDBC:
		return ".e"
	case DIMACS:
		return ".gr"
	case Ligra:
		return ".adj"
	case Raw:
		return ".bin"
	case RawW:
		return ".wbin"
	}
	return "." + string(f)
}

// ParseFormat checks the name of a format.
func ParseFormat(s string) (Format, error) {
	if f := Format(strings.ToLower(s)); slices.Contains(Formats(), f) {
		return f, nil
	}
	return "", fmt.Errorf("%q is no format that garaph writes edges in; expected %s", s, formatNames())
}

func formatNames() string {
	var list []string
	for _, f := range Formats() {
		list = append(list, string(f))
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// Binary reports whether a file of the format is nothing that people read.
func (f Format) Binary() bool { return isGAP(f) || isRaw(f) || f.HasColumns() }

func isGAP(f Format) bool  { return f == SG || f == WSG }
func isRaw(f Format) bool  { return f == Raw || f == RawW }
func isText(f Format) bool { return f == Text || f == CSV }

// HasVertices reports whether a file of the format has all vertices, and not those alone that have edges.
func (f Format) HasVertices() bool {
	return f == MatrixMarket || f == DIMACS || f == GraphML || hasRows(f)
}

// header is what stands before so many edges.
func (x *writer) header(edges uint64) string {
	n := x.cat.Vertices
	switch x.o.Format {
	case CSV:
		if x.weighted {
			return "source,target,weight\n"
		}
		return "source,target\n"
	case DIMACS:
		return fmt.Sprintf("p sp %d %d\n", n, edges)
	case METIS:
		if x.weighted {
			return fmt.Sprintf("%d %d 001\n", n, edges/2)
		}
		return fmt.Sprintf("%d %d\n", n, edges/2)
	default:
		field, symmetry := "pattern", "general"
		if x.weighted {
			field = "real"
		}
		if x.half != whole {
			symmetry = "symmetric"
		}
		return fmt.Sprintf("%%%%MatrixMarket matrix coordinate %s %s\n%d %[3]d %d\n", field, symmetry, n, edges)
	}
}

// ImportName is what an import calls the format.
func (f Format) ImportName() string {
	switch f {
	case CSV:
		return string(Text)
	case Arrows:
		return string(Arrow)
	}
	return string(f)
}

// importFlags are those that say what the file does not. Names, and numbers that are bytes, may look like the
// beginning of any format.
func (x *writer) importFlags() []string {
	flags := []string{}
	add := func(list ...string) { flags = append(flags, list...) }
	f, ids := x.o.Format, &x.cat.IDs
	if isRaw(f) || (isText(f) || f == LDBC) && ids.Kind == store.IDString {
		add("--format", f.ImportName())
	}
	switch {
	case isText(f):
		if ids.Kind == store.IDString {
			add("--ids", "string")
		} else if x.dense() {
			add("--ids", "dense")
		}
		if f == CSV {
			add("--header")
		} else if ids.Kind == store.IDString {
			add("--no-header")
		}
	case f == LDBC || f == GraphML || f.HasColumns():
		switch {
		case ids.Kind == store.IDString:
			add("--ids", "string")
		case x.dense():
			add("--ids", "dense")
		}
	case f == DIMACS && !x.weighted:
		add("--weights", "no")
	case isRaw(f) && x.dense():
		add("--vertices", strconv.FormatInt(int64(x.cat.Vertices), 10))
	}
	if x.weighted && x.cat.Wide {
		add("--weights", "float64")
	}
	switch {
	case x.half == upper && f != GraphML:
		add("--undirected")
	case x.bothOnce():
		add("--undirected", "--dedup")
	}
	return flags
}
