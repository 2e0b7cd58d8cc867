package dispatcher

import (
	"slices"
	"testing"
)

// TestPlacement checks who has the newest values of a shard, after each has made some.
func TestPlacement(t *testing.T) {
	const first, second = 1, 2
	p := newPlacement(3, 4)
	stale := func(step string, want [3][][2]int) {
		t.Helper()
		for worker, list := range want {
			var got [][2]int
			for _, r := range p.stale(worker) {
				got = append(got, [2]int{r.From, r.To})
			}
			if !slices.Equal(got, list) {
				t.Errorf("%s: worker %d lacks %v, want %v", step, worker, got, list)
			}
		}
	}
	stale("at first", [3][][2]int{})
	p.wrote(host, 0)
	p.wrote(host, 1)
	p.wrote(host, 3)
	stale("written by the host", [3][][2]int{nil, {{0, 2}, {3, 4}}, {{0, 2}, {3, 4}}})
	p.copied(first, 0)
	p.copied(first, 3)
	stale("copied to a GPU", [3][][2]int{nil, {{1, 2}}, {{0, 2}, {3, 4}}})
	p.wrote(first, 3)
	p.active = first
	stale("written there", [3][][2]int{{{3, 4}}, {{1, 2}}, {{0, 2}, {3, 4}}})
	if p.owner[3] != first || !p.behind() || p.current(host, 3) || !p.current(first, 3) {
		t.Errorf("%+v", p)
	}
	p.shared(second, 3)
	stale("written by one for all", [3][][2]int{nil, {{1, 2}}, {{0, 2}}})
	p.wrote(first, 2)
	p.rewind()
	stale("after the GPU was lost", [3][][2]int{nil, {{1, 3}}, {{0, 3}}})
	if p.behind() || p.owner[2] != host {
		t.Errorf("after the GPU was lost: %+v", p)
	}
}
