package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/cmd/garaph/cli/console"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/columns"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/subgraph"
)

// subgraphFlags holds the flags of `garaph subgraph`.
type subgraphFlags struct {
	output, ids *string
	hops        *int
	along       *string
	all, rows   *bool
	force, json *bool
	threads     *int
	memory      *int64
}

func subgraphCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "subgraph GRAPH --output FOLDER (--all | --ids FILE | --source ID --hops K)",
		Short: "Make a graph of some vertices of another one",
		Long: `Make a new graph of some vertices of a graph and of all edges between these. Vertices
keep their ids, edges their weights, and vertices stay that have no edges in it.

The vertices are all of them, those of a list of ids, or those within some hops from
sources. A list is text with an id a line, or the column id (else the first one) of a
Parquet or Arrow file, such as what DuckDB or pandas selected from results.`,
		Example: `  garaph run wcc web.graph --output wcc.parquet
  duckdb -c "copy (select id from 'wcc.parquet' where component = 5) to 'five.parquet'"
  garaph subgraph web.graph --ids five.parquet --output five.graph
  garaph subgraph web.graph --source 17 --hops 2 --along both --output near.graph
  garaph subgraph web.graph --ids chosen.txt --output chosen.graph
  garaph subgraph web.graph --all --rows --output rows.graph`,
		Args: exactly("one graph", 1),
	}
	fs := cmd.Flags()
	f := &subgraphFlags{
		output: outputFlag(fs, "", "make the new graph in this `FOLDER` (required)"),
		ids: fs.String("ids", "", "take the vertices listed in this `FILE` (text, .parquet or .arrow; may be compressed): "+
			flags.IDLines+"; - is standard input"),
		all:  fs.Bool("all", false, "take all vertices: a copy of the graph"),
		rows: fs.Bool("rows", false, "also store rows of in-edges, so that frontiers along them are read from disk"),
	}
	flags.Sources(fs, "from which hops are counted")
	f.hops = flags.Count(fs, "hops", 1, 0, "at most N hops from a source; 0: only the sources")
	f.along = flags.Enum(fs, "along", subgraph.Out, []subgraph.Along{subgraph.Out, subgraph.In, subgraph.Both},
		"whether hops follow edges, go against them, or both")
	f.force = fs.Bool("force", false, "replace the graph that is there, and its jobs; refused while one is running")
	f.threads = threadsFlag(fs)
	f.memory = flags.Size(fs, "memory", "memory of the process (default half of what is available)")
	f.json = fs.Bool("json", false, "print the report as one JSON object")
	completeEnums(cmd)
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		return a.subgraph(cmd, args[0], f)
	})
	return cmd
}

// check asks for one way to choose vertices.
func (f *subgraphFlags) check(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	sources := changed("source") || changed("sources")
	ways := 0
	for _, way := range []bool{*f.all, changed("ids"), sources} {
		if way {
			ways++
		}
	}
	switch {
	case *f.output == "":
		return Usagef("--output FOLDER is required")
	case ways != 1:
		return Usagef("expected one way to choose vertices: --all, --ids FILE, or --source ID with --hops")
	case !sources && (changed("hops") || changed("along")):
		return Usagef("--hops and --along are counted from a source: give --source ID, or --sources FILE")
	}
	return nil
}

// subgraphReport is a subgraph as JSON.
type subgraphReport struct {
	From       string  `json:"from"`
	Graph      string  `json:"graph"`
	Vertices   uint32  `json:"vertices"`
	Edges      uint64  `json:"edges"`
	Weighted   bool    `json:"weighted"`
	Wide       bool    `json:"wide,omitempty"` // weights are stored as float64
	Symmetric  bool    `json:"symmetric"`
	Bytes      int64   `json:"disk_bytes"`
	Seconds    float64 `json:"seconds"`
	PeakMemory int64   `json:"peak_rss_bytes"`
}

// subgraph writes the graph, with progress and a summary.
func (a *app) subgraph(cmd *cobra.Command, path string, f *subgraphFlags) (err error) {
	ctx := cmd.Context()
	memory := *f.memory
	if memory == 0 {
		memory = defaultMemory() / 3 * 2
	}
	defer keepWithin(memory)()
	g, err := garaph.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	if err := subgraph.CheckPath(g.Store(), *f.output); err != nil {
		return flags.Usage(err)
	}
	a.console.Begin("subgraph of " + path)
	p := &console.Phases{Console: a.console}
	defer p.End()
	o := subgraph.Options{Force: *f.force, Threads: *f.threads, Memory: memory}
	o.Progress = func(done, total int64) { p.Set("reading", done, total, console.InEdges) }
	o.Import.Storage.Rows = *f.rows
	o.Import.Progress, o.Import.Log = importPhases(p), a.console.Log
	set, err := subgraph.NewSet(g.Store())
	if err != nil {
		return err
	}
	defer set.Free()
	env := Env{Graph: g, Flags: cmd.Flags(), Progress: progressOf(p), held: new(held)}
	if err := f.choose(ctx, env, set, memory, a.stdin); err != nil {
		return f.ended(ctx, path, err)
	}
	r, err := subgraph.Make(ctx, g.Store(), set, *f.output, o)
	p.End()
	if err != nil {
		return f.ended(ctx, path, err)
	}
	a.console.Summary(fmt.Sprintf("made %s of %s of %s and %s, in %s",
		*f.output, show.Counted(int64(r.Vertices), "vertex", "vertices"), path, show.Counted(int64(r.Edges), "edge", "edges"),
		show.Seconds(r.Duration)))
	if !*f.json {
		return nil
	}
	return json.NewEncoder(a.stdout).Encode(subgraphReport{path, *f.output, r.Vertices, r.Edges, r.Weighted, r.Wide,
		r.Symmetric, r.Bytes, r.Seconds, peakMemory()})
}

// ended explains an error.
func (f *subgraphFlags) ended(ctx context.Context, path string, err error) error {
	switch {
	case ctx.Err() != nil:
		return &stopped{fmt.Sprintf("the subgraph of %s was stopped and left nothing behind", path), err}
	case errors.Is(err, garaph.ErrGraphExists):
		return fmt.Errorf("%w; --force replaces it", err)
	}
	return err
}

// choose adds the vertices to the set.
func (f *subgraphFlags) choose(ctx context.Context, e Env, set *subgraph.Set, memory int64, stdin io.Reader) error {
	switch {
	case *f.all:
		set.AddAll()
		return nil
	case *f.ids != "":
		if err := f.byIDs(ctx, e.Graph, set, memory, stdin); err != nil {
			return fmt.Errorf("--ids: %w", err)
		}
		return nil
	}
	list, err := e.sources()
	if err != nil {
		return err
	}
	set.Add(list...)
	o := algorithms.Options{Threads: *f.threads, Memory: memory, Progress: e.Progress}
	return subgraph.Grow(ctx, e.Graph.Store(), set, *f.hops, subgraph.Along(*f.along), o)
}

// byIDs adds the vertices of a list of ids, until ctx ends. Rows of columns may take a quarter of the memory.
func (f *subgraphFlags) byIDs(
	ctx context.Context, g *garaph.Graph, set *subgraph.Set, memory int64, stdin io.Reader,
) error {
	add := func(list []uint32) error {
		set.Add(list...)
		return ctx.Err()
	}
	switch format, _ := results.FormatOf(*f.ids); { // other names are of text
	case *f.ids == "-":
		return eachVertexOfInput(g, stdin, add)
	case format == results.Parquet, format == results.Arrow, format == results.Arrows:
		l := newLookUp(g, *f.ids, add)
		l.place = func(path string, row int) string { return fmt.Sprintf("%s, row %d (from 0)", path, row) }
		err := columns.EachID(*f.ids, memory/4, func(id string, row int) error { return l.addMaybe(id, row, false) })
		if err != nil {
			return err
		}
		return l.flush()
	}
	return eachVertexOfFile(g, *f.ids, add)
}
