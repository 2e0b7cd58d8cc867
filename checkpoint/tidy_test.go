package checkpoint

import (
	"os"
	"path/filepath"
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

// TestUntidy checks that old jobs that cannot be removed or cleared keep no new one from
// being made, nor other old ones from being removed.
func TestUntidy(t *testing.T) {
	jobs := memoryDir(t)
	done(t, jobs, keepDone+1)
	if err := os.WriteFile(filepath.Join(jobs, "1", "notes"), nil, 0o666); err != nil { // of job 1, which is to go
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

// TestKilledEnd checks that the epochs of a job that was killed after it was recorded as done go with the next job.
func TestKilledEnd(t *testing.T) {
	jobs := memoryDir(t)
	done(t, jobs, 1)
	folder := filepath.Join(jobs, "1")
	for _, epoch := range []string{epochName(3), hidden + epochName(2) + removing} {
		if err := os.Mkdir(filepath.Join(folder, epoch), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{epochFile, valuesFile} {
			if err := os.WriteFile(filepath.Join(folder, epoch, name), []byte("whole"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	begun(t, jobs)
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if e.IsDir() {
			t.Errorf("%s is left", e.Name())
		}
	}
	if err != nil {
		t.Error(err)
	}
}
