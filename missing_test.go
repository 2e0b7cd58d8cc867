package garaph_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
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
		if _, err := g.Export(t.Context(), io.Discard, o); err == nil || !strings.Contains(err.Error(), "expected a number") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestThreads: a number of threads that no machine has is refused by whatever takes one.
func TestThreads(t *testing.T) {
	g := graphOf(t, t.TempDir(), 10, number)
	edges := filepath.Join(t.TempDir(), "edges.txt")
	if err := os.WriteFile(edges, []byte("1 2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const n = 1 << 40
	for what, call := range map[string]func() error{
		"algorithm": func() error {
			_, err := garaph.RunAlgorithm(t.Context(), g, algorithms.Coreness{}, garaph.AlgorithmOptions{Threads: n})
			return err
		},
		"communities": func() error {
			_, err := garaph.FindCommunities(t.Context(), g, nil, garaph.CommunityOptions{Threads: n}, func(int, *garaph.Community) error { return nil })
			return err
		},
		"export": func() error {
			_, err := g.Export(t.Context(), io.Discard, garaph.ExportOptions{Threads: n})
			return err
		},
		"import": func() error {
			_, err := garaph.Import(t.Context(), []string{edges}, t.TempDir()+"/g", garaph.ImportOptions{Threads: n})
			return err
		},
		"slice": func() error {
			_, err := garaph.FromSlice(t.Context(), [][2]int{{1, 2}}, nil, garaph.GraphOptions{Threads: n})
			return err
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), "threads 1099511627776: expected a number from 0 to 4096") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestNothingGiven: nil in the place of what a call needs is an error, and what is nil for an error that was passed over
// has no values.
func TestNothingGiven(t *testing.T) {
	g := graphOf(t, t.TempDir(), 10, number)
	answer := func(int, *garaph.Community) error { return nil }
	record := func(job *garaph.Job, queries func() ([]garaph.CommunityQuery, error)) (*garaph.CommunityJob, error) {
		return garaph.RecordCommunities(t.Context(), g, job, garaph.Checkpoints{}, garaph.CommunityOptions{}, queries)
	}
	var result *garaph.Result
	var values *garaph.Values[int64, float64]
	var job *garaph.CommunityJob
	var neighbors *garaph.Neighbors[int64]
	read := func(v *garaph.Values[int64, float64]) error {
		for range v.All() {
			t.Error("a value of nothing")
		}
		for range v.Blocks() {
			t.Error("values of nothing")
		}
		return v.Err()
	}
	for what, call := range map[string]func() error{
		"export to nobody": func() error { _, err := g.Export(t.Context(), nil, garaph.ExportOptions{}); return err },
		"ids to nobody":    func() error { return g.ExportIDs(t.Context(), nil) },
		"no algorithm": func() error {
			_, err := garaph.RunAlgorithm[int64](t.Context(), g, nil, garaph.AlgorithmOptions{})
			return err
		},
		"no program": func() error {
			_, err := garaph.Run[uint32, uint32](t.Context(), g, nil, garaph.RunOptions{})
			if _, other := garaph.RunWithParents[uint32, uint32](t.Context(), g, nil, garaph.RunOptions{}, nil); other == nil || other.Error() != err.Error() {
				t.Errorf("with parents: %v", other)
			}
			return err
		},
		"answers to nobody": func() error {
			_, err := garaph.FindCommunities(t.Context(), g, nil, garaph.CommunityOptions{}, nil)
			return err
		},
		"no job": func() error {
			_, err := record(nil, func() ([]garaph.CommunityQuery, error) { return nil, nil })
			return err
		},
		"a zero job": func() error {
			_, err := garaph.Run(t.Context(), g, programs.WCC{}, garaph.RunOptions{Job: new(garaph.Job)})
			return err
		},
		"a zero job of searches": func() error {
			_, err := record(new(garaph.Job), func() ([]garaph.CommunityQuery, error) { return nil, nil })
			return err
		},
		"a job of another graph": func() error {
			other := graphOf(t, t.TempDir(), 10, number)
			_, err := garaph.Run(t.Context(), g, programs.WCC{}, garaph.RunOptions{Job: other.NewJob(garaph.JobSpec{})})
			return err
		},
		"no queries": func() error { _, err := record(g.NewJob(garaph.JobSpec{}), nil); return err },
		"no search":  func() error { _, err := job.Find(t.Context(), answer); return err },
		"no result":  func() error { _, err := garaph.ValuesOf[int64, float64](result, ""); return err },
		"no path":    func() error { _, _, err := garaph.PathTo[int64](result, 1); return err },
		"no file":    func() error { return result.WriteFile(t.TempDir()+"/x.tsv", "") },
		"no text":    func() error { return result.Write(io.Discard, "tsv") },
		"no values":  func() error { return read(values) },
		"zero":       func() error { return read(new(garaph.Values[int64, float64])) },
		"no slice":   func() error { _, err := values.Slice(); return err },
		"no top":     func() error { _, err := values.Top(3); return err },
		"no neighbours": func() error {
			for range neighbors.Out(1) {
				t.Error("a neighbour of nothing")
			}
			return neighbors.Err()
		},
	} {
		if err := call(); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if err := errors.Join(result.Close(), result.Leave(), job.Close()); err != nil || garaph.IsCommunityJob(nil) {
		t.Errorf("nothing to close: %v", err)
	}
}
