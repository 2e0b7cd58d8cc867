package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/garaph/garaph/internal/beneath"
)

// Folder holds the epochs of one job, which are numbered in the order in which
// they are written. One process at a time has it open: see [Job].
type Folder struct {
	at    *beneath.Folder // of the job
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

// openFolder opens the epochs in a job's folder, and removes the files that a killed
// process left half written, as far as it is ours.
func openFolder(at *beneath.Folder, id Identity, keep int) (*Folder, error) {
	f := &Folder{at: at, id: id, keep: cmp.Or(keep, DefaultKeep), chunk: DefaultChunk, disk: osDisk{at}}
	entries, err := at.ReadDir(".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() && isLeftover(e.Name()) {
			if err := f.disk.remove(e.Name()); err != nil {
				return nil, fmt.Errorf("remove what a killed job left: %w", err)
			}
		}
	}
	return f, nil
}

var leftover = regexp.MustCompile(`^\.epoch-[0-9]{8,9}\.(writing|removing)$`)

func isLeftover(name string) bool { return leftover.MatchString(name) }

// Numbers lists the epochs that stand in the folder, in ascending order,
// whether they are sound or not.
func (f *Folder) Numbers() ([]int, error) { return epochs(f.at) }

func epochs(at *beneath.Folder) ([]int, error) {
	entries, err := at.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var list []int
	for _, e := range entries {
		if n, ok := epochNumber(e.Name()); ok {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, nil
}

func epochName(n int) string { return fmt.Sprintf("%s%08d", epochPrefix, n) }

// epochNumber returns the number in the name of an epoch.
func epochNumber(name string) (n int, ok bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(name, epochPrefix))
	return n, err == nil && n >= 0 && n <= maxID && name == epochName(n)
}

// prune removes epochs that are not wanted any more: those that were passed
// over, and all but the newest.
func (f *Folder) prune() error {
	numbers, err := f.Numbers()
	if err != nil {
		return err
	}
	kept := 0
	for _, n := range slices.Backward(numbers) {
		if kept < f.keep && !slices.Contains(f.passed, n) {
			kept++
			continue
		}
		err = errors.Join(err, f.removeEpoch(n))
	}
	return err
}

// removeEpoch removes an epoch whole or not at all.
func (f *Folder) removeEpoch(n int) error {
	gone := hidden + epochName(n) + removing
	if err := f.disk.rename(epochName(n), gone); err != nil && !errors.Is(err, fs.ErrNotExist) {
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
