package ingest

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Arrays of NumPy and archives of them are not read. What their headers say of shapes and types decides which command makes
// an edge list of them, or that none does.

// npyArray is an array of NumPy, by its header.
type npyArray struct {
	name  string // in an archive, or the name of a field
	typ   string // as NumPy writes it: "<f8"; "" if it has fields
	shape []int64
}

var (
	npyDict  = regexp.MustCompile(`^\{'descr': (?:'([^']*)'|(\[.*\])), 'fortran_order': (?:True|False), 'shape': \(([\d, ]*)\)`)
	npyField = regexp.MustCompile(`\('([^']*)', '([^']*)'\)`)
)

// npyHeader reads what an array begins with: the array, or the fields of each row, as arrays.
func npyHeader(r io.Reader) ([]npyArray, error) {
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	head = head[:n]
	if len(head) < 12 {
		return nil, io.ErrUnexpectedEOF
	}
	dict := head[10:]
	if head[6] > 1 { // the length has four bytes
		dict = head[12:]
	}
	found := npyDict.FindSubmatch(dict)
	if found == nil {
		return nil, errors.New("its header is none that NumPy writes")
	}
	whole := npyArray{typ: string(found[1])}
	for _, word := range strings.FieldsFunc(string(found[3]), func(r rune) bool { return r == ',' || r == ' ' }) {
		size, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, err
		}
		whole.shape = append(whole.shape, size)
	}
	var fields []npyArray
	for _, f := range npyField.FindAllSubmatch(found[2], -1) {
		fields = append(fields, npyArray{name: string(f[1]), typ: string(f[2]), shape: whole.shape})
	}
	if fields != nil {
		return fields, nil
	}
	return []npyArray{whole}, nil
}

// Floats are written with %.17g: ids that are 0.0 become 0, and weights keep all of their digits.
const (
	numpyLoad  = `import sys, csv, numpy as n; z = n.load(sys.argv[1]); text = lambda a: n.char.mod("%.17g", a) if a.dtype.kind == "f" else a.astype(str); `
	numpySave  = `csv.writer(open(sys.argv[2], "w", encoding="utf8", newline=""), quoting=csv.QUOTE_ALL).writerows(n.column_stack([`
	numpyTail  = `]))`
	matrixTail = `; b = m.dtype == bool; scipy.io.mmwrite(sys.argv[2], m.astype("u1") if b else m, field="pattern" if b else None)`

	// Of a matrix that scipy.sparse.save_npz has written, and of an array.
	ofSparse = `import sys, scipy.io, scipy.sparse; m = scipy.sparse.load_npz(sys.argv[1])` + matrixTail
	ofDense  = `import sys, numpy as n, scipy.io, scipy.sparse; z = n.load(sys.argv[1]); m = scipy.sparse.coo_matrix(%s)` + matrixTail

	asMatrix   = "write its entries that are not 0 as Matrix Market: python3 -c '"
	thenMatrix = ", and import graph.mtx, where row 0 is vertex 1"
	readsEdges = "garaph takes rows of source, target and perhaps weight, an array for each of these, or a square matrix: write one of these"
)

// shapeText is a shape as Python writes it.
func (a *npyArray) shapeText() string {
	var words []string
	for _, n := range a.shape {
		words = append(words, strconv.FormatInt(n, 10))
	}
	if len(words) == 1 {
		return "(" + words[0] + ",)"
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// values reports whether an array has numbers or strings, which NumPy loads without running code of others.
func (a *npyArray) values() bool {
	return len(a.typ) > 1 && strings.IndexByte("biufSU", a.typ[1]) >= 0
}

// column reports whether an array has a value for each of n edges.
func (a *npyArray) column(n int64) bool {
	return len(a.shape) == 1 && a.shape[0] == n || len(a.shape) == 2 && a.shape[0] == n && a.shape[1] == 1
}

// square reports whether an array is a matrix with a row and a column for each vertex, and not up to three rows of edges.
func (a *npyArray) square() bool {
	return len(a.shape) == 2 && a.shape[0] == a.shape[1] && a.shape[0] > 3
}

// pairs says how many edges an array of several columns has, and whether these lie in its columns: two or three rows are sources, targets
// and weights where they are too long for rows of edges, or are what PyTorch Geometric calls edge_index. It is false for others.
func (a *npyArray) pairs() (edges int64, turned, ok bool) {
	if len(a.shape) != 2 {
		return 0, false, false
	}
	rows, columns := a.shape[0], a.shape[1]
	if (rows == 2 || rows == 3) && columns > 3 || rows == 2 && a.name == "edge_index" {
		return columns, true, true
	}
	return rows, false, columns == 2 || columns == 3
}

// expression is an array in Python, which z or a place in it is.
func (a *npyArray) expression(z string) string {
	if a.typ[1] == 'b' {
		z += `.astype("u1")`
	}
	return z
}

// adviceArrays says which command makes edges of the arrays in a file, or what these are instead; ordered says that they are columns in this order
// where their names do not tell.
func adviceArrays(file string, all []npyArray, archive, ordered bool) string {
	var names []string
	for _, a := range all {
		names = append(names, a.name)
	}
	chosen := chosenArrays(names, all, ordered)
	if chosen == nil {
		return "write its edges as lines of two ids, with the names of two of its arrays, " + strings.Join(names[:min(len(names), 20)], ", ") +
			", in place of SRC and DST (and of one of weights behind them): python3 -c '" + numpyLoad + numpySave + "text(z[k]) for k in sys.argv[3:]" + numpyTail + "' " + file + " edges.csv SRC DST" + thenCommas
	}
	var edges []npyArray
	for _, name := range chosen {
		edges = append(edges, all[slices.Index(names, name)])
	}
	first := edges[0]
	z := func(i int) string {
		if edges[i].name == "" {
			return "z"
		}
		return fmt.Sprintf("z[sys.argv[%d]]", 3+i)
	}
	arguments := ""
	for i := range edges {
		if !edges[i].values() {
			return edges[i].notValues(archive)
		}
		if edges[i].name != "" {
			arguments += " " + shellWord(edges[i].name)
		}
	}
	if len(edges) == 1 && first.square() {
		return asMatrix + fmt.Sprintf(ofDense, z(0)) + "' " + file + " graph.mtx" + arguments + thenMatrix
	}
	n, turned, ok := first.pairs()
	if len(edges) > 1 && len(first.shape) == 1 {
		n = first.shape[0]
	} else if !ok {
		return first.called(archive) + " has the shape " + first.shapeText() + "; " + readsEdges
	}
	var columns []string
	for i, a := range edges {
		value := a.expression(z(i))
		switch {
		case i == 0 && turned:
			value += ".T"
		case i > 0 && !a.column(n):
			return a.called(archive) + " has the shape " + a.shapeText() + fmt.Sprintf(", and no value for each of %d edges; ", n) + readsEdges
		}
		columns = append(columns, "text("+value+")")
	}
	return linesOfIDs + "python3 -c '" + numpyLoad + numpySave + strings.Join(columns, ", ") + numpyTail + "' " + file + " edges.csv" + arguments + thenCommas
}

// chosenArrays are the names of the arrays that are edges; nil where these cannot be told.
func chosenArrays(names []string, all []npyArray, ordered bool) []string {
	chosen := edgesAmong(names)
	var squares []string
	for _, a := range all {
		if a.square() {
			squares = append(squares, a.name)
		}
	}
	switch {
	case len(squares) == 1 && (chosen == nil || len(chosen) == len(names)): // no names tell of edges
		return squares
	case chosen == nil && ordered && len(names) == 3:
		return names
	}
	return chosen
}

// notValues says what can be done about an array that has no values.
func (a *npyArray) notValues(archive bool) string {
	return a.called(archive) + " is of the type " + a.typ + ", neither real numbers nor strings: make it of these, as astype(str) does"
}

// called is how errors name an array.
func (a *npyArray) called(archive bool) string {
	switch {
	case a.name == "":
		return "it"
	case archive:
		return "its array " + a.name
	}
	return "its field " + a.name
}

// arrayOfNumPy refuses a file that is an array.
func arrayOfNumPy(name string, b []byte) (what, advice string) {
	what = "is an array of NumPy"
	all, err := npyHeader(bytes.NewReader(b))
	if err != nil {
		return what, "it does not say which: " + err.Error()
	}
	return what, adviceArrays(shellWord(name), all, false, true)
}

// isNPZ reports whether a zip archive is one of NumPy: by its name, or by that of its first member.
func isNPZ(h *inputHead) bool {
	const named = 30 // bytes before the name of a member
	if extension(h.in.name) == ".npz" {
		return true
	}
	if len(h.bytes) < named {
		return false
	}
	end := named + int(binary.LittleEndian.Uint16(h.bytes[26:]))
	return end <= len(h.bytes) && bytes.HasSuffix(h.bytes[named:end], []byte(".npy"))
}

// zippedArrays refuses an archive of NumPy.
func zippedArrays(h *inputHead) error {
	file := shellWord(h.in.name)
	all, err := arraysOf(h)
	if err != nil {
		return &InputError{
			File: h.in.name, Problem: "is an archive of NumPy, which cannot be read, and it does not say what is in it: " + err.Error(),
			Advice: cmp.Or(h.plainFirst(), "is it a file, and whole?"), Err: err,
		}
	}
	if isSparse(all) {
		if data := all[slices.IndexFunc(all, func(a npyArray) bool { return a.name == "data" })]; !data.values() {
			return &InputError{File: h.in.name, Problem: "is a sparse matrix of SciPy, which cannot be read", Advice: data.notValues(true)}
		}
		return &InputError{
			File: h.in.name, Problem: "is a sparse matrix of SciPy, which cannot be read",
			Advice: h.pasted(asMatrix + ofSparse + "' " + file + " graph.mtx" + thenMatrix),
		}
	}
	return &InputError{File: h.in.name, Problem: "is an archive of NumPy, which cannot be read", Advice: h.pasted(adviceArrays(file, all, true, all[0].name == "arr_0"))}
}

// isSparse reports whether arrays are what scipy.sparse.save_npz writes.
func isSparse(all []npyArray) bool {
	has := func(names ...string) bool {
		for _, name := range names {
			if !slices.ContainsFunc(all, func(a npyArray) bool { return a.name == name }) {
				return false
			}
		}
		return true
	}
	return has("format", "shape", "data") && (has("indices", "indptr") || has("row", "col") || has("offsets"))
}

// arraysOf are the arrays in an archive.
func arraysOf(h *inputHead) ([]npyArray, error) {
	var in io.ReaderAt = bytes.NewReader(h.bytes)
	size := int64(len(h.bytes))
	if h.in.openAt != nil && h.stream.packed == "" {
		f, err := h.in.openAt()
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in, size = f, h.in.size
	}
	z, err := zip.NewReader(in, size)
	if err != nil {
		return nil, err
	}
	var all []npyArray
	for _, f := range z.File {
		name, is := strings.CutSuffix(f.Name, ".npy")
		if !is {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("array %s: %w", name, err)
		}
		a, err := npyHeader(r)
		_ = r.Close() // only read
		if err != nil {
			return nil, fmt.Errorf("array %s: %w", name, err)
		}
		if a[0].name != "" {
			a[0].typ = "|V" // of fields
		}
		a[0].name = name
		all = append(all, a[0])
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("none of its %d members is an array", len(z.File))
	}
	return all, nil
}

// edgesAmong are the arrays that are edges by their names, or since there are no others: source and target, or pairs of both,
// and the weight if there is one; nil if that cannot be told.
func edgesAmong(names []string) (edges []string) {
	find := func(is func(string) bool) string {
		if i := slices.IndexFunc(names, is); i >= 0 {
			return names[i]
		}
		return ""
	}
	source, target := namesOfEnds(names)
	pairs := find(func(s string) bool { return strings.Contains(strings.ToLower(s), "edge") && !isWeightName(s) })
	row, column := slices.Index(names, "row"), slices.IndexFunc(names, func(s string) bool { return s == "col" || s == "column" })
	switch {
	case source != "":
		edges = []string{source, target}
	case row >= 0 && column >= 0: // of the entries of a matrix, as SciPy calls them
		edges = []string{names[row], names[column]}
		if slices.Contains(names, "data") {
			return append(edges, "data")
		}
	case pairs != "":
		edges = []string{pairs}
	case len(names) < 3 || len(names) == 3 && names[0] == "arr_0": // those without names are in order
		return names
	default:
		return nil
	}
	if weight := find(func(s string) bool { return mayBeWeight(s) && !slices.Contains(edges, s) }); weight != "" {
		edges = append(edges, weight)
	}
	return edges
}
