package garaph_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
)

// flaky counts walks of each length that end in a vertex, and panics in
// iteration 5 while broken is set.
type flaky struct{ Modulus uint32 }

var broken atomic.Bool

func (flaky) Init(gas.Vertex) (uint32, bool)                 { return 1, true }
func (flaky) Zero() uint32                                   { return 0 }
func (flaky) Gather(src uint32, _ gas.Edge, _ uint32) uint32 { return src }
func (f flaky) Sum(a, b uint32) uint32                       { return (a + b) % f.Modulus }
func (flaky) Activate(gas.Vertex, uint32, uint32) bool       { return true }
func (flaky) Apply(v gas.Vertex, _, acc uint32, s gas.Step) uint32 {
	if s.Iteration == 5 && v.ID == 77 && broken.Load() {
		panic("in the middle of an iteration")
	}
	return acc
}

// TestFailed checks that a job that failed in the middle of an iteration has kept the state
// before it, though no checkpoints were asked for, and is resumed with a
// program of the same text.
func TestFailed(t *testing.T) {
	g := manyShards(t, 8)
	p := flaky{Modulus: 1000}
	for _, mode := range []dispatcher.Mode{dispatcher.Sync, dispatcher.Async} {
		o := garaph.RunOptions{Mode: mode, Iterations: 12, Threads: 2}
		r, err := garaph.Run[uint32, uint32](t.Context(), g, p, o)
		if err != nil {
			t.Fatal(err)
		}
		want := written(t, r)
		r.Close()
		broken.Store(true)
		o.Job = g.NewJob(checkpoint.Spec{Name: "flaky"})
		_, err = garaph.Run[uint32, uint32](t.Context(), g, p, o)
		broken.Store(false)
		if err == nil || !strings.Contains(err.Error(), "flaky panicked") {
			t.Fatalf("%s: %v", mode, err)
		}
		list, err := g.Jobs()
		if last := list[len(list)-1]; err != nil || last.Status != checkpoint.Failed || last.Iteration != 5 ||
			len(last.Epochs) != 1 || !strings.Contains(last.Error, "panicked") {
			t.Errorf("%s: it is listed as %+v, %v", mode, last, err)
		}
		r, err = garaph.Resume[uint32, uint32](t.Context(), g, p, 0, garaph.RunOptions{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if r.Report.Before != 5 {
			t.Errorf("%s: resumed after %d iterations", mode, r.Report.Before)
		}
		if mode == dispatcher.Sync { // an async walk depends on where it was interrupted
			alike(t, "resumed", written(t, r), want, true)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestResumeElsewhere checks that a job that began within little memory, from disk, goes on
// in memory, and the other way, with the same bits.
func TestResumeElsewhere(t *testing.T) {
	g := manyShards(t, 9)
	for _, w := range works() {
		policy := garaph.Checkpoints{Every: 2}
		_, err := w.run(t.Context(), g, garaph.RunOptions{Memory: 1, Checkpoints: policy})
		var need *garaph.MemoryError
		if !errors.As(err, &need) || need.Checkpoints == 0 || !strings.Contains(err.Error(), "for checkpoints") {
			t.Fatalf("a byte is enough: %v", err)
		}
		for _, memory := range [][2]int64{{need.Least(), 0}, {0, need.Least()}} {
			o := garaph.RunOptions{Memory: memory[0], Checkpoints: policy}
			r, err := w.run(t.Context(), g, o)
			if err != nil {
				t.Fatal(err)
			}
			want, limit := written(t, r), r.Report.NotifyLimit
			half := len(r.Report.Iterations) / 2
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if half == 0 { // it was done before it could be interrupted
				continue
			}
			ctx, cancel := context.WithCancel(t.Context())
			o.Progress = func(it garaph.Iteration) {
				if it.Iteration >= half-1 {
					cancel()
				}
			}
			if _, err := w.run(ctx, g, o); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if o.Job, err = g.OpenJob(0); err != nil {
				t.Fatal(err)
			}
			o.Memory, o.Progress = memory[1], nil
			if r, err = w.run(t.Context(), g, o); err != nil {
				t.Fatal(err)
			}
			if memory[0] == 0 && r.Report.NotifyLimit != limit || r.Report.AccessRatio != 0 {
				t.Errorf("%s, resumed: notifies up to %v, as before up to %v, by a ratio of %v that was not measured",
					w.name, r.Report.NotifyLimit, limit, r.Report.AccessRatio)
			}
			alike(t, w.name, written(t, r), want, true)
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
