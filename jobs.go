package garaph

import (
	"fmt"
	"path/filepath"
	"strings"

	"go.uber.org/zap"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/store"
)

// jobsDir is the folder of the graph's jobs.
func (g *Graph) jobsDir() string { return filepath.Join(g.store.Path(), store.JobsDir) }

// Jobs lists the jobs that are recorded of a graph, in the order in which they
// began.
func (g *Graph) Jobs() ([]JobInfo, error) {
	list, err := checkpoint.List(g.jobsDir())
	if err != nil {
		return nil, fmt.Errorf("list the jobs of graph %s: %w", g.store.Name(), err)
	}
	return list, nil
}

// tellJobs says which jobs go with the graph at path when it is replaced.
func tellJobs(path string, log *zap.Logger) {
	jobs := filepath.Join(path, store.JobsDir)
	list, err := checkpoint.List(jobs)
	if err != nil || len(list) == 0 || checkpoint.Idle(jobs) != nil {
		return // the import meets the error
	}
	level, done := zap.InfoLevel, 0
	var names []string
	for _, l := range list {
		switch {
		case l.Err != nil:
			level, names = zap.WarnLevel, append(names, fmt.Sprintf("%d (damaged)", l.ID))
		case l.Status == Done:
			done++
		default:
			level, names = zap.WarnLevel, append(names, fmt.Sprintf("%d (%s, %s)", l.ID, l.Name, l.Status))
		}
	}
	if done > 0 {
		names = append(names, fmt.Sprintf("%d done", done))
	}
	log.Log(level, fmt.Sprintf("the graph at %s is to be replaced, and its jobs go with it: %s", path, strings.Join(names, ", ")))
}

// NewJob describes a job to be recorded, for [RunOptions.Job]. It is on disk,
// and has its number, when the run begins.
func (g *Graph) NewJob(s JobSpec) *Job { return checkpoint.NewJob(g.jobsDir(), s, Checkpoints{}) }

// OpenJob takes a job of the graph to resume it, through [RunOptions.Job]; 0 is
// the newest unfinished one, whose Passed says which newer ones are damaged. The
// run ends it; Close gives it back without one.
func (g *Graph) OpenJob(id int) (job *Job, err error) {
	if id == 0 {
		job, err = checkpoint.OpenNewest(g.jobsDir())
	} else {
		job, err = checkpoint.OpenJob(g.jobsDir(), id)
	}
	if err == nil && job.Record().Status == Done {
		err = fmt.Errorf("job %d is done: run the program again for its results", id)
		_ = job.Close() // nothing was written
	}
	if err != nil {
		return nil, fmt.Errorf("graph %s: %w", g.store.Name(), err)
	}
	return job, nil
}

// RemoveJob removes a job and its checkpoints.
func (g *Graph) RemoveJob(id int) error {
	if err := checkpoint.Remove(g.jobsDir(), id); err != nil {
		return fmt.Errorf("graph %s: %w", g.store.Name(), err)
	}
	return nil
}
