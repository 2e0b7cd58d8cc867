package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// TestKilledMaking checks that what a process leaves that is killed while it makes a job is
// ours, and goes with the next job, but for what a process has locked.
func TestKilledMaking(t *testing.T) {
	const head = lockHead + "       123\n"
	for name, test := range map[string]struct {
		files  map[string]string
		locked bool
	}{
		"nothing":                  {files: map[string]string{}},
		"a lock without its text":  {files: map[string]string{lockFile: ""}},
		"a lock and half a record": {files: map[string]string{lockFile: head, hidden + recordFile: "gar"}},
		"a living process":         {files: map[string]string{lockFile: ""}, locked: true},
	} {
		t.Run(name, func(t *testing.T) {
			jobs := memoryDir(t)
			if err := begun(t, jobs).End(Interrupted, nil); err != nil {
				t.Fatal(err)
			}
			left := filepath.Join(jobs, "7")
			if err := os.Mkdir(left, 0o777); err != nil {
				t.Fatal(err)
			}
			for name, text := range test.files {
				if err := os.WriteFile(filepath.Join(left, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if test.locked {
				f, err := os.Open(filepath.Join(left, lockFile))
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
					t.Fatal(err)
				}
			}
			if id, passed, err := newest(jobs); id != 1 || len(passed) != 1 || err != nil {
				t.Errorf("job %d, passed over %v, %v", id, passed, err)
			}
			begun(t, jobs)
			if _, err := os.Stat(left); os.IsNotExist(err) == test.locked {
				t.Errorf("after the next job: %v", err)
			}
		})
	}
}

// TestMakingAtOnce checks that jobs that are made while other processes tidy without end are
// made, each with a number of its own, and nothing else is left.
func TestMakingAtOnce(t *testing.T) {
	const makers, each = 4, 10
	jobs := memoryDir(t)
	done(t, jobs, 1)
	f, err := openJobs(jobs)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var making, tidying sync.WaitGroup
	stop := make(chan struct{})
	for range 8 {
		tidying.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					tidy(f)
				}
			}
		})
	}
	for range makers {
		making.Go(func() {
			for range each {
				j := NewJob(jobs, Spec{}, Policy{})
				if err := errors.Join(j.Begin(someone, Policy{}), j.End(Interrupted, nil)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	making.Wait()
	close(stop)
	tidying.Wait()
	tidy(f)
	entries, err := os.ReadDir(jobs)
	if err != nil || len(entries) != 1+makers*each {
		t.Errorf("%d folders, %v", len(entries), err)
	}
	for _, e := range entries {
		if idOf(e.Name()) == 0 {
			t.Errorf("%s is left", e.Name())
		}
	}
}
