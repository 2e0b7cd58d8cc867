package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/communityjob"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/results"
)

// resumeFlags are the flags of `garaph run` and `garaph community` that a job may be resumed with:
// its values don't depend on them, or, in async mode, as they do on timing.
var resumeFlags = []string{
	"device", "threads", "memory", "gpu", "gpu-memory", "streams", "gather", "advance", "filter", "direction", "trace",
	"checkpoint-every", "checkpoint-interval", "checkpoint-pages", "keep-checkpoints",
	"output", "output-format", "top", "json", "report", "time-limit",
}

func resumeCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resume GRAPH [JOB] [flags]",
		Short: "Resume a run or a search that was interrupted",
		Long: `Resume a run or a community search that was interrupted by Ctrl-C, a crash or a power failure,
from its newest checkpoint, or from the beginning if it has none.
Without JOB, the newest unfinished job that no process runs is resumed; newer jobs that are
damaged or running are skipped with a message.
Program, parameters, iterations and output are those of the first run; give --trace
and --report again where they are wanted. Another --output has the format that its
name tells, and with --output - a --json or --top of the first run does not hold.
--output must be given again where the file is there already and the job has not
written it, where it lies outside of the folder in which the job was begun, and
where another user began the job or the graph was copied or received.`,
		Example: `  garaph run pagerank web.graph --checkpoint-every 5 --output ranks.tsv
  garaph resume web.graph
  garaph resume web.graph 3 --threads 8`,
		Args: cobra.RangeArgs(1, 2),
	}
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	newRunFlags(all)
	all.Lookup("time-limit").Usage += "; of a community search: time for a query"
	for _, name := range resumeFlags {
		cmd.Flags().AddFlag(all.Lookup(name))
	}
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) (err error) {
		id := 0
		if len(args) > 1 {
			id, err = jobID(args[1])
		}
		if err != nil {
			return err
		}
		return a.resume(cmd, args[0], id)
	})
	return cmd
}

// jobID parses the number of a job.
func jobID(arg string) (int, error) {
	id, err := strconv.Atoi(arg)
	if err != nil || id < 1 {
		return 0, Usagef("%q is not the number of a job: expected one that `garaph jobs` lists", arg)
	}
	return id, nil
}

// resume builds the command of the first run again, with the flags that it had
// and those that were given now, and runs it with the job.
func (a *app) resume(cmd *cobra.Command, path string, id int) error {
	if f := cmd.Flags().Lookup("memory"); f.Changed { // opening the graph is within it too
		defer keepWithin(f.Value.(*flags.Value[int64]).Get())()
	}
	job, err := takeJob(path, id)
	if err != nil {
		return err
	}
	defer job.Close() // where the run does not come to it
	for _, err := range job.Passed() {
		a.console.Log.Warn("a job is skipped: " + show.OneLine(err))
	}
	spec := job.Record().Spec
	first, err := a.recordedCommand(job)
	if err != nil {
		return fmt.Errorf("job %d of %s runs the program %q, %w", job.ID(), path, job.Record().Name, err)
	}
	if err := checkRecordedInput(job, spec.Flags["sources"]); err != nil {
		return err
	}
	if !cmd.Flags().Changed("output") {
		if err := checkRecordedOutput(job); err != nil {
			return err
		}
	}
	recorded := resumedFlags(cmd, spec)
	for _, name := range slices.Sorted(maps.Keys(recorded)) {
		if err := setFlag(first.Flags(), name, recorded[name]); err != nil {
			err = fmt.Errorf("job %d of %s runs %s: %w", job.ID(), path, job.Record().Name, err)
			if cmd.Flags().Changed(name) {
				return flags.Usage(err)
			}
			return err
		}
	}
	if err := first.Args(first, []string{path}); err != nil {
		return err
	}
	first.SetContext(cmd.Context())
	a.resumed = job
	return first.RunE(first, []string{path})
}

// recordedCommand returns the command of a job's first run.
func (a *app) recordedCommand(job *garaph.Job) (*cobra.Command, error) {
	if communityjob.Is(job) {
		return communityCommand(a), nil
	}
	name := job.Record().Name
	i := slices.IndexFunc(a.programs, func(p Program) bool { return p.Name == name })
	if i < 0 || a.programs[i].Algorithm && !a.programs[i].Resumable {
		return nil, errors.New("which this executable does not have: resume it with the one that began it")
	}
	first, _, err := runCommand(a).Find([]string{name})
	if err == nil {
		err = first.ParseFlags(nil) // joins those of every run
	}
	return first, err
}

// resumedFlags returns the flags of the first run, and those that were given now.
func resumedFlags(cmd *cobra.Command, spec checkpoint.Spec) map[string]string {
	flags := map[string]string{}
	maps.Copy(flags, spec.Flags)
	maps.DeleteFunc(flags, func(name, _ string) bool { return slices.Contains(notRecorded, name) })
	if spec.Output != "" {
		flags["output"] = spec.Output
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(resumeFlags, f.Name) {
			flags[f.Name] = flagText(f.Value)
		}
	})
	var without []string
	if cmd.Flags().Changed("output") {
		if _, err := results.FormatOf(flags["output"]); err == nil {
			without = append(without, "output-format")
		}
		if flags["output"] == "-" {
			without = append(without, "json", "top")
		}
	}
	if flags["device"] == string(dispatcher.CPU) { // those of the first run are for another device
		without = append(without, gpuFlagNames...)
	}
	for _, name := range without {
		if !cmd.Flags().Changed(name) {
			delete(flags, name)
		}
	}
	return flags
}

// takeJob acquires a job of the graph at path; 0 is the newest unfinished one.
func takeJob(path string, id int) (job *garaph.Job, err error) {
	err = withGraph(path, func(g *garaph.Graph) (err error) {
		job, err = g.OpenJob(id)
		return err
	})
	return job, err
}

// resuming describes a job that is resumed, for a log.
func resuming(job *garaph.Job, path string, out output.Destination) string {
	r := job.Record()
	text := fmt.Sprintf("resuming job %d, %s on %s, begun %s",
		job.ID(), show.Printable(r.Name), show.Printable(path), r.Created.Local().Format(time.DateTime))
	if out.Path != "" {
		text += ", whose results go to " + strconv.Quote(out.Path)
	}
	if r.Epoch == 0 {
		text += ", from the beginning, for it has no checkpoint"
	}
	return text
}

// resumable returns the hint how a job that was stopped goes on, with the flags that no record has.
func resumable(job *garaph.Job, graph string, fs *pflag.FlagSet) string {
	if job == nil || job.ID() == 0 {
		return ""
	}
	command := fmt.Sprintf("garaph resume %s %d", shellWord(graph), job.ID())
	for _, name := range []string{"report", "trace", "metrics", "metrics-file"} {
		if f := fs.Lookup(name); f != nil && f.Changed {
			command += " --" + name + " " + shellWord(f.Value.String())
		}
	}
	return "; `" + command + "` goes on"
}

// undelivered adds to the error of results that were not all written how the job goes on, if it can.
func (t *task) undelivered(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, output.ErrPipe) {
		return err
	}
	t.result.Lose(err)
	resume := resumable(t.result.Job(), t.name(), t.cmd.Flags())
	switch {
	case ctx.Err() != nil:
		return &stopped{fmt.Sprintf("%s was done, its results were not all written%s", t.program.Name, resume), err}
	case errors.Is(err, garaph.ErrDamaged): // which a resumed job would meet again
		return err
	}
	return fmt.Errorf("%w%s", err, resume)
}

// shellWord quotes an argument for a shell, if need be.
func shellWord(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'\"\\$&|;<>()*?[]#~`!{}") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
