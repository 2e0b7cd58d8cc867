package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/gap"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

func gapCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gap GRAPH",
		Short: "Run and verify the kernels of the GAP Benchmark Suite",
		Long: `Run the kernels of the GAP Benchmark Suite on the CPU over a graph whose ids are integers,
from the sources that GAPBS chooses, and print the time of each trial as GAPBS does. It
is that of the kernel alone, where no rows of the whole graph have to be loaded for it
(bc, tc). sssp needs weights, and tc an undirected graph: they are left out otherwise.`,
		Example: `  garaph gap kron.graph --verify
  garaph gap road.graph --kernels bfs,sssp --trials 64`,
		Args: exactly("one graph", 1),
	}
	var r gapRun
	names := flags.List(cmd.Flags(), "kernels", gapKernels, "those to run")
	r.trials = flags.Count(cmd.Flags(), "trials", 16, 1, "trials of each kernel")
	r.verify = cmd.Flags().Bool("verify", false,
		"check each result by a serial algorithm, for which the edges are in memory too")
	r.threads = threadsFlag(cmd.Flags())
	r.memory = flags.Size(cmd.Flags(), "memory",
		"memory of a run, such as 2GiB; 0: no limit (default three quarters of what is available)")
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("memory") {
			*r.memory = defaultMemory()
		}
		return withGraph(args[0], func(g *garaph.Graph) (err error) {
			r.app, r.graph, r.names = a, g, *names
			if r.ids, err = garaph.IDsOf[int64](g); err != nil {
				return err
			}
			return r.all(cmd.Context())
		})
	})
	return cmd
}

// gapKernels are the kernels of GAP.
var gapKernels = []string{"bfs", "sssp", "pr", "cc", "bc", "tc"}

// The parameters of the kernels in GAP.
const (
	gapDamping   = 0.85
	gapTolerance = 1e-4 // of ranks
	gapBCSources = 4    // of a trial
)

// gapRun runs the kernels.
type gapRun struct {
	kernels
	names   []string
	trials  *int
	verify  *bool
	ids     []int64 // ascending
	degrees []int64
	rows    *gap.Graph // if nil, nothing is verified
}

// all runs the kernels, within a visit to the rows of the graph if results are verified.
func (r *gapRun) all(ctx context.Context) error {
	out, _, err := r.run(ctx, "degrees", algorithms.Degrees{NotIn: true}, 0)
	if err != nil {
		return err
	}
	degrees, err := intsOf(out)
	r.degrees = slices.Clone(degrees)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	if slices.Max(r.degrees) == 0 {
		return fmt.Errorf("graph %s has no edges", r.graph.Store().Name())
	}
	c := r.graph.Catalogue()
	edges, word := c.Edges, "directed"
	if c.Symmetric {
		edges, word = edges/2, "undirected"
	}
	_, err = fmt.Fprintf(r.app.stdout, "Graph has %d nodes and %d %s edges for degree: %d\n",
		c.Vertices, edges, word, edges/uint64(c.Vertices))
	if err != nil {
		return err
	}
	if *r.verify {
		return algorithms.Visit(ctx, r.graph.Store(), r, algorithms.Options{
			Threads: *r.threads, Memory: *r.memory, Log: r.app.console.Log,
		})
	}
	return r.kernelsOf(ctx)
}

// Plan returns the rows of the whole graph.
func (r *gapRun) Plan(g *store.Catalogue, _ int) algorithms.Plan {
	p := algorithms.Plan{Whole: []shard.Direction{shard.Out}, Weights: slices.Contains(r.names, "sssp")}
	if !g.Symmetric {
		p.Whole = append(p.Whole, shard.In)
	}
	return p
}

// Visit runs the kernels and verifies them.
func (r *gapRun) Visit(ctx context.Context, e *algorithms.Env) (err error) {
	r.rows = &gap.Graph{}
	for i, to := range []**frontier.Rows{&r.rows.Out, &r.rows.In}[:len(e.Plan().Whole)] {
		if *to, err = e.Load(ctx, e.Plan().Whole[i]); err != nil {
			return err
		}
		if *r.memory > 0 {
			*r.memory = max(1, *r.memory-int64(len((*to).Bytes()))-8*int64(len((*to).Off)))
		}
	}
	return r.kernelsOf(ctx)
}

func (r *gapRun) kernelsOf(ctx context.Context) error {
	for _, name := range r.names {
		missing := ""
		switch c := r.graph.Catalogue(); {
		case name == "sssp" && !c.Weighted:
			missing = "the graph has no weights"
		case name == "tc" && !c.Symmetric:
			missing = "the graph is directed"
		}
		if missing != "" {
			r.app.console.Log.Info(name + " is left out: " + missing)
			continue
		}
		if err := r.kernel(ctx, r.app.stdout, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// kernel runs the trials of a kernel.
func (r *gapRun) kernel(ctx context.Context, w io.Writer, name string) error {
	// The last line reports an error of earlier ones, too.
	line := func(label string, seconds float64) { _, _ = fmt.Fprintf(w, "%-21s%3.5f\n", label+":", seconds) }
	_, _ = fmt.Fprintln(w, name)
	sources, all := r.sources(), 0.
	for range *r.trials {
		seconds, check, err := r.trial(ctx, name, sources)
		if err != nil {
			return err
		}
		all += seconds
		line("Trial Time", seconds)
		if r.rows == nil {
			continue
		}
		begin, verdict := time.Now(), "PASS"
		failed := check(*r.rows)
		if ctx.Err() != nil {
			return failed
		}
		if failed != nil {
			verdict = "FAIL"
		}
		_, _ = fmt.Fprintf(w, "%-21s%7s\n", "Verification:", verdict)
		line("Verification Time", time.Since(begin).Seconds())
		if failed != nil {
			return failed
		}
	}
	_, err := fmt.Fprintf(w, "%-21s%3.5f\n", "Average Time:", all/float64(*r.trials))
	return err
}

// sources returns a function that returns GAP's next source.
func (r *gapRun) sources() func() uint32 {
	vertex := func(id uint32) (int, bool) { return slices.BinarySearch(r.ids, int64(id)) }
	s := gap.NewSources(uint32(r.ids[len(r.ids)-1])+1, func(id uint32) bool {
		v, ok := vertex(id)
		return ok && r.degrees[v] > 0
	})
	return func() uint32 {
		v, _ := vertex(s.Next())
		return uint32(v)
	}
}

// trial runs a kernel. It returns how long that took, and a check of the result.
func (r *gapRun) trial(
	ctx context.Context, name string, next func() uint32,
) (seconds float64, check func(gap.Graph) error, err error) {
	var ints []int64
	var floats []float64
	program, word := any(nil), name
	switch name {
	case "bfs":
		source := next()
		program, check = programs.BFS{Source: source}, func(g gap.Graph) error { return g.BFS(source, ints) }
	case "sssp":
		source := next()
		program = programs.SSSP[float64]{Source: source}
		check = func(g gap.Graph) error { return g.SSSP(source, floats) }
	case "pr":
		word = "pagerank"
		program = programs.PageRank[float32]{Damping: gapDamping, Tolerance: gapTolerance}
		check = func(g gap.Graph) error { return g.PR(gapDamping, gapTolerance, floats) }
	case "cc":
		program, word = algorithms.Components{}, "components"
		check = func(g gap.Graph) error { return g.CC(ints) }
	case "bc":
		var sources []uint32
		for range gapBCSources {
			sources = append(sources, next())
		}
		program, word = algorithms.Betweenness{Sources: sources}, "betweenness"
		check = func(g gap.Graph) error { return g.BC(ctx, sources, floats) }
	case "tc":
		program, word = algorithms.Triangles{}, "triangles"
		check = func(g gap.Graph) error {
			all := int64(0)
			for _, n := range ints {
				all += n
			}
			return g.TC(ctx, all/3)
		}
	}
	out, took, err := r.run(ctx, word, program, 0)
	if err != nil {
		return 0, nil, err
	}
	switch {
	case r.rows == nil:
	case name == "bfs" || name == "cc" || name == "tc":
		ints, err = intsOf(out)
	default:
		floats, err = floatsOf(out)
	}
	ints, floats = slices.Clone(ints), slices.Clone(floats) // of the run's memory
	return took.Seconds, check, errors.Join(err, out.Close())
}
