package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/garaph/garaph/internal/beneath"
)

// Listed is a job as a list of jobs shows it.
type Listed struct {
	ID int
	Record
	Epochs []int // the numbers of those that stand there
	Err    error // why the record cannot be read

	running    error // the ErrRunning where a process has it
	unrecorded bool  // there is no record: it is no job, or none yet
}

// Unfinished reports whether the job can be resumed.
func (l *Listed) Unfinished() bool {
	return l.Err == nil && (l.Status == Interrupted || l.Status == Failed)
}

// Saved is after how many iterations the job would go on: those in the newest epoch, or none where no epoch
// is there. known is false where the record does not say, as that of a process that
// was killed between the epoch and the record.
func (l *Listed) Saved() (iterations int, known bool) {
	if len(l.Epochs) == 0 {
		return 0, l.Epoch == 0
	}
	return l.Record.Saved, l.Epoch == l.Epochs[len(l.Epochs)-1]
}

// List lists the jobs in a folder of jobs, in the order of their numbers. A job
// whose process ended without a word is interrupted.
func List(jobs string) ([]Listed, error) {
	f, err := openJobs(jobs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := list(f)
	return slices.DeleteFunc(all, func(l Listed) bool { return l.unrecorded }), err
}

// list is List with the folders that have no record.
func list(f *beneath.Folder) ([]Listed, error) {
	ids, err := numbers(f)
	var all []Listed
	for _, id := range ids {
		if l := listed(f, id); !errors.Is(l.Err, fs.ErrNotExist) || l.unrecorded {
			all = append(all, l)
		}
	}
	return all, err
}

// listed describes a job. Its Err is [fs.ErrNotExist] where it was removed meanwhile.
func listed(f *beneath.Folder, id int) (l Listed) {
	l.ID = id
	at, err := f.Folder(strconv.Itoa(id))
	if err != nil {
		l.Err = fmt.Errorf("job %d: %w", id, err)
		return l
	}
	defer at.Close()
	locked, _ := isLocked(at) // a list is no place for its errors
	if locked {
		l.running = runningIn(at)
	}
	if _, err := at.Lstat(recordFile); errors.Is(err, fs.ErrNotExist) {
		l.unrecorded = true
		return l
	}
	if r, err := readRecord(at); err != nil {
		l.Err = fmt.Errorf("job %d: %w", id, err)
	} else {
		l.Record = *r
	}
	if l.Status == Running && !locked {
		l.Status = Interrupted
	}
	if b, err := at.ReadFile(progressFile, progressLimit); err == nil {
		if n, _ := strconv.Atoi(strings.TrimSpace(string(b))); n <= maxIterations { // 0 is less than any
			l.Iteration = max(l.Iteration, n)
		}
	}
	l.Epochs, _ = epochs(at) // as above
	return l
}

// OpenNewest takes the newest job that can be resumed. [Job.Passed] then has the reasons why newer ones
// were passed over: those that are damaged, of another version, or run. The error is [ErrNoJob] when there is none.
func OpenNewest(jobs string) (*Job, error) {
	var all []Listed
	f, err := openJobs(jobs)
	if err == nil {
		all, err = list(f)
		_ = f.Close() // only read
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the jobs: %w", err)
	}
	var passed []error
	var failed error
	for _, l := range slices.Backward(all) {
		switch {
		case l.Err != nil:
			passed = append(passed, removable(l.Err))
		case l.running != nil:
			passed = append(passed, fmt.Errorf("job %d %w", l.ID, l.running))
		case l.unrecorded:
			passed = append(passed, fmt.Errorf("job %d was killed before it was recorded, and cannot be resumed: run it again",
				l.ID))
		case l.Unfinished():
			j, err := OpenJob(jobs, l.ID)
			if err == nil {
				j.passed = passed
			}
			return j, err
		case l.Status == Done && l.Error != "" && failed == nil:
			failed = l.over(l.ID)
		}
	}
	why := errors.Join(append([]error{failed}, passed...)...)
	if why == nil {
		why = errors.New("every job that was begun is done, or was removed")
	}
	return nil, &noneError{why}
}

// removable adds to an error of a job that cannot be resumed how to remove it.
func removable(err error) error {
	if errors.Is(err, ErrDamaged) || errors.Is(err, ErrVersion) {
		return fmt.Errorf("%w; `garaph jobs rm` removes it", err)
	}
	return err
}

// noneError is returned by [OpenNewest] when no job can be resumed. It matches [ErrNoJob].
type noneError struct{ why error }

func (e *noneError) Error() string        { return "no unfinished job to resume: " + e.why.Error() }
func (e *noneError) Unwrap() error        { return e.why }
func (e *noneError) Is(target error) bool { return target == ErrNoJob }

// Idle reports [ErrRunning] when a process has one of the jobs in a folder of
// jobs, whatever its record says, and an error where that is unknown.
func Idle(jobs string) error {
	f, err := openJobs(jobs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	ids, err := numbers(f)
	for _, id := range ids {
		locked := false
		at, err := f.Folder(strconv.Itoa(id))
		if err == nil {
			locked, err = isLocked(at)
			_ = at.Close() // only read
		}
		switch {
		case locked:
			return fmt.Errorf("job %d %w", id, ErrRunning)
		case errors.Is(err, os.ErrPermission):
			return fmt.Errorf("job %d of another user may be running: %w", id, err)
		}
	}
	return err
}
