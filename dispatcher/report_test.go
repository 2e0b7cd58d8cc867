package dispatcher

import (
	"context"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// restless keeps every vertex active.
type restless struct{ programs.Heat }

func (restless) Activate(gas.Vertex, float32, float32) bool { return true }

// TestLongReport checks that the report of many iterations has a bounded number of entries, in
// which each iteration is counted once.
func TestLongReport(t *testing.T) {
	g := oracle.Graph{N: 2, Edges: []oracle.Edge{{Src: 0, Dst: 1, Weight: 1}, {Src: 1, Dst: 0, Weight: 1}}}
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 2, Layout: store.Packed, Weighted: true})
	const all = 5*MaxIterations + 3
	var edges, kept uint64
	heat := restless{programs.Heat{Step: 0.1}}
	j, err := New(s, heat, Options{Threads: 1, Iterations: all, Progress: func(it Iteration) {
		edges += it.Edges
		if it.Levels > 0 || it.Devices[CPU].Edges != it.Edges {
			t.Errorf("progress has %+v", it)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	r, err := j.Run(context.Background())
	if err != nil || r.Done() != all || len(r.Iterations) > MaxIterations || len(r.Iterations) < MaxIterations/2 ||
		cap(r.Iterations) > 2*MaxIterations {
		t.Fatalf("%d iterations in %d entries, memory for %d: %v", r.Done(), len(r.Iterations), cap(r.Iterations), err)
	}
	next, sum := 0, DeviceWork{}
	for _, it := range r.Iterations {
		if it.Iteration != next || it.Levels > 8 || it.Devices[CPU].Edges != it.Edges {
			t.Fatalf("iteration %d comes after %d: %+v", it.Iteration, next, it)
		}
		next += max(1, it.Levels)
		kept += it.Edges
		sum.Pages += it.Pages
	}
	if next != all || kept != edges || r.Edges != edges || sum.Pages != r.Devices[CPU].Pages {
		t.Errorf("%d iterations of %d, %d edges of %d, %d pages of %d", next, all, kept, edges, sum.Pages,
			r.Devices[CPU].Pages)
	}
	j.state.place.behind = true // a GPU has what is newest, and fails
	j.state.safe = j.state.now
	j.state.safe.step.Iteration = r.Iterations[100].Iteration + 3
	if j.state.rewind() {
		j.recorder.rewind()
	}
	if j.recorder.report.Done() != j.state.now.step.Iteration {
		t.Errorf("%d iterations are reported, %d done", j.recorder.report.Done(), j.state.now.step.Iteration)
	}
}
