package builtins_test

import (
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/builtins"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestEngines checks that every program has an engine for its types, a description, and a name for its results.
func TestEngines(t *testing.T) {
	g, err := garaph.FromSlice(t.Context(), [][2]int64{{0, 1}, {1, 2}, {2, 0}}, nil, garaph.GraphOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	flags := map[string]string{"kcore": " --k 2", "bfs": " --source 0", "sssp": " --source 0", "sswp": " --source 0",
		"heat": " --source 0", "circuit": " --source 0 --ground 1", "similarity": " --pairs file",
		"sample": " --source 0", "closeness": " --source 0", "surfers": " --source 0"}
	var names []string
	for _, p := range builtins.All {
		if slices.Contains(names, p.Name) {
			t.Errorf("there are two programs %s", p.Name)
		}
		names = append(names, p.Name)
		if _, named := p.Value.(gas.Named); !named || p.Short == "" || p.Example == "" {
			t.Errorf("%s: %+v", p.Name, p.Command)
		}
		r := ran(t, g, p.Name+flags[p.Name], garaph.RunOptions{Iterations: 3, Device: "cpu"})
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if _, err := p.Run(builtins.Job{Context: t.Context(), Graph: g}, "text"); err == nil {
			t.Errorf("%s ran a program of another type", p.Name)
		}
	}
}
