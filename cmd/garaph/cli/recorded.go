package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/wholefile"
)

// notRecorded are the flags of a run that its record never has: those of one
// process, and the output, which has a field of its own.
var notRecorded = []string{"help", "verbose", "quiet", "log-format", "progress", "progress-fd", "lifeline-fd", "metrics", "scratch", "trace", "report", "output"}

// checkRecordedFlags refuses a record with flags that garaph writes into none.
func checkRecordedFlags(flags map[string]string) error {
	for _, name := range notRecorded {
		if _, there := flags[name]; there {
			return fmt.Errorf("its record has --%s, which garaph writes into none: another program made it; `garaph jobs rm` removes it", name)
		}
	}
	return nil
}

// limitRecorded removes --threads and --memory from the flags of a record where they
// are more than a run without them takes. What is wrong in them stays, for the error.
func (a *app) limitRecorded(flags map[string]string, now *pflag.FlagSet) {
	over := map[string]bool{}
	if n, err := strconv.Atoi(flags["threads"]); err == nil {
		over["threads"] = n > runtime.GOMAXPROCS(0) && n <= hostmem.MaxThreads
	}
	if n, err := parseSize(flags["memory"]); err == nil {
		over["memory"] = n == 0 || n > defaultMemory()
	}
	for _, name := range []string{"threads", "memory"} {
		if over[name] && !now.Changed(name) {
			a.console.log.Info(fmt.Sprintf("the job was begun with --%s %s, more than a run here takes by itself: repeat that for it to hold", name, flags[name]))
			delete(flags, name)
		}
	}
}

// checkRecordedOutput refuses to write where only a record says so, unless that
// is surely what the user asked for: the record is the user's and of this place,
// the file lies below where the job was begun, and nothing is there but what
// the job itself has written.
func checkRecordedOutput(job *garaph.Job) error {
	s := job.Record().Spec
	if s.Output == "" || s.Output == "-" {
		return nil
	}
	if isOpenFile(s.Output) {
		return Usagef("job %d would write its results to %q, which was open in the command that began it: give --output FILE, or remove the job with `garaph jobs rm`", job.ID(), s.Output)
	}
	err := job.CheckOwn()
	if err == nil {
		err = checkPlace(s)
	}
	if err != nil {
		return Usagef("job %d would write its results to %q, but %w: repeat --output with it, or with another name", job.ID(), s.Output, err)
	}
	return nil
}

// checkRecordedStdout refuses a report on standard output where the job writes its results there.
func checkRecordedStdout(cmd *cobra.Command, job *garaph.Job, path string) error {
	if job.Record().Spec.Output != "-" {
		return nil
	}
	for _, name := range []string{"json", "top"} {
		if f := cmd.Flags().Lookup(name); f.Changed && f.Value.String() != "false" {
			return Usagef("job %d was begun with --output -, so that its results go to standard output, where --%s writes too: leave --%s out, or give the results a file: `%s resume %s %d --%s --output FILE`",
				job.ID(), name, name, cmd.Root().Name(), shellWord(path), job.ID(), flagWord(f))
		}
	}
	return nil
}

// flagWord is a flag as it was given, behind its dashes.
func flagWord(f *pflag.Flag) string {
	if f.NoOptDefVal == f.Value.String() {
		return f.Name
	}
	return f.Name + " " + shellWord(flagText(f.Value))
}

// resuming says which job goes on, for a log: its program and graph, when it was begun, and whether nothing
// was saved of it.
func resuming(job *garaph.Job, path string, out destination) string {
	r := job.Record()
	name := r.Name
	if garaph.IsCommunityJob(job) {
		name = "community search"
	}
	from := ""
	if r.Epoch == 0 {
		from = ", from the beginning, for it has no checkpoint"
	}
	return fmt.Sprintf("resuming job %d, %s on %s, begun %s%s%s", job.ID(), printable(name), printable(path), r.Created.Local().Format(time.DateTime), out.text(), from)
}

// isOpenFile reports whether a path is that of a file that one process has open, as a
// shell makes it of >(COMMAND).
func isOpenFile(path string) bool {
	return strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/")
}

// checkPlace refuses an output that lies elsewhere than below where the job was
// begun, or that is there and was not written by the job.
func checkPlace(s garaph.JobSpec) error {
	switch {
	case s.Output == "" || s.Output == "-":
		return nil
	case isRoot(s.From):
		return fmt.Errorf("the job was begun in %q, which every file lies below", s.From)
	case !below(s.Output, s.From):
		return fmt.Errorf("it lies outside of %q, where the job was begun", s.From)
	}
	return checkUnchanged(s.Output, s.Wrote)
}

// checkUnchanged refuses a path where something is that the job has not written.
func checkUnchanged(path string, wrote []checkpoint.FileID) error {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if id, ok := checkpoint.FileIDOf(path); !ok || !slices.Contains(wrote, id) {
		return errors.New("that file exists, and this job did not write it")
	}
	return nil
}

// isRoot reports whether a folder is the root, by whatever name.
func isRoot(folder string) bool {
	there, err := os.Stat(folder)
	root, rootErr := os.Stat("/")
	return err == nil && rootErr == nil && os.SameFile(there, root)
}

// below reports whether a file is to lie below a folder, links of the way to it
// followed.
func below(path, folder string) bool {
	to, err := filepath.EvalSymlinks(wholefile.Folder(path))
	if err != nil {
		to = wholefile.Folder(path) // which is not there: the run says so
	}
	from, err := filepath.EvalSymlinks(folder)
	if err != nil || !filepath.IsAbs(folder) {
		return false
	}
	rel, err := filepath.Rel(from, to)
	return err == nil && filepath.IsLocal(rel)
}
