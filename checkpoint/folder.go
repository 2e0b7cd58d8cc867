package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Folder holds the epochs of one job, which are numbered in the order in which
// they are written. One process at a time has it open: see [Job].
type Folder struct {
	path  string // of the job
	lock  *os.File
	id    Identity
	keep  int
	chunk uint32 // vertices in a chunk
	disk  disk
	// passed are the numbers of the epochs that Restore passed over. They go
	// when there is a newer one.
	passed []int
}

const (
	epochPrefix = "epoch-"
	hidden      = "."        // of folders that are not epochs yet, or not any more
	writing     = ".writing" // ends the names of the first
	removing    = ".removing"
)

// openFolder opens the epochs in a job's folder, and removes what a killed
// process left half written.
func openFolder(path string, id Identity, keep int) (*Folder, error) {
	f := &Folder{path: path, id: id, keep: cmp.Or(keep, DefaultKeep), chunk: DefaultChunk, disk: osDisk{}}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if isLeftover(e.Name()) {
			if err := f.disk.remove(filepath.Join(path, e.Name())); err != nil {
				return nil, fmt.Errorf("remove what a killed job left: %w", err)
			}
		}
	}
	return f, nil
}

func isLeftover(name string) bool {
	return strings.HasPrefix(name, hidden+epochPrefix) && (strings.HasSuffix(name, writing) || strings.HasSuffix(name, removing))
}

// Numbers lists the epochs that stand in the folder, in ascending order,
// whether they are sound or not.
func (f *Folder) Numbers() ([]int, error) { return epochs(f.path) }

func epochs(path string) ([]int, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var list []int
	for _, e := range entries {
		var n int
		if _, err := fmt.Sscanf(e.Name(), epochPrefix+"%d", &n); err == nil && e.Name() == epochName(n) {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, nil
}

func epochName(n int) string { return fmt.Sprintf("%s%08d", epochPrefix, n) }

func (f *Folder) epochPath(n int) string { return filepath.Join(f.path, epochName(n)) }

// prune removes epochs that are not wanted any more: those that were passed
// over, and all but the newest.
func (f *Folder) prune() error {
	numbers, err := f.Numbers()
	if err != nil {
		return err
	}
	good := slices.DeleteFunc(slices.Clone(numbers), func(n int) bool { return slices.Contains(f.passed, n) })
	good = good[max(0, len(good)-f.keep):]
	var errs []error
	for _, n := range numbers {
		if !slices.Contains(good, n) {
			errs = append(errs, f.removeEpoch(n))
		}
	}
	return errors.Join(errs...)
}

// removeEpoch removes an epoch whole or not at all.
func (f *Folder) removeEpoch(n int) error {
	gone := filepath.Join(f.path, hidden+epochName(n)+removing)
	if err := f.disk.rename(f.epochPath(n), gone); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return f.disk.remove(gone)
}

// clear removes all epochs.
func (f *Folder) clear() error {
	numbers, err := f.Numbers()
	for _, n := range numbers {
		err = errors.Join(err, f.removeEpoch(n))
	}
	return err
}
