package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher"
)

// checkpointFlags say when a run writes checkpoints.
type checkpointFlags struct {
	every, pages, keep *int
	interval           *time.Duration
}

// newCheckpointFlags declares those of every job, which comes on by iterations or something else.
func newCheckpointFlags(fs *pflag.FlagSet, iterations string) *checkpointFlags {
	return &checkpointFlags{
		every:    countFlag(fs, "checkpoint-every", 0, 0, "write the state to disk after every N "+iterations+", less often where writing takes longer than these; 0: not by their number"),
		interval: durationFlag(fs, "checkpoint-interval", "write the state to disk every TIME, such as 10m, less often where writing takes longer; 0: not by time"),
		keep:     countFlag(fs, "keep-checkpoints", checkpoint.DefaultKeep, 1, "keep the newest N checkpoints"),
		pages:    new(int),
	}
}

// newRunCheckpointFlags declares those of a run.
func newRunCheckpointFlags(fs *pflag.FlagSet) *checkpointFlags {
	f := newCheckpointFlags(fs, "iterations")
	f.pages = countFlag(fs, "checkpoint-pages", 0, 0, "with --mode async, write the state to disk after every N pages; 0: not by pages")
	return f
}

// checkpointFlagNames are those of newRunCheckpointFlags.
var checkpointFlagNames = []string{"checkpoint-every", "checkpoint-interval", "checkpoint-pages", "keep-checkpoints"}

// durationFlag declares a flag that takes a time, 0 or more.
func durationFlag(fs *pflag.FlagSet, name, usage string) *time.Duration {
	var value time.Duration
	parse := func(s string) (time.Duration, error) {
		if s == "0" {
			return 0, nil
		}
		d, err := time.ParseDuration(s)
		if err != nil || d < 0 {
			return 0, errors.New("expected a time such as 30s, 10m or 1h30m")
		}
		return d, nil
	}
	show := func(d time.Duration) string {
		if d == 0 {
			return "" // never
		}
		return d.String()
	}
	fs.Var(&checked[time.Duration]{&value, "TIME", parse, show, ""}, name, usage)
	return &value
}

func (f *checkpointFlags) policy() garaph.Checkpoints {
	return garaph.Checkpoints{Every: *f.every, Interval: *f.interval, Pages: *f.pages, Keep: *f.keep}
}

// check refuses flags that do not go together.
func (f *checkpointFlags) check(mode dispatcher.Mode) error {
	if *f.pages > 0 && mode != dispatcher.Async {
		return Usagef("--checkpoint-pages is for --mode async: in a sync run, the state is whole between iterations only; take --checkpoint-every or --checkpoint-interval")
	}
	return nil
}

// record makes the run a job of its graph, or lets it go on with one. A run over
// edge files is none: its graph goes with it.
func (t *task) record(resumed *garaph.Job) {
	s := newSpec(t.program.Name, t.cmd, *t.flags.output)
	switch {
	case resumed != nil:
		t.options.Job = respecified(resumed, s)
	case t.input.temporary == nil:
		t.options.Job = t.input.graph.NewJob(s)
	}
}

// newSpec is what `garaph resume` needs to build the same command again.
func newSpec(name string, cmd *cobra.Command, output string) garaph.JobSpec {
	s := garaph.JobSpec{Name: name, Flags: map[string]string{}, Output: absolute(output), From: absolute(".")}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && !slices.Contains(notRecorded, f.Name) {
			s.Flags[f.Name] = flagText(f.Value)
		}
	})
	return s
}

// respecified is a job that is resumed with what was given now.
func respecified(job *garaph.Job, s garaph.JobSpec) *garaph.Job {
	then := job.Record().Spec
	for name, text := range then.Flags {
		if _, there := s.Flags[name]; !there { // one of the GPU, of which the CPU makes no use
			s.Flags[name] = text
		}
	}
	if s.Wrote = then.Wrote; s.Output == then.Output {
		s.From = then.From
	}
	job.SetSpec(s)
	return job
}

// absolute is the path of a file that a run writes, for one that is resumed from
// anywhere.
func absolute(path string) string {
	if path == "" || path == "-" {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// flagText is the value of a flag that was given, for setFlag, which may not
// parse what the flag shows. A list, of a user's program, is JSON.
func flagText(v pflag.Value) string {
	if c, ok := v.(interface{ given() string }); ok {
		return c.given()
	}
	if list, ok := v.(pflag.SliceValue); ok {
		if b, err := json.Marshal(list.GetSlice()); err == nil {
			return string(b)
		}
	}
	return v.String()
}

// setFlag sets a flag to the value that it had.
func setFlag(fs *pflag.FlagSet, name, text string) error {
	f := fs.Lookup(name)
	if f == nil {
		return fmt.Errorf("--%s is unknown", name)
	}
	list, ok := f.Value.(pflag.SliceValue)
	if !ok {
		return fs.Set(name, text)
	}
	f.Changed = true
	if own, ok := f.Value.(manyFlag); ok {
		return own.Replace(recordedList(text))
	}
	var values []string
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return fmt.Errorf("--%s: %w", name, err)
	}
	return list.Replace(values)
}

// resumable says how to go on with a run that was stopped. beside: what was to be written beside the results, was not.
func (t *task) resumable(a *app, beside bool) string {
	var also []string
	if beside {
		also = a.again(map[string]string{"report": *t.flags.report, "trace": *t.flags.trace})
	}
	return resumable(t.options.Job, t.name(), *t.flags.output, also)
}

// again are the flags that a resumed job does not have from its record, as arguments: some, and that of the process.
func (a *app) again(flags map[string]string) (args []string) {
	flags["metrics"] = *a.console.flags.metrics
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		if flags[name] != "" {
			args = append(args, "--"+name+" "+shellWord(flags[name]))
		}
	}
	return args
}

// resumable says how to go on with a job that was stopped: with --output where resume
// does not take the recorded one by itself, and with other flags.
func resumable(job *garaph.Job, graph, output string, also []string) string {
	if job == nil || job.ID() == 0 {
		return ""
	}
	again := ""
	switch s := job.Record().Spec; {
	case isOpenFile(s.Output):
		again = " --output FILE"
	case checkPlace(s) != nil:
		again = " --output " + shellWord(output)
	}
	for _, arg := range also {
		again += " " + arg
	}
	return fmt.Sprintf("; `garaph resume %s %d%s` goes on", shellWord(graph), job.ID(), again)
}

var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// shellWord is an argument as a shell takes it. Where a terminal would not show what it is, that is escaped, as
// bash, zsh and ksh read it.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	if printable(s) != s {
		var b strings.Builder
		for _, c := range []byte(s) {
			if c < ' ' || c >= 0x7f || c == '\'' || c == '\\' {
				fmt.Fprintf(&b, `\%03o`, c)
			} else {
				b.WriteByte(c)
			}
		}
		return "$'" + b.String() + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
