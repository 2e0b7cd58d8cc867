package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/garaph/garaph/internal/beneath"
)

// What garaph wrote is known by its names. Everything else stays.

// maxID is the highest number of a job, and of an epoch.
const maxID = 999_999_999

// openJobs opens a folder of jobs, which lies in that of a graph.
func openJobs(jobs string) (*beneath.Folder, error) {
	graph, err := beneath.Open(filepath.Dir(jobs))
	if err != nil {
		return nil, err
	}
	defer graph.Close()
	return graph.Folder(filepath.Base(jobs))
}

// idOf returns the job number that a folder name stands for, or 0 if it is not a job's.
func idOf(name string) int {
	id, err := strconv.Atoi(name)
	if err != nil || id < 1 || id > maxID || strconv.Itoa(id) != name {
		return 0
	}
	return id
}

// numbers returns the numbers of the folders in a folder of jobs that are named as jobs are.
func numbers(f *beneath.Folder) ([]int, error) {
	entries, err := f.ReadDir(".")
	var ids []int
	for _, e := range entries {
		if id := idOf(e.Name()); id > 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, err
}

// Ours reports by its path in a folder of jobs whether garaph may have written it.
func Ours(path string, folder bool) bool {
	job, rest, deeper := strings.Cut(path, "/")
	return idOf(job) > 0 && (!deeper && folder || deeper && oursInJob(rest, folder))
}

// oursInJob is [Ours] for the folder of a job.
func oursInJob(path string, folder bool) bool {
	epoch, rest, deeper := strings.Cut(path, "/")
	if !deeper && !folder {
		return slices.Contains([]string{recordFile, hidden + recordFile, lockFile, progressFile}, path)
	}
	_, ours := epochNumber(epoch)
	return (ours || isLeftover(epoch)) && (!deeper || oursInEpoch(rest, folder))
}

// oursInEpoch is [Ours] for the folder of an epoch.
func oursInEpoch(path string, folder bool) bool {
	return !folder && (path == epochFile || path == valuesFile)
}

// Foreign returns the first thing in a folder of jobs that garaph did not write, by
// its path in it: "." when the folder is none, "" when there is nothing.
func Foreign(jobs string) (string, error) {
	f, err := openJobs(jobs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case errors.Is(err, beneath.ErrKind):
		return ".", nil
	case err != nil:
		return "", err
	}
	defer f.Close()
	return f.Foreign(".", Ours)
}

// checkOurs reports [ErrForeign] where something in a folder is not ours.
func checkOurs(f *beneath.Folder, name string, ours beneath.Ours) error {
	left, err := f.Foreign(name, ours)
	if left != "" {
		err = foreignError(f.Path(filepath.Join(name, left)))
	}
	return err
}

// removeOurs removes the files of a folder that are ours, and the folder. If a file stays, the error is [ErrForeign].
func removeOurs(f *beneath.Folder, name string, ours beneath.Ours) error {
	left, err := f.RemoveOurs(name, ours)
	if err == nil && left != "" {
		err = foreignError(f.Path(filepath.Join(name, left)))
	}
	return err
}

// foreignError returns the [ErrForeign] of a path.
func foreignError(path string) error {
	return fmt.Errorf("%q %w, and it stays; move it away", path, ErrForeign)
}
