package ingest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Arrays of NumPy and archives of them are not read; here are the commands that make edge lists of them. Floats are written
// with %.17g: ids that are 0.0 become 0, and weights keep all of their digits. Two rows are sources and targets where they are
// too long for rows of edges, or are what PyTorch Geometric calls edge_index.
const (
	numpyHead = `import sys, numpy as n; z = n.load(sys.argv[1]); text = lambda a: n.char.mod("%.17g", a) if a.dtype.kind == "f" else a.astype(str); ` +
		`rows = lambda k, a: a.T if a.shape[0] == 2 and (k == "edge_index" or a.shape[1:] > (3,)) else a; ` +
		`n.savetxt(sys.argv[2], n.column_stack([text(a) for a in `
	numpyTail = `]), fmt="%s", delimiter="\t")`

	ofArray  = numpyHead + `([z[k] for k in z.dtype.names] if z.dtype.names else [rows("", z)])` + numpyTail
	ofArrays = numpyHead + `(rows(k, z[k]) for k in sys.argv[3:])` + numpyTail // those that are named behind the files
)

// ofMatrix writes a matrix that scipy.sparse.save_npz has written.
const ofMatrix = `import sys, scipy.io, scipy.sparse; scipy.io.mmwrite(sys.argv[2], scipy.sparse.load_npz(sys.argv[1]))`

// zippedArrays refuses an archive of NumPy.
func zippedArrays(h *inputHead) error {
	file := shellWord(h.in.name)
	names, err := arraysOf(h)
	switch {
	case err != nil:
		return &InputError{File: h.in.name, Problem: "is an archive of NumPy, which cannot be read, and it does not say what is in it: " + err.Error(), Advice: "is it a file, and whole?", Err: err}
	case slices.Contains(names, "format") && slices.Contains(names, "shape") && slices.Contains(names, "data"):
		return &InputError{
			File: h.in.name, Problem: "is a sparse matrix of SciPy, which cannot be read",
			Advice: "write it as Matrix Market: python3 -c '" + ofMatrix + "' " + file + " graph.mtx",
		}
	}
	e := &InputError{File: h.in.name, Problem: "is an archive of NumPy, which cannot be read", Advice: linesOfIDs + "python3 -c '" + ofArrays + "' " + file + " edges.tsv"}
	edges := edgesAmong(names)
	if edges == nil {
		e.Advice += " SRC DST, with the names of two of its arrays, " + strings.Join(names[:min(len(names), 20)], ", ") + " (and of one of weights)"
	}
	for _, name := range edges {
		e.Advice += " " + shellWord(name)
	}
	e.Advice += thenImport
	return e
}

// arraysOf are the names of the arrays in an archive.
func arraysOf(h *inputHead) ([]string, error) {
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
	var names []string
	for _, f := range z.File {
		if name, is := strings.CutSuffix(f.Name, ".npy"); is {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("none of its %d members is an array", len(z.File))
	}
	return names, nil
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
	source := find(func(s string) bool { return isUsual(s, 0) })
	target := find(func(s string) bool { return isUsual(s, 1) })
	pairs := find(func(s string) bool { return strings.Contains(strings.ToLower(s), "edge") && !isWeightName(s) })
	switch {
	case source != "" && target != "":
		edges = []string{source, target}
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
