package programs_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
)

// TestLPA checks that whatever the order of the edges, a vertex changes its label only to
// one that more of its neighbours have, and only to one of its component, until no label is better.
func TestLPA(t *testing.T) {
	everyGraph(t, func(t rapid.TB, g oracle.Graph, seed uint32) {
		component := oracle.WCC(g)
		for _, groups := range []int{1, 4} {
			p := programs.LPA{Seed: seed}
			x := newInterpreter[programs.Ballot, programs.Votes](g, p)
			x.groups = groups
			x.before = func(v uint32, s gas.Step) {
				old := x.values[v]
				count := map[uint32]int{}
				for _, e := range x.edges[v] {
					count[x.values[e.Src].Label]++
				}
				next := p.Apply(x.vertices[v], old, x.fold(v, x.edges[v]), s)
				if next.Label != old.Label && count[next.Label] <= count[old.Label] {
					t.Fatalf("vertex %d changes from %d to %d among %v", v, old.Label, next.Label, count)
				}
				if count[next.Candidate] == 0 && len(x.edges[v]) > 0 {
					t.Fatalf("vertex %d considers %d among %v", v, next.Candidate, count)
				}
			}
			if n := x.run(5000); n == 5000 {
				t.Fatal("it does not end")
			}
			for v, value := range x.values {
				count := map[uint32]int{}
				for _, e := range x.edges[v] {
					count[x.values[e.Src].Label]++
				}
				for label, n := range count { // of two neighbours, 32 draws have found the better one
					if groups == 1 && len(x.edges[v]) <= 2 && n > count[value.Label] {
						t.Fatalf("vertex %d ends with %d among %v, %d is more frequent", v, value.Label, count, label)
					}
				}
				if component[value.Label] != component[v] {
					t.Fatalf("vertex %d has a label from elsewhere, %d", v, value.Label)
				}
			}
		}
	})
}

// TestLPACliques checks that two cliques of ten with one edge between them are two
// communities.
func TestLPACliques(t *testing.T) {
	g := oracle.Graph{N: 20, Edges: []oracle.Edge{{Src: 9, Dst: 10, Weight: 1}}}
	for u := range uint32(20) {
		for v := range u {
			if u/10 == v/10 {
				g.Edges = append(g.Edges, oracle.Edge{Src: u, Dst: v, Weight: 1})
			}
		}
	}
	g = teststore.Mirrored(g)
	for seed := range uint32(5) {
		for _, groups := range []int{1, 4} {
			x := newInterpreter[programs.Ballot, programs.Votes](g, programs.LPA{Seed: seed})
			x.groups = groups
			x.run(60)
			for v := range x.values {
				if x.values[v].Label != x.values[v/10*10].Label || x.values[v].Label/10 != uint32(v/10) {
					t.Errorf("seed %d, %d groups, vertex %d: label %d", seed, groups, v, x.values[v].Label)
				}
			}
		}
	}
}

// TestLPADraws checks that each of eight neighbours is drawn as often, and another vertex with the same
// neighbours draws for itself: it has the same one in an eighth of the rounds, as has the next round.
func TestLPADraws(t *testing.T) {
	const near, rounds = 8, 200_000
	p := programs.LPA{Seed: 1}
	ballot := func(id uint32) programs.Ballot {
		v, _ := p.Init(gas.Vertex{ID: id})
		return v
	}
	var neighbours [near]programs.Ballot
	for i := range neighbours {
		neighbours[i] = ballot(uint32(i))
	}
	ends := [2]programs.Ballot{ballot(100), ballot(101)}
	next := func(v programs.Ballot) programs.Ballot {
		return p.Apply(gas.Vertex{}, v, programs.Votes{Key: 1 << 31, Next: v.Candidate}, gas.Step{})
	}
	var drawn [near]int
	together, again, before := 0, 0, uint32(near)
	for range rounds {
		var of [2]uint32
		for k, end := range ends {
			acc := p.Zero()
			for _, src := range neighbours {
				acc = p.Sum(acc, p.Gather(src, gas.Edge{}, end))
			}
			of[k], ends[k] = acc.Next, next(end)
		}
		for i := range neighbours {
			neighbours[i] = next(neighbours[i])
		}
		drawn[of[0]]++
		if of[0] == of[1] {
			together++
		}
		if of[0] == before {
			again++
		}
		before = of[0]
	}
	for _, n := range append(drawn[:], together, again) {
		if share := float64(n) * near / rounds; share < 0.97 || share > 1.03 { // five standard deviations
			t.Errorf("%v drawn, %d together, %d again, of %d rounds: not an eighth each", drawn, together, again, rounds)
		}
	}
}

// TestLPASum checks that votes are the same in any order.
func TestLPASum(t *testing.T) {
	votes := rapid.Custom(func(t *rapid.T) programs.Votes {
		small := rapid.Uint32Range(0, 3)
		return programs.Votes{
			Own: small.Draw(t, "own"), Other: small.Draw(t, "other"), Key: small.Draw(t, "key"), Next: small.Draw(t, "next"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		p := programs.LPA{}
		a, b, c := votes.Draw(t, "a"), votes.Draw(t, "b"), votes.Draw(t, "c")
		if p.Sum(a, b) != p.Sum(b, a) || p.Sum(p.Sum(a, b), c) != p.Sum(a, p.Sum(b, c)) || p.Sum(a, p.Zero()) != a {
			t.Fatalf("%v, %v, %v", a, b, c)
		}
	})
}
