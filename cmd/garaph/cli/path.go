package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/cmd/garaph/cli/console"
	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/builtins"
	"github.com/garaph/garaph/internal/decimal"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

func pathCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "path GRAPH FROM TO [flags]",
		Short: "Print a shortest path from a vertex to another one",
		Long: `Print the vertices of a shortest path along edges, with the distance of each from the
first: a path of the fewest edges, or with --weighted one of the least total weight.
Of several, it is the one that run bfs or run sssp finds with --parents. The search ends
when it is found. The exit code is 1 where no path leads from the one to the other.`,
		Example: `  garaph path trains.graph Basel Lugano --weighted
  garaph path web.graph 17 42 --json`,
		Args: exactly("a graph and two vertices, an id with blanks in quotes", 3),
	}
	fs := cmd.Flags()
	weighted := fs.Bool("weighted", false, "find a path of least total weight instead of fewest edges")
	asJSON := fs.Bool("json", false, "print it as one JSON object")
	threads := threadsFlag(fs)
	memory := flags.Size(fs, "memory", "memory of the process (default three quarters of what is available)")
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		o := garaph.RunOptions{Threads: *threads, Memory: *memory, Device: "cpu"}
		if o.Memory == 0 {
			o.Memory = defaultMemory()
		}
		defer keepWithin(o.Memory)()
		return a.path(cmd.Context(), args[0], args[1], args[2], *weighted, *asJSON, o)
	})
	return cmd
}

// foundPath is a path as JSON.
type foundPath struct {
	Graph    string `json:"graph"`
	From     string `json:"from"`
	To       string `json:"to"`
	Weighted bool   `json:"weighted"`
	// Distance is the number of hops or the sum of weights.
	Distance float64 `json:"distance"`
	Hops     int     `json:"hops"`
	Path     []stop  `json:"path"`
}

// stop is a vertex of a path.
type stop struct {
	ID       any     `json:"id"` // a number, or a name
	Distance float64 `json:"distance"`
}

// path finds the path and prints it.
func (a *app) path(ctx context.Context, name, from, to string, weighted, asJSON bool, o garaph.RunOptions) (err error) {
	g, err := garaph.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	var ends [2]uint32
	for i, id := range []string{from, to} {
		if ends[i], err = g.Vertex(id); err != nil {
			return err
		}
	}
	a.console.Begin(fmt.Sprintf("path from %s to %s in %s", from, to, name))
	p := &console.Phases{Console: a.console}
	defer p.End()
	o.Log = a.console.Log
	o.Progress = func(it garaph.Iteration) {
		if s := p.At("search", 0, console.InIterations); s != nil {
			s.Iterated(iterationText(it), it)
		}
	}
	if weighted && !g.Catalogue().Weighted {
		o.Log.Warn("the graph has no weights: every edge counts 1")
	}
	job := builtins.Job{Context: ctx, Graph: g, Options: o, Progress: progressOf(p)}
	var found *foundPath
	if weighted {
		found, err = pathOf(job, programs.SSSP[float64]{Source: ends[0]}, ends[1], builtins.WeightedPath)
	} else {
		found, err = pathOf(job, programs.BFS{Source: ends[0]}, ends[1], builtins.Path)
	}
	p.End()
	switch {
	case ctx.Err() != nil:
		return &stopped{fmt.Sprintf("the search for a path from %s to %s was stopped", from, to), err}
	case errors.Is(err, garaph.ErrNoPath):
		return fmt.Errorf("graph %s: no path leads from %s to %s", name, from, to)
	case err != nil:
		return err
	}
	found.Graph, found.From, found.To, found.Weighted = name, from, to, weighted
	if asJSON {
		return json.NewEncoder(a.stdout).Encode(found)
	}
	return found.print(a.stdout)
}

// pathOf returns the path of a program to a vertex.
func pathOf[P any, V uint32 | float64](job builtins.Job, p P, to uint32,
	find func(builtins.Job, P, uint32) ([]uint32, []V, error),
) (*foundPath, error) {
	vertices, lengths, err := find(job, p, to)
	if err != nil {
		return nil, err
	}
	found := &foundPath{Hops: len(vertices) - 1}
	for i, v := range vertices {
		id, err := job.Graph.ID(gas.VertexID(v))
		if err != nil {
			return nil, err
		}
		s := stop{id, float64(lengths[i])}
		if job.Graph.Catalogue().IDs.Kind != store.IDString {
			s.ID = json.Number(id)
		}
		found.Distance, found.Path = s.Distance, append(found.Path, s)
	}
	return found, nil
}

// print prints a line for each vertex: its distance, and its id.
func (f *foundPath) print(w *output.Stdout) error {
	table := tabwriter.NewWriter(w, 0, 0, 0, ' ', tabwriter.AlignRight)
	for _, s := range f.Path {
		// errors are kept until Flush
		fmt.Fprintf(table, "%s\t  %s\n", decimal.Format(s.Distance, 64), show.ID(fmt.Sprint(s.ID), w.TTY()))
	}
	return table.Flush()
}
