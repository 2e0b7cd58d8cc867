package builtins_test

import (
	"strings"
	"testing"

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

// TestSources: several sources have a program of their own, in the precision that was asked for.
func TestSources(t *testing.T) {
	if p, ok := builtins.Double.PageRank(0.5, 0.1, []uint32{7}).(programs.PageRank[float64]); !ok || !p.Personalised || p.Source != 7 {
		t.Errorf("got %#v", p)
	}
	if p, ok := builtins.Double.PageRank(0.5, 0.1, []uint32{1, 2}).(programs.PersonalisedPageRank[float64]); !ok || len(p.Sources) != 2 {
		t.Errorf("got %#v", p)
	}
}
