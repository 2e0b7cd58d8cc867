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
		Short: "Hold programs against the ceilings of this machine",
		Long: `Hold programs against the ceilings of this machine.

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
	programs := programsFlag(fs)
	rounds := countFlag(fs, "rounds", 3, 1, "how often ceilings and programs take turns")
	threads := countFlag(fs, "threads", 0, 0, "goroutines; 0: one for each processor")
	memory := sizeFlag(fs, "memory", "run each program a second time within this memory, from disk")
	source := fs.String("source", "", "`ID` of the vertex to search from (default the one with the most out-edges)")
	generic := fs.Bool("generic", false, "run each program also through the generic loops")
	asJSON := fs.Bool("json", false, "print it as one JSON object")
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		o := bench.Options{Programs: *programs, Rounds: *rounds, Threads: *threads, Memory: *memory, Limit: defaultMemory(), Source: *source, Generic: *generic}
		r, err := a.bench(cmd.Context(), args[0], o)
		if err != nil {
			return err
		}
		if *asJSON {
			return json.NewEncoder(a.stdout).Encode(r)
		}
		return r.WriteTable(a.stdout)
	})
	cmd.AddCommand(a.benchGPUCommand())
	return cmd
}

// programsFlag declares --programs, a list of names.
func programsFlag(fs *pflag.FlagSet) *[]string {
	all := bench.ProgramNames()
	parse := func(s string) ([]string, error) {
		names := strings.Split(s, ",")
		return names, bench.Options{Programs: names}.Check()
	}
	show := func(names []string) string { return strings.Join(names, ",") }
	fs.Var(&checked[[]string]{&all, "LIST", parse, show, ""}, "programs", "what to run")
	return &all
}

// bench measures, with progress.
func (a *app) bench(ctx context.Context, path string, o bench.Options) (r *bench.Report, err error) {
	g, err := garaph.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	defer keepWithin(cmp.Or(o.Memory, o.Limit))()
	s := a.console.stage("bench", 0)
	defer s.end()
	at := "the beginning"
	o.Progress = func(doing string) {
		at = doing
		a.console.begin(doing)
		if a.console.tty {
			s.set(0, doing)
		}
	}
	r, err = bench.Measure(ctx, g, o)
	if err != nil && ctx.Err() != nil {
		return nil, &stopped{fmt.Sprintf("the measurement of %s was stopped: it was at %s", path, at), err}
	}
	return r, err
}
