package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/garaph/garaph/internal/beneath"
)

const (
	newPrefix = ".job-" // of folders that are being made, or removed
	// keepDone is how many jobs that are done are kept, for `garaph jobs`.
	keepDone = 20
)

// Remove removes jobs that no process has, none where one of them is not there,
// and what killed processes left beside them: a removal that was killed ends here.
// It returns the jobs that were removed. A folder with anything in it that garaph
// did not write stays as it is: the error is [ErrForeign].
func Remove(jobs string, ids ...int) (removed []int, err error) {
	f, err := openJobs(jobs)
	if errors.Is(err, fs.ErrNotExist) {
		if len(ids) == 0 {
			return nil, nil
		}
		return nil, fmt.Errorf("job %d: %w", ids[0], ErrNoJob)
	}
	if err != nil {
		return nil, fmt.Errorf("remove jobs: %w", err)
	}
	defer f.Close()
	there, err := numbers(f)
	if err != nil {
		return nil, fmt.Errorf("remove jobs: %w", err)
	}
	ended := removeLeftovers(f)
	for _, id := range ids {
		if !slices.Contains(there, id) && !slices.Contains(ended, id) {
			return nil, fmt.Errorf("job %d: %w; no job was removed", id, ErrNoJob)
		}
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if slices.Contains(there, id) {
			if err := remove(f, id); err != nil {
				return removed, err
			}
		}
		removed = append(removed, id)
	}
	return removed, nil
}

func remove(f *beneath.Folder, id int) error {
	name := strconv.Itoa(id)
	at, err := f.Folder(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("job %d: %w", id, ErrNoJob)
	}
	if err != nil {
		return fmt.Errorf("job %d cannot be removed: %w", id, err)
	}
	defer at.Close()
	if err := checkJob(at); err != nil {
		return fmt.Errorf("job %d cannot be removed: %w", id, err)
	}
	lock, err := lockJob(at)
	if err != nil {
		return fmt.Errorf("job %d %w", id, err)
	}
	defer lock.Close()
	left, err := at.Foreign(".", oursInJob)
	if err == nil && left != "" {
		err = &foreignError{at.Path(left)}
	}
	if err != nil {
		return fmt.Errorf("job %d cannot be removed: %w", id, err)
	}
	gone := fmt.Sprintf("%s%d-%08x%s", newPrefix, id, rand.Uint32(), removing)
	if err = f.RenameNew(name, gone); err == nil {
		err = removeFolder(f, gone)
	}
	if err != nil {
		return fmt.Errorf("remove job %d: %w", id, err)
	}
	return nil
}

// removeFolder removes the folder of a job. Its LOCK, by which the folder is
// known as ours, goes last: whoever is killed on the way leaves what the next
// process removes.
func removeFolder(f *beneath.Folder, name string) error {
	_, err := f.RemoveOurs(name, func(path string, folder bool) bool { return path != lockFile && oursInJob(path, folder) })
	if err != nil {
		return err
	}
	left, err := f.RemoveOurs(name, oursInJob)
	if err == nil && left != "" {
		err = &foreignError{f.Path(name + "/" + left)}
	}
	return err
}

// removeLeftovers removes what killed processes left of folders that were being
// made or removed, and returns the jobs whose removal it ended.
func removeLeftovers(f *beneath.Folder) (ended []int) {
	entries, _ := f.ReadDir(".") // whoever makes a job there meets the error
	for _, e := range entries {
		gone := oldName.FindStringSubmatch(e.Name())
		if !e.IsDir() || !newName.MatchString(e.Name()) && gone == nil {
			continue
		}
		if removeLeftover(f, e.Name()) && gone != nil {
			ended = append(ended, idOf(gone[1]))
		}
	}
	return ended
}

// removeLeftover leaves a folder that a process has, or that is not ours. One that
// nobody has locked goes, and whoever was about to lock it makes another.
func removeLeftover(f *beneath.Folder, name string) (removed bool) {
	at, err := f.Folder(name)
	if err != nil {
		return false
	}
	defer at.Close()
	if checkJob(at) != nil {
		if bare, err := isBare(at); err != nil || !bare {
			return false
		}
	}
	lock, err := lockJob(at)
	if err != nil {
		return false
	}
	defer lock.Close()
	return removeFolder(f, name) == nil // else the next time
}

// clearDone removes the epochs of a job that is done, where its process was
// killed before it had.
func clearDone(f *beneath.Folder, id int) error {
	at, err := f.Folder(strconv.Itoa(id))
	if err != nil {
		return err
	}
	defer at.Close()
	entries, err := at.ReadDir(".")
	left := false
	for _, e := range entries {
		_, epoch := epochNumber(e.Name())
		left = left || epoch || isLeftover(e.Name())
	}
	if err != nil || !left {
		return err
	}
	lock, err := lockJob(at)
	if err != nil {
		return err
	}
	epochs, err := openFolder(at, Identity{}, 0)
	if err == nil {
		err = epochs.clear()
	}
	return errors.Join(err, lock.Close())
}

// tidy removes old jobs that are done, and what killed processes left. What it
// cannot remove, as a job of another user's or one that another process removes
// meanwhile, stays until the next time.
func tidy(f *beneath.Folder) {
	list, _ := list(f) // whoever makes a job there meets the error
	var done []int
	for _, l := range list {
		if l.Err == nil && l.Status == Done {
			done = append(done, l.ID)
		}
	}
	for _, id := range done[:max(0, len(done)-keepDone)] {
		_ = remove(f, id)
	}
	for _, id := range done[max(0, len(done)-keepDone):] {
		_ = clearDone(f, id)
	}
	_ = removeLeftovers(f)
}
