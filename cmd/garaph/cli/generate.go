package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph/bench"
	"github.com/garaph/garaph/cmd/garaph/cli/console"
	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/flags"
)

// generateFlags are the flags of every kind of generated graph.
type generateFlags struct {
	seed, threads        *int
	weights, force, json *bool
	format, output       *string
}

// generateReport is a generated graph as JSON.
type generateReport struct {
	Kind           string  `json:"kind"`
	Output         string  `json:"output"`
	Format         string  `json:"format"`
	Vertices       uint64  `json:"vertices"`
	Edges          uint64  `json:"edges"`
	Weighted       bool    `json:"weighted"`
	Seed           uint64  `json:"seed"`
	Seconds        float64 `json:"seconds"`
	EdgesPerSecond float64 `json:"edges_per_second"`
	PeakMemory     int64   `json:"peak_rss_bytes"`
}

func generateCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "generate KIND [flags]",
		Short: "Make an edge list, for tests and measurements",
		Long: `Make an edge list, for tests and measurements. The same flags give the same
bytes on every machine.`,
		Example: `  garaph generate rmat --scale 20 --output rmat20.txt
  garaph generate grid --rows 1000 --cols 1000 --weights | garaph import - --undirected road.graph`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return Usagef("expected a kind of graph: rmat, uniform or grid")
			}
			return unknownWord(cmd, "kind", args[0])
		},
	}
	fs := cmd.PersistentFlags()
	f := generateFlags{
		seed:    flags.Count(fs, "seed", 1, 0, "seed of the random choices"),
		weights: fs.Bool("weights", false, "give every edge a weight, an integer from 1 to 255"),
		format: flags.Enum(fs, "format", bench.Text, []string{bench.Text, bench.Raw, bench.RawW},
			"lines, or pairs of 32-bit ids, without or with weights"),
		output: outputFlag(fs, "-",
			"`FILE`, which appears whole or not at all, compressed when it ends with .gz or .zst; - is standard output"),
		force:   fs.Bool("force", false, "replace an existing file"),
		threads: threadsFlag(fs),
		json:    fs.Bool("json", false, "print the report as one JSON object"),
	}
	cmd.AddCommand(
		a.generateKind(&f, bench.RMAT, "recursive matrix: skewed degrees, as in social and web graphs", rmatFlags),
		a.generateKind(&f, bench.Uniform, "both ends of each edge uniformly at random", uniformFlags),
		a.generateKind(&f, bench.Grid, "a lattice with four neighbours: large diameter, as in road networks", gridFlags),
	)
	return cmd
}

// kindFlags declares the flags of a kind of graph, and returns a function that puts them
// into the options.
type kindFlags func(fs *pflag.FlagSet) func(*bench.GenOptions)

func rmatFlags(fs *pflag.FlagSet) func(*bench.GenOptions) {
	scale := flags.Count(fs, "scale", 16, 1, "2^N vertices")
	degree := flags.Count(fs, "degree", 16, 1, "edges for each vertex")
	a := flags.Number(fs, "a", 0.57, 1, "chance of the first quadrant")
	b := flags.Number(fs, "b", 0.19, 1, "chance of the second quadrant")
	c := flags.Number(fs, "c", 0.19, 1, "chance of the third quadrant")
	permute := fs.Bool("permute", false, "scramble the ids; otherwise those with many edges are low")
	return func(o *bench.GenOptions) {
		o.Scale, o.Degree, o.A, o.B, o.C, o.Permute = *scale, *degree, *a, *b, *c, *permute
	}
}

func uniformFlags(fs *pflag.FlagSet) func(*bench.GenOptions) {
	vertices := flags.Count(fs, "vertices", 1<<16, 1, "vertices")
	edges := flags.Count(fs, "edges", 1<<20, 1, "edges")
	return func(o *bench.GenOptions) { o.Vertices, o.Edges = uint64(*vertices), uint64(*edges) }
}

func gridFlags(fs *pflag.FlagSet) func(*bench.GenOptions) {
	rows := flags.Count(fs, "rows", 1<<8, 1, "rows")
	cols := flags.Count(fs, "cols", 1<<8, 1, "columns")
	return func(o *bench.GenOptions) { o.Rows, o.Cols = uint64(*rows), uint64(*cols) }
}

func (a *app) generateKind(f *generateFlags, kind, short string, declare kindFlags) *cobra.Command {
	cmd := &cobra.Command{Use: kind + " [flags]", Short: short, Args: exactly("no argument", 0)}
	fill := declare(cmd.Flags())
	cmd.RunE = a.job(func(cmd *cobra.Command, _ []string) error {
		o := bench.GenOptions{Kind: kind, Seed: uint64(*f.seed), Weights: *f.weights, Format: *f.format, Threads: *f.threads}
		fill(&o)
		vertices, _, err := o.Size()
		switch {
		case err != nil:
			return flags.Usage(err)
		case vertices > 1<<32:
			return Usagef("a graph of %s vertices cannot be processed: their ids have 32 bits", humanize.Comma(int64(vertices)))
		}
		if *f.json && *f.output == "-" {
			return Usagef("--json and the edges go to standard output: name a file with --output")
		}
		return a.generate(cmd.Context(), o, f)
	})
	return cmd
}

// generate writes the graph, with progress.
func (a *app) generate(ctx context.Context, o bench.GenOptions, f *generateFlags) error {
	vertices, edges, err := o.Size()
	if err != nil {
		return err
	}
	path := *f.output
	if path != "-" {
		if err := output.CheckNoInput("the edges", path, nil); err != nil {
			return err
		}
	}
	begin := time.Now()
	s := a.console.Stage("generating", int64(edges), console.InEdges)
	write := func(w io.Writer) error {
		return bench.Generate(ctx, w, o, func(done uint64) { s.Set(int64(done), "") })
	}
	switch path {
	case "-":
		err = write(a.stdout)
	default:
		err = output.WriteWhole(path, *f.force, write)
	}
	s.End()
	switch {
	case ctx.Err() != nil:
		return &stopped{"the graph was not all generated", ctx.Err()}
	case err != nil:
		return err
	}
	took := time.Since(begin)
	rate := show.PerSecond(float64(edges), took)
	a.console.Summary(fmt.Sprintf("generated %s edges in %s: %s edges/s",
		humanize.Comma(int64(edges)), show.Seconds(took), show.Count(rate)))
	if *f.json {
		return json.NewEncoder(a.stdout).Encode(generateReport{
			o.Kind, path, o.Format, vertices, edges, o.Weights || o.Format == bench.RawW, o.Seed,
			took.Seconds(), rate, peakMemory(),
		})
	}
	return nil
}
