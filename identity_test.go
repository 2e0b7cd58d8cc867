package garaph_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/programs"
)

// walk counts walks. Its fields have the names of options.
type walk struct {
	mode, engine, iterations uint32
	by                       factor
}

// factor is of several types that look alike.
type factor interface{ times(x uint32) uint32 }

type (
	double struct{ n uint32 }
	triple struct{ n uint32 }
)

func (d double) times(x uint32) uint32 { return 2 * d.n * x }
func (d triple) times(x uint32) uint32 { return 3 * d.n * x }

func (w walk) Init(gas.Vertex) (uint32, bool)                     { return w.mode + w.engine + w.iterations, true }
func (walk) Zero() uint32                                         { return 0 }
func (w walk) Gather(src uint32, _ gas.Edge, _ uint32) uint32     { return w.by.times(src) }
func (walk) Sum(a, b uint32) uint32                               { return a + b }
func (walk) Activate(gas.Vertex, uint32, uint32) bool             { return true }
func (walk) Apply(_ gas.Vertex, _, acc uint32, _ gas.Step) uint32 { return acc }

// TestFieldsLikeOptions checks that a program's fields and the options of a run are held
// against those of the job one by one, also where their names are the same.
func TestFieldsLikeOptions(t *testing.T) {
	g := manyShards(t, 7)
	was := walk{1, 2, 3, double{1}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := garaph.RunOptions{Checkpoints: garaph.Checkpoints{Every: 1}, Mode: dispatcher.Async, Iterations: 4}
	if _, err := garaph.Run[uint32, uint32](ctx, g, was, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for _, c := range []struct {
		p    walk
		o    garaph.RunOptions
		says string
	}{
		{walk{9, 2, 3, double{1}}, garaph.RunOptions{}, "mode was 1 and is 9"},
		{walk{1, 9, 3, double{1}}, garaph.RunOptions{}, "engine was 2 and is 9"},
		{walk{1, 2, 9, double{1}}, garaph.RunOptions{}, "iterations was 3 and is 9"},
		{walk{1, 2, 3, triple{1}}, garaph.RunOptions{}, "by was garaph_test.double {n:1} and is garaph_test.triple {n:1}"},
		{was, garaph.RunOptions{Mode: dispatcher.Sync}, "mode was async and is sync"},
		{was, garaph.RunOptions{Iterations: 9}, "iterations was 4 and is 9"},
	} {
		_, err := garaph.Resume[uint32, uint32](t.Context(), g, c.p, 1, c.o)
		if !errors.Is(err, garaph.ErrDiffers) || !strings.HasSuffix(err.Error(), ": "+c.says) {
			t.Errorf("got %v, want %q", err, c.says)
		}
	}
	r, err := garaph.Resume[uint32, uint32](t.Context(), g, was, 1, garaph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Report.Iterations); n != 4 {
		t.Errorf("%d iterations, as the first run was to have 4", n)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// texted has its text behind a pointer.
type texted struct{ programs.BFS }

func (*texted) SourceText() string { return "texted" }

// outer has its text from what it embeds, and would be resumed with other methods
// of its own.
type outer struct{ texted }

func (outer) Activate(_ gas.Vertex, old, fresh uint32) bool { return old != fresh }

// TestPointer checks that a program behind a pointer has its package in its name, and what
// is embedded with a text is not the text of all of it.
func TestPointer(t *testing.T) {
	g := manyShards(t, 7)
	ctx, end := context.WithCancel(t.Context())
	end()
	p := &outer{texted{programs.BFS{Source: 1}}}
	_, err := garaph.Run[uint32, uint32](ctx, g, p, garaph.RunOptions{Checkpoints: garaph.Checkpoints{Every: 1}})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	job, err := g.OpenJob(1)
	if err != nil {
		t.Fatal(err)
	}
	defer job.Close()
	id := job.Record().Identity
	if id.Program != "*github.com/garaph/garaph_test.outer" || !strings.HasPrefix(id.Source, "build ") {
		t.Errorf("%+v", id)
	}
}
