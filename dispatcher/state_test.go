package dispatcher

import (
	"slices"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
)

// newTestState returns the state of a job of the program over the diamond, initialised, with a GPU that never runs.
func newTestState[V, A any](t *testing.T, program gas.Program[V, A]) *state[V, A] {
	t.Helper()
	p := &plan[V, A]{program: program, store: teststore.Build(t, testgraph.Diamond(), teststore.Options{ShardVertices: 2}), opt: Options{Threads: 2}}
	if err := p.opt.check(); err != nil {
		t.Fatal(err)
	}
	if err := p.ask(); err != nil {
		t.Fatal(err)
	}
	s := newState(p)
	if err := s.allocate(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.arrays.Free)
	s.place = newPlacement(2, len(s.shape.firsts))
	if err := s.init(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestInit checks degrees, first values, active vertices and aggregates, by what the program says.
func TestInit(t *testing.T) {
	s := newTestState(t, gas.Program[uint32, uint32](programs.BFS{Source: 0}))
	n := s.shape.cat.Vertices
	if !s.arrays.Active.Has(0) || s.arrays.Active.Count(0, n) != 1 || s.now.degrees != uint64(s.arrays.Degree[0]) {
		t.Errorf("active %v, with %d edges", s.arrays.Active, s.now.degrees)
	}
	if s.aggregates != nil {
		t.Errorf("BFS has aggregates %v", s.aggregates)
	}
	rank := newTestState(t, gas.Program[float64, int64](programs.PageRank[float64]{Damping: 0.85}))
	sum := rank.aggregate()
	clear(rank.aggregates)
	if err := rank.resum(); err != nil || rank.aggregate() != sum {
		t.Errorf("aggregate %v, summed again %v: %v", sum, rank.aggregate(), err)
	}
}

// TestRewind checks that a run goes back to the last position of which the host has the values, and its
// report with it; where the host has the newest ones, it stays.
func TestRewind(t *testing.T) {
	s := newTestState(t, gas.Program[uint32, uint32](programs.BFS{Source: 0}))
	r := &recorder[uint32, uint32]{plan: s.plan, state: s}
	for i := range 5 {
		if s.now.step.Iteration = i; i == 2 {
			s.safe = s.now
		}
		r.add(Iteration{Iteration: i, Edges: 1})
	}
	if s.rewind() {
		t.Error("it goes back though the host has the newest values")
	}
	s.place.wroteAll(1)
	if !s.rewind() || s.now.step.Iteration != 2 || s.place.behind() || !s.place.current(host, 0) {
		t.Errorf("back at %+v, placement %+v", s.now, s.place)
	}
	r.rewind()
	var left []int
	for _, it := range r.report.Iterations {
		left = append(left, it.Iteration)
	}
	if !slices.Equal(left, []int{0, 1}) {
		t.Errorf("reported are %v", left)
	}
}

// TestQueue checks that a trace gets the number of shards of an iteration before their pages are
// processed.
func TestQueue(t *testing.T) {
	s := teststore.Build(t, testgraph.Diamond(), teststore.Options{ShardVertices: 1})
	shards := len(s.Catalogue().Shards)
	for _, on := range []Device{CPU, GPU} {
		var queued []int
		o := Options{Device: on, Method: Pull, GPU: GPUOptions{Name: "emulated"}, Trace: Trace{Queue: func(n int) { queued = append(queued, n) }}}
		_, r, err := runJob[uint32, uint32](s, WCC{}, o)
		if err != nil || len(queued) != len(r.Iterations) || queued[0] != shards {
			t.Errorf("%s: queued %v in %d iterations, of %d shards: %v", on, queued, len(r.Iterations), shards, err)
		}
	}
}
