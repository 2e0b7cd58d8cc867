package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/bench"
	"github.com/garaph/garaph/dispatcher"
)

func (a *app) benchGPUCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gpu GRAPH [flags]",
		Short: "Compare the GPU engine with the ceilings of a GPU and its link",
		Long: `Compare the GPU engine with the ceilings of a GPU and its link.

The ceilings are gather-only over the graph's own edges, and copies in both
directions. Then come each kernel alone, whole iterations of PageRank with all
edges on the GPU and with edges that are streamed, and the pull of each shard,
with and without replication. The whole machine should be free for it.`,
		Example: `  garaph bench gpu web.graph
  garaph bench gpu web.graph --gpu-memory 4GiB --streams 8 --json > gpu.json`,
		Args: exactly("one graph", 1),
	}
	fs := cmd.Flags()
	gpu := gpuFlag(fs)
	gpuMemory := sizeFlag(fs, "gpu-memory", "memory of the GPU for the streamed runs (default the arrays over vertices and a tenth of the edges)")
	streams := streamsFlag(fs, "streams of copies and computations, which overlap, of whole iterations")
	rounds := countFlag(fs, "rounds", 3, 1, "launches of each kernel, of which the fastest counts")
	threads := threadsFlag(fs)
	memory := sizeFlag(fs, "memory", "memory of the host for edges (default three quarters of what is available)")
	asJSON := fs.Bool("json", false, "print it as one JSON object")
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		if err := a.handOver(string(dispatcher.GPU), *gpu, ""); err != nil {
			return err
		}
		o := bench.GPUOptions{GPU: *gpu, Memory: *gpuMemory, Streams: *streams, Rounds: *rounds, Threads: *threads, Limit: cmp.Or(*memory, defaultMemory())}
		_, err := a.measured(cmd.Context(), "bench gpu", args[0], *asJSON, func(g *garaph.Graph, progress func(string)) (*bench.Report, error) {
			o.Progress = progress
			return bench.MeasureGPU(cmd.Context(), g, o)
		})
		return err
	})
	return cmd
}
