package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/bench"
	"github.com/garaph/garaph/dispatcher"
)

func (a *app) benchHybridCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hybrid GRAPH [flags]",
		Short: "Compare jobs on CPU and GPU together with jobs on one of them",
		Long: `Compare jobs on CPU and GPU together with jobs on one of them.

Its parts are:
  pays      PageRank in memory, of which the GPU's holds an eighth: both devices
            together, compared with the sum of each alone
  resident  PageRank with all edges on the GPU: what it loses by having the CPU
  switch    whole jobs: auto, compared with every fixed choice of device and engine
  disk      PageRank with little of both memories: what it reaches of the disk,
            the link and the kernel

The whole machine should be free for it.`,
		Example: `  garaph bench hybrid web.graph
  garaph bench hybrid road.graph --parts switch --programs bfs,sssp --json > switch.json`,
		Args: exactly("one graph", 1),
	}
	fs := cmd.Flags()
	gpu := gpuFlag(fs)
	gpuMemory := sizeFlag(fs, "gpu-memory", "memory of the GPU, of all parts but resident (default all for switch; otherwise the arrays over vertices and an eighth of the edges)")
	memory := sizeFlag(fs, "memory", "memory of the host, of all parts but disk (default three quarters of what is available)")
	starved := sizeFlag(fs, "starved", "memory of the host for disk (default a quarter of the graph, or the least that does)")
	rounds := countFlag(fs, "rounds", 3, 1, "how many rounds of all choices")
	programs := programsFlag(fs, []string{"bfs", "sssp", "wcc", "pagerank"})
	parts := listFlag(fs, "parts", bench.HybridParts(), func(names []string) error { return bench.HybridOptions{Parts: names}.Check() }, "what to measure")
	threads := threadsFlag(fs)
	limit := fs.Duration("limit", 0, "stop a job of the part switch after this long, such as 10m; 0: only those that take much longer than another")
	asJSON := fs.Bool("json", false, "print it as one JSON object")
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		if err := a.handOver(string(dispatcher.GPU), *gpu, ""); err != nil {
			return err
		}
		o := bench.HybridOptions{
			GPU: *gpu, GPUMemory: *gpuMemory, Memory: cmp.Or(*memory, defaultMemory()), Starved: *starved,
			Rounds: *rounds, Threads: *threads, Programs: *programs, Parts: *parts, Limit: *limit,
		}
		defer keepWithin(o.Memory)()
		_, err := a.measured(cmd.Context(), "bench hybrid", args[0], *asJSON, func(g *garaph.Graph, progress func(string)) (*bench.Report, error) {
			o.Progress = progress
			return bench.MeasureHybrid(cmd.Context(), g, o)
		})
		return err
	})
	return cmd
}
