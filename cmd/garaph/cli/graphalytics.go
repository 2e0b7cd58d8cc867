package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/graphalytics"
	"github.com/garaph/garaph/internal/scratch"
	"github.com/garaph/garaph/programs"
)

func graphalyticsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "graphalytics DATASET",
		Short: "Run and validate the algorithms of LDBC Graphalytics",
		Long: `Run the algorithms of LDBC Graphalytics that the file DATASET.properties lists, with
its parameters, over a temporary graph of its files of vertices and edges. Outputs are
compared with the files DATASET-BFS and so on beside it, where they are: exactly for BFS
and CDLP, as a partition for WCC, and within a relative 1e-4 for PR, LCC and SSSP.
EPS are edges, and EVPS edges and vertices, in a second of processing.`,
		Example: `  garaph graphalytics datagen-7_5-fb
  garaph graphalytics graphs/example-directed.properties --algorithms pr,cdlp --json`,
		Args: exactly("one data set", 1),
	}
	var r graphalyticsRun
	names := flags.List(cmd.Flags(), "algorithms", graphalytics.Names,
		"those to run, of the ones that the data set lists")
	folder := cmd.Flags().String("output", "", "`DIR` for the outputs in LDBC's form")
	parent := cmd.Flags().String("scratch", "", "`DIR` for the temporary graph (default the system's)")
	r.threads = threadsFlag(cmd.Flags())
	r.memory = flags.Size(cmd.Flags(), "memory",
		"memory of a run, such as 2GiB; 0: no limit (default three quarters of what is available)")
	asJSON := cmd.Flags().Bool("json", false, "print the report as one JSON object")
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) (err error) {
		if !cmd.Flags().Changed("memory") {
			*r.memory = defaultMemory()
		}
		if r.data, err = graphalytics.Read(args[0]); err != nil {
			return err
		}
		r.folder, r.kernels.app = *folder, a
		if *folder != "" && output.SameName(*folder, r.data.Folder) {
			return Usagef("--output %s: it has the references of the data set; name another folder", *folder)
		}
		if *folder != "" {
			err = os.MkdirAll(*folder, 0o777)
		}
		if err != nil {
			return err
		}
		left := func(name string) bool { return !slices.Contains(*names, name) }
		r.data.Algorithms = slices.DeleteFunc(r.data.Algorithms, left)
		if err := r.all(cmd.Context(), *parent); err != nil {
			return err
		}
		if *asJSON {
			err = json.NewEncoder(a.stdout).Encode(r.report)
		} else {
			err = r.report.print(a.stdout)
		}
		if wrong := r.report.wrong(); err == nil && len(wrong) > 0 {
			err = fmt.Errorf("dataset %s: wrong output of %s", r.data.Name, strings.Join(wrong, ", "))
		}
		return err
	})
	return cmd
}

// graphalyticsRun runs the algorithms of a data set.
type graphalyticsRun struct {
	kernels
	data   *graphalytics.Dataset
	folder string
	ids    []int64
	report graphalyticsReport
}

// graphalyticsReport is such a run as JSON.
type graphalyticsReport struct {
	Dataset  string               `json:"dataset"`
	Vertices uint32               `json:"vertices"`
	Edges    uint64               `json:"edges"` // as in the file
	Import   float64              `json:"import_seconds"`
	Runs     []graphalyticsResult `json:"runs"`
}

// graphalyticsResult is one algorithm.
type graphalyticsResult struct {
	Algorithm string `json:"algorithm"`
	took
	EPS   float64 `json:"eps"`
	EVPS  float64 `json:"evps"`
	Valid *bool   `json:"valid,omitempty"` // if nil, there is no reference
	Wrong string  `json:"wrong,omitempty"`
}

// all imports and runs.
func (r *graphalyticsRun) all(ctx context.Context, parent string) (err error) {
	scratch.RemoveKilled(parent, r.app.removedKilled)
	temporary, err := scratch.New(parent)
	if err != nil {
		return fmt.Errorf("make a folder for the temporary graph (see --scratch): %w", err)
	}
	in := input{temporary: temporary}
	defer func() { err = errors.Join(err, in.close()) }()
	var o garaph.ImportOptions
	o.Edges.Undirected, o.Storage.Rows, o.Threads = !r.data.Directed, true, *r.threads
	imported, err := r.app.importGraph(ctx, r.data.Files(), temporary.Graph(), o)
	if err != nil {
		return err
	}
	if in.graph, err = garaph.OpenNamed(temporary.Graph(), r.data.Name); err != nil {
		return err
	}
	r.graph = in.graph
	if r.ids, err = garaph.IDsOf[int64](r.graph); err != nil {
		return err
	}
	c := r.graph.Catalogue()
	r.report = graphalyticsReport{
		Dataset: r.data.Name, Vertices: c.Vertices, Edges: c.Edges, Import: imported.Duration.Seconds(),
	}
	if !r.data.Directed {
		r.report.Edges /= 2 // there are no self-loops
	}
	for _, name := range r.data.Algorithms {
		if err := r.one(ctx, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// one runs and validates an algorithm.
func (r *graphalyticsRun) one(ctx context.Context, name string) error {
	program, iterations, err := r.program(name)
	if err != nil {
		return err
	}
	word := map[string]string{"pr": "pagerank", "wcc": "components"}[name]
	if word == "" {
		word = name
	}
	out, times, err := r.run(ctx, word, program, iterations)
	if err != nil {
		return err
	}
	result := graphalyticsResult{Algorithm: name, took: times}
	result.EPS = float64(r.report.Edges) / result.Seconds
	result.EVPS = float64(r.report.Edges+uint64(r.report.Vertices)) / result.Seconds
	values, err := r.values(name, out)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	if r.folder != "" {
		path := filepath.Join(r.folder, filepath.Base(r.data.Reference(name)))
		if err := output.WriteWhole(path, true, values.Write); err != nil {
			return err
		}
	}
	file, err := os.Open(r.data.Reference(name))
	if err == nil {
		wrong := values.Validate(name, file)
		valid := wrong == nil
		if result.Valid = &valid; !valid {
			result.Wrong = wrong.Error()
		}
		err = file.Close()
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	r.report.Runs = append(r.report.Runs, result)
	return err
}

// program returns the program of an algorithm with its parameters.
func (r *graphalyticsRun) program(name string) (program any, iterations int, err error) {
	number := func(property string) (x float64) {
		if err == nil {
			x, err = r.data.Number(name + "." + property)
		}
		return x
	}
	source := func() (v uint32) {
		var id string
		if id, err = r.data.Text(name + ".source-vertex"); err == nil {
			v, err = r.graph.Vertex(id)
		}
		return v
	}
	switch name {
	case "bfs":
		program = programs.BFS{Source: source()}
	case "sssp":
		program = programs.SSSP[float64]{Source: source()}
	case "pr":
		program = programs.PageRank[float64]{Damping: number("damping-factor")}
		iterations = int(number("num-iterations"))
	case "cdlp":
		program = algorithms.CDLP{Iterations: int(number("max-iterations"))}
	case "lcc":
		program = algorithms.LCC{}
	default:
		program = algorithms.Components{}
	}
	return program, iterations, err
}

// values returns the output of an algorithm.
func (r *graphalyticsRun) values(name string, out *garaph.Result) (o graphalytics.Output, err error) {
	o.IDs = r.ids
	if name == "bfs" || name == "wcc" || name == "cdlp" {
		o.Ints, err = intsOf(out)
		return o, err
	}
	own, err := floatsOf(out)
	o.Floats = slices.Clone(own) // of the run's memory
	return o, err
}

// wrong returns the algorithms whose output is not that of the reference.
func (g graphalyticsReport) wrong() (names []string) {
	for _, x := range g.Runs {
		if x.Valid != nil && !*x.Valid {
			names = append(names, x.Algorithm)
		}
	}
	return names
}

func (g graphalyticsReport) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s\t%s, %s; import %.3g s\n", g.Dataset, show.Counted(int64(g.Vertices), "vertex", "vertices"),
		show.Counted(int64(g.Edges), "edge", "edges"), g.Import)
	fmt.Fprintln(table, "algorithm\tload s\tprocessing s\tmakespan s\tEPS\tEVPS\toutput")
	for _, x := range g.Runs {
		verdict := "no reference"
		if x.Valid != nil {
			verdict = "valid"
			if !*x.Valid {
				verdict = "wrong: " + x.Wrong
			}
		}
		fmt.Fprintf(table, "%s\t%.3g\t%.3g\t%.3g\t%s\t%s\t%s\n", x.Algorithm, x.Load, x.Seconds, x.Makespan,
			show.Count(x.EPS), show.Count(x.EVPS), verdict)
	}
	return table.Flush()
}
