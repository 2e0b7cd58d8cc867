package dispatcher

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// runsWithNamed runs a job with the budget that its refusal names, and says of a little less that it is
// refused too.
func runsWithNamed[V, A any](t *rapid.T, s *store.Store, p gas.Program[V, A], o Options) {
	t.Helper()
	o.Memory = 1
	_, err := New(s, p, o)
	var need *MemoryError
	if !errors.As(err, &need) {
		t.Fatalf("%T with a budget of one byte: %v", p, err)
	}
	for _, less := range []int64{0, 4} { // that is lost by rounding
		o.Memory = need.Least() - less
		j, err := New(s, p, o)
		if less > 0 {
			if err == nil {
				j.Close()
				t.Fatalf("%T runs with %d bytes, and %d were named", p, o.Memory, need.Least())
			}
			continue
		}
		if err != nil {
			t.Fatalf("%T with the %d bytes that were named: %v", p, o.Memory, err)
		}
		r, err := j.Run(t.Context())
		j.Close()
		if err != nil || r.GPU.Without != "" || r.GPU.Lost != "" {
			t.Fatalf("%T: %v; without a GPU: %q, lost: %q", p, err, r.GPU.Without, r.GPU.Lost)
		}
		read := r.Preparation.Reads.Requested
		for _, it := range r.Iterations {
			read += it.Traffic.Requested
			if it.Method != Frontier || it.Device != GPU {
				t.Fatalf("%T: iteration %d is a %s on %s", p, it.Iteration, it.Method, it.Device)
			}
		}
		if len(r.Iterations) > 0 && r.Preparation.Reads.Requested == 0 || read != r.Reads.Requested {
			t.Fatalf("%T: %d bytes were read, %d of them before the first iteration, and %d with those of iterations", p,
				r.Reads.Requested, r.Preparation.Reads.Requested, read)
		}
	}
}

// TestGPUFrontierNamedBudget checks that with the budget that a job with frontiers on a GPU is said
// to need, it runs.
func TestGPUFrontierNamedBudget(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := testgraph.Draw(rt)
		how := teststore.Draw(rt)
		how.Wide = false
		s := teststore.Build(t, g, how)
		source := rapid.Uint32Range(0, uint32(g.N-1)).Draw(rt, "source")
		o := Options{Threads: rapid.IntRange(1, 3).Draw(rt, "threads"), Device: GPU, Method: Frontier,
			GPU: GPUOptions{Name: device.EmulatedName}}
		runsWithNamed(rt, s, gas.Program[uint32, uint32](programs.BFS{Source: source}), o)
		runsWithNamed(rt, s, gas.Program[float32, float32](programs.SSSP[float32]{Source: source}), o)
	})
}
