package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/bench"
	"github.com/garaph/garaph/cmd/garaph/cli/console"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/internal/flags"
)

func benchCommand(a *app) *cobra.Command {
	cmd := a.measuring(bench.Measure, false, func(fs *pflag.FlagSet) func(*bench.Options) {
		programs := flags.List(fs, "programs", bench.ProgramNames(), "what to run")
		rounds := flags.Count(fs, "rounds", 3, 1, "how many rounds of all ceilings and programs")
		memory := flags.Size(fs, "memory", "run each program a second time within this memory, from disk")
		source := fs.String("source", "", "`ID` of the vertex to search from (default the one with the most out-edges)")
		return func(o *bench.Options) { o.Programs, o.Rounds, o.Disk, o.Source = *programs, *rounds, *memory, *source }
	}, &cobra.Command{
		Use:   "bench GRAPH [flags]",
		Short: "Compare programs with the ceilings of this machine",
		Long: `Compare programs with the ceilings of this machine.

The ceilings are gather-only (the values of the graph's own edges read and
added up, and nothing else) and the sequential reading of the disk. Each round
measures the ceilings and then each program: in memory, and with --memory also
from disk. The whole machine should be free for it.`,
		Example: `  garaph bench web.graph
  garaph bench web.graph --memory 2GiB --programs pagerank,bfs --rounds 5
  garaph bench web.graph --json > bench.json`,
	})
	cmd.AddCommand(benchGPUCommand(a), benchHybridCommand(a), benchScaleCommand(a),
		benchFrontierCommand(a))
	return cmd
}

func benchGPUCommand(a *app) *cobra.Command {
	return a.measuring(bench.MeasureGPU, true, func(fs *pflag.FlagSet) func(*bench.Options) {
		gpuMemory := flags.Size(fs, "gpu-memory",
			"memory of the GPU for the streamed runs (default the arrays over vertices and a tenth of the edges)")
		streams := streamsFlag(fs, "streams of copies and computations, which overlap, of whole iterations")
		rounds := flags.Count(fs, "rounds", 3, 1, "launches of gather-only, of which the fastest counts")
		memory := flags.Size(fs, "memory", "memory of the host for edges (default three quarters of what is available)")
		return func(o *bench.Options) {
			o.GPUMemory, o.Streams, o.Rounds, o.Memory = *gpuMemory, *streams, *rounds, cmp.Or(*memory, o.Memory)
		}
	}, &cobra.Command{
		Use:   "gpu GRAPH [flags]",
		Short: "Compare the GPU engine with the ceilings of a GPU and its link",
		Long: `Compare the GPU engine with the ceilings of a GPU and its link.

The ceilings are gather-only over the graph's own packed edges, and copies in
both directions. Then come whole iterations of PageRank with all edges on the
GPU and with edges that are streamed. The whole machine should be free for it.`,
		Example: `  garaph bench gpu web.graph
  garaph bench gpu web.graph --gpu-memory 4GiB --streams 8 --json > gpu.json`,
	})
}

func benchFrontierCommand(a *app) *cobra.Command {
	return a.measuring(bench.MeasureFrontiers, true, func(fs *pflag.FlagSet) func(*bench.Options) {
		advance := flags.List(fs, "advance", gpuengine.AdvanceNames, "how rows of the frontier are divided among threads")
		filter := flags.Enum(fs, "filter", gpuengine.FilterNames[0], gpuengine.FilterNames,
			"how a vertex is kept from being in a frontier several times")
		direction := flags.Enum(fs, "direction", gpuengine.DirectionNames[0], gpuengine.DirectionNames,
			"whether vertices push, or look for active ones")
		sources := flags.Count(fs, "sources", 4, 1, "vertices to search from")
		gpuMemory := flags.Size(fs, "gpu-memory",
			"memory of the GPU; edges beyond it are read in the host's memory (default all)")
		return func(o *bench.Options) {
			o.Frontiers = bench.FrontierOptions{Advance: *advance, Filter: *filter, Direction: *direction, Sources: *sources}
			o.GPUMemory = *gpuMemory
		}
	}, &cobra.Command{
		Use:   "frontier GRAPH [flags]",
		Short: "Compare the ways to advance frontiers on a GPU",
		Long: `Compare the ways to advance frontiers on a GPU.

BFS, and over a graph with weights SSSP, search from some sources by each policy.
The GPU's time counts alone.`,
		Example: `  garaph bench frontier road.graph
  garaph bench frontier web.graph --advance auto,lb,lonestar --sources 32 --json > frontier.json`,
	})
}

func benchHybridCommand(a *app) *cobra.Command {
	return a.measuring(bench.MeasureHybrid, true, func(fs *pflag.FlagSet) func(*bench.Options) {
		gpuMemory := flags.Size(fs, "gpu-memory",
			"memory of the GPU, of all parts but resident (default all for switch; otherwise the arrays over vertices and an "+
				"eighth of the edges)")
		memory := flags.Size(fs, "memory", "memory of the host (default three quarters of what is available)")
		rounds := flags.Count(fs, "rounds", 3, 1, "how many rounds of all choices")
		programs := flags.List(fs, "programs", bench.ProgramNames(), "what to run")
		parts := flags.List(fs, "parts", bench.HybridParts, "what to measure")
		limit := fs.Duration("limit", 0,
			"stop a job of the part switch after this long, such as 10m; 0: only those that take much longer than another")
		return func(o *bench.Options) {
			o.GPUMemory, o.Memory, o.Rounds, o.Programs, o.Parts, o.Limit = *gpuMemory, cmp.Or(*memory, o.Memory), *rounds,
				*programs, *parts, *limit
		}
	}, &cobra.Command{
		Use:   "hybrid GRAPH [flags]",
		Short: "Compare jobs on CPU and GPU together with jobs on one of them",
		Long: `Compare jobs on CPU and GPU together with jobs on one of them.

Its parts are:
  pays      PageRank in memory, of which the GPU's holds an eighth: both devices
            together, compared with the sum of each alone
  resident  PageRank with all edges on the GPU: what it loses by having the CPU
  switch    whole jobs: auto, compared with every fixed choice of device and engine

The whole machine should be free for it.`,
		Example: `  garaph bench hybrid web.graph
  garaph bench hybrid road.graph --parts switch --programs bfs,sssp --json > switch.json`,
	})
}

func benchScaleCommand(a *app) *cobra.Command {
	return a.measuring(bench.MeasureScale, true, func(fs *pflag.FlagSet) func(*bench.Options) {
		memory := flags.Size(fs, "memory", "memory of the host (default three quarters of what is available)")
		rounds := flags.Count(fs, "rounds", 3, 1, "how many rounds of all numbers of GPUs")
		parts := flags.List(fs, "parts", bench.ScaleParts, "what to measure")
		return func(o *bench.Options) { o.Memory, o.Rounds, o.Parts = cmp.Or(*memory, o.Memory), *rounds, *parts }
	}, &cobra.Command{
		Use:   "scale GRAPH [flags]",
		Short: "Compare jobs on several GPUs with jobs on one",
		Long: `Compare jobs on several GPUs with jobs on one.

PageRank runs on one GPU, on two, and so on. Its parts are:
  resident  all edges on the GPUs, if they fit
  streamed  a tenth of the edges on each GPU, the rest copied in every iteration

The whole machine should be free for it.`,
		Example: `  garaph bench scale web.graph
  garaph bench scale web.graph --gpu 0,1 --parts resident --json > scale.json`,
	})
}

// measuring returns a command that measures a graph, with flags of its own and those of all measurements.
func (a *app) measuring(measure func(context.Context, *garaph.Graph, bench.Options) (*bench.Report, error), onGPU bool,
	declare func(*pflag.FlagSet) func(*bench.Options), cmd *cobra.Command,
) *cobra.Command {
	fs := cmd.Flags()
	fill, gpu := declare(fs), new(string)
	declareGPU := gpuFlag
	if strings.HasPrefix(cmd.Use, "scale ") {
		declareGPU = gpusFlag
	}
	if onGPU {
		gpu = declareGPU(fs)
	}
	threads := threadsFlag(fs)
	asJSON := fs.Bool("json", false, "print it as one JSON object")
	cmd.Args = exactly("one graph", 1)
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) (err error) {
		if onGPU {
			if err := a.handOver(string(dispatcher.GPU), *gpu, ""); err != nil {
				return err
			}
		}
		o := bench.Options{GPU: *gpu, Threads: *threads, Memory: defaultMemory()}
		fill(&o)
		defer keepWithin(cmp.Or(o.Disk, o.Memory))()
		g, err := garaph.Open(args[0])
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, g.Close()) }()
		_, name, _ := strings.Cut(cmd.CommandPath(), " ")
		s := a.console.Stage(name, 0, console.InSteps)
		defer s.End()
		at := "the beginning"
		o.Progress = func(doing string) {
			at = doing
			a.console.Begin(doing)
			if !a.console.Lists() { // there it is the line that has just begun
				s.Set(0, doing)
			}
		}
		r, err := measure(cmd.Context(), g, o)
		var overflow *garaph.OverflowError
		switch {
		case err != nil && cmd.Context().Err() != nil:
			return &stopped{fmt.Sprintf("the measurement of %s was stopped: it was at %s", args[0], at), err}
		case errors.As(err, &overflow):
			return fmt.Errorf("%w; --programs measures others", err)
		case err != nil:
			return err
		case *asJSON:
			return json.NewEncoder(a.stdout).Encode(r)
		default:
			return r.WriteTable(a.stdout)
		}
	})
	return cmd
}
