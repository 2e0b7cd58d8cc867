package garaph_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/programs"
)

// TestCancelCause checks that after a cancellation with a cause, the error is the context's and the
// cause, whatever was cancelled.
func TestCancelCause(t *testing.T) {
	boo := errors.New("boo")
	rank := programs.PageRank[float64]{Damping: .85}
	for what, do := range map[string]func(ctx context.Context, g *garaph.Graph, cancel func()) error{
		"edges": func(ctx context.Context, _ *garaph.Graph, cancel func()) error {
			_, err := garaph.FromEdges(ctx, func(yield func(int, int) bool) {
				for i := 0; yield(i, i+1); i++ {
					if i == 100_000 {
						cancel()
					}
				}
			}, garaph.GraphOptions{Scratch: t.TempDir()})
			return err
		},
		"a job": func(ctx context.Context, g *garaph.Graph, cancel func()) error {
			_, err := garaph.Run(ctx, g, rank,
				garaph.RunOptions{Iterations: garaph.Forever, Progress: func(garaph.Iteration) { cancel() }})
			return err
		},
		"an algorithm": func(ctx context.Context, g *garaph.Graph, cancel func()) error {
			cancel()
			_, err := garaph.RunAlgorithm(ctx, g, algorithms.Triangles{}, garaph.AlgorithmOptions{})
			return err
		},
		"an export": func(ctx context.Context, g *garaph.Graph, cancel func()) error {
			cancel()
			_, err := g.Export(ctx, io.Discard, garaph.ExportOptions{})
			return err
		},
		"a verification": func(ctx context.Context, g *garaph.Graph, cancel func()) error {
			cancel()
			return g.Verify(ctx, func(int64) {}, func(error) {})
		},
		"communities": func(ctx context.Context, g *garaph.Graph, cancel func()) error {
			cancel()
			_, err := garaph.FindCommunities(ctx, g,
				[]garaph.CommunityQuery{{Vertex: 1, Low: 2, High: 4}}, garaph.CommunityOptions{},
				func(int, *garaph.Community) error { return nil })
			return err
		},
	} {
		g := manyGraph(t, t.TempDir())
		ctx, cancel := context.WithCancelCause(t.Context())
		err := do(ctx, g, func() { cancel(boo) })
		if !errors.Is(err, context.Canceled) || !errors.Is(err, boo) || strings.Count(err.Error(), "boo") != 1 {
			t.Errorf("%s with a cause: %v", what, err)
		}
		ctx, stop := context.WithCancel(t.Context())
		if err = do(ctx, g, stop); !errors.Is(err, context.Canceled) || strings.Count(err.Error(), "canceled") != 1 {
			t.Errorf("%s without a cause: %v", what, err)
		}
	}
}

// TestNumbersRefused checks that the error of a number that cannot be is about that one.
func TestNumbersRefused(t *testing.T) {
	g := manyGraph(t, t.TempDir())
	for want, o := range map[string]garaph.RunOptions{
		"iterations -7: expected a number ≥ 0":         {Iterations: -7},
		"memory -1: expected a number of bytes ≥ 0":    {Memory: -1},
		"threads -2: expected a number from 0 to 4096": {Threads: -2, Iterations: 3},
		`gather "any": expected auto, replicated or segmented`: {Device: dispatcher.CPU,
			GPU: garaph.GPUOptions{Gather: "any"}, Iterations: 3},
		"threads 1073741824: expected a number from 0 to 4096": {Threads: 1 << 30, Iterations: 3},
	} {
		if _, err := garaph.Run(t.Context(), g, programs.BFS{}, o); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	_, err := garaph.RunAlgorithm(t.Context(), g, algorithms.Coreness{}, garaph.AlgorithmOptions{Memory: -1})
	if err == nil || !strings.HasSuffix(err.Error(), "algorithms.Coreness: memory -1: expected a number of bytes ≥ 0") {
		t.Errorf("an algorithm: %v", err)
	}
	if _, err := garaph.Run(t.Context(), g, programs.BFS{}, garaph.RunOptions{Iterations: garaph.Forever}); err != nil {
		t.Errorf("for ever: %v", err)
	}
}
