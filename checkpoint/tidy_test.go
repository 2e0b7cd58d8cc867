package checkpoint

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// done makes n jobs that are done.
func done(t *testing.T, jobs string, n int) {
	t.Helper()
	for range n {
		if err := begun(t, jobs).End(Done, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUntidy: old jobs that cannot be removed or cleared keep no new one from
// being made, nor other old ones from being removed.
func TestUntidy(t *testing.T) {
	jobs := memoryDir(t)
	done(t, jobs, keepDone+1)
	if err := os.WriteFile(filepath.Join(jobs, "1", "notes"), nil, 0o666); err != nil { // of job 1, which is to go
		t.Fatal(err)
	}
	locked := filepath.Join(jobs, strconv.Itoa(keepDone)) // which is to be cleared
	if err := os.MkdirAll(filepath.Join(locked, epochName(3)), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(locked, lockFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(locked, lockFile), 0o777); err != nil {
		t.Fatal(err)
	}
	done(t, jobs, 1)
	if id := begun(t, jobs).ID(); id != keepDone+3 {
		t.Errorf("it is job %d", id)
	}
	list, err := List(jobs)
	if err != nil || len(list) != keepDone+2 || list[0].ID != 1 || list[1].ID != 3 {
		t.Errorf("left are %+v, %v", list, err)
	}
}

// TestTidyAtOnce: jobs that are made at once remove the same old ones.
func TestTidyAtOnce(t *testing.T) {
	const old, atOnce = 20, 8
	jobs := memoryDir(t)
	for range 5 {
		done(t, jobs, 1)
		for id := 2; id <= keepDone+old; id++ { // without the tidying of those that are begun
			if err := os.CopyFS(filepath.Join(jobs, strconv.Itoa(id)), os.DirFS(filepath.Join(jobs, "1"))); err != nil {
				t.Fatal(err)
			}
		}
		var group sync.WaitGroup
		for range atOnce {
			group.Go(func() {
				j := NewJob(jobs, Spec{}, Policy{})
				if err := j.Begin(someone, Policy{}); err != nil {
					t.Error(err)
				}
				if err := j.End(Done, nil); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if err := os.RemoveAll(jobs); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLeftoverOfMaking: the folder of a job whose process was killed while it made
// it goes with the next job, that of a living one stays.
func TestLeftoverOfMaking(t *testing.T) {
	jobs := memoryDir(t)
	done(t, jobs, 1)
	names := []string{newPrefix + "00000001", newPrefix + "00000002", newPrefix + "00000003"}
	for _, name := range names {
		if err := os.Mkdir(filepath.Join(jobs, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	f, err := openJobs(jobs)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var living *os.File
	for _, name := range names[:2] {
		at, err := f.Folder(name)
		if err != nil {
			t.Fatal(err)
		}
		defer at.Close()
		lock, err := lockIn(at)
		if err != nil {
			t.Fatal(err)
		}
		if living != nil {
			_ = living.Close() // the first one's process is gone
		}
		living = lock
	}
	defer living.Close()
	done(t, jobs, 1)
	for i, name := range names {
		if _, err := os.Stat(filepath.Join(jobs, name)); (err == nil) != (i == 1) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
