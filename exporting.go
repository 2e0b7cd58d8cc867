package garaph

import (
	"context"
	"io"

	"github.com/garaph/garaph/export"
)

// Export writes the edges of the graph to w, under the user's ids where the format has room for them. Writes to w
// are large; after an error the bytes in w are of no use.
func (g *Graph) Export(ctx context.Context, w io.Writer, o ExportOptions) (report export.Report, err error) {
	if err := g.begin(); err != nil {
		return export.Report{}, err
	}
	defer g.end(ctx, &err)
	return export.Write(ctx, g.store, w, o)
}

// ExportParts writes the edges to several files, as Export does to one: those of a folder that
// Import takes for one graph.
func (g *Graph) ExportParts(
	ctx context.Context, parts export.Parts, o ExportOptions,
) (report export.Report, err error) {
	if err := g.begin(); err != nil {
		return export.Report{}, err
	}
	defer g.end(ctx, &err)
	return export.WriteParts(ctx, g.store, parts, o)
}

// ExportIDs writes the user's ids, one a line, in the order of the engine's numbers.
func (g *Graph) ExportIDs(ctx context.Context, w io.Writer) (err error) {
	if err := g.begin(); err != nil {
		return err
	}
	defer g.end(ctx, &err)
	return export.WriteIDs(ctx, g.store, w)
}
