package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/export"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/internal/scratch"
	"github.com/garaph/garaph/internal/wholefile"
)

// A folder of parts is written into a temporary one beside it, which gets its name when all parts are whole.

// edgesPerPart is about how many edges a part has where nobody says how many parts there are.
const edgesPerPart = 16 << 20

// inParts reports whether a folder of parts is to be written.
func (f *exportFlags) inParts() bool {
	return *f.parts > 0 || len(*f.output) > 1 && strings.HasSuffix(*f.output, string(os.PathSeparator))
}

// folder is the folder of parts.
func (f *exportFlags) folder() string { return filepath.Clean(*f.output) }

// checkParts checks the flags of parts, with the format that the name of the folder says if none was given.
func (f *exportFlags) checkParts(o *garaph.ExportOptions) (err error) {
	if *f.output == "-" {
		return Usagef("--parts makes a folder of files: name it with --output")
	}
	if o.Format == "" {
		if o.Format, err = export.FormatOf(f.folder()); err != nil {
			return Usagef("the parts in %s have no format: name the folder such as edges.parquet/ or edges.csv.gz/, or give --format", *f.output)
		}
	}
	if !o.Format.HasParts() {
		return Usagef("a file as %s is a graph by itself, and no part of one: choose --format parquet, arrow, csv, text, el, wel, raw or raww, or write one file", o.Format)
	}
	return nil
}

// suffix is how the names of parts end: as that of the folder, if it names the format.
func (f *exportFlags) suffix(format export.Format) string {
	name := filepath.Base(f.folder())
	if named, err := export.FormatOf(name); err != nil || named != format {
		return format.Extension()
	}
	compressed := ""
	for _, suffix := range []string{".gz", ".zst"} {
		if strings.HasSuffix(strings.ToLower(name), suffix) {
			compressed = name[len(name)-len(suffix):]
		}
	}
	return filepath.Ext(strings.TrimSuffix(name, compressed)) + compressed
}

// count is the number of parts.
func (f *exportFlags) count(edges uint64) int {
	if *f.parts > 0 {
		return *f.parts
	}
	return int(min(export.MostParts, edges/edgesPerPart+1))
}

// writeParts writes the folder: it is there at the end with all parts, or not at all.
func (f *exportFlags) writeParts(ctx context.Context, a *app, g *garaph.Graph, o garaph.ExportOptions) (r garaph.ExportReport, err error) {
	fail := func(err error) error { return fmt.Errorf("cannot write the edges to %s: %w", *f.output, err) }
	parent := wholefile.Folder(f.folder())
	scratch.RemoveKilled(parent, a.removedKilled)
	temporary, err := scratch.New(parent)
	if err != nil {
		return r, fail(err)
	}
	defer func() { err = errors.Join(err, temporary.Remove()) }()
	folder := temporary.Graph()
	if err := os.Mkdir(folder, 0o777); err != nil {
		return r, fail(err)
	}
	n, suffix := 0, f.suffix(o.Format)
	create := func(write func(io.Writer) (uint64, error)) error {
		path, edges := filepath.Join(folder, fmt.Sprintf("part-%05d%s", n, suffix)), uint64(0)
		err := wholefile.Write(path, 0, func(w io.Writer) error {
			return results.Compressed(w, path, func(w io.Writer) (err error) {
				edges, err = write(w)
				return err
			})
		})
		if err == nil && edges == 0 && n > 0 {
			return os.Remove(path)
		}
		n++
		return err
	}
	r, err = g.ExportParts(ctx, export.Parts{N: f.count(g.Catalogue().Edges), Create: create}, o)
	if err != nil {
		return r, fail(err)
	}
	if err := wholefile.PlaceFolder(folder, f.folder()); err != nil {
		return r, fail(err)
	}
	return r, nil
}
