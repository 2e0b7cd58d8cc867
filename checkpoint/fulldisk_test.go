package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/internal/tinydisk"
)

// TestFullDisk fills a real file system to different degrees between epochs: one is written
// whole or not at all, and the older ones stay.
func TestFullDisk(t *testing.T) {
	const n = 1 << 20 // 4 MiB of values
	for _, left := range testsize.Some([]int64{0, 1, 3, 5, 10, 18, 20, 21, 22, 23, 24, 26, 30}, 4, 0) {
		dir := tinydisk.Mount(t, 100<<20)
		j := NewJob(filepath.Join(dir, "a[b]c"), Spec{}, Policy{})
		if err := j.Begin(someone, Policy{}); err != nil {
			t.Fatal(err)
		}
		first, second := random(1, n, 4), random(2, n, 4)
		writeEpoch(t, j, first)
		tinydisk.Fill(t, dir, left<<20)
		number, err := j.Epochs().Write(t.Context(), second.state, second)
		if err != nil && (!errors.Is(err, ErrNoSpace) || !strings.Contains(err.Error(), dir)) {
			t.Errorf("%d MiB left: %v", left, err)
		}
		var got memory
		r, restoreErr := j.Restore(t.Context(), &got)
		want := first
		if number == 2 {
			want = second
		}
		if restoreErr != nil || !got.same(want) || len(r.Passed) > 0 {
			t.Errorf("%d MiB left, epoch %d written (%v): restored %d, %v", left, number, err, r.Number, restoreErr)
		}
		if err := os.Remove(filepath.Join(dir, "full")); err != nil {
			t.Fatal(err)
		}
		writeEpoch(t, j, second) // there is room again
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRecordOnFullDisk checks that a job that ends on a full disk is interrupted, with an error,
// and no temporary file is left.
func TestRecordOnFullDisk(t *testing.T) {
	dir := tinydisk.Mount(t, 8<<20)
	jobs := filepath.Join(dir, "jobs")
	j := NewJob(jobs, Spec{Name: "heat"}, Policy{})
	if err := j.Begin(someone, Policy{}); err != nil {
		t.Fatal(err)
	}
	tinydisk.Fill(t, dir, 0)
	j.Progress(3)
	if err := j.End(Done, nil); err == nil || !strings.Contains(err.Error(), "`garaph jobs rm` removes it") {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(jobs, "1", hidden+recordFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a temporary file is left: %v", err)
	}
	if list, err := List(jobs); err != nil || len(list) != 1 || list[0].Err != nil || list[0].Status != Interrupted {
		t.Errorf("listed is %+v, %v", list, err)
	}
}
