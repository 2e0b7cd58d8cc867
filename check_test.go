package garaph_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/programs"
)

// TestZeroPrograms checks that the zero value of a program of package programs works, or is refused
// with what is missing, and so are fields that are no vertices or no numbers.
func TestZeroPrograms(t *testing.T) {
	g := made(t, [][2]string{{"a", "b"}, {"b", "c"}, {"d", "b"}}, garaph.GraphOptions{})
	nan, none := math.NaN(), "the source 4 is no vertex: the dense ids of the graph are below 4"
	damping, tolerance := "expected a number above 0 and below 1, 0.85 as a rule", "expected a finite number of 0 or more"
	for i, c := range []struct{ got, want string }{
		{outcome(t, g, programs.BFS{}), "a 0 b 1 c 2"},
		{outcome(t, g, programs.BFS{Source: 4}), none},
		{outcome(t, g, programs.BFS{More: []uint32{1, 4}}), none},
		{outcome(t, g, programs.SSSP[float32]{}), "a 0 b 1 c 2"},
		{outcome(t, g, programs.SSSP[float64]{Source: 4}), none},
		{outcome(t, g, programs.SSSP[float64]{More: []uint32{4}}), none},
		{outcome(t, g, programs.SSWP[float32]{}), "a inf b 1 c 1"},
		{outcome(t, g, programs.SSWP[float32]{Source: 4}), none},
		{outcome(t, g, programs.WCC{}), "a a b a c a d a"},
		{outcome(t, g, programs.KCore{}), "a 1 b 1 c 1 d 1"},
		{outcome(t, g, programs.LPA{}), "a b b b c b d b"},
		{outcome(t, g, programs.PageRank[float32]{}), damping},
		{outcome(t, g, programs.PageRank[float64]{Damping: 1}), damping},
		{outcome(t, g, programs.PageRank[float64]{Damping: nan}), damping},
		{outcome(t, g, programs.PageRank[float64]{Damping: 0.85, Tolerance: -1}), tolerance},
		{outcome(t, g, programs.PageRank[float64]{Damping: 0.85, Personalised: true, Source: 4}), none},
		{outcome(t, g, programs.PersonalisedPageRank[float64]{}), damping},
		{outcome(t, g, programs.PersonalisedPageRank[float64]{Damping: 0.85, Sources: programs.SourcesOf([]uint32{0, 4})}),
			none},
		{outcome(t, g, programs.BiasedPageRank[float64]{}), damping},
		{outcome(t, g, programs.BiasedPageRank[float64]{Damping: 0.85, Sources: programs.SourcesOf([]uint32{0, 4})}), none},
		{outcome(t, g, programs.Katz[float64]{}), "the Alpha and the Beta are 0"},
		{outcome(t, g, programs.Katz[float64]{Alpha: 0.1, Beta: 1, Tolerance: nan}), tolerance},
		{outcome(t, g, programs.Heat{}), "the Step is 0: expected a time above 0"},
		{outcome(t, g, programs.Heat{Step: 0.1, Source: 4}), none},
		{outcome(t, g, programs.Circuit{}), "the Source and the Ground are one vertex, 0"},
		{outcome(t, g, programs.Circuit{Ground: 4, Volts: 1}), none},
		{outcome(t, g, programs.Neural{}), "the Gain and the Bias are 0"},
	} {
		if c.got != c.want && !(strings.HasPrefix(c.got, "graph ") && strings.Contains(c.got, c.want)) {
			t.Errorf("case %d: got %s, want %s", i, c.got, c.want)
		}
	}
}

// TestEndlessPrograms checks that one that does not end by itself is refused without a number of
// iterations.
func TestEndlessPrograms(t *testing.T) {
	g := made(t, [][2]string{{"a", "b"}, {"b", "c"}}, garaph.GraphOptions{})
	_, heat := garaph.Run(t.Context(), g, programs.Heat{Step: 0.1}, garaph.RunOptions{Name: "heat"})
	_, rank := garaph.Run(t.Context(), g, programs.PageRank[float64]{Damping: 0.85}, garaph.RunOptions{Name: "rank"})
	_, biased := garaph.Run(t.Context(), g, programs.BiasedPageRank[float64]{Damping: 0.85},
		garaph.RunOptions{Name: "biased"})
	_, personal := garaph.Run(t.Context(), g, programs.PersonalisedPageRank[float64]{Damping: 0.85},
		garaph.RunOptions{Name: "personal"})
	for name, err := range map[string]error{"heat": heat, "rank": rank, "biased": biased, "personal": personal} {
		if err == nil ||
			!strings.HasSuffix(err.Error(), "program "+name+" does not end by itself: set RunOptions.Iterations") {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}

// TestForever checks that a program that does not end by itself runs until its context ends, when
// that is what was asked for.
func TestForever(t *testing.T) {
	g := made(t, [][2]string{{"a", "b"}, {"b", "a"}}, garaph.GraphOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	_, err := garaph.Run(ctx, g, programs.Heat{Step: 0.001},
		garaph.RunOptions{Iterations: garaph.Forever, Progress: func(garaph.Iteration) {
			if n++; n == 100 {
				cancel()
			}
		}})
	if !errors.Is(err, context.Canceled) || n < 100 {
		t.Errorf("after %d iterations: %v", n, err)
	}
}

// TestLPAEnds checks that labels become stable, also where vertices could exchange theirs for ever,
// and stay so.
func TestLPAEnds(t *testing.T) {
	edges := [][2]string{{"40", "41"}, {"40", "43"}, {"41", "40"}, {"41", "40"}, {"41", "41"}, {"43", "40"},
		{"43", "41"}, {"43", "41"}}
	for _, o := range []garaph.GraphOptions{{}, {Undirected: true}} {
		g := made(t, edges, o)
		for seed := range uint32(20) {
			r, err := garaph.Run(t.Context(), g, programs.LPA{Seed: seed}, garaph.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			labels, err := garaph.ValuesOf[string, string](r, "")
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for _, label := range labels.All() {
				seen[label] = true
			}
			if !r.Report.Converged || len(seen) != 1 || labels.Err() != nil {
				t.Errorf("seed %d: converged %v, labels %v", seed, r.Report.Converged, seen)
			}
			r.Close()
		}
	}
}

// outcome returns the result of a program as text, or why it has none.
func outcome[V, A any](t *testing.T, g *garaph.Graph, p gas.Program[V, A]) string {
	t.Helper()
	r, err := garaph.Run(t.Context(), g, p, garaph.RunOptions{Iterations: 20})
	if err != nil {
		return err.Error()
	}
	defer r.Close()
	var text strings.Builder
	if err := r.Write(&text, "csv"); err != nil {
		t.Fatal(err)
	}
	var list []string
	for i, line := range strings.Fields(text.String()) {
		if id, value, _ := strings.Cut(line, ","); i > 0 && value != "" {
			list = append(list, fmt.Sprint(id, " ", value))
		}
	}
	return strings.Join(list, " ")
}
