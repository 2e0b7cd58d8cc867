package checkpoint

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/garaph/garaph/internal/badgerdb"
	"github.com/garaph/garaph/internal/beneath"
)

// What garaph wrote is known by its names and, of a job's folder, by a head of
// ours in its LOCK, which is made first and removed last, or in its JOB. What is
// not known stays.
const (
	lockHead    = "garaph job, locked by process "
	recordHead  = "garaph job, version 2\n"
	recordHead1 = `{"name":` // of version 1
)

// maxID is the highest number of a job, and of an epoch.
const maxID = 999_999_999

var (
	newName = regexp.MustCompile(`^\.job-[0-9a-f]{8}$`)
	oldName = regexp.MustCompile(`^\.job-([0-9]+)-[0-9a-f]{8}\.removing$`)
)

// openJobs opens a folder of jobs, which lies in that of a graph.
func openJobs(jobs string) (*beneath.Folder, error) {
	if err := beneath.CheckFiles(); err != nil {
		return nil, err
	}
	graph, err := beneath.Open(filepath.Dir(jobs))
	if err != nil {
		return nil, err
	}
	defer graph.Close()
	return graph.Folder(filepath.Base(jobs))
}

// idOf is the number of the job whose folder has a name; 0 when it is none.
func idOf(name string) int {
	id, err := strconv.Atoi(name)
	if err != nil || id < 1 || id > maxID || strconv.Itoa(id) != name {
		return 0
	}
	return id
}

// checkJob reports [ErrForeign] for a folder that garaph did not make.
func checkJob(at *beneath.Folder) error {
	for name, heads := range map[string][]string{lockFile: {lockHead}, recordFile: {recordHead, recordHead1}} {
		b, err := headOf(at, name)
		if err == nil && slices.ContainsFunc(heads, func(head string) bool { return bytes.HasPrefix(b, []byte(head)) }) {
			return nil
		}
		if errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return &foreignError{at.Path(".")}
}

func headOf(at *beneath.Folder, name string) ([]byte, error) {
	f, err := at.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(max(len(lockHead), len(recordHead)))))
}

// Ours reports by its path in a folder of jobs whether garaph may have written it.
func Ours(path string, folder bool) bool {
	job, rest, deeper := strings.Cut(path, "/")
	if idOf(job) == 0 && !newName.MatchString(job) && !oldName.MatchString(job) {
		return false
	}
	return !deeper && folder || deeper && oursInJob(rest, folder)
}

// oursInJob is [Ours] for the folder of a job.
func oursInJob(path string, folder bool) bool {
	epoch, rest, deeper := strings.Cut(path, "/")
	if !deeper && !folder {
		return slices.Contains([]string{recordFile, hidden + recordFile, lockFile, progressFile, hidden + progressFile}, path)
	}
	if _, ok := epochNumber(epoch); !ok && !isLeftover(epoch) {
		return false
	}
	return !deeper || oursInEpoch(rest, folder)
}

// oursInEpoch is [Ours] for the folder of an epoch.
func oursInEpoch(path string, folder bool) bool {
	if folder {
		return path == dbDir
	}
	name, in := strings.CutPrefix(path, dbDir+"/")
	return path == sealFile || path == valuesName || in && badgerdb.Writes(name)
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
	if name, err := f.Foreign(".", Ours); name != "" || err != nil {
		return name, err
	}
	entries, err := f.ReadDir(".")
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if err := checkNamed(f, e.Name()); errors.Is(err, ErrForeign) {
			return e.Name(), nil
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", nil
}

// checkNamed is checkJob for what has a name in a folder of jobs. A folder that is
// being made, or removed, may have nothing in it by which it is known.
func checkNamed(f *beneath.Folder, name string) error {
	at, err := f.Folder(name)
	if err != nil {
		return err
	}
	defer at.Close()
	for range 4 { // between two looks, more may come into it, or go
		if err = checkJob(at); !errors.Is(err, ErrForeign) {
			return err
		}
		if bare, err := isBare(at); bare || err != nil {
			return err
		}
	}
	return err
}

// isBare reports whether a folder has nothing in it but a LOCK without its text
// and the beginning of a record.
func isBare(at *beneath.Folder) (bool, error) {
	entries, err := at.ReadDir(".")
	for _, e := range entries {
		switch info, err := e.Info(); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return false, err
		case !info.Mode().IsRegular() || e.Name() != hidden+recordFile && (e.Name() != lockFile || info.Size() > 0):
			return false, nil
		}
	}
	return err == nil, err
}

// foreignError is an [ErrForeign].
type foreignError struct{ path string }

func (e *foreignError) Error() string {
	return strconv.Quote(e.path) + " " + ErrForeign.Error() + ", and it stays; move it away"
}
func (e *foreignError) Is(target error) bool { return target == ErrForeign }
