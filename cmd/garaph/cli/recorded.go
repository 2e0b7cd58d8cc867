package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/checkpoint"
)

// A graph, and the records of jobs in it, may come from another user. Anything that a record requests
// beyond the job itself is done only where the user of this process requested it.

// notRecorded are the flags of a run that its record never has: those of one
// process, and the output, which has a field of its own.
var notRecorded = []string{
	"help", "verbose", "quiet", "log-format", "progress", "progress-fd", "lifeline-fd",
	"metrics", "metrics-file", "scratch", "trace", "report", "output", "resume",
}

// checkRecordedOutput refuses to write where only a record says so, unless the record is the user's
// and of this place, the file lies below the folder in which the job was begun, and nothing is there
// except a file of the job itself.
func checkRecordedOutput(job *garaph.Job) error {
	s := job.Record().Spec
	if s.Output == "" || s.Output == "-" {
		return nil
	}
	err := job.CheckOwn()
	if err == nil && !below(s.Output, s.From) {
		err = fmt.Errorf("it lies outside of %q, where the job was begun", s.From)
	}
	if err == nil {
		err = checkUnchanged(s.Output, s.Wrote)
	}
	if err != nil {
		return Usagef("job %d would write its results to %q, but %w: repeat --output with it, or with another name",
			job.ID(), s.Output, err)
	}
	return nil
}

// checkRecordedInput refuses to read a file where only a record says so, unless the record is the user's.
func checkRecordedInput(job *garaph.Job, path string) error {
	if path == "" {
		return nil
	}
	err := job.CheckOwn()
	if info, failed := os.Stat(path); err == nil && (failed != nil || !info.Mode().IsRegular()) {
		err = errors.New("that is not a file")
	}
	if err != nil {
		return fmt.Errorf("job %d would read its vertices from %q, but %w: begin again", job.ID(), path, err)
	}
	return nil
}

// checkUnchanged refuses a path with a file that the job has not written.
func checkUnchanged(path string, wrote []checkpoint.FileID) error {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if id, ok := checkpoint.FileIDOf(path); err == nil && (!ok || !slices.Contains(wrote, id)) {
		return errors.New("that file exists, and this job did not write it")
	}
	return err
}

// below reports whether a file is to lie below a folder, which is not the root, links on the way to it
// followed.
func below(path, folder string) bool {
	to, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		to = filepath.Dir(path) // which is not there: the run says so
	}
	from, err := filepath.EvalSymlinks(folder)
	if err != nil || !filepath.IsAbs(folder) || from == "/" {
		return false
	}
	rel, err := filepath.Rel(from, to)
	return err == nil && filepath.IsLocal(rel)
}
