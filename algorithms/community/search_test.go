package community

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/garaph/garaph/internal/testsize"
)

// Search searches open nodes one after another, depth first, adds the number of nodes that it
// visits, and returns those that are still open when the context has ended.
func Search(ctx context.Context, open []Open, b *Best, visited *int64) (rest []Open) {
	stopped := func() bool { return ctx.Err() != nil }
	w := worker{best: b, stopped: stopped, late: stopped}
	w.share = func(o Open) { rest = append(rest, o) }
	for _, o := range open {
		w.search(o)
	}
	*visited += w.visited
	return rest
}

// graphs returns the number of random graphs of a test: GARAPH_GRAPHS, if that is set, or one of these.
func graphs(t *testing.T, short, long int) int {
	t.Helper()
	if text := os.Getenv("GARAPH_GRAPHS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if testsize.Long {
		return long
	}
	return short
}

// eachProblem calls f with all vertices and bounds of random graphs, and the best minimum
// degree of each problem, as found among all connected subgraphs; if -1, there is none.
func eachProblem(t *testing.T, graphs int, f func(g *graph, p *Problem, want int)) {
	t.Helper()
	for seed := range graphs {
		g := randomGraph(rand.New(rand.NewPCG(uint64(seed), 17)))
		best := g.optima()
		for q := range g.n {
			for low := 1; low <= g.n; low++ {
				want := -1
				for high := low; high <= g.n; high++ {
					want = max(want, best[q][high])
					p := newProblem(g.n, g.edges, uint32(q), low, high)
					if f(g, p, want); t.Failed() {
						t.Fatalf("graph %d: %d vertices, edges %v, query %d, sizes %d to %d", seed, g.n, g.edges, q, low, high)
					}
				}
			}
		}
	}
}

// checkCommunity fails unless b has a community of minimum degree want, or none for -1.
func checkCommunity(t *testing.T, g *graph, p *Problem, b *Best, want int) {
	t.Helper()
	members := b.Members()
	if b.K() != want {
		t.Errorf("minimum degree %d of %v, want %d", b.K(), members, want)
		return
	}
	if want < 0 {
		return
	}
	set := uint32(0)
	for _, v := range members {
		set |= 1 << v
	}
	if n := len(members); n < p.Low || n > p.High || !slices.Contains(members, p.Query) || !g.connected(set) ||
		g.least(set) != want {
		t.Errorf("%v is no community of minimum degree %d", members, want)
	}
}

func TestSearchIsExact(t *testing.T) {
	eachProblem(t, graphs(t, 40, 2000), func(g *graph, p *Problem, want int) {
		var b Best
		if rest := Search(context.Background(), []Open{{p, Root(p)}}, &b, new(int64)); len(rest) > 0 {
			t.Errorf("%d nodes are open", len(rest))
		}
		checkCommunity(t, g, p, &b, want)
	})
}

// TestOpenNodesAreAll checks that a search that ends again and again, after some looks at whether
// it is to end, continues with what was open, gets on each time, and finds the same.
func TestOpenNodesAreAll(t *testing.T) {
	for _, most := range []int{1, 3} {
		eachProblem(t, graphs(t, 6, 40), func(g *graph, p *Problem, want int) {
			var b Best
			for open := []Open{{p, Root(p)}}; len(open) > 0; {
				var rest []Open
				looks := 0
				w := worker{best: &b, share: func(o Open) { rest = append(rest, o) }}
				w.stopped = func() bool { looks++; return looks > most }
				for _, o := range open {
					w.search(o)
				}
				if w.visited == 0 {
					t.Fatalf("%d open nodes, none of which was searched", len(open))
				}
				open = rest
			}
			checkCommunity(t, g, p, &b, want)
		})
	}
}

func TestDiameter(t *testing.T) {
	vertices := func(k, diameter int) int { // that a connected graph of minimum degree k has at least
		switch {
		case k <= 1:
			return diameter + 1
		case diameter <= 2:
			return k + diameter
		}
		return k + diameter + 1 + diameter/3*(k-2)
	}
	for _, c := range []struct{ k, h, want int }{
		{0, 1, 0}, {1, 1, -1}, {1, 2, 1}, {1, 7, 6}, {2, 4, 2}, {2, 3, 1}, {3, 8, 3}, {3, 7, 2}, {3, 9, 4},
		{4, 12, 5}, {12, 12, -1}, {11, 12, 1},
	} {
		if got := Diameter(c.k, c.h); got != c.want {
			t.Errorf("Diameter(%d, %d) = %d, want %d", c.k, c.h, got, c.want)
		}
	}
	for k := range 12 {
		for h := k + 1; h < 80; h++ {
			if d := Diameter(k, h); vertices(k, d) > h || vertices(k, d+1) <= h {
				t.Errorf("Diameter(%d, %d) = %d: graphs of that diameter have %d vertices, wider ones %d",
					k, h, d, vertices(k, d), vertices(k, d+1))
			}
		}
	}
}
