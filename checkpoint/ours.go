package checkpoint

import (
	"path/filepath"
	"slices"
	"strconv"

	"github.com/garaph/garaph/internal/beneath"
)

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
