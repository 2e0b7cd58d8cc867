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
		Annotations: map[string]string{runsItself: "yes"},
		Args:        exactly("one graph", 1),
	}
	fs := cmd.Flags()
	programs := programsFlag(fs, bench.ProgramNames())
	rounds := countFlag(fs, "rounds", 3, 1, "how often ceilings and programs take turns")
	threads := threadsFlag(fs)
	memory := sizeFlag(fs, "memory", "run each program a second time within this memory, from disk")
	source := fs.String("source", "", "`ID` of the vertex to search from (default the one with the most out-edges)")
	generic := fs.Bool("generic", false, "run each program also through the generic loops")
	asJSON := fs.Bool("json", false, "print it as one JSON object")
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		o := bench.Options{Programs: *programs, Rounds: *rounds, Threads: *threads, Memory: *memory, Limit: defaultMemory(), Source: *source, Generic: *generic}
		defer keepWithin(cmp.Or(o.Memory, o.Limit))()
		r, err := measured(cmd.Context(), a, "bench", args[0], func(g *garaph.Graph, progress func(string)) (*bench.Report, error) {
			o.Progress = progress
			return bench.Measure(cmd.Context(), g, o)
		})
		if err != nil {
			return err
		}
		if *asJSON {
			return json.NewEncoder(a.stdout).Encode(r)
		}
		return r.WriteTable(a.stdout)
	})
	cmd.AddCommand(a.benchGPUCommand(), a.benchHybridCommand())
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

// measured measures a graph, with progress.
func measured[R any](ctx context.Context, a *app, stage, path string, measure func(g *garaph.Graph, progress func(doing string)) (R, error)) (r R, err error) {
	g, err := garaph.Open(path)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	s := a.console.stage(stage, 0)
	defer s.end()
	at := "the beginning"
	r, err = measure(g, func(doing string) {
		at = doing
		a.console.begin(doing)
		if a.console.tty {
			s.set(0, doing)
		}
	})
	if err != nil && ctx.Err() != nil {
		err = &stopped{fmt.Sprintf("the measurement of %s was stopped: it was at %s", path, at), err}
	}
	return r, err
}
