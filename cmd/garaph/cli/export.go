package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/cmd/garaph/cli/console"
	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/export"
	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/format/text"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/internal/scratch"
	"github.com/garaph/garaph/internal/wholefile"
)

// exportFlags holds the flags of `garaph export`.
type exportFlags struct {
	output, ids, format *string
	both, noWeights     *bool
	threads, parts      *int
	memory              *int64
	json                *bool
}

func exportCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export GRAPH [flags]",
		Short: "Write a graph as an edge list",
		Long: `Write the edges of a graph as an edge list, in a format that import reads, with the
original ids if the format can hold them. At the end, a message tells how to import the
file as an equal graph.

The extension of the file decides the format:
  ` + exportExtensions() + `
Another .gz or .zst compresses the file, except for Parquet and Arrow. A name that ends
with / is a folder of files in that format, which import reads: a file has all edges of a
vertex, and about as many edges as the others. The folder appears when it is complete.

An edge of an undirected graph is written once, unless --both is given; .sg, .wsg, .metis
and .adj always have both directions.`,
		Example: `  garaph export web.graph --output web.tsv.gz
  garaph export web.graph --format csv | head
  garaph export web.graph --output web.parquet/ --parts 8
  garaph export roads.graph --output roads.wsg --ids roads.ids`,
		Args: exactly("one graph, and the file to write as --output FILE", 1),
	}
	fs := cmd.Flags()
	f := &exportFlags{
		output: outputFlag(fs, "-", "write the edges to this file; - is standard output"),
		format: flags.Enum(fs, "format", "", export.Formats(),
			"format of the edge list (default by the name of the file, or text)"),
		ids: fs.String("ids", "",
			"also write the ids of all vertices to this `FILE`, one per line, in the order of numbers"),
		both:      fs.Bool("both", false, "write both directions of the edges of an undirected graph"),
		noWeights: fs.Bool("no-weights", false, "leave out the weights of a weighted graph"),
		parts: flags.Range(fs, "parts", 0, 0, export.MostParts,
			"write a folder of N files; 0: one for each 16 Mi edges, if --output ends with /"),
		threads: threadsFlag(fs),
		memory:  flags.Size(fs, "memory", "memory of the process (default three quarters of what is available)"),
		json:    fs.Bool("json", false, "print the report as one JSON object"),
	}
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		return a.export(cmd.Context(), args[0], f)
	})
	return cmd
}

// exportExtensions lists the extensions of the formats that are written, in lines.
func exportExtensions() string {
	var list, lines []string
	for _, f := range format.All() {
		for _, extension := range f.Extensions {
			if f.Writer != nil && !slices.Contains(list, extension) {
				list = append(list, extension)
			}
		}
	}
	for line := range slices.Chunk(list, 14) {
		lines = append(lines, strings.Join(line, " "))
	}
	return strings.Join(lines, "\n  ")
}

// exportReport is an export as JSON.
type exportReport struct {
	Graph  string `json:"graph"`
	Output string `json:"output"`
	export.Report
	Seconds    float64 `json:"seconds"`
	PeakMemory int64   `json:"peak_rss_bytes"`
}

// options checks the flags before anything is opened.
func (f *exportFlags) options(a *app) (garaph.ExportOptions, error) {
	o := garaph.ExportOptions{
		Format: export.Format(*f.format), Both: *f.both, NoWeights: *f.noWeights, Threads: *f.threads, Memory: *f.memory,
	}
	if o.Memory == 0 {
		o.Memory = defaultMemory()
	}
	path := *f.output
	if path == "" {
		return o, Usagef("--output is empty: name a file, or - for standard output")
	}
	if path == "-" && (*f.json || f.inParts()) {
		return o, Usagef("with --json or --parts, the edges do not go to standard output: name a file with --output")
	}
	if o.Format == "" {
		named, err := export.FormatOf(filepath.Clean(path))
		if err != nil && (f.inParts() || path != "-" && !output.IsStream(path)) {
			return o, flags.Usage(err)
		}
		o.Format = cmp.Or(named, text.Text)
	}
	switch {
	case f.inParts() && !export.HasParts(o.Format):
		return o, Usagef("format %s cannot be written in parts: a file holds a whole graph", o.Format)
	case export.HasColumns(o.Format) && compressed(path) != "":
		return o, Usagef("format %s is not read compressed: omit the suffix of %s", o.Format, path)
	case export.Binary(o.Format) && a.stdout.IsTerminal(path):
		return o, Usagef(
			"format %s is binary, and the output is a terminal: name a file with --output, or choose --format text", o.Format,
		)
	}
	if o.Format == text.LDBC && *f.ids == "" {
		stem, named := strings.CutSuffix(path, ".e")
		if !named {
			return o, Usagef("format ldbc also has a file of vertices: name the edges x.e, and vertices go to x.v, or name " +
				"their file with --ids")
		}
		*f.ids = stem + ".v"
	}
	if a.stdout.IsTerminal(path) {
		o.Printable = show.Printable
	}
	return o, nil
}

// compressed returns the suffix of a compressed file, as it is in path.
func compressed(path string) string {
	if suffix := filepath.Ext(path); strings.EqualFold(suffix, ".gz") || strings.EqualFold(suffix, ".zst") {
		return suffix
	}
	return ""
}

// check reports the error that writing the files would end with.
func (f *exportFlags) check(graph string) error {
	if *f.ids != "" {
		if output.SameName(*f.ids, *f.output) {
			return Usagef("the edges and the ids both write %s: name two files, with --output and --ids", *f.output)
		}
		if err := output.CheckBeside("the ids", *f.ids, []string{graph}); err != nil {
			return err
		}
	}
	if !f.inParts() {
		if *f.output == "-" {
			return nil
		}
		return output.CheckBeside("the edges", *f.output, []string{graph})
	}
	if err := output.CheckNoInput("the edges", *f.output, []string{graph}); err != nil {
		return err
	}
	if err := wholefile.CheckPlace(f.folder()); err != nil {
		return fmt.Errorf("cannot write the edges to %s: %w", *f.output, err)
	}
	return nil
}

// export writes the files, with progress and a summary.
func (a *app) export(ctx context.Context, path string, f *exportFlags) (err error) {
	o, err := f.options(a)
	if err != nil {
		return err
	}
	defer keepWithin(o.Memory)()
	g, err := garaph.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	if err := o.Check(path, g.Catalogue()); err != nil {
		return err
	}
	if err := f.check(path); err != nil {
		return err
	}
	begin := time.Now()
	a.console.Begin("export of " + path)
	p := &console.Phases{Console: a.console}
	o.Progress = func(done, total int64) { p.Set("writing", done, total, console.InEdges) }
	r, err := f.write(ctx, a, g, o)
	p.End()
	if err != nil && ctx.Err() != nil {
		return &stopped{fmt.Sprintf("the export of %s was stopped", path), err}
	}
	if err != nil {
		return err
	}
	took := time.Since(begin)
	a.console.Summary(fmt.Sprintf("exported %s in %s: %s edges/s; it is imported with `%s import %s GRAPH`",
		show.Counted(int64(r.Edges), "edge", "edges"), show.Seconds(took), show.Count(show.PerSecond(float64(r.Edges), took)),
		a.name, importText(r, *f.output)))
	f.warn(a, r)
	if *f.json {
		return json.NewEncoder(a.stdout).Encode(exportReport{path, *f.output, r, took.Seconds(), peakMemory()})
	}
	return nil
}

// write writes the ids, if they are wanted, and the edges: both files are there at the end, or none is.
func (f *exportFlags) write(
	ctx context.Context, a *app, g *garaph.Graph, o garaph.ExportOptions,
) (r export.Report, err error) {
	var files results.Files
	defer files.End()
	if *f.ids != "" {
		if err := files.Write(ctx, *f.ids, "the ids", func(w io.Writer) error { return g.ExportIDs(ctx, w) }); err != nil {
			return r, err
		}
	}
	edges := func(w io.Writer) (err error) {
		r, err = g.Export(ctx, w, o)
		return err
	}
	switch {
	case f.inParts():
		r, err = f.writeParts(ctx, a, g, o)
	case *f.output == "-":
		err = edges(a.stdout)
	default:
		err = files.Write(ctx, *f.output, "the edges", edges)
	}
	if err != nil {
		return r, err
	}
	return r, files.Place()
}

// importText returns the arguments of the import that reads the file, for a shell.
func importText(r export.Report, path string) string {
	words := slices.Clone(r.Import)
	named, _ := export.FormatOf(path)
	if path == "-" {
		named = text.Text
	}
	if format := export.ImportName(r.Format); export.ImportName(named) != format && !slices.Contains(words, "--format") {
		words = append([]string{"--format", format}, words...)
	}
	return strings.Join(append(words, shellWord(path)), " ")
}

// warn reports parts of the graph that are not in the file.
func (f *exportFlags) warn(a *app, r export.Report) {
	if r.Directed {
		a.console.Log.Warn("both directions of every edge are in the file, so that its import is a directed graph")
	}
	if r.Renumbered && *f.ids == "" {
		a.console.Log.Warn(fmt.Sprintf("the format %s counts vertices, and the ids of the graph are not in the file: --ids "+
			"FILE writes them, in the order of the numbers", r.Format))
	}
	if r.Isolated > 0 {
		a.console.Log.Warn(fmt.Sprintf("%s without edges: an edge list as %s does not have them",
			show.Counted(int64(r.Isolated), "vertex is", "vertices are"), r.Format))
	}
}

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
