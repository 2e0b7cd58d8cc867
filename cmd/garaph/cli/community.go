package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/algorithms/community"
	"github.com/garaph/garaph/cmd/garaph/cli/console"
	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/cmd/garaph/cli/report"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/communityjob"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/results"
)

// communityFlags holds the flags of `garaph community`.
type communityFlags struct {
	query, queries, output, format, report *string
	low, high, threads                     *int
	limit                                  *time.Duration
	memory, gpuMemory                      *int64
	device, gpu                            *string
	json                                   *bool
	checkpoints                            *checkpointFlags
}

func communityCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "community GRAPH --query ID --min-size L --max-size H [flags]",
		Short: "Find the best connected vertices around a vertex",
		Long: `Find the best connected vertices around a vertex: of all connected subgraphs with
the query vertex and L to H vertices, one whose minimum degree is the largest.
Directions of edges, parallel edges and self-loops don't matter. The search is
exact, and may take long: with --time-limit, the best so far is printed, as not
proven to be the best. Of several best communities, the number of threads may
decide which one is found. --queries answers many queries one after another;
--output has a row for each member, with its query vertex. The search is a job of
the graph: garaph resume continues one that was interrupted, as with a run.`,
		Example: `  garaph community web.graph --query 42 --min-size 6 --max-size 12
  garaph community web.graph --queries ids.txt --min-size 6 --max-size 12 --time-limit 1m --json
  garaph community web.graph --query 42 --min-size 9 --max-size 15 --output members.csv`,
		Args: exactly("one graph", 1),
	}
	fs := cmd.Flags()
	f := communityFlags{
		query:   fs.String("query", "", "`ID` of the query vertex"),
		queries: fs.String("queries", "", "`FILE` with query vertices, "+flags.IDLines+"; - is standard input"),
		low:     flags.Count(fs, "min-size", 1, 1, "least number of vertices of the community"),
		high:    flags.Count(fs, "max-size", 0, 1, "largest number of vertices of the community (required)"),
		limit:   flags.Duration(fs, "time-limit", "time for a query, such as 10m; 0: no limit"),
		threads: threadsFlag(fs),
		memory: flags.Size(fs, "memory",
			"memory of the process, such as 512MiB or 2GiB; 0: no limit (default three quarters of what is available)"),
		device: flags.Enum(fs, "device", algorithms.AutoDevice,
			[]algorithms.Device{algorithms.AutoDevice, algorithms.CPU, algorithms.GPU},
			"where searches run; a GPU runs many queries at once, and auto uses one if there is one and queries take long"),
		gpu:    gpuFlag(fs),
		output: outputFlag(fs, "", "`FILE` for the members, a row each; - is standard output"),
		format: formatFlag(fs),
		report: fs.String("report", "",
			"`FILE` for an HTML page with the answers and, if there are many, their distribution"),
		gpuMemory: flags.Size(fs, "gpu-memory", "memory of the GPU to use, such as 4GiB (default nearly all that is free)"),
		json:      fs.Bool("json", false, "print each answer as one JSON object on a line"),
	}
	f.checkpoints = newCheckpointFlags(fs, "answers")
	_ = cobra.MarkFlagRequired(fs, "max-size") // fails for a flag that is not there
	cmd.MarkFlagsMutuallyExclusive("query", "queries")
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		if !cmd.Flags().Changed("memory") {
			*f.memory = defaultMemory()
		}
		if err := a.handOver(*f.device, *f.gpu, ""); err != nil {
			return err
		}
		return a.community(cmd, args[0], &f)
	})
	return cmd
}

// check refuses flags that do not go together.
func (f *communityFlags) check(cmd *cobra.Command) error {
	switch {
	case *f.query == "" && *f.queries == "":
		return Usagef("%s needs --query or --queries", cmd.Name())
	case *f.high < *f.low:
		return Usagef("--min-size %d is more than --max-size %d", *f.low, *f.high)
	}
	if err := checkFileName(cmd.Flags(), "report"); err != nil {
		return err
	}
	if *f.report != "" && output.SameName(*f.report, *f.output) {
		return Usagef("--output and --report both write %s: name two files", *f.report)
	}
	return checkOutput(cmd.Flags())
}

// community searches a graph, and prints each answer as it comes.
func (a *app) community(cmd *cobra.Command, path string, f *communityFlags) (err error) {
	ctx := cmd.Context()
	out, err := a.destination(*f.output, *f.format, []string{path, *f.queries})
	if err != nil {
		return err
	}
	if *f.report != "" {
		if err := output.CheckBeside("the report", *f.report, []string{path, *f.queries}); err != nil {
			return err
		}
	}
	defer keepHeapWithin(*f.memory, *f.memory/2)() // where the search has its nodes
	g, err := garaph.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	if err := results.CheckIDBytes(out.Format, g.Catalogue().IDs.MaxBytes); err != nil {
		return err
	}
	s := &communitySearch{app: a, cmd: cmd, graph: g, path: path, flags: f, out: out, began: time.Now()}
	job, queries, err := s.recorded()
	if err != nil {
		return err
	}
	a.console.Begin("community on " + path)
	if s.job, err = communityjob.Record(ctx, g, job, f.checkpoints.policy(), s.options(), queries); err != nil {
		return err
	}
	defer func() {
		if err := s.job.Close(); err != nil {
			a.console.Log.Warn(err.Error())
		}
	}()
	s.stage = a.console.Stage("community", int64(len(s.job.Queries())), console.InQueries)
	err = s.run(ctx)
	if s.stage.End(); err != nil {
		return err
	}
	if err := s.write(ctx); err != nil {
		return err
	}
	if *f.report != "" {
		if err := s.writePage(); err != nil {
			return err
		}
	}
	a.console.Summary(s.summary())
	return nil
}

// recorded returns the job of the search, and a function that reads its queries where no checkpoint has them.
func (s *communitySearch) recorded() (*garaph.Job, func() ([]garaph.CommunityQuery, error), error) {
	spec := newSpec(communityName, s.cmd, *s.flags.output)
	if job := s.app.resumed; job != nil {
		s.app.console.Log.Info(resuming(job, s.path, s.out))
		return respecified(job, spec), func() ([]garaph.CommunityQuery, error) {
			if err := checkRecordedInput(job, *s.flags.queries); err != nil {
				return nil, err
			}
			return s.flags.read(s.graph, nil)
		}, nil
	}
	queries, err := s.flags.read(s.graph, s.app.stdin) // an error in them ends the command before there is a job
	return s.graph.NewJob(spec), func() ([]garaph.CommunityQuery, error) { return queries, nil }, err
}

// read returns the queries.
func (f *communityFlags) read(g *garaph.Graph, stdin io.Reader) (queries []garaph.CommunityQuery, err error) {
	add := func(list []uint32) error {
		for _, v := range list {
			queries = append(queries, garaph.CommunityQuery{Vertex: v, Low: *f.low, High: *f.high})
		}
		return nil
	}
	switch *f.queries {
	case "":
		var v uint32
		if v, err = g.Vertex(*f.query); err == nil {
			err = add([]uint32{v})
		}
	case "-":
		err = eachVertexOfInput(g, stdin, add)
	default:
		err = eachVertexOfFile(g, *f.queries, add)
	}
	if errors.Is(err, garaph.ErrNoVertex) {
		return nil, flags.Usage(err)
	}
	return queries, err
}

// communityName is the name of searches in a list of jobs.
const communityName = "community"

// communitySearch is one `garaph community`.
type communitySearch struct {
	app    *app
	cmd    *cobra.Command
	graph  *garaph.Graph
	path   string
	flags  *communityFlags
	out    output.Destination
	began  time.Time
	stage  *console.Stage
	job    *communityjob.Job
	found  []*garaph.Community
	report community.Report
}

func (s *communitySearch) options() garaph.CommunityOptions {
	f := s.flags
	return garaph.CommunityOptions{
		Threads: *f.threads, Memory: *f.memory, TimeLimit: *f.limit, Log: s.app.console.Log,
		Device: algorithms.Device(*f.device), GPU: *f.gpu, GPUMemory: *f.gpuMemory,
		Stage: func(p algorithms.Progress) {
			s.stage.Set(0, fmt.Sprintf("%s, %d %%", p.Stage, 100*p.Done/max(1, p.Total)))
		},
		Progress: func(i int, p community.Progress) {
			s.stage.Set(int64(i), fmt.Sprintf("query %d of %d: minimum degree %d so far, %s searched, %s open",
				i+1, len(s.job.Queries()), p.Best, branchesText(p.Branches), branchesText(int64(p.Open))))
		},
	}
}

// run answers the queries.
func (s *communitySearch) run(ctx context.Context) (err error) {
	s.report, err = s.job.Find(ctx, func(i int, c *garaph.Community) error {
		s.found = append(s.found, c)
		s.stage.Set(int64(i+1), fmt.Sprintf("query %d of %d", i+1, len(s.job.Queries())))
		return s.print(c)
	})
	if err != nil && ctx.Err() != nil {
		answers := show.Counted(int64(len(s.found)), "answer", "answers")
		return &stopped{fmt.Sprintf("the search on %s was stopped after %s%s",
			s.path, answers, resumable(s.job.Job(), s.path, s.cmd.Flags())), err}
	}
	return err
}

// write writes the members to where they are wanted.
func (s *communitySearch) write(ctx context.Context) error {
	job := s.job.Job()
	err := s.out.Write(ctx, s.graph.MemberTable(s.found), s.app.stdout, func(temporary string) {
		if job.Begun() {
			_ = job.Writes(temporary) // without the note, a resumed job asks
		}
	})
	if err == nil {
		return nil
	}
	if !errors.Is(err, output.ErrPipe) {
		s.job.Lose(err)
	}
	if ctx.Err() != nil {
		err = &stopped{fmt.Sprintf("the search on %s was done, its members were not all written%s",
			s.path, resumable(job, s.path, s.cmd.Flags())), err}
	}
	return err
}

// print prints an answer, if it is to be printed.
func (s *communitySearch) print(c *garaph.Community) error {
	ids := s.graph.Store().IDs()
	query, err := ids.Text(c.Query.Vertex) // 7, where +7 was asked for
	if err != nil {
		return err
	}
	switch {
	case *s.flags.json:
		members := &report.List{Key: "members", Each: func(item func(any) error) error {
			for _, v := range c.Members {
				id, err := ids.Text(v)
				if err == nil {
					err = item(s.jsonID(id))
				}
				if err != nil {
					return err
				}
			}
			return nil
		}}
		return report.WriteObject(s.app.stdout, s.jsonAnswer(query, c), members)
	case s.out.Path == "-":
		return nil
	case len(c.Members) == 0:
		end := "has it"
		if !c.Proven {
			end = fmt.Sprintf("was found in %s; there may be one: raise --time-limit", show.Seconds(c.Prepare+c.Search))
		}
		_, err := fmt.Fprintf(s.app.stdout,
			"%s: no connected subgraph of %d to %d vertices %s\n", show.Printable(query), c.Query.Low, c.Query.High, end)
		return err
	}
	proven := "the best"
	if !c.Proven {
		proven = "not proven to be the best"
	}
	w := bufio.NewWriterSize(s.app.stdout, 1<<16)
	_, _ = fmt.Fprintf(w, "%s: minimum degree %d, %s, %s; %s, %s\n ", show.Printable(query), c.MinDegree,
		show.Counted(int64(len(c.Members)), "vertex", "vertices"),
		proven, branchesText(c.Branches), show.Seconds(c.Prepare+c.Search)) // errors are kept until Flush
	for _, v := range c.Members {
		member, err := ids.Text(v)
		if err != nil {
			return errors.Join(err, w.Flush())
		}
		if member = show.Printable(member); strings.Contains(member, " ") {
			member = strconv.Quote(member)
		}
		_, _ = w.WriteString(" " + member)
	}
	_ = w.WriteByte('\n')
	return w.Flush()
}

// summary returns the last line of the command.
func (s *communitySearch) summary() string {
	proven, branches := 0, int64(0)
	for _, c := range s.found {
		branches += c.Branches
		if c.Proven {
			proven++
		}
	}
	return fmt.Sprintf("community: %s, %d of them proven, %s in %s, of which %s of preparation; peak memory %s",
		show.Counted(int64(len(s.found)), "answer", "answers"), proven,
		branchesText(branches), show.Seconds(time.Since(s.began)), show.Seconds(s.report.Prepare), show.Bytes(peakMemory()))
}

func branchesText(n int64) string {
	if n == 1 {
		return "1 branch"
	}
	return show.Count(float64(n)) + " branches"
}
