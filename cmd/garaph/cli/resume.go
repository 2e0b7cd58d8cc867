package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/internal/results"
)

// resumeFlags are the flags of `garaph run` and `garaph community` that a job may be resumed with, for
// its values don't depend on them, or, in async mode, as they do on timing.
var resumeFlags = []string{
	"device", "threads", "memory", "gpu", "gpu-memory", "streams", "gather", "advance", "filter", "direction", "trace",
	"checkpoint-every", "checkpoint-interval", "checkpoint-pages", "keep-checkpoints",
	"output", "output-format", "top", "json", "report", "time-limit",
}

func (a *app) resumeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resume GRAPH [JOB] [flags]",
		Short: "Resume a run or a search that was interrupted",
		Long: `Resume a run, or a community search, that was interrupted, by Ctrl-C, a crash or a power failure:
from its newest checkpoint, or from the beginning where it has none. Without JOB,
the newest unfinished one of the graph that no process runs; newer ones that are
damaged, or run, are passed over, and named.
Program, parameters, iterations and output are those of the first run; give --trace
and --report again where they are wanted. Another --output has the format that its
name tells, and with --output - a --json or --top of the first run does not hold.
--output must be given again where the file is there already and the job has not
written it, where it lies outside of the folder in which the job was begun, and
where another user began the job or the graph was copied or received.`,
		Example: `  garaph run pagerank web.graph --checkpoint-every 5 --output ranks.tsv
  garaph resume web.graph
  garaph resume web.graph 3 --threads 8`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return Usagef("expected a graph and perhaps a job, got %s", arguments(len(args)))
			}
			return nil
		},
	}
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	newRunFlags(all)
	all.AddFlag(a.communityCommand().Flags().Lookup("time-limit"))
	for _, name := range resumeFlags {
		cmd.Flags().AddFlag(all.Lookup(name))
	}
	completeEnums(cmd)
	cmd.ValidArgsFunction = completeJobs(false, func(j jobInfo) bool { return j.unfinished })
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			return Usagef("%w: a job is resumed with the program and the parameters that it began with; beside them, resume has --%s", err, strings.Join(resumeFlags, ", --"))
		}
		return flagError(cmd, err)
	})
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		id, err := jobID(args[1:])
		if err != nil {
			return err
		}
		return a.resume(cmd, args[0], id)
	})
	return cmd
}

// jobID is the number of a job; 0 when there is no argument.
func jobID(args []string) (int, error) {
	if len(args) == 0 {
		return 0, nil
	}
	id, err := strconv.Atoi(args[0])
	if err != nil || id < 1 {
		return 0, Usagef("%q is not the number of a job: expected one that `garaph jobs` lists", args[0])
	}
	return id, nil
}

// resume builds the command of the first run again, with the flags that it had
// and those that were given now, and runs it with the job.
func (a *app) resume(cmd *cobra.Command, path string, id int) error {
	if f := cmd.Flags().Lookup("memory"); f.Changed { // opening the graph is within it too
		if memory, ok := f.Value.(*checked[int64]); ok {
			defer keepWithin(*memory.to)()
		}
	}
	job, err := takeJob(path, id)
	if err != nil {
		return err
	}
	defer job.Close() // where the run does not come to it
	a.warnPassed(path, job.Passed())
	spec := job.Record().Spec
	first, err := a.recordedCommand(job, path, cmd.Root().Name())
	if err != nil {
		return err
	}
	if more := unknownFlags(cmd, first); len(more) > 0 {
		return Usagef("--%s: job %d of %s runs %s, which has no such flag: leave it out", strings.Join(more, ", --"), job.ID(), path, spec.Name)
	}
	if err := checkRecordedFlags(spec.Flags); err != nil {
		return fmt.Errorf("job %d of %s: %w", job.ID(), path, err)
	}
	if err := checkRecordedSources(job, spec.Flags); err != nil {
		return err
	}
	if !cmd.Flags().Changed("output") {
		if err := checkRecordedOutput(job); err != nil {
			return err
		}
		if err := checkRecordedStdout(cmd, job, path); err != nil {
			return err
		}
	}
	a.limitRecorded(spec.Flags, cmd.Flags())
	flags := resumedFlags(cmd, spec)
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		if err == nil { // one error is enough: a record may have thousands of flags
			err = setFlag(first.Flags(), name, flags[name])
		}
	}
	if err != nil {
		return fmt.Errorf("job %d of %s was begun with flags that this version does not have: %w", job.ID(), path, err)
	}
	if err := first.Args(first, []string{path}); err != nil {
		return err
	}
	first.SetContext(cmd.Context())
	a.resumed = job
	return first.RunE(first, []string{path})
}

// recordedCommand is the command of a job's first run.
func (a *app) recordedCommand(job *garaph.Job, path, executable string) (*cobra.Command, error) {
	if garaph.IsCommunityJob(job) {
		return a.communityCommand(), nil
	}
	name := job.Record().Name
	i := slices.IndexFunc(a.programs, func(p Program) bool { return p.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("job %d of %s runs the program %q, which is not among those of `%s programs`: resume it with the executable that began it", job.ID(), path, name, executable)
	}
	if a.programs[i].Algorithm {
		return nil, fmt.Errorf("job %d of %s runs the program %q, which is an algorithm now and cannot be resumed: run it again", job.ID(), path, name)
	}
	first, _, err := a.runCommand().Find([]string{name})
	if err == nil {
		err = first.ParseFlags(nil) // joins those of every run
	}
	return first, err
}

// unknownFlags are the flags that were given and that the first run's command does not have.
func unknownFlags(cmd, first *cobra.Command) (list []string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(resumeFlags, f.Name) && first.Flags().Lookup(f.Name) == nil {
			list = append(list, f.Name)
		}
	})
	return list
}

// maxPassed is how many jobs that are passed over are named.
const maxPassed = 3

// warnPassed names the first jobs that were passed over, and counts the others.
func (a *app) warnPassed(path string, passed []error) {
	for _, err := range passed[:min(len(passed), maxPassed)] {
		a.console.log.Warn("a job is passed over: " + oneLine(err))
	}
	if more := len(passed) - maxPassed; more > 0 {
		a.console.log.Warn(fmt.Sprintf("%d more jobs are passed over: `garaph jobs %s` shows them", more, printable(path)))
	}
}

// resumedFlags are those of the first run, and those that were given now.
func resumedFlags(cmd *cobra.Command, spec garaph.JobSpec) map[string]string {
	flags := maps.Clone(spec.Flags)
	if flags == nil {
		flags = map[string]string{}
	}
	if method, old := flags["engine"]; old { // as older versions called it
		flags["method"] = method
		delete(flags, "engine")
	}
	delete(flags, "passes") // older versions had it, and values did not depend on it
	if spec.Output != "" {
		flags["output"] = spec.Output
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(resumeFlags, f.Name) {
			flags[f.Name] = flagText(f.Value)
		}
	})
	for _, name := range replaced(cmd.Flags()) {
		if !cmd.Flags().Changed(name) {
			delete(flags, name)
		}
	}
	if flags["device"] == string(dispatcher.CPU) { // those of the first run wait for another device
		for _, name := range gpuFlagNames {
			if f := cmd.Flags().Lookup(name); f == nil || !f.Changed {
				delete(flags, name)
			}
		}
	}
	return flags
}

// replaced are the flags of the first run that do not hold where --output is given now: the format of another name
// where this one tells one, and what is written to standard output where the results are to go there.
func replaced(now *pflag.FlagSet) (names []string) {
	if !now.Changed("output") {
		return nil
	}
	output := now.Lookup("output").Value.String()
	if _, err := results.FormatOf(output); err == nil {
		names = append(names, "output-format")
	}
	if output == "-" {
		names = append(names, "json", "top")
	}
	return names
}

// takeJob acquires a job of the graph at path; 0 is the newest unfinished one.
func takeJob(path string, id int) (*garaph.Job, error) {
	g, err := garaph.Open(path)
	if err != nil {
		return nil, err
	}
	job, err := g.OpenJob(id)
	return job, errors.Join(err, g.Close())
}
