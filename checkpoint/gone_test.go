package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestGone checks that the folder of a job is moved or removed, with that of the graph, or
// another job takes its place, before an epoch is written, or while it is: that
// ends with an error, soon, and nothing is written where it does not belong.
func TestGone(t *testing.T) {
	const n, chunk = 64 * 32, 64
	ways := map[string]func(jobs string) error{
		"removed": os.RemoveAll,
		"moved":   func(jobs string) error { return os.Rename(jobs, jobs+".away") },
		"replaced": func(jobs string) error {
			if err := os.Rename(jobs, jobs+".away"); err != nil {
				return err
			}
			writeEpoch(t, begun(t, jobs), random(9, n, 4))
			return nil
		},
	}
	for name, gone := range ways {
		for _, at := range []uint32{0, 2 * chunk, n - chunk, n} { // n: before the epoch
			t.Run(fmt.Sprintf("%s at %d", name, at), func(t *testing.T) {
				jobs := filepath.Join(memoryDir(t), "jobs")
				j := begun(t, jobs)
				s := random(1, n, 4)
				writeEpoch(t, j, s)
				source := &meanwhile{s, at, func() {
					if err := gone(jobs); err != nil {
						t.Error(err)
					}
				}}
				if at == n {
					source.do()
				}
				ended := make(chan error)
				go func() {
					_, err := j.Epochs().Write(t.Context(), s.state, source)
					ended <- err
				}()
				select {
				case err := <-ended:
					if err == nil || at == n && !errors.Is(err, ErrGone) {
						t.Errorf("got %v", err)
					}
				case <-time.After(time.Minute):
					t.Fatal("the writer hangs")
				}
				if err := errors.Join(j.Wrote(2, 1), j.End(Done, nil)); !errors.Is(err, ErrGone) {
					t.Errorf("the record: %v", err)
				}
				if name != "replaced" {
					if _, err := os.Stat(jobs); !errors.Is(err, os.ErrNotExist) {
						t.Errorf("a folder was made again: %v", err)
					}
					return
				}
				list, err := List(jobs)
				if err != nil || len(list) != 1 || list[0].Status != Running || !slices.Equal(list[0].Epochs, []int{1}) {
					t.Errorf("the job in its place: %+v, %v", list, err)
				}
			})
		}
	}
}

// TestGoneBeforeDB checks that the graph is replaced before the database of an epoch is
// made: nothing of it comes into the new one.
func TestGoneBeforeDB(t *testing.T) {
	jobs := filepath.Join(memoryDir(t), "jobs")
	j := begun(t, jobs)
	j.epochs.disk = replacing{j.epochs.disk, func() {
		if err := errors.Join(os.Rename(jobs, jobs+".away"), os.Mkdir(jobs, 0o777)); err != nil {
			t.Error(err)
		}
	}}
	s := random(1, 100, 4)
	if _, err := j.Epochs().Write(t.Context(), s.state, s); !errors.Is(err, ErrGone) {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(jobs); err != nil || len(left) > 0 {
		t.Errorf("in the new graph are %v, %v", left, err)
	}
	if left, err := filepath.Glob(jobs + ".away/1/.epoch*"); err != nil || len(left) > 0 {
		t.Errorf("in the old one are %v, %v", left, err)
	}
}

// replacing is a disk on which something happens when an epoch is begun.
type replacing struct {
	disk
	do func()
}

func (r replacing) makeFolder(path string) error {
	defer r.do()
	return r.disk.makeFolder(path)
}

// meanwhile is a state while whose chunk from at on is read something happens.
type meanwhile struct {
	*memory
	at uint32
	do func()
}

func (m *meanwhile) Fill(from, to uint32, values []byte, active []uint64) error {
	if from == m.at {
		m.do()
	}
	return m.memory.Fill(from, to, values, active)
}
