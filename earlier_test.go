package garaph_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/programs"
)

// TestEarlier checks that the report of a resumed job has what this process did apart from what
// earlier ones did, and both together are what a job does that nobody interrupts.
func TestEarlier(t *testing.T) {
	g, err := garaph.FromEdges(t.Context(), func(yield func(a, b int) bool) {
		for i := 0; i < 500 && yield(i, (i+1)%500) && yield(i, i*i%500); i++ {
		}
	}, garaph.GraphOptions{Folder: filepath.Join(t.TempDir(), "g")})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	p := programs.PageRank[float64]{Damping: 0.85}
	o := garaph.RunOptions{Iterations: 12, Checkpoints: garaph.Checkpoints{Every: 1}}
	whole, err := garaph.Run(t.Context(), g, p, garaph.RunOptions{Iterations: 12})
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	stopAfter := func(n int, run func(context.Context, garaph.RunOptions) (*garaph.Result, error)) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stopping := o
		stopping.Progress = func(it garaph.Iteration) {
			if it.Iteration+1 == n {
				cancel()
			}
		}
		if _, err := run(ctx, stopping); err == nil {
			t.Fatalf("it was not stopped after %d iterations", n)
		}
	}
	resume := func(ctx context.Context, o garaph.RunOptions) (*garaph.Result, error) {
		return garaph.Resume(ctx, g, p, 0, o)
	}
	stopAfter(3, func(ctx context.Context, o garaph.RunOptions) (*garaph.Result, error) {
		return garaph.Run(ctx, g, p, o)
	})
	stopAfter(7, resume)
	res, err := resume(t.Context(), garaph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	r, all := res.Report, whole.Report
	if r.Earlier == nil || r.Before != 7 || r.Done() != 12 || r.Earlier.Edges+r.Edges != all.Edges ||
		r.Earlier.Edges != 7*all.Edges/12 {
		t.Fatalf("after %d iterations: %d edges, earlier %+v, of %d in all", r.Before, r.Edges, r.Earlier, all.Edges)
	}
	if r.Earlier.Seconds <= 0 || r.Earlier.LoadSeconds <= 0 || all.Earlier != nil {
		t.Errorf("earlier %+v", r.Earlier)
	}
}
