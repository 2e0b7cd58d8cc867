package checkpoint

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
	"time"

	"github.com/garaph/garaph/internal/beneath"
)

// makeTries is how often a folder is made when other processes remove it at once.
const makeTries = 20

// create makes the folder of a new job, with lock and record. Until the record is
// there, the folder is no job: one that is not locked was left by a killed process.
func (j *Job) create() (err error) {
	graph, err := beneath.Open(filepath.Dir(j.jobs))
	if err != nil {
		return err
	}
	defer graph.Close()
	name := filepath.Base(j.jobs)
	if err := graph.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := graph.Folder(name)
	if err != nil {
		return err
	}
	defer f.Close()
	tidy(f)
	for range makeTries {
		if err = j.makeFolder(f); err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrGone) &&
			!errors.Is(err, ErrRunning) {
			break
		}
	}
	if err != nil {
		return err
	}
	if j.record.Place, err = placeOf(j.at); err == nil {
		j.record.Created = time.Now().UTC().Truncate(time.Second)
		j.record.Updated = j.record.Created
		err = writeRecord(j.at, &j.record)
	}
	if err == nil {
		err = j.openEpochs()
	}
	if err != nil {
		if gone := holds(j.lock, j.folder()); errors.Is(gone, ErrGone) {
			err = gone
		}
		name := strconv.Itoa(j.id)
		j.id = 0
		err = errors.Join(err, j.Close()) // and files can be opened again
		return errors.Join(err, f.RemoveAll(name))
	}
	return errors.Join(f.Sync("."), graph.Sync("."))
}

// makeFolder makes a folder for the job and locks it. It has the number after the highest that
// is there, or the least that is free, and the permissions of the folder of jobs, but that others
// cannot write to it. Until it is locked, other processes may remove it.
func (j *Job) makeFolder(f *beneath.Folder) error {
	info, err := f.Lstat(".")
	if err != nil {
		return err
	}
	ids, err := numbers(f)
	if err != nil {
		return err
	}
	id := 0
	if len(ids) > 0 {
		id = ids[len(ids)-1] % maxID
	}
	for err = fs.ErrExist; errors.Is(err, fs.ErrExist); {
		id++
		err = f.Mkdir(strconv.Itoa(id), 0o777)
	}
	if err != nil {
		return err
	}
	name := strconv.Itoa(id)
	if err = f.Chmod(name, info.Mode().Perm()&^othersWrite); err == nil {
		if j.at, err = f.Folder(name); err == nil {
			if j.lock, err = lockJob(j.at); err == nil {
				if _, there := j.at.Lstat(recordFile); there != nil {
					j.id = id
					return nil //nolint:nilerr // the job has no record yet, as it should
				}
				err = ErrRunning // another process made its job here
			}
			err = errors.Join(err, j.Close())
		}
	}
	_ = f.Remove(name) // it stays where another process has it
	return err
}
