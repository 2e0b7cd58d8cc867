package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/bench"
	"github.com/garaph/garaph/internal/hostmem"
)

func (a *app) benchCommunityCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "community GRAPH --max-size H [flags]",
		Short: "Measure community search",
		Long: `Measure community search.

Random vertices are searched around, as garaph community does it. With --device gpu, all
queries are answered on a GPU, too, in batches.`,
		Example: `  garaph bench community web.graph --min-size 6 --max-size 12 --time-limit 1m
  garaph bench community web.graph --min-size 9 --max-size 15 --threads 1,2 --json`,
		Args: exactly("one graph", 1),
	}
	fs := cmd.Flags()
	queries := countFlag(fs, "queries", 100, 1, "random query vertices")
	seed := countFlag(fs, "seed", 1, 0, "of the random vertices")
	core := countFlag(fs, "min-core", 3, 0, "core number of a query vertex at least")
	low := countFlag(fs, "min-size", 1, 1, "vertices of a community at least")
	high := countFlag(fs, "max-size", 12, 1, "vertices of a community at most")
	limit := fs.Duration("time-limit", 0, "time for each query; 0: no limit")
	check := func(words []string) error {
		for _, word := range words {
			if n, err := strconv.Atoi(word); err != nil || n < 1 || n > hostmem.MaxThreads {
				return fmt.Errorf("expected numbers from 1 to %d, with commas between them", hostmem.MaxThreads)
			}
		}
		return nil
	}
	threads := listFlag(fs, "threads", []string{"1"}, check, "goroutines; a run for each number")
	on := enumFlag(fs, "device", string(algorithms.CPU), words(algorithms.CPU, algorithms.GPU), "gpu: a run on a GPU, too")
	gpu := gpuFlag(fs)
	memory := sizeFlag(fs, "memory", "memory of the process (default three quarters of what is available)")
	asJSON := fs.Bool("json", false, "print it as one JSON object")
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		if *high < *low || *limit < 0 {
			return Usagef("--min-size %d, --max-size %d, --time-limit %v: expected sizes in ascending order, and a time of 0 or more", *low, *high, *limit)
		}
		if err := a.handOver(*on, *gpu, ""); err != nil {
			return err
		}
		if *memory == 0 {
			*memory = defaultMemory()
		}
		o := bench.CommunityOptions{Queries: *queries, Seed: uint64(*seed), MinCore: *core, Low: *low, High: *high, Limit: *limit, Memory: *memory, Progress: a.console.begin}
		if *on == string(algorithms.GPU) {
			o.GPU = gpu
		}
		for _, word := range *threads {
			n, _ := strconv.Atoi(word) // was checked
			o.Threads = append(o.Threads, n)
		}
		return a.benchCommunity(cmd.Context(), args[0], o, *asJSON)
	})
	return cmd
}

// benchCommunity measures community search on a graph, and prints what it has found.
func (a *app) benchCommunity(ctx context.Context, path string, o bench.CommunityOptions, asJSON bool) (err error) {
	defer keepHeapWithin(o.Memory, o.Memory/2)()
	g, err := garaph.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	r, err := bench.MeasureCommunities(ctx, g, o)
	switch {
	case err != nil && ctx.Err() != nil:
		return &stopped{"the measurement of " + path + " was stopped", err}
	case err != nil:
		return err
	case asJSON:
		return json.NewEncoder(a.stdout).Encode(r)
	}
	return r.WriteTable(a.stdout)
}
