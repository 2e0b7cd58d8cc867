package handout

import (
	"slices"
	"testing"
	"time"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
)

// pagesOf returns ten pages of a shard of ten vertices each, and the edges of the shards. Page p
// has degrees[p] edges for each
// of its vertices.
func pagesOf(t *testing.T, degrees [10]int) (*page.Cache, []uint64) {
	t.Helper()
	g := oracle.Graph{N: 100}
	edges := make([]uint64, 10)
	for p, d := range degrees {
		edges[p] = uint64(10 * d)
		for v := 10 * p; v < 10*p+10; v++ {
			for k := range d {
				g.Edges = append(g.Edges, oracle.Edge{Src: uint32((v + k) % g.N), Dst: uint32(v), Weight: 1})
			}
		}
	}
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 10})
	pages, err := page.New(s, page.Options{Gather: []shard.Direction{shard.In}, Threads: 1, PageBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pages.Close(); err != nil {
			t.Error(err)
		}
	})
	if n := len(pages.Spans()); n != 10 {
		t.Fatalf("%d pages", n)
	}
	return pages, edges
}

// TestRank checks that the CPU begins with pages of large shards, but not of those that keep a
// goroutine busy for too long.
func TestRank(t *testing.T) {
	pages, edges := pagesOf(t, [10]int{3, 9, 1, 5, 5, 2, 8, 4, 7, 6})
	if got, want := Rank(pages.Spans(), edges), []int{2, 9, 0, 4, 5, 1, 8, 3, 7, 6}; !slices.Equal(got, want) {
		t.Errorf("ranks %v, want %v", got, want)
	}
	edges[1], edges[8] = longTask+2, longTask+1
	if got, want := Rank(pages.Spans(), edges), []int{4, 0, 2, 6, 7, 3, 9, 5, 1, 8}; !slices.Equal(got, want) {
		t.Errorf("with long tasks: ranks %v, want %v", got, want)
	}
}

// TestHandout checks who gets which page, and how many the GPU may have before it has done one.
func TestHandout(t *testing.T) {
	const equal = 4
	for _, c := range []struct {
		name    string
		degrees [10]int
		speeds  policy.Speeds
		shared  bool
		gpu     []int // before it has done anything
		cpu     []int // then, before the GPU has
		after   []int // the GPU when it has done the first two
	}{
		{"shared", [10]int{3, 9, 1, 5, 5, 2, 8, 4, 7, 6}, policy.Speeds{Page: 1, Streamed: 2}, true, []int{2, 5, 0, 7, 3, 4},
			[]int{1, 6, 8, 9}, nil},
		{"equal pages", [10]int{equal, equal, equal, equal, equal, equal, equal, equal, equal, equal},
			policy.Speeds{Page: 1, Streamed: 2}, true, []int{0, 1, 2, 3}, []int{9, 8, 7, 6, 5, 4}, nil},
		{"a slow CPU", [10]int{equal, equal, equal, equal, equal, equal, equal, equal, equal, equal},
			policy.Speeds{Page: 100, Streamed: 1}, true, []int{0, 1, 2, 3}, nil, []int{4}},
		{"the largest page would take too long", [10]int{5, 5, 5, 5, 5, 9, 5, 5, 5, 5}, policy.Speeds{Page: 8, Streamed: 1},
			true, []int{0, 1, 2, 3}, []int{9, 8, 7}, []int{4}},
		{"not shared", [10]int{3, 9, 1, 5, 5, 2, 8, 4, 7, 6}, policy.Speeds{Page: 1, Streamed: 2}, false,
			[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			pages, edges := pagesOf(t, c.degrees)
			requests := gpuengine.Requests(pages.Spans(), 0, 10)
			h := New(pages, requests, edges, time.Now(), GPU{Number: 1})
			gpu := h.Parts[0]
			h.speeds = c.speeds
			if c.shared {
				h.Share(Rank(pages.Spans(), edges), c.speeds)
			}
			toGPU := func() (pages []int) {
				for len(h.queue.cached) > 0 && !gpu.waits() {
					p, err := gpu.next(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					pages = append(pages, p.Index)
				}
				return pages
			}
			if got := toGPU(); !slices.Equal(got, c.gpu) {
				t.Errorf("the GPU gets %v, want %v", got, c.gpu)
			}
			var cpu []int
			for i := h.toPull(); i >= 0; i = h.toPull() {
				h.mu.Lock()
				p, err := h.cachedFor(i)
				h.mu.Unlock()
				if err != nil {
					t.Fatal(err)
				}
				cpu = append(cpu, p.Index)
			}
			if !slices.Equal(cpu, c.cpu) {
				t.Errorf("the CPU gets %v, want %v", cpu, c.cpu)
			}
			for _, p := range c.gpu[:2] {
				gpu.Done(gpuengine.PageTime{From: p, To: p + 1, Edges: edges[p]})
			}
			if got := toGPU(); !slices.Equal(got, c.after) {
				t.Errorf("after two pages the GPU gets %v, want %v", got, c.after)
			}
		})
	}
}

// TestUnfinished checks that the CPU gets what a failed GPU had in work, and what its last batch continued,
// whatever the numbers of the GPUs that are left.
func TestUnfinished(t *testing.T) {
	pages, edges := pagesOf(t, [10]int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
	h := New(pages, gpuengine.Requests(pages.Spans(), 0, 10), edges, time.Now(), GPU{Number: 2}, GPU{Number: 3})
	h.Taken = func([]int) {}
	sound, failing := h.Parts[0], h.Parts[1]
	for k, p := range []*Part{sound, sound, sound, sound, sound, sound, sound, failing, failing, failing} {
		if _, err := p.next(t.Context()); err != nil {
			t.Fatalf("page %d: %v", k, err)
		}
	}
	sound.Done(gpuengine.PageTime{From: 0, To: 7, Continued: true})
	failing.Done(gpuengine.PageTime{From: 7, To: 9, Continued: true})
	if sound.End(false) || failing.End(true) {
		t.Error("all GPUs have failed")
	}
	if got, want := h.Unfinished(), []int{7, 9}; !slices.Equal(got, want) {
		t.Errorf("unfinished: %v, want %v", got, want)
	}
	for i, want := range []int{2, 2, 2, 2, 2, 2, 2, CPU, 3, CPU} {
		if got, some := h.Worker(i); got != want || !some {
			t.Errorf("shard %d is of worker %d, want %d", i, got, want)
		}
	}
}
