package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Job is one run of a program over a graph, as a folder in the graph's: its
// [Record] and its epochs. Begin takes it, for this process alone, by a lock
// that the kernel releases with the process; End and Close give it back.
type Job struct {
	jobs   string // folder of all jobs
	id     int    // 0: not on disk yet
	lock   *os.File
	passed []error // see Passed
	begun  bool
	chunk  uint32
	epochs *Folder

	tellers sync.WaitGroup
	saving  sync.Mutex // held while the record is written

	mu      sync.Mutex // guards the rest
	record  Record
	told    time.Time // when progress was last written
	telling bool      // it is being written
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
	if _, err := os.Stat(j.folder()); err != nil {
		return nil, fmt.Errorf("job %d: %w", id, ErrNoJob)
	}
	var err error
	if j.lock, err = lockJob(j.folder()); err != nil {
		return nil, fmt.Errorf("job %d %w", id, err)
	}
	r, err := readRecord(j.folder())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("job %d: %w; `garaph jobs rm` removes it", id, err), j.Close())
	}
	j.record = *r
	return j, nil
}

// OpenNewest takes the newest job that can be resumed, see [Newest].
func OpenNewest(jobs string) (*Job, error) {
	id, passed, err := Newest(jobs)
	if err != nil {
		return nil, err
	}
	j, err := OpenJob(jobs, id)
	if err == nil {
		j.passed = passed
	}
	return j, err
}

// Passed is why newer jobs were passed over for this one by [OpenNewest].
func (j *Job) Passed() []error { return j.passed }

// lockJob takes the lock of a job's folder.
func lockJob(folder string) (*os.File, error) {
	f, err := lockIn(folder)
	if err == nil {
		if err = holds(f, folder); err != nil { // removed by whoever had it
			return nil, errors.Join(err, f.Close())
		}
	}
	return f, err
}

// holds reports [ErrGone] when the lock is not that of the folder any more: the
// graph was moved or replaced, and there may be a job of another process in its
// place.
func holds(lock *os.File, folder string) error {
	mine, err := lock.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(filepath.Join(folder, lockFile))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(mine, there) {
		return fmt.Errorf("%w: %s", ErrGone, folder)
	}
	return err
}

func lockIn(folder string) (*os.File, error) {
	name := filepath.Join(folder, lockFile)
	if err := checkRegular(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot be locked: %w", err)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return nil, fmt.Errorf("cannot be locked: %w", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	for range 3 { // whoever lists jobs holds locks for a moment
		if !errors.Is(err, unix.EWOULDBLOCK) {
			break
		}
		time.Sleep(20 * time.Millisecond)
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if err != nil {
		_ = f.Close()
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("cannot be locked: %w", err)
		}
		return nil, runningIn(folder)
	}
	_ = f.Truncate(0) // the next two lines are for the message of others
	_, _ = fmt.Fprintf(f, "process %d\n", os.Getpid())
	return f, nil
}

// runningIn is [ErrRunning], with the process that the lock in a job's folder
// names.
func runningIn(folder string) error {
	who, _ := readRegular(filepath.Join(folder, lockFile)) // for the message
	if len(who) == 0 {
		return fmt.Errorf("%w; wait for it to end, or interrupt it", ErrRunning)
	}
	return fmt.Errorf("%w (%.20s); wait for it to end, or interrupt it", ErrRunning, strings.TrimSpace(string(who)))
}

func (j *Job) folder() string { return filepath.Join(j.jobs, strconv.Itoa(j.id)) }

// ID is the job's number in its graph; 0 before a new one has begun.
func (j *Job) ID() int { return j.id }

// Record is what is known of the job.
func (j *Job) Record() Record {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.record
}

// SetSpec notes what is asked for when a job is resumed with another output, or
// otherwise. It is on disk when the job begins.
func (j *Job) SetSpec(s Spec) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.record.Spec = s
}

// Begin makes the job's folder, or holds the identity against that of the job
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
	keep := j.record.Policy.Keep
	j.record.Identity = id
	j.record.Status, j.record.Error = Running, ""
	j.mu.Unlock()
	if j.id == 0 {
		if err := j.create(); err != nil {
			return fmt.Errorf("make a job in %s: %w", j.jobs, err)
		}
	} else if err := j.save(); err != nil {
		return err
	}
	var err error
	if j.epochs, err = openFolder(j.folder(), id, keep); err != nil {
		return fmt.Errorf("job %d: %w", j.id, err)
	}
	j.epochs.chunk, j.epochs.lock = j.chunk, j.lock
	j.begun = true
	return nil
}

// ChunkVertices is how many vertices a [Source] is asked for at once, at most.
func (j *Job) ChunkVertices() uint32 { return j.chunk }

// SetChunkVertices makes chunks of n vertices, a multiple of 64, so that tests
// with small graphs have many.
func (j *Job) SetChunkVertices(n uint32) { j.chunk = n }

// Begun reports whether Begin was successful.
func (j *Job) Begun() bool { return j.begun }

// Epochs are the job's, once it has begun.
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

// Wrote says that an epoch was written.
func (j *Job) Wrote(number int) error {
	j.mu.Lock()
	j.record.Epoch = number
	j.mu.Unlock()
	return j.save()
}

// progressEvery is the least time between two writings of a job's progress.
const progressEvery = time.Second

// Progress notes how many iterations are done, and now and then writes it down
// for whoever lists jobs, in a goroutine that Close waits for: on a busy disk
// even a small file takes its time.
func (j *Job) Progress(iterations int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.record.Iteration = iterations
	if !j.begun || j.telling || time.Since(j.told) < progressEvery {
		return
	}
	j.told, j.telling = time.Now(), true
	j.tellers.Go(func() {
		name := filepath.Join(j.folder(), progressFile)
		there := checkRegular(name)
		if (there == nil || errors.Is(there, fs.ErrNotExist)) && holds(j.lock, j.folder()) == nil {
			_ = os.WriteFile(name, fmt.Appendln(nil, iterations), 0o666) // a courtesy
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		j.telling = false
	})
}

// End says how the job ended, and gives it back. The epochs of one that is done
// go.
func (j *Job) End(s Status, cause error) error {
	if !j.begun {
		return j.Close()
	}
	j.mu.Lock()
	j.record.Status = s
	if s == Failed && cause != nil {
		j.record.Error, _, _ = strings.Cut(cause.Error(), "\n")
	}
	j.mu.Unlock()
	err := j.save()
	j.tellers.Wait()
	if err == nil { // the record has it
		if err = os.Remove(filepath.Join(j.folder(), progressFile)); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if s == Done && err == nil {
		err = j.epochs.clear()
	}
	return errors.Join(err, j.Close())
}

// Close gives the job back, as it is.
func (j *Job) Close() error {
	if j.lock == nil {
		return nil
	}
	j.tellers.Wait()
	err := j.lock.Close()
	j.lock, j.begun = nil, false
	return err
}

// save writes the record. Whoever notes progress meanwhile does not wait for the
// disk.
func (j *Job) save() error {
	j.saving.Lock()
	defer j.saving.Unlock()
	j.mu.Lock()
	j.record.Updated = time.Now().UTC().Truncate(time.Second)
	r := j.record
	j.mu.Unlock()
	err := holds(j.lock, j.folder())
	if err == nil {
		err = writeRecord(j.folder(), &r)
	}
	if err != nil {
		return fmt.Errorf("write the record of job %d: %w", j.id, err)
	}
	return nil
}
