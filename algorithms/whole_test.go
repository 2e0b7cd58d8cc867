package algorithms_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// hops are the levels of a search from vertex 0, -1 where it does not come, by operators.
type hops struct {
	weights bool
	level   func() // is called along edges
}

func (h hops) Plan(g *store.Catalogue, _ int) algorithms.Plan {
	n := int64(g.Vertices)
	return algorithms.Plan{Whole: []shard.Direction{shard.Out}, Weights: h.weights, Arrays: []algorithms.Array{
		{Name: "the levels", Bytes: 8 * n}, {Name: "the vertices", Bytes: 4 * n},
	}}
}

func (h hops) Run(ctx context.Context, e *algorithms.Env) ([]int64, error) {
	n := int(e.Graph.Vertices)
	level, err := algorithms.Make[int64](e, n)
	if err != nil {
		return nil, err
	}
	memory, err := algorithms.Make[uint32](e, n)
	if err != nil {
		return nil, err
	}
	rows, err := e.Load(ctx, shard.Out)
	if err != nil {
		return nil, err
	}
	for v := range level {
		level[v] = -1
	}
	level[0] = 0
	reached := frontier.New(memory, e.Threads)
	err = reached.Add(0)
	for done, next := 0, int64(1); err == nil && done < len(reached.List()); next++ {
		now := reached.List()[done:]
		done += len(now)
		err = frontier.Advance(ctx, e, rows, now, reached, func(_, v uint32, _ uint64) bool {
			if h.level != nil {
				h.level()
			}
			return atomic.CompareAndSwapInt64(&level[v], -1, next)
		})
	}
	return level, err
}

// levels are the oracle's.
func levels(g oracle.Graph) (list []int64) {
	for _, d := range oracle.BFS(g, 0) {
		if list = append(list, -1); d != gas.Unreached {
			list[len(list)-1] = d
		}
	}
	return list
}

// TestHops checks that a search by operators over rows of the whole graph is the oracle's, whatever the
// layout, and with the least memory too.
func TestHops(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		g := testgraph.Draw(r)
		o := teststore.Draw(r)
		s, err := teststore.BuildIn(folder, g, o)
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		if o.Symmetric {
			g = teststore.Mirrored(g)
		}
		want := levels(g)
		a := hops{weights: rapid.Bool().Draw(r, "weights")}
		opt := algorithms.Options{
			Threads: rapid.IntRange(1, 8).Draw(r, "threads"), Memory: rapid.SampledFrom([]int64{0, starved}).Draw(r, "memory"),
		}
		got, report := run(t, s, a, opt)
		if diff := cmp.Diff(want, got); diff != "" {
			r.Fatal(diff)
		}
		if !report.InMemory || report.Requested == 0 {
			r.Fatalf("%+v", report)
		}
	})
}

// TestHopsHub checks that many goroutines share the row of a hub and claim the same vertices.
func TestHopsHub(t *testing.T) {
	for _, g := range []oracle.Graph{manyTriangles(), tangled(30_000, 2)} {
		s := teststore.Build(t, g, teststore.Options{ShardVertices: 5000})
		want := levels(g)
		if got, _ := run(t, s, hops{}, algorithms.Options{Threads: 8}); !slices.Equal(want, got) {
			t.Error(cmp.Diff(want, got))
		}
	}
}

// TestWholeFails checks that rows that memory has no room for are refused with a budget that is enough,
// and what goes wrong in an operator is the error of the run.
func TestWholeFails(t *testing.T) {
	s := teststore.Build(t, manyTriangles(), teststore.Options{ShardVertices: 5000})
	_, err := algorithms.Run(t.Context(), s, hops{}, algorithms.Options{Threads: 2, Memory: starved})
	var need *algorithms.MemoryError
	if !errors.As(err, &need) || !strings.Contains(err.Error(), " for the out rows of the whole graph, ") ||
		!strings.Contains(err.Error(), " for reading them") {
		t.Fatal(err)
	}
	if _, err := algorithms.Run(t.Context(), s, hops{},
		algorithms.Options{Threads: 2, Memory: need.Least() - 1}); !errors.As(err, &need) {
		t.Errorf("with a byte less: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := algorithms.Run(ctx, s, hops{level: cancel}, algorithms.Options{Threads: 2}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	_, err = algorithms.Run(t.Context(), s, hops{level: func() { panic("oh") }}, algorithms.Options{Threads: 2})
	if err == nil || !strings.Contains(err.Error(), "hops panicked: oh") {
		t.Errorf("panics: got %v", err)
	}
}

// TestLoadMistakes checks that rows of the whole graph are those that were planned, once.
func TestLoadMistakes(t *testing.T) {
	s := teststore.Build(t, testgraph.Diamond(), teststore.Options{})
	for _, c := range []struct {
		loads []shard.Direction
		want  string
	}{
		{[]shard.Direction{shard.In}, "loads in rows of the whole graph that its plan does not include"},
		{[]shard.Direction{shard.Out, shard.Out}, "loads more than it planned"},
	} {
		a := loading{scripted{bytes: 40, run: func(ctx context.Context, e *algorithms.Env) ([]int64, error) {
			for _, dir := range c.loads {
				if _, err := e.Load(ctx, dir); err != nil {
					return nil, err
				}
			}
			return nil, fmt.Errorf("it loaded %v", c.loads)
		}}}
		if _, err := algorithms.Run(t.Context(), s, a, algorithms.Options{}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// loading plans out-rows of the whole graph, too.
type loading struct{ scripted }

func (a loading) Plan(g *store.Catalogue, threads int) algorithms.Plan {
	p := a.scripted.Plan(g, threads)
	p.Whole = []shard.Direction{shard.Out}
	return p
}
