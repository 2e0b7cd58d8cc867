package checkpoint

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recorder is a disk that notes the steps of writing an epoch, and makes one of
// them fail.
type recorder struct {
	osDisk
	mu    sync.Mutex // guards steps
	steps []string
	fail  string // a step
	space int64  // free; if 0, as it is
}

func (r *recorder) step(what, path string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := what
	if path != "" {
		name += " " + filepath.Base(path)
	}
	if n := len(r.steps); n == 0 || r.steps[n-1] != name {
		r.steps = append(r.steps, name)
	}
	if r.fail == name {
		return errFault
	}
	return nil
}

func (r *recorder) makeFolder(path string) error {
	return r.do("make", path, func() error { return r.osDisk.makeFolder(path) })
}

func (r *recorder) rename(from, to string) error {
	return r.do("rename "+filepath.Base(from)+" to", to, func() error { return r.osDisk.rename(from, to) })
}

func (r *recorder) remove(path string) error {
	return r.do("remove", path, func() error { return r.osDisk.remove(path) })
}

func (r *recorder) writeSynced(path, text string) error {
	return r.do("write and sync", path, func() error { return r.osDisk.writeSynced(path, text) })
}

func (r *recorder) syncFolder(path string) error {
	return r.do("sync folder", path, func() error { return r.osDisk.syncFolder(path) })
}

func (r *recorder) free() (int64, error) {
	if r.space > 0 {
		return r.space, nil
	}
	return r.osDisk.free()
}

func (r *recorder) do(what, path string, f func() error) error {
	if err := r.step(what, path); err != nil {
		return err
	}
	return f()
}

func (r *recorder) createValues(path string, bytes int64) (chunkFile, error) {
	if err := r.step("create", path); err != nil {
		return nil, err
	}
	f, err := r.osDisk.createValues(path, bytes)
	return &recorderFile{f, r, path}, err
}

type recorderFile struct {
	chunkFile
	r    *recorder
	path string
}

func (f *recorderFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.r.step("write", f.path); err != nil {
		return 0, err
	}
	return f.chunkFile.WriteAt(b, at)
}

func (f *recorderFile) Sync() error { return f.r.do("sync", f.path, f.chunkFile.Sync) }

func (f *recorderFile) Close() error {
	return errors.Join(f.r.step("close", f.path), f.chunkFile.Close())
}

// order is that of an epoch, when one older one has to go.
var order = []string{
	"make .epoch-00000003.writing",
	"create VALUES",
	"write VALUES",
	"sync VALUES",
	"close VALUES",
	"write and sync EPOCH",
	"sync folder .epoch-00000003.writing",
	"rename .epoch-00000003.writing to epoch-00000003",
	"sync folder .",
	"rename epoch-00000001 to .epoch-00000001.removing",
	"remove .epoch-00000001.removing",
}

// TestOrder checks that nothing is named before it is on disk, and nothing goes before what
// takes its place is.
func TestOrder(t *testing.T) {
	j, _, _ := twoEpochs(t)
	r := &recorder{osDisk: osDisk{j.at}}
	j.Epochs().disk = r
	writeEpoch(t, j, random(3, 150, 4))
	if diff := cmp.Diff(order, r.steps); diff != "" {
		t.Error(diff)
	}
}

// TestFaults makes each step fail: the error is given, the older epochs stay,
// nothing else is left, and the next epoch is written as if nothing had been.
func TestFaults(t *testing.T) {
	for _, step := range order[:len(order)-2] {
		t.Run(regexp.MustCompile(`\W+`).ReplaceAllString(step, " "), func(t *testing.T) {
			j, _, newer := twoEpochs(t)
			j.Epochs().disk = &recorder{osDisk: osDisk{j.at}, fail: step}
			n, err := j.Epochs().Write(t.Context(), newer.state, random(3, 150, 4))
			if !errors.Is(err, errFault) || n != 0 {
				t.Fatalf("epoch %d, %v", n, err)
			}
			want := []int{1, 2}
			if step == "sync folder ." {
				want = []int{1, 2, 3} // it is there, but perhaps not after a power failure
			}
			if got, err := j.Epochs().Numbers(); err != nil || !slices.Equal(got, want) {
				t.Errorf("epochs %v, %v", got, err)
			}
			if left := leftovers(t, j); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			j.Epochs().disk = osDisk{j.at}
			writeEpoch(t, j, random(4, 150, 4))
			if r, err := j.Restore(t.Context(), new(memory)); err != nil || r.State.Iteration != 4 || len(r.Passed) > 0 {
				t.Errorf("the next one: %+v, %v", r, err)
			}
		})
	}
}

func leftovers(t *testing.T, j *Job) []string {
	t.Helper()
	entries, err := os.ReadDir(j.folder())
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		if isLeftover(e.Name()) {
			list = append(list, e.Name())
		}
	}
	return list
}

// TestFaultyRemoval checks that an old epoch that cannot be removed does not spoil the new
// one.
func TestFaultyRemoval(t *testing.T) {
	for _, step := range order[len(order)-2:] {
		j, _, newer := twoEpochs(t)
		j.Epochs().disk = &recorder{osDisk: osDisk{j.at}, fail: step}
		if n, err := j.Epochs().Write(t.Context(), newer.state, newer); n != 3 || !errors.Is(err, errFault) {
			t.Errorf("%s: epoch %d, %v", step, n, err)
		}
	}
}

// TestCancelled checks that an epoch that is not wanted any more leaves nothing.
func TestCancelled(t *testing.T) {
	j, _, newer := twoEpochs(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := j.Epochs().Write(ctx, newer.state, newer); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("epoch %d, %v", n, err)
	}
	if left := leftovers(t, j); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestNoSpace checks that free space is looked at before anything is written.
func TestNoSpace(t *testing.T) {
	j, _, newer := twoEpochs(t)
	r := &recorder{osDisk: osDisk{j.at}, space: spareBytes}
	j.Epochs().disk = r
	if n, err := j.Epochs().Write(t.Context(), newer.state, newer); n != 0 || !errors.Is(err, ErrNoSpace) ||
		!strings.Contains(err.Error(), "MiB free") {
		t.Errorf("epoch %d, %v", n, err)
	}
	if want := []string{"remove .epoch-00000003.writing"}; !slices.Equal(r.steps, want) {
		t.Errorf("steps %v, want %v", r.steps, want)
	}
}

// TestLeftovers checks that what a killed process left half written or half removed goes
// when the job is opened again.
func TestLeftovers(t *testing.T) {
	jobs := memoryDir(t)
	j := begun(t, jobs)
	writeEpoch(t, j, random(1, 150, 4))
	for _, name := range []string{".epoch-00000002.writing", ".epoch-00000000.removing", ".epochs/mine", "notes"} {
		if err := os.MkdirAll(filepath.Join(j.folder(), name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = reopen(t, jobs, 1)
	if left := leftovers(t, j); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if got, err := j.Epochs().Numbers(); err != nil || !slices.Equal(got, []int{1}) {
		t.Errorf("epochs %v, %v", got, err)
	}
}
