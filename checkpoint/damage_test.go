package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// flip changes one byte of a file, and returns what puts it back.
func flip(t testing.TB, name string, at int64) (undo func()) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b[at] ^= 1 << (at % 8)
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	b[at] ^= 1 << (at % 8)
	return func() {
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// twoEpochs returns a job with two, and their states.
func twoEpochs(t *testing.T) (j *Job, older, newer *memory) {
	j = begun(t, memoryDir(t))
	older, newer = random(1, 150, 4), random(2, 150, 4)
	writeEpoch(t, j, older)
	writeEpoch(t, j, newer)
	return j, older, newer
}

// holdsBefore restores a job whose newest epoch is damaged: it must come back
// with the one before.
func holdsBefore(t *testing.T, j *Job, older *memory, what string) {
	t.Helper()
	var got memory
	r, err := j.Restore(t.Context(), &got)
	if err != nil || r.Number != 1 || len(r.Passed) != 1 || !got.same(older) {
		t.Fatalf("%s: epoch %d, %v passed over, error %v", what, r.Number, r.Passed, err)
	}
	j.Epochs().passed = nil
}

// TestFlips changes each byte of an epoch's files in turn: the epoch before it
// is taken. With both damaged, the error says so.
func TestFlips(t *testing.T) {
	j, older, newer := twoEpochs(t)
	bytes := 0
	for _, name := range files(t, j, 2) {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		for at := range info.Size() {
			undo := flip(t, name, at)
			holdsBefore(t, j, older, filepath.Base(name))
			undo()
			bytes++
		}
	}
	t.Logf("%d bytes changed, one at a time", bytes)
	var got memory
	if r, err := j.Restore(t.Context(), &got); err != nil || r.Number != 2 || !got.same(newer) {
		t.Errorf("mended: epoch %d, %v", r.Number, err)
	}
	for n := range 2 {
		flip(t, filepath.Join(j.Epochs().epochPath(n+1), epochFile), 40)
	}
	if r, err := j.Restore(t.Context(), &got); !errors.Is(err, ErrDamaged) || r.Number != 0 || len(r.Passed) != 2 {
		t.Errorf("both damaged: epoch %d, %v", r.Number, err)
	}
}

// TestTruncations cuts each file of an epoch at 100 places, and removes it.
func TestTruncations(t *testing.T) {
	j, older, _ := twoEpochs(t)
	for _, name := range files(t, j, 2) {
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 100 {
			if err := os.WriteFile(name, whole[:len(whole)*i/100], 0o666); err != nil {
				t.Fatal(err)
			}
			holdsBefore(t, j, older, filepath.Base(name))
		}
		if err := os.WriteFile(name, append(whole[:len(whole):len(whole)], 0), 0o666); err != nil {
			t.Fatal(err)
		}
		holdsBefore(t, j, older, filepath.Base(name)+" longer")
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		holdsBefore(t, j, older, filepath.Base(name)+" missing")
		if err := os.WriteFile(name, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNoneLeft checks that a job that wrote epochs and has none does not begin again.
func TestNoneLeft(t *testing.T) {
	j, _, _ := twoEpochs(t)
	if err := j.Epochs().clear(); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Restore(t.Context(), new(memory)); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

// TestRecordDamage changes each byte of a job's record, and cuts it everywhere.
func TestRecordDamage(t *testing.T) {
	jobs := memoryDir(t)
	j := begun(t, jobs)
	name := filepath.Join(j.folder(), recordFile)
	if err := j.End(Interrupted, nil); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, at int) {
		t.Helper()
		if j, err := OpenJob(jobs, 1); !errors.Is(err, ErrDamaged) {
			t.Fatalf("%s %d: %v, %v", what, at, j, err)
		}
		if list, err := List(jobs); err != nil || len(list) != 1 || !errors.Is(list[0].Err, ErrDamaged) {
			t.Fatalf("%s %d: %+v, %v", what, at, list, err)
		}
	}
	for at := range whole {
		undo := flip(t, name, int64(at))
		refused("byte", at)
		undo()
		if err := os.WriteFile(name, whole[:at], 0o666); err != nil {
			t.Fatal(err)
		}
		refused("cut at", at)
		if err := os.WriteFile(name, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestIrregular checks that where a FIFO, a folder, a device or a link stands in the place
// of a file, nothing waits for it: an epoch is damaged, a job's record is, and a
// job without a lock file of its own cannot be taken.
func TestIrregular(t *testing.T) {
	places := map[string]func(path, away string) error{
		"FIFO":   func(path, _ string) error { return unix.Mkfifo(path, 0o666) },
		"folder": func(path, _ string) error { return os.Mkdir(path, 0o777) },
		"device": func(path, _ string) error { return os.Symlink("/dev/zero", path) },
		"link":   func(path, away string) error { return os.Symlink(away, path) },
	}
	for what, put := range places {
		j, older, newer := twoEpochs(t)
		replace := func(path string) (undo func()) {
			away := filepath.Join(j.jobs, "away")
			if err := errors.Join(os.Rename(path, away), put(path, away)); err != nil {
				t.Fatal(err)
			}
			return func() {
				if err := errors.Join(os.Remove(path), os.Rename(away, path)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, name := range files(t, j, 2) {
			undo := replace(name)
			soon(t, what+" "+name, func() { holdsBefore(t, j, older, what+" "+name) })
			undo()
		}
		var got memory
		if r, err := j.Restore(t.Context(), &got); err != nil || r.Number != 2 || !got.same(newer) {
			t.Errorf("mended: epoch %d, %v", r.Number, err)
		}
		j.wrote = time.Time{}
		if err := os.WriteFile(filepath.Join(j.folder(), progressFile), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		replace(filepath.Join(j.folder(), progressFile))
		soon(t, what+" "+progressFile, func() {
			j.Progress(3)
			if list, err := List(j.jobs); err != nil || list[0].Iteration != 0 {
				t.Errorf("%s: %+v, %v", what, list, err)
			}
			if err := j.End(Interrupted, nil); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		})
		undo := replace(filepath.Join(j.folder(), recordFile))
		soon(t, what+" "+recordFile, func() {
			if list, err := List(j.jobs); err != nil || !errors.Is(list[0].Err, ErrDamaged) {
				t.Errorf("%s: %+v, %v", what, list, err)
			}
			if _, err := OpenJob(j.jobs, 1); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: %v", what, err)
			}
		})
		undo()
		undo = replace(filepath.Join(j.folder(), lockFile))
		soon(t, what+" "+lockFile, func() {
			if list, err := List(j.jobs); err != nil || list[0].Status != Interrupted {
				t.Errorf("%s: %+v, %v", what, list, err)
			}
			if _, err := OpenJob(j.jobs, 1); err == nil || !strings.Contains(err.Error(), "cannot be locked") {
				t.Errorf("%s: %v", what, err)
			}
		})
		undo()
	}
}

// soon fails where f does not come back.
func soon(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s: it hangs", what)
	}
}
