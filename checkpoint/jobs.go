package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/garaph/garaph/internal/beneath"
)

// Listed is a job as a list of jobs shows it.
type Listed struct {
	ID int
	Record
	Epochs []int // the numbers of those that stand there
	Err    error // why the record cannot be read
}

// Unfinished reports whether the job can be resumed.
func (l *Listed) Unfinished() bool {
	return l.Err == nil && (l.Status == Interrupted || l.Status == Failed)
}

// Saved is after how many iterations the job would go on: those in the newest epoch, or none where no epoch
// is there. known is false where the record does not say, as that of an earlier version or of a process that
// was killed between the epoch and the record.
func (l *Listed) Saved() (iterations int, known bool) {
	if len(l.Epochs) == 0 {
		return 0, l.Epoch == 0
	}
	return l.Record.Saved, l.Record.Saved > 0 && l.Epoch == l.Epochs[len(l.Epochs)-1]
}

// List lists the jobs in a folder of jobs, in the order of their numbers. A job
// whose process is gone without a word is interrupted.
func List(jobs string) ([]Listed, error) {
	f, err := openJobs(jobs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return list(f)
}

func list(f *beneath.Folder) ([]Listed, error) {
	ids, err := numbers(f)
	if err != nil {
		return nil, err
	}
	var all []Listed
	room := int64(listLimit)
	for _, id := range ids {
		l := listed(f, id, &room)
		if _, gone := f.Lstat(strconv.Itoa(id)); !errors.Is(gone, fs.ErrNotExist) { // removed meanwhile
			all = append(all, l)
		}
	}
	return all, nil
}

// Records in a list are in memory together, and may be anybody's: those with more than
// longRecord bytes have at most listLimit together. Most that garaph writes have a few
// hundred, and a list shows any number of them.
const (
	longRecord = 4 << 10
	listLimit  = 4 << 20
)

// listed reads a record, a long one only if there is room for it, which it takes.
func listed(f *beneath.Folder, id int, room *int64) (l Listed) {
	l.ID = id
	at, err := f.Folder(strconv.Itoa(id))
	if err == nil {
		defer at.Close()
		err = checkJob(at)
	}
	if err != nil {
		l.Err = fmt.Errorf("job %d: %w", id, err)
		return l
	}
	if info, err := at.Lstat(recordFile); err == nil && info.Size() > longRecord && info.Size() <= recordLimit { // a longer one is not read
		if *room -= info.Size(); *room < 0 {
			l.Err = fmt.Errorf("job %d: %w: its %s file and other long ones have more than %d bytes", id, ErrDamaged, recordFile, listLimit)
			return l
		}
	}
	if r, err := readRecord(at); err != nil {
		l.Err = fmt.Errorf("job %d: %w", id, err)
	} else {
		l.Record = *r
	}
	if locked, _ := isLocked(at); l.Status == Running && !locked { // a list is no place for its errors
		l.Status = Interrupted
	}
	if b, err := at.ReadFile(progressFile, progressLimit); err == nil {
		n, _ := strconv.Atoi(strings.TrimSpace(string(b))) // 0 is less than any
		if n <= maxIterations {
			l.Iteration = max(l.Iteration, n)
		}
	}
	l.Epochs, _ = epochs(at) // likewise
	return l
}

// numbers are those of the jobs in a folder of jobs, and of what has the name of
// one.
func numbers(f *beneath.Folder) ([]int, error) {
	entries, err := f.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var ids []int
	for _, e := range entries {
		if id := idOf(e.Name()); id > 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// maxNamed is how many jobs of another version [Newest] names.
const maxNamed = 3

// Newest is the newest job that can be resumed, and why newer ones than it were
// passed over: those that are damaged, of another version, or run. The error is [ErrNoJob] when there is
// none.
func Newest(jobs string) (id int, passed []error, err error) {
	list, err := List(jobs)
	if err != nil {
		return 0, nil, fmt.Errorf("list the jobs: %w", err)
	}
	var running, failed error
	var began time.Time // of the job with that id
	others := 0         // records of another version
	for _, l := range slices.Backward(list) {
		if l.Unfinished() {
			id, began = l.ID, l.Created
			break
		}
		switch {
		case errors.Is(l.Err, ErrVersion):
			if others++; others <= maxNamed {
				passed = append(passed, removable(l.Err))
			}
		case l.Err != nil:
			passed = append(passed, removable(l.Err))
		case l.Status == Running && running == nil:
			running = fmt.Errorf("job %d %w", l.ID, runningJob(jobs, l.ID))
		case l.Status == Done && l.Error != "" && failed == nil:
			failed = l.over(l.ID)
		}
	}
	if others > maxNamed {
		passed = append(passed, fmt.Errorf("each of %d more %w", others-maxNamed, ErrVersion))
	}
	if at, killed := unrecorded(jobs); killed && !at.Before(began) {
		passed = append(passed, fmt.Errorf("one that began at %s was killed before it was recorded, and cannot be resumed: run it again", at.Format(time.DateTime)))
	}
	if id > 0 {
		if running != nil {
			passed = append(passed, running)
		}
		return id, passed, nil
	}
	why := errors.Join(append([]error{running, failed}, passed...)...)
	if why == nil {
		why = errors.New("every job that was begun is done, or was removed")
	}
	return 0, passed, &noneError{why}
}

// unrecorded is when the newest one of the jobs was begun whose processes were killed while they made its folder.
func unrecorded(jobs string) (newest time.Time, killed bool) {
	f, err := openJobs(jobs)
	if err != nil {
		return newest, false
	}
	defer f.Close()
	entries, _ := f.ReadDir(".") // the list has met the error
	for _, e := range entries {
		if info, err := e.Info(); err == nil && newName.MatchString(e.Name()) && info.ModTime().After(newest) && isAbandoned(f, e.Name()) {
			newest, killed = info.ModTime(), true
		}
	}
	return newest, killed
}

// isAbandoned reports whether a folder that was being made is ours, and no process makes it any more. One without
// a lock may be a moment old.
func isAbandoned(f *beneath.Folder, name string) bool {
	at, err := f.Folder(name)
	if err != nil {
		return false
	}
	defer at.Close()
	locked, err := isLocked(at)
	return err == nil && !locked && checkJob(at) == nil
}

// removable says of a job that cannot be resumed how to be rid of it.
func removable(err error) error {
	if errors.Is(err, ErrDamaged) || errors.Is(err, ErrVersion) {
		return fmt.Errorf("%w; `garaph jobs rm` removes it", err)
	}
	return err
}

// runningJob is the [ErrRunning] of a job.
func runningJob(jobs string, id int) error {
	f, err := openJobs(jobs)
	if err != nil {
		return ErrRunning
	}
	defer f.Close()
	at, err := f.Folder(strconv.Itoa(id))
	if err != nil {
		return ErrRunning
	}
	defer at.Close()
	return runningIn(at)
}

// noneError is the [ErrNoJob] of [Newest].
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
	if err != nil {
		return err
	}
	for _, id := range ids {
		switch locked, err := jobLocked(f, id); {
		case locked:
			return fmt.Errorf("job %d %w", id, ErrRunning)
		case errors.Is(err, os.ErrPermission):
			return fmt.Errorf("job %d of another user may be running: %w", id, err)
		}
	}
	return nil
}

func jobLocked(f *beneath.Folder, id int) (bool, error) {
	at, err := f.Folder(strconv.Itoa(id))
	if err != nil {
		return false, err
	}
	defer at.Close()
	return isLocked(at)
}
