package garaph

import (
	"fmt"
	"path/filepath"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/store"
)

// jobsDir returns the folder of the graph's jobs.
func (g *Graph) jobsDir() string { return filepath.Join(g.store.Path(), store.JobsDir) }

// Jobs lists the jobs that are recorded of a graph, in the order in which they
// began.
func (g *Graph) Jobs() ([]checkpoint.Listed, error) {
	list, err := checkpoint.List(g.jobsDir())
	if err != nil {
		return nil, fmt.Errorf("list the jobs of graph %s: %w", g.store.Name(), err)
	}
	return list, nil
}

// NewJob describes a job to be recorded, for [RunOptions.Job]. It is on disk,
// and has its number, when the run begins.
func (g *Graph) NewJob(s checkpoint.Spec) *Job {
	return checkpoint.NewJob(g.jobsDir(), s, checkpoint.Policy{})
}

// OpenJob takes a job of the graph to resume it, through [RunOptions.Job]; 0 is
// the newest unfinished one, whose Passed says which newer ones are damaged, or run.
// The run ends it; Close gives it back without one.
func (g *Graph) OpenJob(id int) (job *Job, err error) {
	if err := g.begin(); err != nil {
		return nil, err
	}
	defer g.uses.End()
	err = g.store.InPlace(func() (err error) { // as long as the job is taken, no import replaces the graph
		if id == 0 {
			job, err = checkpoint.OpenNewest(g.jobsDir())
		} else {
			job, err = checkpoint.OpenJob(g.jobsDir(), id)
		}
		return err
	})
	if err == nil {
		if err = job.Over(); err != nil {
			_ = job.Close() // nothing was written
		}
	}
	if err != nil {
		return nil, fmt.Errorf("graph %s: %w", g.store.Name(), err)
	}
	return job, nil
}

// RemoveJobs removes jobs and their checkpoints, none where one of them is not there,
// and returns those that were removed.
func (g *Graph) RemoveJobs(ids ...int) (removed []int, err error) {
	if removed, err = checkpoint.Remove(g.jobsDir(), ids...); err != nil {
		err = fmt.Errorf("graph %s: %w", g.store.Name(), err)
	}
	return removed, err
}
