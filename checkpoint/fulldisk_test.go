package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/internal/tinydisk"
)

// TestFullDisk fills a real file system to different degrees, between epochs and
// while one is being written: an epoch is written whole or not at all, and the
// older ones stay. A fault in a mapped file would kill the test.
func TestFullDisk(t *testing.T) {
	const n = 1 << 20 // 4 MiB of values
	for turn, within := range []bool{false, true} {
		for _, left := range testsize.Some([]int64{0, 1, 3, 5, 10, 18, 20, 21, 22, 23, 24, 26, 30}, 2, turn) {
			dir := tinydisk.Mount(t, 100<<20)
			j := NewJob(filepath.Join(dir, "a[b]c"), Spec{}, Policy{})
			if err := j.Begin(someone, Policy{}); err != nil {
				t.Fatal(err)
			}
			first, second := random(1, n, 4), random(2, n, 4)
			writeEpoch(t, j, first)
			source := &filling{memory: second}
			if within {
				source.before = func() { tinydisk.Fill(t, dir, left<<20) }
			} else {
				tinydisk.Fill(t, dir, left<<20)
			}
			number, err := j.Epochs().Write(t.Context(), second.state, source)
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
}

// filling is a state that fills the disk in the middle of being read.
type filling struct {
	*memory
	before func()
}

func (f *filling) Fill(from, to uint32, values []byte, active []uint64) error {
	if f.before != nil && from == 4*DefaultChunk {
		f.before()
	}
	return f.memory.Fill(from, to, values, active)
}

// TestNeighbour writes epochs while another fills the disk and empties it: each
// is whole, or an error about the disk, and the newest whole one is restored.
func TestNeighbour(t *testing.T) {
	const n = 1 << 18 // 1 MiB of values
	dir := tinydisk.Mount(t, 48<<20)
	j := NewJob(filepath.Join(dir, "jobs"), Spec{}, Policy{})
	if err := j.Begin(someone, Policy{}); err != nil {
		t.Fatal(err)
	}
	states := []*memory{random(1, n, 4), random(2, n, 4)}
	stop := tinydisk.Neighbour(t, dir, 8*time.Millisecond, 40*time.Millisecond, 1)
	wrote, last := 0, 0
	for i := range 60 {
		number, err := j.Epochs().Write(t.Context(), states[i%2].state, states[i%2])
		if err != nil && !errors.Is(err, ErrNoSpace) {
			t.Errorf("got %v", err)
		}
		if number > 0 {
			wrote, last = wrote+1, i%2
		}
	}
	stop()
	var got memory
	if r, err := j.Restore(t.Context(), &got); wrote > 0 && (err != nil || !got.same(states[last]) || len(r.Passed) > 0) {
		t.Errorf("restored %d of %d written: %v, %v", r.Number, wrote, err, r.Passed)
	}
	if wrote == 0 || wrote == 60 {
		t.Logf("%d of 60 were written: nothing was tried", wrote)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestRecordOnFullDisk: a job that ends on a full disk is interrupted, with an error, and no temporary file
// is left.
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
