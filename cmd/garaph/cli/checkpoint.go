package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/internal/flags"
)

// checkpointFlags holds the flags of checkpoints.
type checkpointFlags struct {
	every, pages, keep *int
	interval           *time.Duration
	resume             *bool
}

// newCheckpointFlags declares the flags of every job, which progresses by iterations or something else.
func newCheckpointFlags(fs *pflag.FlagSet, iterations string) *checkpointFlags {
	return &checkpointFlags{
		every: flags.Count(fs, "checkpoint-every", 0, 0,
			"write the state to disk every N "+iterations+", or less often if writing takes longer; 0: not by "+iterations+""),
		interval: fs.Duration("checkpoint-interval", 0,
			"write the state to disk every `TIME`, such as 10m, or less often if writing takes longer; 0: not by time"),
		keep:   flags.Count(fs, "keep-checkpoints", checkpoint.DefaultKeep, 1, "keep the newest N checkpoints"),
		pages:  new(int),
		resume: new(bool),
	}
}

// newRunCheckpointFlags declares the flags of a run.
func newRunCheckpointFlags(fs *pflag.FlagSet) *checkpointFlags {
	f := newCheckpointFlags(fs, "iterations")
	f.pages = flags.Count(fs, "checkpoint-pages", 0, 0,
		"with --mode async, write the state to disk every N pages; 0: not by pages")
	f.resume = fs.Bool("resume", false,
		"resume the newest unfinished job of this command line, if there is one; otherwise start a new one")
	return f
}

// checkpointFlagNames lists the flags of newRunCheckpointFlags.
var checkpointFlagNames = []string{"checkpoint-every", "checkpoint-interval", "checkpoint-pages",
	"keep-checkpoints", "resume"}

func (f *checkpointFlags) policy() garaph.Checkpoints {
	return garaph.Checkpoints{Every: *f.every, Interval: *f.interval, Pages: *f.pages, Keep: *f.keep}
}

// check refuses flags that do not go together.
func (f *checkpointFlags) check(mode dispatcher.Mode) error {
	switch {
	case *f.interval < 0:
		return Usagef("--checkpoint-interval %v: expected 0 or more", *f.interval)
	case *f.pages > 0 && mode != dispatcher.Async:
		return Usagef("--checkpoint-pages requires --mode async: a sync run can be saved only between iterations")
	}
	return nil
}

// record makes the run a job of its graph, or lets it continue one. A run over
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

// unfinished takes the newest unfinished job that was begun by the command line of the run, flags aside that a
// job may be resumed with; nil if there is none. The error is that of a job that is running.
func (t *task) unfinished() (*garaph.Job, error) {
	jobs, err := t.input.graph.Jobs()
	if err != nil {
		return nil, err
	}
	lasting := func(flags map[string]string) map[string]string {
		flags = maps.Clone(flags)
		maps.DeleteFunc(flags, func(name, _ string) bool { return slices.Contains(resumeFlags, name) })
		return flags
	}
	s := newSpec(t.program.Name, t.cmd, *t.flags.output)
	for _, j := range slices.Backward(jobs) {
		same := j.Err == nil && j.Name == s.Name && j.Output == s.Output && maps.Equal(lasting(j.Flags), lasting(s.Flags))
		if same && (j.Unfinished() || j.Status == checkpoint.Running) {
			return t.input.graph.OpenJob(j.ID)
		}
	}
	return nil, nil
}

// fileFlags are the flags that name a file that a job reads.
var fileFlags = []string{"sources", "queries"}

// newSpec returns the specification with which `garaph resume` builds the same command again.
func newSpec(name string, cmd *cobra.Command, output string) checkpoint.Spec {
	s := checkpoint.Spec{Name: name, Flags: map[string]string{}, Output: absolute(output), From: absolute(".")}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		text := flagText(f.Value)
		if slices.Contains(fileFlags, f.Name) {
			text = absolute(text)
		}
		if !slices.Contains(notRecorded, f.Name) {
			s.Flags[f.Name] = text
		}
	})
	return s
}

// respecified returns a job that is resumed with the flags in s.
func respecified(job *garaph.Job, s checkpoint.Spec) *garaph.Job {
	then := job.Record().Spec
	for name, text := range then.Flags {
		if _, there := s.Flags[name]; !there { // a flag of the GPU, for a run on the CPU
			s.Flags[name] = text
		}
	}
	if s.Wrote = then.Wrote; s.Output == then.Output {
		s.From = then.From
	}
	job.SetSpec(s)
	return job
}

// absolute returns the path of a file for a job that may be resumed from anywhere.
func absolute(path string) string {
	if path == "" || path == "-" {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// flagText returns the value of a flag that was given, for setFlag: the text as it was given, and for
// several values JSON.
func flagText(v pflag.Value) string {
	if c, ok := v.(interface{ Given() string }); ok {
		return c.Given()
	}
	list, ok := v.(pflag.SliceValue)
	if !ok {
		return v.String()
	}
	if values := list.GetSlice(); len(values) == 1 && !strings.HasPrefix(values[0], "[") {
		return values[0]
	}
	return string(jsonText(list.GetSlice()))
}

// setFlag sets a flag to the value that it had.
func setFlag(fs *pflag.FlagSet, name, text string) error {
	f := fs.Lookup(name)
	if f == nil {
		return fmt.Errorf("it has no flag --%s", name)
	}
	list, ok := f.Value.(pflag.SliceValue)
	if !ok {
		return fs.Set(name, text)
	}
	f.Changed = true
	values := []string{text}
	if strings.HasPrefix(text, "[") {
		if err := json.Unmarshal([]byte(text), &values); err != nil {
			return fmt.Errorf("--%s: %w", name, err)
		}
	}
	return list.Replace(values)
}
