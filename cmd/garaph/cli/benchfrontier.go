package cli

import (
	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/bench"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gpuengine"
)

func (a *app) benchFrontierCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "frontier GRAPH [flags]",
		Short: "Compare the ways to advance frontiers on a GPU",
		Long: `Compare the ways to advance frontiers on a GPU.

BFS, and over a graph with weights SSSP, search from some sources by each policy.
The GPU's time counts alone. Results of all policies are compared with each other.`,
		Example: `  garaph bench frontier road.graph
  garaph bench frontier web.graph --advance auto,lb,lonestar --sources 32 --json > frontier.json`,
		Args: exactly("one graph", 1),
	}
	fs := cmd.Flags()
	gpu := gpuFlag(fs)
	check := func(names []string) error {
		for _, name := range names {
			if _, err := gpuengine.ParseAdvancing(name, "", ""); err != nil {
				return err
			}
		}
		return nil
	}
	advance := listFlag(fs, "advance", gpuengine.AdvanceNames, check, "how rows of the frontier are divided among threads")
	filter := enumFlag(fs, "filter", gpuengine.FilterNames[0], gpuengine.FilterNames, "how a vertex is kept from being in a frontier several times")
	direction := enumFlag(fs, "direction", gpuengine.DirectionNames[0], gpuengine.DirectionNames, "whether vertices push, or look for active ones")
	sources := countFlag(fs, "sources", 16, 1, "vertices to search from")
	edges := sizeFlag(fs, "edges", "edges that stay on the GPU; the rest is read in the host's memory (default all)")
	width := fs.Float64("width", 1, "how far apart distances may be that are done at once, times what the engine takes")
	threads := threadsFlag(fs)
	asJSON := fs.Bool("json", false, "print it as one JSON object")
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		if err := a.handOver(string(dispatcher.GPU), *gpu, ""); err != nil {
			return err
		}
		o := bench.FrontierOptions{GPU: *gpu, Advance: *advance, Filter: *filter, Direction: *direction, Sources: *sources, Edges: *edges, Width: *width, Threads: *threads}
		_, err := a.measured(cmd.Context(), "bench frontier", args[0], *asJSON, func(g *garaph.Graph, progress func(string)) (*bench.Report, error) {
			o.Progress = progress
			return bench.MeasureFrontiers(cmd.Context(), g, o)
		})
		return err
	})
	return cmd
}
