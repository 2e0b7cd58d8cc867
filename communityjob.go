package garaph

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/garaph/garaph/algorithms/community"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/internal/hostmem"
)

// communityProgram is the program of the jobs that are community searches.
const communityProgram = "garaph community"

// IsCommunityJob reports whether a job is a community search, and no run of a program.
func IsCommunityJob(job *Job) bool {
	return job.Record().Identity.Program == communityProgram
}

// CommunityJob is a community search as a job of its graph. Its iterations are answers, and its
// checkpoints have queries, answers, and of the queries that are searched the open nodes.
type CommunityJob struct {
	graph   *Graph
	job     *Job
	options CommunityOptions
	policy  Checkpoints

	from    *community.Saved // of a checkpoint; nil: there was none
	queries []CommunityQuery
	answers []*Community
	lost    error // why results were not written
	ended   bool
	fresh   bool // no process has begun with it before
}

// RecordCommunities begins a search as a job, one of [Graph.NewJob], or continues one of
// [Graph.OpenJob] from its newest checkpoint. Where that has none, queries is called. A new job for which no
// checkpoints are wanted goes without a record where there can be none, as on a disk that cannot be written.
// After an error the job is released.
func RecordCommunities(ctx context.Context, g *Graph, job *Job, p Checkpoints, o CommunityOptions, queries func() ([]CommunityQuery, error)) (j *CommunityJob, err error) {
	if err := g.begin(); err != nil {
		return nil, errors.Join(err, giveBack(job))
	}
	defer g.uses.end()
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if p == (Checkpoints{}) {
		p = job.Record().Policy
	}
	j = &CommunityJob{graph: g, job: job, options: o, policy: p}
	old := job.ID() != 0
	j.fresh = !old
	id := checkpoint.Identity{Graph: g.Catalogue().Fingerprint, Program: communityProgram, Engine: community.SavedVersion}
	err = g.store.InPlace(func() error { return job.Begin(id, p) })
	if err != nil && !old && !p.Wanted() {
		o.Log.Info(fmt.Sprintf("the search could not be resumed after a crash: %v", err))
		err = nil
	} else if err == nil && old {
		err = j.restore(ctx)
	}
	if err == nil && j.from == nil {
		j.queries, err = queries()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("graph %s: %w", g.store.Name(), err), j.end(Interrupted, nil))
	}
	return j, nil
}

// restore reads the newest checkpoint.
func (j *CommunityJob) restore(ctx context.Context) error {
	sink := &communitySink{memory: j.options.Memory}
	defer func() { hostmem.Free(sink.words) }()
	r, err := j.job.Restore(ctx, sink)
	for _, passed := range r.Passed {
		j.options.Log.Warn(fmt.Sprintf("job %d: a checkpoint is passed over: %v", j.job.ID(), passed))
	}
	if err != nil || r.Number == 0 {
		return err
	}
	if j.from, err = community.ReadSaved(sink.words, j.graph.Catalogue().Vertices); err != nil {
		return fmt.Errorf("job %d: checkpoint %d: %w: %w; `garaph jobs rm` removes the job, which can be run again", j.job.ID(), r.Number, checkpoint.ErrDamaged, err)
	}
	j.queries = j.from.Queries
	j.options.Log.Info(fmt.Sprintf("job %d goes on from checkpoint %d, after %d of %d answers", j.job.ID(), r.Number, len(j.from.Answers), len(j.queries)))
	return nil
}

// Job is the job as which the search is recorded; it has begun, unless it could not be recorded.
func (j *CommunityJob) Job() *Job { return j.job }

// Queries are those of the search.
func (j *CommunityJob) Queries() []CommunityQuery { return j.queries }

// Find is [FindCommunities]. Answers that an earlier process has found come first, in their places. After
// an error the job has ended, and can be resumed.
func (j *CommunityJob) Find(ctx context.Context, answer func(i int, c *Community) error) (CommunityReport, error) {
	o := j.options
	o.Saving = community.Saving{From: j.from, Every: j.policy.Every, Interval: j.policy.Interval}
	if j.job.Begun() {
		o.Saving.Save = j.saveOrWarn
	}
	report, err := FindCommunities(ctx, j.graph, j.queries, o, func(i int, c *Community) error {
		j.answers = append(j.answers, c)
		j.job.Progress(len(j.answers))
		return answer(i, c)
	})
	if err != nil {
		status := Failed
		if ctx.Err() != nil {
			status = Interrupted
		}
		refused := j.fresh && len(j.answers) == 0 && errors.Is(err, ErrMemory)
		id := j.job.ID()
		if err = errors.Join(err, j.end(status, err)); refused { // with that budget, it would be refused again
			_, _ = j.graph.RemoveJobs(id) // else it is listed as failed
		}
	}
	return report, err
}

// saveOrWarn saves where the search stands. It goes on in any case.
func (j *CommunityJob) saveOrWarn(s *community.Saved) {
	if err := j.save(s); err != nil {
		j.options.Log.Warn(strings.ReplaceAll(err.Error(), "\n", "; ") + "; older checkpoints stay")
	}
}

// save writes a checkpoint.
func (j *CommunityJob) save(s *community.Saved) error {
	begin, words := time.Now(), s.Words()
	if len(words) >= 1<<32 {
		return fmt.Errorf("write a checkpoint: %w: the open nodes of the search take %d words, expected less than 2³²", checkpoint.ErrNoSpace, len(words))
	}
	state := checkpoint.State{Vertices: uint32(len(words)), ValueBytes: wordBytes, Iteration: len(s.Answers)}
	n, err := j.job.Epochs().Write(context.Background(), state, communitySource(words)) // after an interruption, too
	if n == 0 {
		return err
	}
	j.options.Log.Debug(fmt.Sprintf("wrote checkpoint %d, after %d answers", n, len(s.Answers)), zap.Duration("took", time.Since(begin)))
	return errors.Join(err, j.job.Wrote(n, state.Iteration))
}

// Lose says that the answers could not be brought to where they were wanted: the job keeps them,
// and can be resumed to write them.
func (j *CommunityJob) Lose(cause error) { j.lost = cause }

// Close ends the job, if it has not ended: it is done, unless its answers were lost.
func (j *CommunityJob) Close() error {
	if j.ended || j.lost == nil {
		return j.end(Done, nil)
	}
	status := Failed
	if errors.Is(j.lost, context.Canceled) {
		status = Interrupted
	}
	var err error
	if j.job.Begun() {
		err = j.save(&community.Saved{Queries: j.queries, Answers: j.answers})
	}
	return errors.Join(err, j.end(status, j.lost))
}

func (j *CommunityJob) end(s JobStatus, cause error) error {
	if j.ended {
		return nil
	}
	j.ended = true
	return j.job.End(s, cause)
}

// wordBytes is the size of a word of a checkpoint, which stands where that of a run has the value of a
// vertex.
const wordBytes = 8

// fewBytes of words are read whatever the budget is.
const fewBytes = 1 << 20

// communitySource provides the words of a checkpoint.
type communitySource []uint64

func (s communitySource) Fill(from, to uint32, values []byte, _ []uint64) error {
	for i, word := range s[from:to] {
		binary.LittleEndian.PutUint64(values[wordBytes*i:], word)
	}
	return nil
}

// communitySink takes the words of a checkpoint.
type communitySink struct {
	memory int64 // of the process; 0: no limit
	words  []uint64
}

// Begin refuses what has no room in half of the memory that the process has for itself.
func (s *communitySink) Begin(state checkpoint.State) (err error) {
	hostmem.Free(s.words) // of an epoch that was damaged
	s.words = nil
	bytes := wordBytes * int64(state.Vertices)
	if state.ValueBytes != wordBytes {
		return fmt.Errorf("%w: it has values of %d bytes, expected words of %d", checkpoint.ErrDiffers, state.ValueBytes, wordBytes)
	}
	if room := max(fewBytes, (s.memory-hostmem.Process)/2); s.memory > 0 && bytes > room {
		return fmt.Errorf("%w: the open nodes of the search take %dMiB, more than half of what --memory leaves; a budget of %dMiB is enough",
			hostmem.ErrBudget, bytes>>20, (2*bytes+hostmem.Process)>>20+1)
	}
	s.words, err = hostmem.Slice[uint64](int(state.Vertices))
	return err
}

// Take is called for words that are next to each other from several goroutines.
func (s *communitySink) Take(from, to uint32, values []byte, _ []uint64) error {
	for i := range s.words[from:to] {
		s.words[from:to][i] = binary.LittleEndian.Uint64(values[wordBytes*i:])
	}
	return nil
}
