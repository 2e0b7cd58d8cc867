package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	newPrefix = ".job-" // of folders that are being made
	// keepDone is how many jobs that are done are kept, for `garaph jobs`.
	keepDone = 20
	// leftoverAfter is the age at which a folder that is being made belongs to
	// a process that was killed.
	leftoverAfter = time.Hour
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

// List lists the jobs in a folder of jobs, in the order of their numbers. A job
// whose process is gone without a word is interrupted.
func List(jobs string) ([]Listed, error) {
	ids, err := numbers(jobs)
	if err != nil {
		return nil, err
	}
	var list []Listed
	for _, id := range ids {
		l := Listed{ID: id}
		folder := filepath.Join(jobs, strconv.Itoa(id))
		r, err := readRecord(folder)
		if _, gone := os.Stat(folder); errors.Is(gone, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			l.Err = fmt.Errorf("job %d: %w", id, err)
		} else {
			l.Record = *r
		}
		if locked, _ := isLocked(folder); l.Status == Running && !locked { // a list is no place for its errors
			l.Status = Interrupted
		}
		if b, err := readRegular(filepath.Join(folder, progressFile)); err == nil {
			n, _ := strconv.Atoi(strings.TrimSpace(string(b))) // 0 is less than any
			l.Iteration = max(l.Iteration, n)
		}
		l.Epochs, _ = epochs(folder) // likewise
		list = append(list, l)
	}
	return list, nil
}

// numbers are those of the jobs in a folder of jobs.
func numbers(jobs string) ([]int, error) {
	entries, err := os.ReadDir(jobs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var ids []int
	for _, e := range entries {
		if id, err := strconv.Atoi(e.Name()); err == nil && id > 0 && strconv.Itoa(id) == e.Name() && e.IsDir() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

func isLocked(folder string) (bool, error) {
	f, err := openRegular(filepath.Join(folder, lockFile))
	if err != nil {
		return false, err
	}
	defer f.Close() // and with it the lock
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK), nil
}

// Newest is the newest job that can be resumed, and why newer ones than it were
// passed over, those that are damaged. The error is [ErrNoJob] when there is
// none.
func Newest(jobs string) (id int, passed []error, err error) {
	list, err := List(jobs)
	if err != nil {
		return 0, nil, err
	}
	var running error
	for _, l := range slices.Backward(list) {
		switch {
		case l.Unfinished():
			return l.ID, passed, nil
		case l.Err != nil:
			passed = append(passed, fmt.Errorf("%w; `garaph jobs rm` removes it", l.Err))
		case l.Status == Running && running == nil:
			running = fmt.Errorf("job %d %w", l.ID, runningIn(filepath.Join(jobs, strconv.Itoa(l.ID))))
		}
	}
	why := errors.Join(append([]error{running}, passed...)...)
	if why == nil {
		why = errors.New("every job that was begun is done, or was removed")
	}
	return 0, passed, &noneError{why}
}

// noneError is the [ErrNoJob] of [Newest].
type noneError struct{ why error }

func (e *noneError) Error() string        { return "no unfinished job to resume: " + e.why.Error() }
func (e *noneError) Unwrap() error        { return e.why }
func (e *noneError) Is(target error) bool { return target == ErrNoJob }

// Idle reports [ErrRunning] when a process has one of the jobs in a folder of
// jobs, whatever its record says, and an error where that cannot be told.
func Idle(jobs string) error {
	ids, err := numbers(jobs)
	if err != nil {
		return err
	}
	for _, id := range ids {
		switch locked, err := isLocked(filepath.Join(jobs, strconv.Itoa(id))); {
		case locked:
			return fmt.Errorf("job %d %w", id, ErrRunning)
		case errors.Is(err, os.ErrPermission):
			return fmt.Errorf("job %d of another user may be running: %w", id, err)
		}
	}
	return nil
}

// Remove removes a job that no process has.
func Remove(jobs string, id int) error {
	folder := filepath.Join(jobs, strconv.Itoa(id))
	if _, err := os.Stat(folder); err != nil {
		return fmt.Errorf("job %d: %w", id, ErrNoJob)
	}
	lock, err := lockJob(folder)
	if err != nil {
		return fmt.Errorf("job %d %w", id, err)
	}
	gone := filepath.Join(jobs, fmt.Sprintf("%s%d%s", newPrefix, id, removing))
	if err := os.Rename(folder, gone); err != nil {
		return errors.Join(fmt.Errorf("remove job %d: %w", id, err), lock.Close())
	}
	return errors.Join(os.RemoveAll(gone), lock.Close())
}

// create makes the folder of a new job, with lock and record, and puts it under
// the next free number.
func (j *Job) create() (err error) {
	if err := os.MkdirAll(j.jobs, 0o777); err != nil {
		return err
	}
	tidy(j.jobs)
	folder, err := os.MkdirTemp(j.jobs, newPrefix)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, j.Close(), os.RemoveAll(folder))
			j.id = 0
		}
	}()
	if err := os.Chmod(folder, modeOf(j.jobs)); err != nil {
		return err
	}
	if j.lock, err = lockJob(folder); err != nil {
		return err
	}
	j.record.Created = time.Now().UTC().Truncate(time.Second)
	j.record.Updated = j.record.Created
	if err := writeRecord(folder, &j.record); err != nil {
		return err
	}
	ids, err := numbers(j.jobs)
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		j.id = ids[len(ids)-1]
	}
	for {
		j.id++
		err := unix.Renameat2(unix.AT_FDCWD, folder, unix.AT_FDCWD, j.folder(), unix.RENAME_NOREPLACE)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // a file system without: a job's folder is never empty
			err = os.Rename(folder, j.folder())
		}
		if err == nil {
			d := osDisk{}
			return errors.Join(d.syncFolder(j.jobs), d.syncFolder(filepath.Dir(j.jobs)))
		}
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, unix.ENOTEMPTY) {
			return err
		}
	}
}

func modeOf(folder string) fs.FileMode {
	info, err := os.Stat(folder)
	if err != nil {
		return 0o777
	}
	return info.Mode().Perm()
}

// clearDone removes the epochs of a job that is done, where its process was
// killed before it had.
func clearDone(folder string) error {
	entries, err := os.ReadDir(folder)
	left := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.Contains(e.Name(), epochPrefix) })
	if err != nil || !left {
		return err
	}
	lock, err := lockJob(folder)
	if err != nil {
		return err
	}
	f, err := openFolder(folder, Identity{}, 0)
	if err == nil {
		err = f.clear()
	}
	return errors.Join(err, lock.Close())
}

// tidy removes old jobs that are done, and what killed processes left. What it
// cannot remove, as a job of another user's or one that another process removes
// meanwhile, stays until the next time.
func tidy(jobs string) {
	list, _ := List(jobs) // whoever makes a job there meets the error
	done := slices.DeleteFunc(list, func(l Listed) bool { return l.Err != nil || l.Status != Done })
	for _, l := range done[:max(0, len(done)-keepDone)] {
		_ = Remove(jobs, l.ID)
	}
	for _, l := range done[max(0, len(done)-keepDone):] {
		_ = clearDone(filepath.Join(jobs, strconv.Itoa(l.ID)))
	}
	entries, _ := os.ReadDir(jobs)
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), newPrefix) && time.Since(info.ModTime()) > leftoverAfter {
			_ = os.RemoveAll(filepath.Join(jobs, e.Name()))
		}
	}
}
