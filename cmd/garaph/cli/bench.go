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
)

func (a *app) benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench GRAPH [flags]",
		Short: "Compare programs with the ceilings of this machine",
		Long: `Compare programs with the ceilings of this machine.

The ceilings are gather-only (the values of the graph's own edges read and
added up, and nothing else), the copying of memory and the sequential reading of
the disk. Each round measures the ceilings and then each program: in memory, and
with --memory also from disk. The whole machine should be free for it.`,
		Example: `  garaph bench web.graph
  garaph bench web.graph --memory 2GiB --programs pagerank,bfs --rounds 5
  garaph bench web.graph --json > bench.json`,
		Args: exactly("one graph", 1),
	}
	fs := cmd.Flags()
	programs := programsFlag(fs, bench.ProgramNames())
	rounds := countFlag(fs, "rounds", 3, 1, "how many rounds of all ceilings and programs")
	threads := threadsFlag(fs)
	memory := sizeFlag(fs, "memory", "run each program a second time within this memory, from disk")
	source := fs.String("source", "", "`ID` of the vertex to search from (default the one with the most out-edges)")
	generic := fs.Bool("generic", false, "run each program also through the generic loops")
	asJSON := fs.Bool("json", false, "print it as one JSON object")
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		o := bench.Options{Programs: *programs, Rounds: *rounds, Threads: *threads, Memory: *memory, Limit: defaultMemory(), Source: *source, Generic: *generic}
		defer keepWithin(cmp.Or(o.Memory, o.Limit))()
		_, err := a.measured(cmd.Context(), "bench", args[0], *asJSON, func(g *garaph.Graph, progress func(string)) (*bench.Report, error) {
			o.Progress = progress
			return bench.Measure(cmd.Context(), g, o)
		})
		var overflow *garaph.OverflowError
		if errors.As(err, &overflow) {
			err = fmt.Errorf("%w; --programs measures others", err)
		}
		return err
	})
	cmd.AddCommand(a.benchGPUCommand(), a.benchHybridCommand(), a.benchFrontierCommand(), a.benchCommunityCommand())
	return cmd
}

// programsFlag declares --programs, a list of names.
func programsFlag(fs *pflag.FlagSet, names []string) *[]string {
	return listFlag(fs, "programs", names, func(names []string) error { return bench.Options{Programs: names}.Check() }, "what to run")
}

// listFlag declares a flag that takes words, with commas between them.
func listFlag(fs *pflag.FlagSet, name string, value []string, check func([]string) error, usage string) *[]string {
	parse := func(s string) ([]string, error) {
		words := strings.Split(s, ",")
		return words, check(words)
	}
	show := func(words []string) string { return strings.Join(words, ",") }
	fs.Var(&checked[[]string]{to: &value, kind: "LIST", parse: parse, show: show}, name, usage)
	return &value
}

// measured measures a graph, with progress, and prints the report.
func (a *app) measured(ctx context.Context, stage, path string, asJSON bool, measure func(g *garaph.Graph, progress func(doing string)) (*bench.Report, error)) (r *bench.Report, err error) {
	g, err := garaph.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	s := a.console.stage(stage, 0, inSteps)
	defer s.end()
	at := "the beginning"
	r, err = measure(g, func(doing string) {
		at = doing
		a.console.begin(doing)
		if !a.console.lists() { // there it is the line that has just begun
			s.set(0, doing)
		}
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, &stopped{fmt.Sprintf("the measurement of %s was stopped: it was at %s", path, at), err}
	case err != nil:
		return nil, err
	case asJSON:
		return r, json.NewEncoder(a.stdout).Encode(r)
	default:
		return r, r.WriteTable(a.stdout)
	}
}
