package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/algorithms/community"
	"github.com/garaph/garaph/internal/results"
)

// communityFlags are those of `garaph community`.
type communityFlags struct {
	query, queries, output, format *string
	low, high, threads             *int
	limit                          *time.Duration
	memory, gpuMemory              *int64
	device, gpu                    *string
	json                           *bool
}

func (a *app) communityCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "community GRAPH --query ID --min-size L --max-size H [flags]",
		Short: "Find the best connected vertices around a vertex",
		Long: `Find the best connected vertices around a vertex: of all connected subgraphs with
the query vertex and L to H vertices, one whose minimum degree is the largest.
Directions of edges, parallel edges and self-loops don't matter. The search is
exact, and may take long: with --time-limit, the best so far is printed, as not
proven to be the best. Of several best communities, the number of threads may
decide which one is found. --queries answers many queries one after another;
--output has a row for each member, with its query vertex.`,
		Example: `  garaph community web.graph --query 42 --min-size 6 --max-size 12
  garaph community web.graph --queries ids.txt --min-size 6 --max-size 12 --time-limit 1m --json
  garaph community web.graph --query 42 --min-size 9 --max-size 15 --output members.csv`,
		Args: exactly("one graph", 1),
	}
	fs := cmd.Flags()
	f := communityFlags{
		query:     fs.String("query", "", "`ID` of the query vertex"),
		queries:   fs.String("queries", "", "`FILE` with the id of a query vertex on each line; - is standard input"),
		low:       countFlag(fs, "min-size", 1, 1, "vertices of the community at least"),
		high:      countFlag(fs, "max-size", 0, 1, "vertices of the community at most (required)"),
		limit:     fs.Duration("time-limit", 0, "time for the search of a query, such as 10m; 0: no limit"),
		threads:   threadsFlag(fs),
		memory:    sizeFlag(fs, "memory", "memory of the process, such as 512MiB or 2GB; 0: no limit (default three quarters of what is available)"),
		device:    enumFlag(fs, "device", autoDevice, words(algorithms.AutoDevice, algorithms.CPU, algorithms.GPU), "where searches run: on a GPU, many queries at once; auto there if there is one and a query takes longer than moments"),
		gpu:       fs.String("gpu", "", "`NAME` of the GPU, as garaph devices lists them: 0, 1, … or emulated (default the first one)"),
		output:    fs.String("output", "", "`FILE` for the members, a row each; - is standard output"),
		format:    formatFlag(fs),
		gpuMemory: sizeFlag(fs, "gpu-memory", "memory of the GPU to use, such as 4GiB (default what is free, but for a small reserve)"),
		json:      fs.Bool("json", false, "print each answer as one JSON object on a line"),
	}
	_ = cobra.MarkFlagRequired(fs, "max-size") // fails for a flag that is not there
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := exactly("one graph", 1)(cmd, args); err != nil {
			return err
		}
		return f.check(cmd)
	}
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("memory") {
			*f.memory = defaultMemory()
		}
		if err := a.handOver(*f.device, *f.gpu, ""); err != nil {
			return err
		}
		return a.community(cmd.Context(), args[0], &f)
	})
	return cmd
}

// check refuses flags that do not go together.
func (f *communityFlags) check(cmd *cobra.Command) error {
	fs := cmd.Flags()
	if missing := missingFlags(cmd); len(missing) > 0 {
		return Usagef("community needs %s", strings.Join(missing, ", "))
	}
	switch {
	case fs.Changed("query") == fs.Changed("queries"):
		return Usagef("expected a query vertex: give --query ID or --queries FILE")
	case *f.high < *f.low:
		return Usagef("--min-size %d is more than --max-size %d", *f.low, *f.high)
	case *f.limit < 0:
		return Usagef("--time-limit %v: expected 0 or more", *f.limit)
	case fs.Changed("output") && *f.output == "":
		return Usagef("--output is empty: give the name of a file, or - for standard output")
	case fs.Changed("output-format") && *f.output == "":
		return Usagef("--output-format needs --output FILE or --output -")
	case *f.output == "-" && *f.json:
		return Usagef("--output - and --json both write to standard output: give --output a file")
	}
	return nil
}

// community searches a graph, and prints each answer as it comes.
func (a *app) community(ctx context.Context, path string, f *communityFlags) (err error) {
	out, err := newDestination(*f.output, *f.format)
	if err != nil {
		return err
	}
	inputs := []string{path}
	if *f.queries != "" && *f.queries != "-" {
		inputs = append(inputs, *f.queries)
	}
	if err := out.check(inputs); err != nil {
		return err
	}
	defer keepHeapWithin(*f.memory, *f.memory/2)() // where the search has its nodes
	g, err := garaph.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	if err := results.CheckIDBytes(out.format, g.Catalogue().IDs.MaxBytes); err != nil {
		return err
	}
	ids, queries, err := f.read(g, a.stdin)
	if err != nil {
		return err
	}
	s := &communitySearch{app: a, graph: g, path: path, ids: ids, flags: f, out: out, began: time.Now()}
	if err := s.run(ctx, queries); err != nil {
		return err
	}
	if err := out.write(ctx, g.MemberTable(s.found), a.stdout, nil); err != nil {
		return err
	}
	a.console.summary(s.summary())
	return nil
}

// read returns the ids of the query vertices and their queries.
func (f *communityFlags) read(g *garaph.Graph, stdin io.Reader) (ids []string, queries []garaph.CommunityQuery, err error) {
	add := func(id, where string) error {
		v, err := g.Vertex(id)
		if errors.Is(err, garaph.ErrNoVertex) {
			return Usagef("%s: %w", where, err)
		}
		if err == nil { // 7, where +7 was asked for
			id, err = g.Store().IDs().Text(v)
		}
		ids, queries = append(ids, id), append(queries, garaph.CommunityQuery{Vertex: v, Low: *f.low, High: *f.high})
		return err
	}
	if *f.queries == "" {
		err := add(*f.query, "--query")
		return ids, queries, err
	}
	in, name := stdin, "standard input"
	if *f.queries != "-" {
		file, err := os.Open(*f.queries)
		if err != nil {
			return nil, nil, fmt.Errorf("read --queries: %w", err)
		}
		defer file.Close()
		in, name = file, *f.queries
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	number := 0
	for lines.Scan() {
		number++
		id := strings.TrimSpace(lines.Text())
		if id == "" || strings.HasPrefix(id, "#") {
			continue
		}
		if err := add(id, fmt.Sprintf("%s:%d", name, number)); err != nil {
			return nil, nil, err
		}
	}
	if err := lines.Err(); err != nil {
		return nil, nil, fmt.Errorf("read --queries %s behind line %d: %w", name, number, err)
	}
	if len(ids) == 0 {
		return nil, nil, fmt.Errorf("--queries %s has no query vertex: give the id of one on each line", name)
	}
	return ids, queries, nil
}

// communitySearch is one `garaph community`.
type communitySearch struct {
	app    *app
	graph  *garaph.Graph
	path   string
	ids    []string // of the query vertices
	flags  *communityFlags
	out    destination
	began  time.Time
	found  []*garaph.Community
	report garaph.CommunityReport
}

// run answers the queries.
func (s *communitySearch) run(ctx context.Context, queries []garaph.CommunityQuery) error {
	a := s.app
	a.console.begin("community on " + s.path)
	stage := a.console.stage("community", int64(len(queries)))
	defer stage.end()
	o := garaph.CommunityOptions{Threads: *s.flags.threads, Memory: *s.flags.memory, TimeLimit: *s.flags.limit, Log: a.console.log,
		Device: algorithms.Device(*s.flags.device), GPU: *s.flags.gpu, GPUMemory: *s.flags.gpuMemory}
	o.Stage = func(p algorithms.Progress) {
		stage.set(0, fmt.Sprintf("%s, %d %%", p.Stage, 100*p.Done/max(1, p.Total)))
	}
	o.Progress = func(i int, p community.Progress) {
		stage.set(int64(i), fmt.Sprintf("query %d of %d: minimum degree %d so far, %s searched, %s open",
			i+1, len(queries), p.Best, branchesText(p.Branches), branchesText(int64(p.Open))))
	}
	var err error
	s.report, err = garaph.FindCommunities(ctx, s.graph, queries, o, func(i int, c *garaph.Community) error {
		s.found = append(s.found, c)
		stage.set(int64(i+1), fmt.Sprintf("query %d of %d", i+1, len(queries)))
		return s.print(i, c)
	})
	if err != nil && ctx.Err() != nil {
		return &stopped{fmt.Sprintf("the search on %s was stopped after %s", s.path, counted(int64(len(s.found)), "answer", "answers")), err}
	}
	return err
}

// print prints an answer, if it is to be printed.
func (s *communitySearch) print(i int, c *garaph.Community) error {
	members := make([]string, len(c.Members))
	for j, v := range c.Members {
		var err error
		if members[j], err = s.graph.Store().IDs().Text(v); err != nil {
			return err
		}
	}
	switch {
	case *s.flags.json:
		return writeObject(s.app.stdout, s.jsonAnswer(s.ids[i], c, members), nil)
	case s.out.path == "-":
		return nil
	case len(members) == 0:
		_, err := fmt.Fprintf(s.app.stdout, "%s: no connected subgraph of %d to %d vertices has it\n", printable(s.ids[i]), c.Query.Low, c.Query.High)
		return err
	}
	proven := "the best"
	if !c.Proven {
		proven = "not proven to be the best"
	}
	for j := range members {
		members[j] = printable(members[j])
	}
	_, err := fmt.Fprintf(s.app.stdout, "%s: minimum degree %d, %s, %s; %s, %s\n  %s\n", printable(s.ids[i]), c.MinDegree, counted(int64(len(members)), "vertex", "vertices"),
		proven, branchesText(c.Stats.Branches), seconds(c.Prepare+c.Search), strings.Join(members, " "))
	return err
}

// summary is the last line of the command.
func (s *communitySearch) summary() string {
	proven, branches := 0, int64(0)
	for _, c := range s.found {
		branches += c.Stats.Branches
		if c.Proven {
			proven++
		}
	}
	return fmt.Sprintf("community: %s, %d of them proven, %s in %s, of which %s of preparation; peak memory %s", counted(int64(len(s.found)), "answer", "answers"), proven,
		branchesText(branches), seconds(time.Since(s.began)), seconds(s.report.Prepare), bytesText(peakMemory()))
}

func branchesText(n int64) string {
	if n == 1 {
		return "1 branch"
	}
	return countText(float64(n)) + " branches"
}
