package garaph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/programs"
)

// manyGraph is a graph of so many vertices that their values come in more than one part.
func manyGraph[I garaph.EdgeID](t *testing.T, scratch string, id func(int) I) *garaph.Graph {
	t.Helper()
	return graphOf(t, scratch, 40_000, id)
}

func graphOf[I garaph.EdgeID](t *testing.T, scratch string, n int, id func(int) I) *garaph.Graph {
	t.Helper()
	edges := make([][2]I, 0, 3*n)
	for i := range n {
		for _, to := range []int{i + 1, 7 * i, 13*i + 5} {
			edges = append(edges, [2]I{id(i), id(to % n)})
		}
	}
	g, err := garaph.FromSlice(t.Context(), edges, nil, garaph.GraphOptions{Scratch: scratch})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

func number(v int) int { return v }

// TestCloseWhileRead: a result that is closed while its values are read ends the reading, amid which its memory stays.
func TestCloseWhileRead(t *testing.T) {
	const partRows = 12_288            // are written at once
	ahead := 2 * runtime.GOMAXPROCS(0) // parts that may be read before the first is written
	g := graphOf(t, t.TempDir(), (ahead+2)*partRows, number)
	for what, read := range map[string]func(*garaph.Result, *garaph.Values[int64, float64]) error{
		"all": func(r *garaph.Result, v *garaph.Values[int64, float64]) error {
			n := 0
			for range v.All() {
				if n++; n == 10 {
					if err := r.Close(); err != nil {
						t.Error(err)
					}
				}
			}
			return v.Err()
		},
		"blocks": func(r *garaph.Result, v *garaph.Values[int64, float64]) error {
			sum := 0.0
			for _, xs := range v.Blocks() {
				if err := r.Close(); err != nil {
					t.Error(err)
				}
				for _, x := range xs {
					sum += x
				}
			}
			return v.Err()
		},
		"a writer": func(r *garaph.Result, _ *garaph.Values[int64, float64]) error {
			return r.Write(writer(func([]byte) error { return r.Close() }), "csv")
		},
		"another goroutine": func(r *garaph.Result, v *garaph.Values[int64, float64]) error {
			closed := make(chan error)
			go func() { closed <- r.Close() }()
			for v.Err() == nil { // until Close came
				for range v.All() {
				}
			}
			return errors.Join(<-closed, v.Err())
		},
		"writing beside it": func(r *garaph.Result, _ *garaph.Values[int64, float64]) error {
			closed := make(chan error)
			go func() { closed <- r.Close() }()
			for _, format := range []string{"csv", "npy", "parquet", "arrow", "ndjson"} {
				err := r.Write(io.Discard, format)
				if err != nil && !strings.Contains(err.Error(), "no values any more") {
					t.Errorf("%s: %v", format, err)
				}
			}
			return errors.Join(<-closed, r.Write(io.Discard, "csv"))
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
		if err := read(r, v); err == nil || !strings.Contains(err.Error(), "the result has no values any more") {
			t.Errorf("%s: %v", what, err)
		}
		if err := r.Close(); err != nil {
			t.Errorf("%s: closed again: %v", what, err)
		}
	}
}

// writer calls a function for each write.
type writer func([]byte) error

func (w writer) Write(b []byte) (int, error) { return len(b), w(b) }

// TestCloseWhileUsed: a graph that is closed amid its use stays until that has ended, and goes then.
func TestCloseWhileUsed(t *testing.T) {
	for what, use := range usesOf() {
		t.Run(what, func(t *testing.T) {
			scratch := t.TempDir()
			g := manyGraph(t, scratch, number)
			closed := 0
			closing := func() {
				closed++
				if err := g.Close(); err != nil {
					t.Error(err)
				}
			}
			if err := use(t.Context(), g, closing); err != nil || closed == 0 {
				t.Errorf("%d times closed amid it: %v", closed, err)
			}
			isEmpty(t, scratch)
			if _, err := g.Vertex("1"); !errors.Is(err, garaph.ErrClosed) {
				t.Errorf("used after it: %v", err)
			}
		})
	}
}

// usesOf are uses of a graph, with something that is called amid them.
func usesOf() map[string]func(ctx context.Context, g *garaph.Graph, amid func()) error {
	rank := programs.PageRank[float64]{Damping: .85}
	return map[string]func(ctx context.Context, g *garaph.Graph, amid func()) error{
		"a job": func(ctx context.Context, g *garaph.Graph, amid func()) error {
			r, err := garaph.Run(ctx, g, rank, garaph.RunOptions{Iterations: 20, Progress: func(garaph.Iteration) { amid() }})
			if err != nil {
				return err
			}
			if err := r.Write(io.Discard, "csv"); !errors.Is(err, garaph.ErrClosed) {
				return fmt.Errorf("the values were written: %w", err)
			}
			return r.Close()
		},
		"a job, from beside": func(ctx context.Context, g *garaph.Graph, amid func()) error {
			goes, over := make(chan bool, 1), make(chan bool)
			go func() {
				<-goes
				amid()
				close(over)
			}()
			r, err := garaph.Run(ctx, g, rank, garaph.RunOptions{Iterations: 20, Progress: func(garaph.Iteration) {
				select {
				case goes <- true:
				default:
				}
			}})
			<-over
			if err != nil {
				return err
			}
			return r.Close()
		},
		"a job with parents": func(ctx context.Context, g *garaph.Graph, amid func()) error {
			o := garaph.RunOptions{Progress: func(garaph.Iteration) { amid() }} // parents are found after that
			r, err := garaph.RunWithParents(ctx, g, programs.SSSP[float64]{}, o, nil)
			if err != nil {
				return err
			}
			defer r.Close()
			_, _, err = garaph.PathTo[float64](r, 20)
			return err
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
		"ids": func(ctx context.Context, g *garaph.Graph, amid func()) error {
			return g.ExportIDs(ctx, writer(func([]byte) error { amid(); return nil }))
		},
		"communities": func(ctx context.Context, g *garaph.Graph, amid func()) error {
			queries := []garaph.CommunityQuery{{Vertex: 1, Low: 2, High: 4}, {Vertex: 9, Low: 2, High: 4}}
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
			found := 0
			for range n.Out(7919) {
				amid()
				found++
			}
			if found != 3 {
				return fmt.Errorf("%d neighbours: %w", found, n.Err())
			}
			return n.Err()
		},
		"values": func(ctx context.Context, g *garaph.Graph, amid func()) error {
			r, err := garaph.Run(ctx, g, rank, garaph.RunOptions{Iterations: 2})
			if err != nil {
				return err
			}
			defer r.Close()
			v, err := garaph.ValuesOf[int64, float64](r, "")
			if err != nil {
				return err
			}
			found := 0
			for range v.All() {
				if found++; found == 10 {
					amid()
				}
			}
			if found != 40_000 {
				return fmt.Errorf("%d values: %w", found, v.Err())
			}
			return v.Err()
		},
	}
}
