package garaph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/programs"
)

// numbered makes a graph of n vertices with three edges out of each.
func numbered(t *testing.T, scratch string, n int) *garaph.Graph {
	t.Helper()
	edges := make([][2]int, 0, 3*n)
	for i := range n {
		for _, to := range []int{i + 1, 7 * i, 13*i + 5} {
			edges = append(edges, [2]int{i, to % n})
		}
	}
	return made(t, edges, garaph.GraphOptions{Scratch: scratch})
}

// manyGraph returns a graph whose values come in more than one part.
func manyGraph(t *testing.T, scratch string) *garaph.Graph { return numbered(t, scratch, 40_000) }

// writer calls a function for each write.
type writer func([]byte) error

func (w writer) Write(b []byte) (int, error) { return len(b), w(b) }

// TestResultInUse checks that a result is not closed while its values are read or written, and
// afterwards it is.
func TestResultInUse(t *testing.T) {
	g := manyGraph(t, t.TempDir())
	for what, read := range map[string]func(r *garaph.Result, v *garaph.Values[int64, float64], amid func()) error{
		"all": func(_ *garaph.Result, v *garaph.Values[int64, float64], amid func()) error {
			n := 0
			for range v.All() {
				if n++; n == 10 {
					amid()
				}
			}
			if v.Err() == nil && n != 40_000 {
				t.Errorf("%d values", n)
			}
			return v.Err()
		},
		"blocks": func(_ *garaph.Result, v *garaph.Values[int64, float64], amid func()) error {
			for range v.Blocks() {
				amid()
			}
			return v.Err()
		},
		"a writer": func(r *garaph.Result, _ *garaph.Values[int64, float64], amid func()) error {
			return r.Write(writer(func([]byte) error { amid(); return nil }), "csv")
		},
	} {
		r, err := garaph.Run(t.Context(), g, programs.PageRank[float64]{Damping: .85}, garaph.RunOptions{Iterations: 3})
		if err != nil {
			t.Fatal(err)
		}
		v, err := garaph.ValuesOf[int64, float64](r, "")
		if err != nil {
			t.Fatal(err)
		}
		amid := func() {
			if err := r.Close(); !errors.Is(err, garaph.ErrInUse) {
				t.Errorf("%s, amid it: %v", what, err)
			}
		}
		if err := read(r, v, amid); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if err := errors.Join(r.Close(), r.Close()); err != nil {
			t.Errorf("%s, after it: %v", what, err)
		}
		if err := read(r, v, func() { t.Error("a closed result has values") }); err == nil {
			t.Errorf("%s of a closed result", what)
		}
	}
}

// TestGraphInUse checks that a graph is not closed amid its use. Afterwards it is, with its folder, and calls
// return [garaph.ErrClosed].
func TestGraphInUse(t *testing.T) {
	for what, use := range usesOf() {
		t.Run(what, func(t *testing.T) {
			scratch := t.TempDir()
			g := manyGraph(t, scratch)
			n := 0
			amid := func() {
				n++
				if err := g.Close(); !errors.Is(err, garaph.ErrInUse) {
					t.Errorf("amid it: %v", err)
				}
			}
			if err := use(t.Context(), g, amid); err != nil || n == 0 {
				t.Errorf("%d times amid it: %v", n, err)
			}
			if err := g.Close(); err != nil {
				t.Error(err)
			}
			isEmpty(t, scratch)
			err := use(t.Context(), g, func() { t.Error("a closed graph is used") })
			if !errors.Is(err, garaph.ErrClosed) || errors.Is(err, garaph.ErrDamaged) {
				t.Errorf("closed: %v", err)
			}
			if _, err := g.Vertex("1"); !errors.Is(err, garaph.ErrClosed) {
				t.Errorf("a vertex of a closed graph: %v", err)
			}
		})
	}
}

// usesOf are uses of a graph, with something that is called amid them.
func usesOf() map[string]func(ctx context.Context, g *garaph.Graph, amid func()) error {
	rank := programs.PageRank[float64]{Damping: .85}
	return map[string]func(ctx context.Context, g *garaph.Graph, amid func()) error{
		"a job": func(ctx context.Context, g *garaph.Graph, amid func()) error {
			r, err := garaph.Run(ctx, g, rank, garaph.RunOptions{Iterations: 5, Progress: func(garaph.Iteration) { amid() }})
			if err != nil {
				return err
			}
			return errors.Join(r.Write(io.Discard, "csv"), r.Close())
		},
		"a job with parents": func(ctx context.Context, g *garaph.Graph, amid func()) error {
			r, err := garaph.RunWithParents(ctx, g, programs.SSSP[float64]{},
				garaph.RunOptions{Progress: func(garaph.Iteration) { amid() }}, nil)
			if err != nil {
				return err
			}
			_, _, err = garaph.PathTo[float64](r, 20)
			return errors.Join(err, r.Close())
		},
		"an algorithm": func(ctx context.Context, g *garaph.Graph, amid func()) error {
			o := garaph.AlgorithmOptions{Threads: 1, Progress: func(algorithms.Progress) { amid() }}
			r, err := garaph.RunAlgorithm(ctx, g, algorithms.Triangles{}, o)
			if err != nil {
				return err
			}
			return r.Close()
		},
		"an export": func(ctx context.Context, g *garaph.Graph, amid func()) error {
			var b bytes.Buffer
			_, err := g.Export(ctx, writer(func(p []byte) error { amid(); b.Write(p); return nil }), garaph.ExportOptions{})
			if lines := bytes.Count(b.Bytes(), []byte("\n")); err == nil && lines < 120_000 {
				return fmt.Errorf("%d lines of 120000 edges", lines)
			}
			return err
		},
		"communities": func(ctx context.Context, g *garaph.Graph, amid func()) error {
			queries := []garaph.CommunityQuery{{Vertex: 1, Low: 2, High: 4}}
			_, err := garaph.FindCommunities(ctx, g, queries, garaph.CommunityOptions{}, func(int, *garaph.Community) error {
				amid()
				return nil
			})
			return err
		},
		"neighbours": func(_ context.Context, g *garaph.Graph, amid func()) error {
			n, err := garaph.NeighborsOf[int64](g)
			if err != nil {
				return err
			}
			for range n.Out(7919) {
				amid()
			}
			return n.Err()
		},
	}
}
