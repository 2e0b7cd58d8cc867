// Package communityjob records community searches as jobs, which later processes resume.
package communityjob

import (
	"context"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms/community"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/internal/hostmem"
)

// program is the program of the jobs that are community searches.
const program = "garaph community"

// Is reports whether a job is a community search.
func Is(job *checkpoint.Job) bool { return job.Record().Identity.Program == program }

// A Job is a community search as a job of its graph. Its iterations are answers. Its checkpoints hold the queries,
// the answers, and the open nodes of the queries in progress.
type Job struct {
	graph    *garaph.Graph
	recorder checkpoint.Recorder
	options  community.Options
	policy   checkpoint.Policy

	from    *community.Saved // of a checkpoint, if there was one
	queries []community.Query
	answers []*community.Result
	lost    error // why results were not written
	ended   bool
}

// Record begins a search as a job of [garaph.Graph.NewJob], or continues one of [garaph.Graph.OpenJob] from its
// newest checkpoint. If it has none, Record calls queries. A new job without periodic checkpoints runs unrecorded if
// the record cannot be written. After an error the job is released.
func Record(
	ctx context.Context, g *garaph.Graph, job *checkpoint.Job, p checkpoint.Policy, o community.Options,
	queries func() ([]community.Query, error),
) (j *Job, err error) {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if p == (checkpoint.Policy{}) {
		p = job.Record().Policy
	}
	j = &Job{graph: g, recorder: checkpoint.Recorder{Job: job, Log: o.Log, Unit: "answers"}, options: o, policy: p}
	fresh := job.ID() == 0
	id := checkpoint.Identity{Graph: g.Catalogue().Fingerprint, Program: program, Engine: community.SavedVersion}
	if err = j.recorder.Begin(g.Store().InPlace, id, p); err == nil && !fresh {
		err = j.restore(ctx)
	}
	if err == nil && j.from == nil {
		j.queries, err = queries()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("graph %s: %w", g.Store().Name(), err), j.end(checkpoint.Interrupted, nil))
	}
	return j, nil
}

// restore reads the newest checkpoint.
func (j *Job) restore(ctx context.Context) error {
	to := &sink{memory: j.options.Memory}
	defer func() { hostmem.Free(to.words) }()
	r, err := j.recorder.Restore(ctx, to)
	if err != nil || r.Number == 0 {
		return err
	}
	if j.from, err = community.ReadSaved(to.words, j.graph.Catalogue().Vertices); err != nil {
		return fmt.Errorf("job %d: checkpoint %d: %w: %w; `garaph jobs rm` removes the job, which can be run again",
			j.Job().ID(), r.Number, checkpoint.ErrDamaged, err)
	}
	j.queries = j.from.Queries
	return nil
}

// Job returns the job that records the search. It has begun unless it could not be recorded.
func (j *Job) Job() *checkpoint.Job { return j.recorder.Job }

// Queries returns the queries of the search.
func (j *Job) Queries() []community.Query { return j.queries }

// Find is like [garaph.FindCommunities]. Answers that an earlier process has found come first, in their places. After
// an error the job has ended, and can be resumed.
func (j *Job) Find(ctx context.Context, answer func(i int, c *community.Result) error) (community.Report, error) {
	o := j.options
	o.Saving = community.Saving{From: j.from, Policy: j.policy}
	if j.Job().Begun() {
		o.Saving.Save = func(s *community.Saved) { j.recorder.Wrote(j.save(s)) }
	}
	report, err := garaph.FindCommunities(ctx, j.graph, j.queries, o, func(i int, c *community.Result) error {
		j.answers = append(j.answers, c)
		j.Job().Progress(len(j.answers))
		return answer(i, c)
	})
	if err != nil {
		j.ended = true
		if ctx.Err() != nil {
			err = errors.Join(err, j.Job().End(checkpoint.Interrupted, err))
		} else {
			err = errors.Join(err, j.Job().Fail(err))
		}
	}
	return report, err
}

// save writes a checkpoint, after an interruption, too.
func (j *Job) save(s *community.Saved) error {
	words := checkpoint.Arrays{hostmem.AsBytes(s.Words())}
	state, err := words.State(len(s.Answers))
	if err != nil {
		return err
	}
	return j.recorder.Write(context.Background(), state, words)
}

// Lose records that the answers could not be written: the job keeps them,
// and can be resumed to write them.
func (j *Job) Lose(cause error) { j.lost = cause }

// Close ends the job, if it has not ended: it is done, unless its answers were lost.
func (j *Job) Close() error {
	if j.ended || j.lost == nil {
		return j.end(checkpoint.Done, nil)
	}
	status := checkpoint.Failed
	if errors.Is(j.lost, context.Canceled) {
		status = checkpoint.Interrupted
	}
	var err error
	if j.Job().Begun() {
		err = j.save(&community.Saved{Queries: j.queries, Answers: j.answers})
	}
	return errors.Join(err, j.end(status, j.lost))
}

func (j *Job) end(s checkpoint.Status, cause error) error {
	if j.ended {
		return nil
	}
	j.ended = true
	return j.Job().End(s, cause)
}

// wordBytes is the size of a word of a checkpoint.
const wordBytes = 8

// fewBytes of words are read whatever the budget is.
const fewBytes = 1 << 20

// sink takes the words of a checkpoint.
type sink struct {
	memory int64 // of the process; if 0, no limit
	words  []uint64
	checkpoint.Arrays
}

// Begin returns an error if the state needs more than half of the memory of the process.
func (s *sink) Begin(state checkpoint.State) (err error) {
	hostmem.Free(s.words) // of an epoch that was damaged
	s.words = nil
	bytes := wordBytes * int64(state.Vertices)
	if room := max(fewBytes, (s.memory-hostmem.Process)/2); s.memory > 0 && bytes > room {
		return fmt.Errorf(
			"%w: the open nodes of the search take %dMiB, more than half of what --memory leaves; a budget of %dMiB is enough",
			hostmem.ErrBudget, bytes>>20, (2*bytes+hostmem.Process)>>20+1,
		)
	}
	if s.words, err = hostmem.Slice[uint64](int(state.Vertices)); err != nil {
		return err
	}
	s.Arrays = checkpoint.Arrays{hostmem.AsBytes(s.words)}
	return s.Arrays.Begin(state)
}
