package community

import (
	"math/rand/v2"
	"testing"
)

// clock is a time that each look at it brings nearer to its end.
type clock struct{ looks, end int }

func (c *clock) late() bool {
	c.looks++
	return c.looks > c.end
}

// timed searches until a clock says that it is late, and returns what is open then.
func timed(open []Open, b *Best, c *clock) (rest []Open) {
	w := worker{best: b, late: c.late, stopped: c.late}
	w.share = func(o Open) { rest = append(rest, o) }
	for _, o := range open {
		w.search(o)
	}
	return rest
}

// TestLate checks that a search that is late again and again, amid any rule of a node, leaves nodes
// from which it comes to the optimum.
func TestLate(t *testing.T) {
	eachProblem(t, graphs(t, 10, 60), func(g *graph, p *Problem, want int) {
		for step := 1; step < 40; step += 7 {
			var b Best
			open := []Open{{p, Root(p)}}
			for end := step; len(open) > 0; end += step {
				open = timed(open, &b, &clock{end: end})
			}
			checkCommunity(t, g, p, &b, want)
		}
	})
}

// TestLateSoon checks that a node of many vertices looks at the clock as often as it has vertices,
// and ends a few looks after it was late.
func TestLateSoon(t *testing.T) {
	const n = 3000
	p := sparse(t, rand.New(rand.NewPCG(8, 9)), n, 40)
	all := clock{end: 1 << 62}
	w := worker{best: &Best{}, late: all.late, share: func(Open) {}}
	w.stopped = func() bool { return w.visited > 0 }
	w.search(Open{p, Root(p)})
	if all.looks < n {
		t.Fatalf("a node of %d vertices looks at the clock %d times", n, all.looks)
	}
	for end := 0; end < all.looks; end += 97 {
		c := clock{end: end}
		if rest := timed([]Open{{p, Root(p)}}, &Best{}, &c); len(rest) == 0 || c.looks > end+30 {
			t.Fatalf("late at look %d of %d, ended at %d, %d nodes open", end, all.looks, c.looks, len(rest))
		}
	}
}

// TestLocalLate checks that a local search that is late ends soon, and what it has offered is a
// community.
func TestLocalLate(t *testing.T) {
	p := sparse(t, rand.New(rand.NewPCG(5, 6)), 400, 12)
	for end := range 40 {
		var b, inTime Best
		c := clock{end: end * end}
		improve(p, &b, 8, c.late)
		improve(p, &inTime, 8, nil)
		if b.K() > inTime.K() || c.looks > c.end+30 {
			t.Fatalf("late at look %d, ended at %d; minimum degree %d, in time %d", c.end, c.looks, b.K(), inTime.K())
		}
		if b.K() >= 0 {
			if err := isCommunity(p, b.Members(), b.K()); err != nil {
				t.Fatal(err)
			}
		}
	}
}
