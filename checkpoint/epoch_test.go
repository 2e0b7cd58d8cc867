package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestRoundTrip checks that what is written is read, to the bit, for graphs and values of
// any size.
func TestRoundTrip(t *testing.T) {
	for _, c := range []struct {
		vertices   uint32
		valueBytes int
		chunk      uint32
	}{{1, 4, 64}, {63, 1, 64}, {64, 8, 64}, {65, 4, 64}, {1000, 24, 64}, {1000, 4, 128}, {70_000, 4,
		DefaultChunk}, {200_001, 8, DefaultChunk}} {
		j := begun(t, memoryDir(t))
		j.Epochs().chunk = c.chunk
		want := random(3, c.vertices, c.valueBytes)
		if n := writeEpoch(t, j, want); n != 1 {
			t.Errorf("the first epoch is %d", n)
		}
		var got memory
		r, err := j.Restore(t.Context(), &got)
		if err != nil || r.Number != 1 || len(r.Passed) != 0 {
			t.Fatalf("%+v: %+v, %v", c, r, err)
		}
		if !got.same(want) || got.taken != c.vertices {
			t.Errorf("%+v: another state was read", c)
		}
	}
}

// TestKeep checks that the newest epochs stay, and their numbers go on.
func TestKeep(t *testing.T) {
	for _, keep := range []int{0, 1, 3} {
		jobs := memoryDir(t)
		j := NewJob(jobs, Spec{}, Policy{Keep: keep})
		if err := j.Begin(someone, Policy{}); err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		for range 5 {
			writeEpoch(t, j, random(1, 10, 4))
		}
		want := map[int][]int{0: {4, 5}, 1: {5}, 3: {3, 4, 5}}[keep]
		if got, err := j.Epochs().Numbers(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d kept: epochs %v, want %v", keep, got, want)
		}
		if err := j.End(Done, nil); err != nil {
			t.Fatal(err)
		}
		if list, err := List(jobs); err != nil || len(list) != 1 || len(list[0].Epochs) > 0 {
			t.Errorf("a job that is done keeps %+v, %v", list, err)
		}
	}
}

// TestPassedOver checks that after a damaged epoch was passed over, the sound one before it
// stays until there are others: the damaged one does not count.
func TestPassedOver(t *testing.T) {
	j := begun(t, memoryDir(t))
	older, newer := random(1, 100, 4), random(2, 100, 4)
	writeEpoch(t, j, older)
	writeEpoch(t, j, newer)
	flip(t, files(t, j, 2)[0], 0)
	var got memory
	r, err := j.Restore(t.Context(), &got)
	if err != nil || r.Number != 1 || len(r.Passed) != 1 || !errors.Is(r.Passed[0], ErrDamaged) ||
		!strings.Contains(r.Passed[0].Error(), "checkpoint 2") {
		t.Fatalf("%+v, %v", r, err)
	}
	if !got.same(older) {
		t.Error("another state was read")
	}
	writeEpoch(t, j, random(3, 100, 4))
	if got, err := j.Epochs().Numbers(); err != nil || !slices.Equal(got, []int{1, 3}) {
		t.Errorf("epochs %v, want 1 and 3", got)
	}
}

// TestDiffers checks that an epoch of another job is refused, by name, not passed over.
func TestDiffers(t *testing.T) {
	for _, c := range []struct {
		change func(*Identity)
		says   string
	}{
		{func(id *Identity) { id.Graph = "other" }, ": the graph is not the one over which the job was begun"},
		{func(id *Identity) { id.Program = "programs.BFS" }, "the program was programs.SSSP and is programs.BFS"},
		{func(id *Identity) { id.Source = "0" },
			": program programs.SSSP or its executable has changed: resume it with the executable that began it"},
		{func(id *Identity) { id.Engine = 2 }, "the version of the engine was 1 and is 2"},
		{func(id *Identity) { id.Parameters = map[string]string{"Source": "8", "mode": "1"} }, "Source was 7 and is 8"},
		{func(id *Identity) { id.Parameters = map[string]string{"mode": "1"} }, "Source was 7 and is not there"},
		{func(id *Identity) { id.Parameters = map[string]string{"Source": "7", "mode": "2"} }, "mode was 1 and is 2"},
		{func(id *Identity) { id.Options = map[string]string{"mode": "async"} }, "mode was sync and is async"},
	} {
		jobs := memoryDir(t)
		j := begun(t, jobs)
		writeEpoch(t, j, random(1, 10, 4))
		other := someone
		c.change(&other)
		j.Epochs().id = other // as if the record had been changed
		var got memory
		if _, err := j.Restore(t.Context(), &got); !errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("an epoch: %v, want %q", err, c.says)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := OpenJob(jobs, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Begin(other, Policy{}); !errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("a job: %v, want %q", err, c.says)
		}
		_ = again.Close()
	}
}

// TestSpace checks that two epochs of 4-byte values take at most 2.2 times the values.
func TestSpace(t *testing.T) {
	const n = 1 << 20
	dir := t.TempDir()
	j := NewJob(dir, Spec{}, Policy{})
	if err := j.Begin(someone, Policy{}); err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for seed := range uint64(3) {
		writeEpoch(t, j, random(seed, n, 4)) // a third is active, at random: the largest bitmap
	}
	var total int64
	err := filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() {
			total += info.Sys().(*syscall.Stat_t).Blocks * 512
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("two epochs take %.3f times the values", float64(total)/(4*n))
	if limit := 2.2 * 4 * n; float64(total) > limit {
		t.Errorf("two epochs take %d bytes, more than %.0f", total, limit)
	}
}
