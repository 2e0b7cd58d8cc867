package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"github.com/garaph/garaph/internal/beneath"
)

// keepDone is the number of finished jobs that are kept, for `garaph jobs`.
const keepDone = 20

// Remove removes jobs that no process has, none where one of them is not there,
// and the files that killed processes left beside them. It returns the jobs that were
// removed.
func Remove(jobs string, ids ...int) (removed []int, err error) {
	var there []int
	f, err := openJobs(jobs)
	if err == nil {
		defer f.Close()
		there, err = numbers(f)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove jobs: %w", err)
	}
	for _, id := range ids {
		if !slices.Contains(there, id) {
			return nil, fmt.Errorf("job %d: %w; no job was removed", id, ErrNoJob)
		}
	}
	if f == nil {
		return nil, nil
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if err := remove(f, id, false); err != nil {
			return removed, err
		}
		removed = append(removed, id)
	}
	all, _ := list(f) // anything else stays until the next time
	removeUnrecorded(f, all)
	return removed, nil
}

// remove removes a job, or only a folder without a record. The record goes first and the lock last: after a
// kill on the way, the folder is no job any more, and goes with the next removal.
func remove(f *beneath.Folder, id int, unrecorded bool) error {
	name := strconv.Itoa(id)
	at, err := f.Folder(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("job %d: %w", id, ErrNoJob)
	}
	if err != nil {
		return fmt.Errorf("job %d cannot be removed: %w", id, err)
	}
	defer at.Close()
	if _, err := at.Lstat(lockFile); errors.Is(err, fs.ErrNotExist) { // there is nothing else, or it is no job
		if err := f.Remove(name); err != nil {
			return fmt.Errorf("job %d: %w", id, ErrNoJob)
		}
		return nil
	}
	lock, err := lockJob(at)
	if err != nil {
		return fmt.Errorf("job %d %w", id, err)
	}
	defer lock.Close()
	if _, err := at.Lstat(recordFile); err == nil && unrecorded { // it has one meanwhile
		return nil
	}
	err = at.RemoveAll(recordFile)
	entries, readErr := at.ReadDir(".")
	for _, e := range entries {
		if e.Name() != lockFile {
			err = errors.Join(err, at.RemoveAll(e.Name()))
		}
	}
	if err = errors.Join(err, readErr); err == nil {
		err = f.RemoveAll(name)
	}
	if err != nil {
		return fmt.Errorf("remove job %d: %w", id, err)
	}
	return nil
}

// removeUnrecorded removes the folders of a list that have no record: of killed processes that made
// or removed a job.
func removeUnrecorded(f *beneath.Folder, all []Listed) {
	for _, l := range all {
		if l.unrecorded {
			_ = remove(f, l.ID, true)
		}
	}
}

// clearDone removes the epochs of a job that is done, which was killed before it had removed them.
func clearDone(f *beneath.Folder, id int) error {
	at, err := f.Folder(strconv.Itoa(id))
	if err != nil {
		return err
	}
	defer at.Close()
	entries, err := at.ReadDir(".")
	if err != nil || !slices.ContainsFunc(entries, fs.DirEntry.IsDir) {
		return err
	}
	lock, err := lockJob(at)
	if err != nil {
		return err
	}
	defer lock.Close()
	epochs, err := openFolder(at, Identity{}, 0)
	if err != nil {
		return err
	}
	return epochs.clear()
}

// tidy removes old jobs that are done, and files that killed processes left. Anything that it
// cannot remove, as a job of another user's or one that another process removes
// meanwhile, stays until the next time.
func tidy(f *beneath.Folder) {
	all, _ := list(f) // create meets the error
	var done []int
	for _, l := range all {
		if l.Err == nil && l.Status == Done {
			done = append(done, l.ID)
		}
	}
	old := max(0, len(done)-keepDone)
	for _, id := range done[:old] {
		_ = remove(f, id, false)
	}
	for _, id := range done[old:] {
		_ = clearDone(f, id)
	}
	removeUnrecorded(f, all)
}
