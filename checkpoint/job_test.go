package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestJobs checks that jobs are numbered, listed as they stand, and taken one process at a
// time.
func TestJobs(t *testing.T) {
	jobs := filepath.Join(memoryDir(t), "jobs")
	if list, err := List(jobs); err != nil || len(list) > 0 {
		t.Errorf("before any: %v, %v", list, err)
	}
	if _, _, err := newest(jobs); !errors.Is(err, ErrNoJob) {
		t.Errorf("before any: %v", err)
	}
	var all []*Job
	for range 4 {
		all = append(all, begun(t, jobs))
	}
	writeEpoch(t, all[1], random(5, 10, 4))
	all[2].Progress(7)
	for i, s := range []Status{Done, Interrupted, Failed} {
		cause := fmt.Errorf("job %d ended\nwith a stack", i)
		if s == Done {
			cause = nil
		}
		if err := all[i].End(s, cause); err != nil {
			t.Fatal(err)
		}
	}
	list, err := List(jobs)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range list {
		got = append(got, fmt.Sprintf("%d %s %s %d %v %q", l.ID, l.Name, l.Status, l.Iteration, l.Epochs, l.Error))
	}
	want := []string{`1 sssp done 0 [] ""`, `2 sssp interrupted 0 [1] ""`, `3 sssp failed 7 [] "job 2 ended"`,
		`4 sssp running 0 [] ""`}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if id, passed, err := newest(jobs); err != nil || id != 3 || len(passed) != 1 || !errors.Is(passed[0], ErrRunning) {
		t.Errorf("the newest unfinished job is %d, after %v, %v", id, passed, err)
	}
	for _, use := range []func() error{
		func() error { _, err := OpenJob(jobs, 4); return err },
		func() error { _, err := Remove(jobs, 4); return err },
	} {
		if err := use(); !errors.Is(err, ErrRunning) || !strings.Contains(err.Error(), fmt.Sprint("process ", os.Getpid())) {
			t.Errorf("a job that is running: %v", err)
		}
	}
	if removed, err := Remove(filepath.Join(jobs, "none")); len(removed) > 0 || err != nil {
		t.Errorf("no jobs of none: %v, %v", removed, err)
	}
	for _, use := range []func() error{
		func() error { _, err := OpenJob(jobs, 9); return err },
		func() error { _, err := Remove(jobs, 9); return err },
	} {
		if err := use(); !errors.Is(err, ErrNoJob) {
			t.Errorf("no job: %v", err)
		}
	}
	for _, id := range []int{2, 3} {
		if _, err := Remove(jobs, id); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := newest(jobs); !errors.Is(err, ErrNoJob) ||
		err.Error() != fmt.Sprintf("no unfinished job to resume: job 4 is running in another process (process %d); wait "+
			"for it to end, or interrupt it", os.Getpid()) {
		t.Errorf("only one that is running: %v", err)
	}
}

// TestOver checks that a job that is done for a cause keeps no epoch, and says why it is not
// resumed; an older one is resumed before it.
func TestOver(t *testing.T) {
	jobs := memoryDir(t)
	older, j := begun(t, jobs), begun(t, jobs)
	writeEpoch(t, j, random(5, 10, 4))
	if err := j.End(Done, errors.New("numbers left their range")); err != nil {
		t.Fatal(err)
	}
	if list, err := List(jobs); err != nil || list[1].Error != "numbers left their range" || len(list[1].Epochs) > 0 {
		t.Errorf("%+v, %v", list, err)
	}
	const why = "job 2 cannot be resumed, for it would fail again: numbers left their range"
	again, err := OpenJob(jobs, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Over(); err == nil || err.Error() != why {
		t.Errorf("resumed by its number: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	if err := older.End(Interrupted, nil); err != nil {
		t.Fatal(err)
	}
	if id, passed, err := newest(jobs); err != nil || id != 1 || len(passed) > 0 {
		t.Errorf("the newest is %d, %v, %v", id, passed, err)
	}
	if _, err := Remove(jobs, 1); err != nil {
		t.Fatal(err)
	}
	if _, _, err := newest(jobs); !errors.Is(err, ErrNoJob) || !strings.HasSuffix(err.Error(), why) {
		t.Errorf("without another: %v", err)
	}
}

// TestPassedJobs checks that the newest job that can be resumed is taken, and newer ones
// whose records are damaged are named; where all are, the error names them.
func TestPassedJobs(t *testing.T) {
	jobs := memoryDir(t)
	for range 4 {
		if err := begun(t, jobs).End(Interrupted, nil); err != nil {
			t.Fatal(err)
		}
	}
	damage := func(id string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(jobs, id, recordFile), []byte("{}"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	damage("3")
	damage("4")
	j, err := OpenNewest(jobs)
	if err != nil || j.ID() != 2 || len(j.Passed()) != 2 || !errors.Is(j.Passed()[0], ErrDamaged) ||
		!strings.Contains(j.Passed()[0].Error(), "job 4: ") {
		t.Fatalf("job %d, passed over %v, error %v", j.ID(), j.Passed(), err)
	}
	defer j.Close()
	if other, err := OpenJob(jobs, 1); err != nil || len(other.Passed()) > 0 {
		t.Errorf("a job that was named: %v", err)
	} else if err := other.Close(); err != nil {
		t.Error(err)
	}
	damage("1")
	damage("2")
	if _, err := OpenNewest(jobs); !errors.Is(err, ErrNoJob) || !errors.Is(err, ErrDamaged) ||
		strings.Count(err.Error(), "`garaph jobs rm` removes it") != 4 {
		t.Errorf("all are damaged: %v", err)
	}
}

// TestKilled checks that the lock of a process that was killed is no obstacle.
func TestKilled(t *testing.T) {
	jobs := os.Getenv("GARAPH_TEST_JOBS")
	if jobs != "" { // the process that will be killed
		j := begun(t, jobs)
		writeEpoch(t, j, random(5, 10, 4))
		fmt.Println("begun")
		time.Sleep(time.Minute)
		return
	}
	jobs = memoryDir(t)
	p := exec.Command(os.Args[0], "-test.run", "^TestKilled$")
	p.Env = append(os.Environ(), "GARAPH_TEST_JOBS="+jobs)
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenJob(jobs, 1); !errors.Is(err, ErrRunning) {
		t.Errorf("while it runs: %v", err)
	}
	_ = p.Process.Kill()
	_ = p.Wait()
	if list, err := List(jobs); err != nil || list[0].Status != Interrupted {
		t.Errorf("%+v, %v", list, err)
	}
	j := reopen(t, jobs, 1)
	if r, err := j.Restore(t.Context(), new(memory)); err != nil || r.Number != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestTidy checks that of the jobs that are done, the newest stay; those that are not are
// never removed.
func TestTidy(t *testing.T) {
	jobs := filepath.Join(memoryDir(t), "a[b]c")
	if err := begun(t, jobs).End(Interrupted, nil); err != nil {
		t.Fatal(err)
	}
	for range keepDone + 5 {
		if err := begun(t, jobs).End(Done, nil); err != nil {
			t.Fatal(err)
		}
	}
	begun(t, jobs)
	list, err := List(jobs)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1+keepDone+1 || list[0].ID != 1 || list[1].ID != 7 {
		t.Errorf("%d jobs are left, from %d and %d on", len(list), list[0].ID, list[1].ID)
	}
}

// newest takes and closes the newest job that can be resumed.
func newest(jobs string) (id int, passed []error, err error) {
	j, err := OpenNewest(jobs)
	if err != nil {
		return 0, nil, err
	}
	return j.ID(), j.Passed(), j.Close()
}
