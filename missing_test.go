package garaph_test

import (
	"context"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/export"
	"github.com/garaph/garaph/programs"
)

// underContext are the functions of the library that take a graph and a context.
func underContext(ctx context.Context, g *garaph.Graph) map[string]func() error {
	return map[string]func() error{
		"run": func() error { _, err := garaph.Run(ctx, g, programs.WCC{}, garaph.RunOptions{}); return err },
		"recorded run": func() error {
			_, err := garaph.Run(ctx, g, programs.WCC{}, garaph.RunOptions{Job: g.NewJob(garaph.JobSpec{})})
			return err
		},
		"parents": func() error {
			_, err := garaph.RunWithParents(ctx, g, programs.BFS{}, garaph.RunOptions{}, nil)
			return err
		},
		"path": func() error {
			_, _, err := garaph.Path(ctx, g, programs.BFS{}, 0, garaph.RunOptions{}, nil)
			return err
		},
		"algorithm": func() error {
			_, err := garaph.RunAlgorithm(ctx, g, algorithms.Coreness{}, garaph.AlgorithmOptions{})
			return err
		},
		"communities": func() error {
			_, err := garaph.FindCommunities(ctx, g, nil, garaph.CommunityOptions{}, nil)
			return err
		},
		"recorded communities": func() error {
			_, err := garaph.RecordCommunities(ctx, g, g.NewJob(garaph.JobSpec{}), garaph.Checkpoints{}, garaph.CommunityOptions{}, nil)
			return err
		},
		"export":  func() error { _, err := g.Export(ctx, io.Discard, garaph.ExportOptions{}); return err },
		"parts":   func() error { _, err := g.ExportParts(ctx, export.Parts{}, garaph.ExportOptions{}); return err },
		"ids":     func() error { return g.ExportIDs(ctx, io.Discard) },
		"verify":  func() error { return g.Verify(ctx, func(int64) {}, func(error) {}) },
		"weights": func() error { _, err := g.Strengths(ctx, garaph.AlgorithmOptions{}); return err },
	}
}

// TestNoGraph: a graph that nothing has made is an error of whatever takes it.
func TestNoGraph(t *testing.T) {
	for kind, g := range map[string]*garaph.Graph{"nil": nil, "zero": {}} {
		calls := underContext(t.Context(), g)
		maps.Copy(calls, map[string]func() error{
			"resume": func() error {
				_, err := garaph.Resume(t.Context(), g, programs.WCC{}, 0, garaph.RunOptions{})
				return err
			},
			"vertex":     func() error { _, err := g.Vertex("1"); return err },
			"id":         func() error { _, err := g.ID(0); return err },
			"all ids":    func() error { _, err := garaph.IDsOf[int64](g); return err },
			"degree":     func() error { _, err := g.MaxInDegree(); return err },
			"neighbours": func() error { _, err := garaph.NeighborsOf[int64](g); return err },
			"jobs":       func() error { _, err := g.Jobs(); return err },
			"removal":    func() error { _, err := g.RemoveJobs(1); return err },
			"close":      g.Close,
		})
		for what, call := range calls {
			if err := call(); err == nil || !strings.HasPrefix(err.Error(), "the *garaph.Graph is nil or the zero value: ") {
				t.Errorf("%s graph, %s: %v", kind, what, err)
			}
		}
		if g.Catalogue() != nil || g.Store() != nil {
			t.Errorf("%s graph: it has a catalogue or a store", kind)
		}
	}
}

// TestNoContext: a nil context is an error of whatever takes one.
func TestNoContext(t *testing.T) {
	g := graphOf(t, t.TempDir(), 10, number)
	var none context.Context
	calls := underContext(none, g)
	maps.Copy(calls, map[string]func() error{
		"import": func() error {
			_, err := garaph.Import(none, []string{"edges.txt"}, t.TempDir()+"/g", garaph.ImportOptions{})
			return err
		},
		"upgrade": func() error { _, err := garaph.Upgrade(none, g.Store().Path(), garaph.UpgradeOptions{}); return err },
		"slice": func() error {
			_, err := garaph.FromSlice(none, [][2]int{{1, 2}}, nil, garaph.GraphOptions{})
			return err
		},
		"edges": func() error {
			_, err := garaph.FromEdges(none, func(func(int, int) bool) {}, garaph.GraphOptions{})
			return err
		},
		"weighted": func() error {
			_, err := garaph.FromWeighted(none, func(func([2]int, float32) bool) {}, garaph.GraphOptions{})
			return err
		},
		"answers": func() error {
			queries := func() ([]garaph.CommunityQuery, error) { return []garaph.CommunityQuery{{Low: 1, High: 2}}, nil }
			j, err := garaph.RecordCommunities(t.Context(), g, g.NewJob(garaph.JobSpec{}), garaph.Checkpoints{}, garaph.CommunityOptions{}, queries)
			if err == nil {
				_, err = j.Find(none, func(int, *garaph.Community) error { return nil })
			}
			return err
		},
	})
	for what, call := range calls {
		if err := call(); err == nil || err.Error() != "the context is nil: take context.Background()" {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestVerifyWithout: damage is told to somebody; progress need not be.
func TestVerifyWithout(t *testing.T) {
	g, err := garaph.FromSlice(t.Context(), [][2]int64{{0, 1}}, nil, garaph.GraphOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := g.Verify(t.Context(), nil, func(err error) { t.Error(err) }); err != nil {
		t.Error(err)
	}
	if err := g.Verify(t.Context(), nil, nil); err == nil || !strings.Contains(err.Error(), "is nil") {
		t.Errorf("nobody is told: %v", err)
	}
	for _, o := range []garaph.ExportOptions{{Threads: -3}, {Memory: -1}} {
		if _, err := g.Export(t.Context(), io.Discard, o); err == nil || !strings.Contains(err.Error(), "expected numbers ≥ 0") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
