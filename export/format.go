package export

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/garaph/garaph/ingest/format"
	_ "github.com/garaph/garaph/ingest/format/all" // registers the formats
	"github.com/garaph/garaph/ingest/read"
	"github.com/garaph/garaph/store"
)

// Format is the name of a format of edge lists. The packages in ingest/format have the names,
// docs/formats.md describes the formats.
type Format = read.FormatName

// Formats lists the formats that are written.
func Formats() (list []Format) {
	for _, f := range format.All() {
		if f.Writer != nil {
			list = append(list, f.Name)
		}
	}
	return list
}

// FormatOf recognises a format by the name of a file, below .gz and .zst.
func FormatOf(path string) (Format, error) {
	name := strings.ToLower(filepath.Base(path))
	inside := strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	for _, f := range format.All() {
		if f.Writer == nil || !slices.Contains(f.Extensions, filepath.Ext(inside)) {
			continue
		}
		if f.Writer.Columns != "" && inside != name {
			return "", fmt.Errorf("a file as %s cannot have the suffix %s: parquet is compressed inside, and arrow is not "+
				"read compressed; leave it out of %s", f.Name, filepath.Ext(path), path)
		}
		return f.Name, nil
	}
	return "", fmt.Errorf("no format of edge lists has the extension of %s; name the file otherwise, or give --format: %s",
		path, format.WordList(Formats()))
}

// ParseFormat checks the name of a format.
func ParseFormat(s string) (Format, error) {
	if f := Format(strings.ToLower(s)); slices.Contains(Formats(), f) {
		return f, nil
	}
	return "", fmt.Errorf("%q is no format that garaph writes edges in; expected %s", s, format.WordList(Formats()))
}

// writerOf returns how a format is written, which is one of [Formats].
func writerOf(f Format) *format.Writer { return format.Find(f).Writer }

// Extension returns the usual ending of file names in a format.
func Extension(f Format) string { return format.Find(f).Extensions[0] }

// HasColumns reports whether a format has columns of a type.
func HasColumns(f Format) bool { return writerOf(f).Columns != "" }

// HasParts reports whether files in the format are parts of a graph as the parts of a folder are,
// which an import takes for one graph.
func HasParts(f Format) bool { return writerOf(f).Parts }

// Binary reports whether a file in the format is not for people to read.
func Binary(f Format) bool { return writerOf(f).Binary }

// ImportName returns the name of the format in an import.
func ImportName(f Format) string {
	if info := format.Find(f); info != nil && info.Writer.Import != "" {
		return string(info.Writer.Import)
	}
	return string(f)
}

// importFlags returns the flags that an import needs beside the file. Names, and numbers that are bytes, may look
// like the beginning of any format.
func (x *writer) importFlags() []string {
	flags := []string{}
	add := func(list ...string) { flags = append(flags, list...) }
	names := x.cat.IDs.Kind == store.IDString
	if x.to.Plain && (names || x.to.Labels == format.IDs32) {
		add("--format", ImportName(x.o.Format))
	}
	switch {
	case x.to.Labels == format.OwnIDs && names:
		add("--ids", "string")
	case x.to.Labels == format.OwnIDs && x.dense():
		add("--ids", "dense")
	case x.to.Labels == format.IDs32 && x.dense():
		add("--vertices", strconv.FormatInt(int64(x.cat.Vertices), 10))
	}
	if x.to.Flags != nil {
		add(x.to.Flags(&x.graph, names)...)
	}
	if x.graph.Weighted && x.cat.Wide {
		add("--weights", "float64")
	}
	switch {
	case x.graph.Half != format.Whole && x.to.Undirected != format.WhenHalved:
		add("--undirected")
	case x.bothOnce():
		add("--undirected", "--dedup")
	}
	return flags
}
