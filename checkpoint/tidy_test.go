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
