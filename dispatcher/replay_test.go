package dispatcher

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// recordPolicy runs a job and returns what its policy was asked and said.
func recordPolicy[V, A any](t *testing.T, s *store.Store, p gas.Program[V, A], o Options) (run []policy.Event) {
	t.Helper()
	o.hooks.decided = func(e policy.Event) { run = append(run, e) }
	if _, r, err := runJob(s, p, o); err != nil || r.GPU.Lost != "" {
		t.Fatal(err, r.GPU.Lost)
	}
	return run
}

// TestReplay checks that what a job's policy decides depends on nothing but what is recorded of it.
func TestReplay(t *testing.T) {
	s := teststore.Build(t, dangling(), teststore.Options{ShardVertices: 100})
	sum := 0
	for _, o := range []Options{{Device: CPU}, {Device: Hybrid}, {Device: Hybrid,
		hooks: hooks{speeds: evenly, pageBytes: 1}}, {Device: GPU}, {Device: Hybrid, Mode: Async,
		hooks: hooks{speeds: evenly}}} {
		if o.Threads = 2; o.Device != CPU {
			o.GPU.Name = "emulated"
			o.GPU.Memory = leastGPU(t, s, gas.Program[float64, int64](PageRank[float64]{}), o) + 20<<10
		}
		bfs := recordPolicy(t, s, gas.Program[uint32, uint32](BFS{BFS: programs.BFS{Source: 1}}), o)
		o.Iterations = 12
		rank := recordPolicy(t, s, gas.Program[float64,
			int64](PageRank[float64]{PageRank: programs.PageRank[float64]{Damping: 0.85}}), o)
		for _, run := range [][]policy.Event{bfs, rank} {
			sum += len(run)
			if err := replayed(run); err != nil {
				t.Errorf("%s: %v", o.Device, err)
			}
			for i := range run {
				if d := run[i].Decision; d != nil {
					d.Alpha++
					break
				}
			}
			if err := replayed(run); err == nil {
				t.Errorf("%s: another α is not found", o.Device)
			}
		}
	}
	if sum < 200 {
		t.Errorf("only %d events were recorded", sum)
	}
}

// replayed makes the calls of a run again, and compares what they give.
func replayed(run []policy.Event) error {
	var s policy.State
	for i, e := range run {
		var got, want any
		switch {
		case e.State != nil:
			s = *e.State
		case e.Measurement != nil:
			s = policy.Learn(s, *e.Measurement)
		case e.Decision != nil:
			want = *e.Decision
			got, s = policy.Decide(*e.Observation, s)
		default:
			want = *e.Upkeep
			got, s = policy.Maintain(*e.Observation, s, e.Seconds)
		}
		if !reflect.DeepEqual(got, want) {
			return fmt.Errorf("event %d: got %+v, the recorded run had %+v", i+1, got, want)
		}
	}
	return nil
}
