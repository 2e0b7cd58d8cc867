package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"time"

	"github.com/garaph/garaph/internal/beneath"
)

// makeTries is how often a folder is made when other processes remove it at once.
const makeTries = 20

// create makes the folder of a new job, with lock and record, and puts it under
// the next free number.
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
	building, err := j.makeNew(f)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			if j.id == 0 && j.lock != nil && errors.Is(holds(j.lock, f.Path(building)), ErrGone) {
				err = fmt.Errorf("%w: %w", ErrGone, err)
			}
			j.id = 0
			err = errors.Join(err, j.Close()) // and there are files to open again
			if f.Remove(building) != nil {    // it is not empty
				err = errors.Join(err, removeFolder(f, building))
			}
		}
	}()
	if j.record.Place, err = placeOf(j.at); err != nil {
		return err
	}
	j.record.Created = time.Now().UTC().Truncate(time.Second)
	j.record.Updated = j.record.Created
	if err := writeRecord(j.at, &j.record); err != nil {
		return err
	}
	if building, err = j.number(f, building); err != nil {
		return err
	}
	if err := j.openEpochs(); err != nil {
		return err
	}
	return errors.Join(f.Sync("."), graph.Sync("."))
}

// makeNew makes a folder and locks it. Until it has the lock, another process may
// take the folder for that of a killed one, and remove it: then it makes another.
func (j *Job) makeNew(f *beneath.Folder) (name string, err error) {
	for range makeTries {
		if name, err = makeFolder(f); err == nil {
			if j.at, err = f.Folder(name); err == nil {
				if j.lock, err = lockJob(j.at); err == nil {
					return name, nil
				}
				err = errors.Join(err, j.at.Close())
				j.at = nil
			}
			_ = f.Remove(name) // it stays where another process has it
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrGone) && !errors.Is(err, ErrRunning) {
			break
		}
	}
	return "", err
}

// makeFolder makes a folder with the permissions of the folder of jobs, but that others
// cannot write to it.
func makeFolder(f *beneath.Folder) (string, error) {
	info, err := f.Lstat(".")
	if err != nil {
		return "", err
	}
	for {
		name := fmt.Sprintf("%s%08x", newPrefix, rand.Uint32())
		err := f.Mkdir(name, 0o777)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			if err = f.Chmod(name, info.Mode().Perm()&^othersWrite); err != nil {
				_ = f.Remove(name) // another process may have done so
			}
		}
		return name, err
	}
}

// number renames a job's folder to the number after the highest, and returns the name
// that it has; after the last one there is, to the lowest that is free.
func (j *Job) number(f *beneath.Folder, building string) (name string, err error) {
	ids, err := numbers(f)
	if err != nil {
		return building, err
	}
	id := 0
	if len(ids) > 0 {
		id = ids[len(ids)-1] % maxID
	}
	for {
		id++
		name = strconv.Itoa(id)
		err := f.RenameNew(building, name)
		if errors.Is(err, fs.ErrExist) && id < maxID {
			continue
		}
		if err != nil {
			return building, err
		}
		j.id = id
		at, err := f.Folder(name) // with its path
		if err != nil {
			return name, err
		}
		err = j.at.Close()
		j.at = at
		return name, err
	}
}
