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

// edgesPerPart is the number of edges of a part, about, without --parts.
const edgesPerPart = 16 << 20

// inParts reports whether a folder of parts is to be written.
func (f *exportFlags) inParts() bool {
	return *f.parts > 0 || len(*f.output) > 1 && strings.HasSuffix(*f.output, string(os.PathSeparator))
}

// folder returns the folder of parts.
func (f *exportFlags) folder() string { return filepath.Clean(*f.output) }

// count returns the number of parts.
func (f *exportFlags) count(edges uint64) int {
	if *f.parts > 0 {
		return *f.parts
	}
	return int(min(export.MostParts, edges/edgesPerPart+1))
}

// writeParts writes the folder: it is there at the end with all parts, or not at all.
func (f *exportFlags) writeParts(
	ctx context.Context, a *app, g *garaph.Graph, o garaph.ExportOptions,
) (r export.Report, err error) {
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
	n, suffix := 0, export.Extension(o.Format)+compressed(f.folder())
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
