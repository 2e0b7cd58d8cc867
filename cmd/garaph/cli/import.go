package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/cmd/garaph/cli/console"
	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/flags"
)

func importCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import [flags] EDGES... GRAPH",
		Short: "Make a graph from edge lists",
		Long: `Make a graph, a folder, from edge lists: files, also compressed ones, folders of
them, or - for standard input. The graph appears whole or not at all.`,
		Args: cobra.MinimumNArgs(2),
		Example: `  garaph import edges.txt.gz web.graph
  garaph import --undirected --dedup part-*.csv friends.graph
  garaph import --delimiter tab --columns from,to,minutes trips.tsv trips.graph
  go mod graph | garaph import - modules.graph`,
	}
	f := newImportFlags(cmd.Flags())
	force := cmd.Flags().Bool("force", false,
		"replace the graph that is there, and its jobs; refused while one is running")
	pythonIDs := cmd.Flags().String("python-ids", "", "ids stand for others, which the Python package puts into the "+
		"folder of the graph in a file that has this `WORD`, too")
	_ = cmd.Flags().MarkHidden("python-ids") // it is there; the Python package alone gives it
	threads := threadsFlag(cmd.Flags())
	memory := flags.Size(cmd.Flags(), "memory", "memory of the process, at least 188MiB (128MiB with --layout csc); how "+
		"much more is needed depends on the vertices (default half of what is available)")
	asJSON := cmd.Flags().Bool("json", false, "print the report as one JSON object")
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		if err := f.check(); err != nil {
			return err
		}
		defer keepWithin(*memory)()
		o := f.options()
		o.Force, o.Threads, o.Memory, o.Storage.PythonIDs = *force, *threads, *memory, *pythonIDs
		inputs, path := args[:len(args)-1], args[len(args)-1]
		if path == "-" {
			return Usagef("expected the folder of the graph as the last argument, not -")
		}
		for _, input := range inputs {
			if output.IsFolder(input) && below(absolute(path), absolute(input)) {
				return fmt.Errorf("cannot make the graph %s: it would lie in the folder %s, of which all files are edges",
					path, input)
			}
		}
		report, err := a.importGraph(cmd.Context(), inputs, path, o)
		if err != nil {
			return err
		}
		if !*asJSON {
			return nil
		}
		report.PeakMemory = peakMemory()
		return json.NewEncoder(a.stdout).Encode(report)
	})
	return cmd
}

// importReport is the JSON form of an import.
type importReport struct {
	Graph string `json:"graph,omitempty"`
	ingest.Report
	EdgesPerSecond float64 `json:"edges_per_second"`
	BytesPerEdge   float64 `json:"bytes_per_edge"`
	PeakMemory     int64   `json:"peak_rss_bytes,omitempty"`
}

// importGraph imports, with progress and a summary.
func (a *app) importGraph(
	ctx context.Context, inputs []string, path string, o garaph.ImportOptions,
) (importReport, error) {
	if err := ingest.CheckInputs(inputs, a.stdin); err != nil {
		return importReport{}, err
	}
	a.console.Begin("import of " + strings.Join(inputs, ", "))
	p := &console.Phases{Console: a.console}
	o.Stdin, o.Progress, o.Log = a.stdin, importPhases(p), a.console.Log
	r, err := garaph.Import(ctx, inputs, path, o)
	p.End()
	if errors.Is(err, garaph.ErrGraphExists) {
		err = fmt.Errorf("%w; --force replaces it", err)
	}
	if errors.Is(err, ingest.ErrLeast) {
		err = flags.Usage(err)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = &stopped{fmt.Sprintf("the import of %s was stopped and left nothing behind", strings.Join(inputs, ", ")), err}
		}
		return importReport{}, err
	}
	report := importReport{
		Graph: path, Report: r,
		EdgesPerSecond: show.PerSecond(float64(r.Entries), r.Duration),
		BytesPerEdge:   float64(r.Bytes) / float64(max(r.Edges, 1)),
	}
	a.console.Summary(importSummary(report))
	return report, nil
}

func importSummary(r importReport) string {
	kind := "edge"
	if r.Weighted {
		kind = "weighted edge"
	}
	if r.Wide {
		kind = "64-bit weighted edge"
	}
	s := fmt.Sprintf("imported %s and %s in %s: %s edges/s, %s on disk, %.2f bytes per edge",
		show.Counted(int64(r.Vertices), "vertex",
			"vertices"), show.Counted(int64(r.Edges), kind, kind+"s"), show.Seconds(r.Duration),
		show.Count(r.EdgesPerSecond), show.Bytes(r.Bytes), r.BytesPerEdge)
	for _, dropped := range []struct {
		n    int64
		what string
	}{{r.BadLines, "bad line"}, {int64(r.SelfLoops), "self-loop"}, {int64(r.Parallel), "parallel edge"}} {
		if dropped.n > 0 {
			s += "; left out " + show.Counted(dropped.n, dropped.what, dropped.what+"s")
		}
	}
	return s
}

// importPhases shows a stage for each phase of an import.
func importPhases(p *console.Phases) func(ingest.Progress) {
	return func(now ingest.Progress) {
		in := console.InBytes // of the input, or of the old graph
		if now.Phase == ingest.Sorting {
			in = console.InEdges
		}
		p.Set(string(now.Phase), now.Done, now.Total, in)
	}
}
