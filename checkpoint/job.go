package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/garaph/garaph/internal/beneath"
	"github.com/garaph/garaph/internal/hostmem"
)

// Job is one run of a program over a graph, as a folder in the graph's: its
// [Record] and its epochs. Begin takes it, for this process alone, by a lock
// that the kernel releases with the process; End and Close release it.
type Job struct {
	jobs   string          // folder of all jobs
	id     int             // if 0, not on disk yet
	at     *beneath.Folder // open as long as it is locked
	lock   *os.File
	passed []error // see Passed
	begun  bool
	fresh  bool // Begin has made it
	chunk  uint32
	epochs *Folder

	saving sync.Mutex // held while the record is written

	mu     sync.Mutex // guards the rest
	record Record
	wrote  time.Time // when progress was last written
}

// NewJob describes a job whose folder will be in jobs. Nothing is on disk before
// Begin.
func NewJob(jobs string, s Spec, p Policy) *Job {
	return &Job{jobs: jobs, chunk: DefaultChunk, record: Record{Spec: s, Policy: p}}
}

// OpenJob takes an existing job, to resume it. The error is [ErrRunning] when
// another process has it.
func OpenJob(jobs string, id int) (*Job, error) {
	j := &Job{jobs: jobs, id: id, chunk: DefaultChunk}
	f, err := openJobs(jobs)
	if err == nil {
		defer f.Close()
		j.at, err = f.Folder(strconv.Itoa(id))
	}
	if err == nil {
		_, err = j.at.Lstat(recordFile)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNoJob
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("job %d: %w", id, err), j.Close())
	}
	if j.lock, err = lockJob(j.at); err != nil {
		return nil, errors.Join(fmt.Errorf("job %d %w", id, err), j.Close())
	}
	r, err := readRecord(j.at)
	if err != nil {
		return nil, errors.Join(removable(fmt.Errorf("job %d: %w", id, err)), j.Close())
	}
	j.record = *r
	return j, nil
}

// Passed returns why newer jobs were passed over for this one by [OpenNewest].
func (j *Job) Passed() []error { return j.passed }

func (j *Job) folder() string { return filepath.Join(j.jobs, strconv.Itoa(j.id)) }

// ID returns the job's number in its graph, or 0 before a new job has begun.
func (j *Job) ID() int { return j.id }

// Record returns the record of the job.
func (j *Job) Record() Record {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.record
}

// Over returns why the job cannot be resumed, or nil if it can.
func (j *Job) Over() error {
	r := j.Record()
	return r.over(j.id)
}

func (r *Record) over(id int) error {
	switch {
	case r.Status != Done:
		return nil
	case r.Error != "":
		return fmt.Errorf("job %d cannot be resumed, for it would fail again: %s", id, printable(r.Error))
	}
	return fmt.Errorf("job %d is done: run the program again for its results", id)
}

// SetSpec records the new specification of a job that is resumed with another output, or
// otherwise. It is on disk when the job begins.
func (j *Job) SetSpec(s Spec) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.record.Spec = s
}

// Begin makes the job's folder, or compares the identity with that of the job
// that is resumed; the error is then [ErrDiffers]. A policy with anything in it
// takes the place of the first run's. From here on the job is running.
func (j *Job) Begin(id Identity, p Policy) error {
	if j.id != 0 {
		if err := j.Record().Identity.Check(id); err != nil {
			return fmt.Errorf("job %d cannot be resumed: %w", j.id, err)
		}
	}
	j.mu.Lock()
	if p != (Policy{}) {
		j.record.Policy = p
	}
	j.record.Identity = id
	j.record.Status, j.record.Error = Running, ""
	j.mu.Unlock()
	if j.id == 0 {
		if err := j.create(); err != nil {
			return fmt.Errorf("make a job in %s: %w", j.jobs, err)
		}
		j.fresh = true
	} else if err := j.save(); err != nil {
		return err
	} else if err := j.openEpochs(); err != nil {
		return fmt.Errorf("job %d: %w", j.id, err)
	}
	j.epochs.chunk, j.epochs.lock = j.chunk, j.lock
	j.begun = true
	return nil
}

func (j *Job) openEpochs() (err error) {
	r := j.Record()
	j.epochs, err = openFolder(j.at, r.Identity, r.Policy.Keep)
	return err
}

// ChunkVertices returns the most vertices that a [Source] is asked for at once.
func (j *Job) ChunkVertices() uint32 { return j.chunk }

// SetChunkVertices makes chunks of n vertices, a multiple of 64, so that tests
// with small graphs have many.
func (j *Job) SetChunkVertices(n uint32) { j.chunk = n }

// Begun reports whether Begin was successful.
func (j *Job) Begun() bool { return j.begun }

// Epochs returns the epochs of the job once it has begun.
func (j *Job) Epochs() *Folder { return j.epochs }

// Restore hands the newest sound epoch to the sink, see [Folder.Restore].
func (j *Job) Restore(ctx context.Context, sink Sink) (Restored, error) {
	r, err := j.epochs.Restore(ctx, sink)
	if wrote := j.Record().Epoch; err == nil && r.Number == 0 && wrote > 0 {
		err = fmt.Errorf("%w: it wrote checkpoint %d, and no checkpoint is there", ErrDamaged, wrote)
	}
	if err != nil {
		return r, fmt.Errorf("job %d: %w", j.id, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.record.Iteration = r.State.Iteration
	return r, nil
}

// Wrote records that an epoch was written after a number of iterations.
func (j *Job) Wrote(number, iterations int) error {
	j.mu.Lock()
	j.record.Epoch, j.record.Saved = number, iterations
	j.mu.Unlock()
	return j.save()
}

// progressEvery is the least time between two writings of a job's progress.
const progressEvery = time.Second

// Progress notes how many iterations are done, and now and then writes it down
// for lists of jobs.
func (j *Job) Progress(iterations int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.record.Iteration = iterations
	if j.begun && time.Since(j.wrote) >= progressEvery {
		j.wrote = time.Now()
		_ = writeProgress(j.at, iterations) // a courtesy
	}
}

// End records the status of the job and releases it. The epochs of one that is done
// go; with a cause, it is done for good: a resumed one would fail again.
func (j *Job) End(s Status, cause error) error {
	if !j.begun {
		return j.Close()
	}
	j.mu.Lock()
	j.record.Status = s
	if s != Interrupted && cause != nil {
		j.record.Error = errorText(cause)
	}
	j.mu.Unlock()
	err := j.save()
	if err == nil { // the record has it
		_ = j.at.Remove(progressFile) // less than the record says
	}
	switch {
	case s == Done && err == nil:
		err = j.epochs.clear()
	case s == Done:
		err = fmt.Errorf("%w; the run is done, and the job is listed as interrupted: `garaph jobs rm` removes it", err)
	}
	return errors.Join(err, j.Close())
}

// Fail ends the job with the error of its run. A new job that has done no iteration is removed if it lacks memory or
// has no checkpoint: to resume it would be to run it again.
func (j *Job) Fail(cause error) error {
	err := j.End(Failed, cause)
	if r := j.Record(); j.fresh && r.Iteration == 0 && (r.Epoch == 0 || errors.Is(cause, hostmem.ErrBudget)) {
		_, _ = Remove(j.jobs, j.id) // else it is listed as failed
	}
	return err
}

// Close releases the job, as it is.
func (j *Job) Close() error {
	var err error
	if j.at != nil {
		err = j.at.Close()
	}
	if j.lock != nil {
		err = errors.Join(err, j.lock.Close())
	}
	j.at, j.lock, j.begun = nil, nil, false
	return err
}

// save writes the record. [Job.Progress] does not wait for it.
func (j *Job) save() error {
	j.saving.Lock()
	defer j.saving.Unlock()
	j.mu.Lock()
	j.record.Updated = time.Now().UTC().Truncate(time.Second)
	r := j.record
	j.mu.Unlock()
	err := holds(j.lock, j.folder())
	if err == nil {
		err = writeRecord(j.at, &r)
		j.mu.Lock()
		j.record.File = r.File
		j.mu.Unlock()
	}
	if err != nil {
		return fmt.Errorf("write the record of job %d: %w", j.id, err)
	}
	return nil
}
