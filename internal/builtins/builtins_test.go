package builtins_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/internal/builtins"
	"github.com/garaph/garaph/programs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestRefused: what is no program of package programs, and parents of what has no paths. That the
// programs run, each with its flags, is tested by the command.
func TestRefused(t *testing.T) {
	if _, err := builtins.Run(t.Context(), nil, new(programs.BFS), garaph.RunOptions{}); err == nil || !strings.Contains(err.Error(), "*programs.BFS is no built-in program") {
		t.Errorf("a pointer: %v", err)
	}
	if _, err := builtins.RunWithParents(t.Context(), nil, programs.WCC{}, garaph.RunOptions{}, nil); err == nil || !strings.Contains(err.Error(), "programs.WCC has no paths") {
		t.Errorf("parents of components: %v", err)
	}
}

// TestPrecision: programs have values of the precision that was asked for.
func TestPrecision(t *testing.T) {
	strength := func(uint32) float64 { return 1 }
	for double, want := range map[builtins.Double][]any{
		false: {programs.SSSP[float32]{Source: 1}, programs.Katz[float32]{Alpha: 1, Beta: 2, Tolerance: 3}},
		true:  {programs.SSSP[float64]{Source: 1}, programs.Katz[float64]{Alpha: 1, Beta: 2, Tolerance: 3}},
	} {
		if got := double.Katz(1, 2, 3); got != want[1] {
			t.Errorf("got %#v, want %#v", got, want[1])
		}
		if got := double.SSSP(1, nil); !cmp.Equal(got, want[0]) {
			t.Errorf("got %#v, want %#v", got, want[0])
		}
	}
	if p, ok := builtins.Double(true).PageRank(0.5, 0.1, []uint32{7}).(programs.PageRank[float64]); !ok || !p.Personalised || p.Source != 7 {
		t.Errorf("got %#v", p)
	}
	if p, ok := builtins.Double(false).PageRank(0.5, 0.1, nil).(programs.PageRank[float32]); !ok || p.Personalised {
		t.Errorf("got %#v", p)
	}
	if p, ok := builtins.Double(false).BiasedPageRank(0.5, 0.1, nil, strength).(programs.BiasedPageRank[float32]); !ok || p.Strength == nil {
		t.Errorf("got %#v", p)
	}
	if p, ok := builtins.Double(true).PageRank(0.5, 0.1, []uint32{1, 2}).(programs.PersonalisedPageRank[float64]); !ok || len(p.Sources) != 2 {
		t.Errorf("got %#v", p)
	}
}
