package algorithms_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// scripted is an algorithm whose parts a test gives.
type scripted struct {
	rows  []shard.Direction
	bytes int64
	run   func(ctx context.Context, e *algorithms.Env) ([]int64, error)
}

func (a scripted) Plan(*store.Catalogue, int) algorithms.Plan {
	return algorithms.Plan{Rows: a.rows, Weights: true, Arrays: []algorithms.Array{{Name: "the values", Bytes: a.bytes}}}
}

func (a scripted) Run(ctx context.Context, e *algorithms.Env) ([]int64, error) { return a.run(ctx, e) }

// TestMistakes checks that a mistake of an algorithm becomes an error that names it.
func TestMistakes(t *testing.T) {
	s := teststore.Build(t, testgraph.Diamond(), teststore.Options{})
	in := []shard.Direction{shard.In}
	values := func(e *algorithms.Env) ([]int64, error) { return algorithms.Make[int64](e, int(e.Graph.Vertices)) }
	each := func(f func(b *algorithms.Block)) func(context.Context, *algorithms.Env) ([]int64, error) {
		return func(ctx context.Context, e *algorithms.Env) ([]int64, error) {
			err := e.Rows().Each(ctx, func(_ int, b *algorithms.Block) error {
				f(b)
				return nil
			})
			if err != nil {
				return nil, err
			}
			return values(e)
		}
	}
	for _, c := range []struct {
		name, want string
		a          scripted
	}{
		{"panics at once", "scripted panicked: oh",
			scripted{in, 40, func(context.Context, *algorithms.Env) ([]int64, error) { panic("oh") }}},
		{"panics on a goroutine", "scripted panicked: oh", scripted{in, 40, each(func(*algorithms.Block) { panic("oh") })}},
		{"reads what is not planned", "rows of direction out are read, and not planned",
			scripted{in, 40, each(func(b *algorithms.Block) { b.Row(shard.Out, 0) })}},
		{"allocates too much", "allocates more than it planned: 39 bytes",
			scripted{in, 39, func(_ context.Context, e *algorithms.Env) ([]int64, error) { return values(e) }}},
		{"too few values", "returned 4 values for 5 vertices", scripted{in, 40,
			func(_ context.Context, e *algorithms.Env) ([]int64, error) { return algorithms.Make[int64](e, 4) }}},
		{"values of its own", "not allocated by algorithms.Make",
			scripted{in, 40, func(context.Context, *algorithms.Env) ([]int64, error) { return make([]int64, 5), nil }}},
		{"freed values", "or already freed", scripted{in, 40, func(_ context.Context, e *algorithms.Env) ([]int64, error) {
			v, err := values(e)
			algorithms.Free(e, v)
			return v, err
		}}},
		{"reads closed edges", "reads edges that it has closed",
			scripted{in, 40, func(ctx context.Context, e *algorithms.Env) ([]int64, error) {
				return nil, errors.Join(e.Rows().Close(), e.Rows().Each(ctx, nil))
			}}},
		{"pointers in an array", "not plain data",
			scripted{in, 40, func(_ context.Context, e *algorithms.Env) ([]int64, error) {
				_, err := algorithms.Make[*int](e, 1)
				return nil, err
			}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := algorithms.Run(t.Context(), s, c.a, algorithms.Options{Threads: 2})
			if err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), "scripted") && !strings.Contains(err.Error(), "plain") {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestRows checks that every row comes once, as in the graph, in both directions and whatever the
// layout, with its weights.
func TestRows(t *testing.T) {
	for _, o := range []teststore.Options{
		{ShardVertices: 2}, {ShardVertices: 2, Layout: store.Packed, InRows: true}, {ShardVertices: 2, Layout: store.Packed},
		{ShardVertices: 2, Layout: store.Packed, Weighted: true},
		{ShardVertices: 2, Layout: store.Packed, InRows: true, Weighted: true},
		{ShardVertices: 2, Layout: store.Packed, Symmetric: true, Weighted: true},
		{ShardVertices: 2, Symmetric: true, Weighted: true},
	} {
		testRows(t, o)
	}
}

// TestNoWeights checks that weights of rows that are not stored are refused with what to do.
func TestNoWeights(t *testing.T) {
	run := func(ctx context.Context, e *algorithms.Env) ([]int64, error) { return algorithms.Make[int64](e, 4) }
	s := teststore.Build(t, testgraph.MultiEdges(), teststore.Options{Weighted: true, Layout: store.CSC})
	_, err := algorithms.Run(t.Context(), s, scripted{[]shard.Direction{shard.Out}, 32, run}, algorithms.Options{})
	if err == nil || !strings.Contains(err.Error(), "the weights of out-edges are needed, and ") {
		t.Errorf("got %v", err)
	}
}

func testRows(t *testing.T, o teststore.Options) {
	g := testgraph.MultiEdges()
	s := teststore.Build(t, g, o)
	type key struct {
		dir               shard.Direction
		vertex, neighbour uint32
		weight            float32
	}
	want := map[key]int{}
	edges := g
	if o.Symmetric {
		edges = teststore.Mirrored(g)
	}
	for _, e := range edges.Edges {
		if !o.Weighted {
			e.Weight = 1
		}
		want[key{shard.In, e.Dst, e.Src, e.Weight}]++
		want[key{shard.Out, e.Src, e.Dst, e.Weight}]++
	}
	for _, planned := range [][]shard.Direction{{shard.In}, {shard.Out}, {shard.Out, shard.In}} {
		a := scripted{planned, 32, func(ctx context.Context, e *algorithms.Env) ([]int64, error) {
			seen, err := algorithms.Make[int64](e, g.N)
			if err != nil {
				return nil, err
			}
			got := map[key]int{}
			err = e.Rows().Each(ctx, func(_ int, b *algorithms.Block) error {
				for i := range b.Len {
					seen[b.Vertex(i)]++
					for _, dir := range planned {
						weights := b.Weights(dir, i)
						for k, u := range b.Row(dir, i) {
							x := key{dir, b.Vertex(i), u, 1}
							x.weight = float32(weights.At(k))
							got[x]++
						}
					}
				}
				return nil
			})
			for x, n := range want {
				if slices.Contains(planned, x.dir) && got[x] != n {
					t.Errorf("%+v, planned %v: %v is there %d times, want %d", o, planned, x, got[x], n)
				}
			}
			return seen, err
		}}
		seen, _ := run(t, s, a, algorithms.Options{Threads: 1})
		for v, n := range seen {
			if n != 1 {
				t.Errorf("row %d came %d times", v, n)
			}
		}
	}
}

// edgesOnly counts edges by both their ends.
type edgesOnly struct {
	mu  sync.Mutex
	got map[[2]uint32]int
}

func (*edgesOnly) Plan(*store.Catalogue, int) algorithms.Plan {
	return algorithms.Plan{Edges: true, Arrays: []algorithms.Array{{Name: "the values", Bytes: 1 << 20}}}
}

func (a *edgesOnly) Run(ctx context.Context, e *algorithms.Env) ([]int64, error) {
	err := e.Edges().Each(ctx, func(_ int, arcs algorithms.Arcs) {
		a.mu.Lock()
		defer a.mu.Unlock()
		for i, u := range arcs.Src {
			if uint32(arcs.Dst[i]) != arcs.None {
				a.got[[2]uint32{u, arcs.First + uint32(arcs.Dst[i])}]++
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return algorithms.Make[int64](e, int(e.Graph.Vertices))
}

// TestEdges checks that every edge comes once, whatever the layout and the memory; of a symmetric
// graph, in one direction at least and in none more often than it is there.
func TestEdges(t *testing.T) {
	for _, x := range append(testgraph.All(), testgraph.Named{Name: "tangled", Graph: tangled(3000, 2)}) {
		for _, layout := range []store.Layout{store.CSC, store.Packed} {
			for _, symmetric := range []bool{false, true} {
				s := teststore.Build(t, x.Graph,
					teststore.Options{ShardVertices: 170, Layout: layout, Symmetric: symmetric, Weighted: symmetric})
				stored := x.Graph
				if symmetric {
					stored = teststore.Mirrored(x.Graph)
				}
				want := map[[2]uint32]int{}
				for _, e := range stored.Edges {
					want[[2]uint32{e.Src, e.Dst}]++
				}
				for _, memory := range []int64{0, starved} {
					a := &edgesOnly{got: map[[2]uint32]int{}}
					run(t, s, a, algorithms.Options{Threads: 2, Memory: memory})
					for e, n := range want {
						got, back := a.got[e], a.got[[2]uint32{e[1], e[0]}]
						if got != n && (!symmetric || got > n || back != n) {
							t.Fatalf("%s, %v, symmetric %v, memory %d: edge %v came %d times, and %d times backwards, want %d",
								x.Name, layout, symmetric, memory, e, got, back, n)
						}
					}
					for e := range a.got {
						if want[e] == 0 {
							t.Errorf("%s, %v: the graph has no edge %v", x.Name, layout, e)
						}
					}
				}
			}
		}
	}
}

// both plans rows and edges.
type both struct{ scripted }

func (both) Plan(*store.Catalogue, int) algorithms.Plan {
	return algorithms.Plan{Rows: []shard.Direction{shard.In}, Edges: true}
}

// TestRowsAndEdges checks that a plan of both is refused.
func TestRowsAndEdges(t *testing.T) {
	s := teststore.Build(t, testgraph.Path(), teststore.Options{})
	if _, err := algorithms.Run(t.Context(), s, both{}, algorithms.Options{}); err == nil ||
		!strings.Contains(err.Error(), "plans to read rows and edges") {
		t.Errorf("got %v", err)
	}
}

// TestNoRows checks that an algorithm without rows has a budget too.
func TestNoRows(t *testing.T) {
	s := teststore.Build(t, testgraph.Path(), teststore.Options{})
	a := scripted{nil, 1 << 20, func(_ context.Context, e *algorithms.Env) ([]int64, error) {
		return algorithms.Make[int64](e, int(e.Graph.Vertices))
	}}
	_, err := algorithms.Run(t.Context(), s, a, algorithms.Options{Memory: hostmem.Process + 1<<20 - 1})
	if !errors.Is(err, hostmem.ErrBudget) || !strings.Contains(err.Error(), "1.0 MiB for the values") ||
		!strings.Contains(err.Error(), "the smallest budget for it is 51MiB") {
		t.Errorf("got %v", err)
	}
	if values, _ := run(t, s, a, algorithms.Options{Memory: hostmem.Process + 1<<20}); len(values) != 5 {
		t.Errorf("got %v", values)
	}
}
