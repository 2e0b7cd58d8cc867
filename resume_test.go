package garaph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/bench"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/programs"
)

// manyShards imports a small RMAT graph with tiny shards.
func manyShards(t testing.TB, scale int) *garaph.Graph {
	t.Helper()
	edges := filepath.Join(t.TempDir(), "edges.txt")
	f, err := os.Create(edges)
	if err != nil {
		t.Fatal(err)
	}
	if err := bench.Generate(t.Context(), f, bench.GenOptions{Kind: bench.RMAT, Scale: scale, Degree: 4, Seed: 3, Weights: true}, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "g")
	if _, err := garaph.Import(t.Context(), []string{edges}, path, garaph.ImportOptions{ShardVertices: 50}); err != nil {
		t.Fatal(err)
	}
	g, err := garaph.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g
}

// work is a program with what stops and resumes it.
type work struct {
	name  string
	run   func(context.Context, *garaph.Graph, garaph.RunOptions) (*garaph.Result, error)
	exact bool // whatever the mode
}

func workOf[V, A any](name string, exact bool, p gas.Program[V, A]) work {
	return work{name, func(ctx context.Context, g *garaph.Graph, o garaph.RunOptions) (*garaph.Result, error) {
		return garaph.Run(ctx, g, p, o)
	}, exact}
}

func works() []work {
	return []work{
		workOf[uint32, uint32]("bfs", true, programs.BFS{Source: 1}),
		workOf[float32, float32]("sssp", true, programs.SSSP[float32]{Source: 1}),
		workOf[float64, float64]("sssp64", true, programs.SSSP[float64]{Source: 1}),
		workOf[uint32, uint32]("wcc", true, programs.WCC{}),
		workOf[float32, float64]("pagerank", false, programs.PageRank[float32]{Damping: 0.85, Tolerance: 1e-6}),
		workOf[float64, float64]("pagerank64", false, programs.PageRank[float64]{Damping: 0.85, Tolerance: 1e-9}),
	}
}

// written is what a job writes.
func written(t testing.TB, r *garaph.Result) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.tsv")
	if err := r.WriteFile(path, ""); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// alike compares two results: all bytes, or values within a tolerance.
func alike(t testing.TB, what string, got, want []byte, exact bool) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	a, b := strings.Fields(string(got)), strings.Fields(string(want))
	if exact || len(a) != len(b) {
		t.Fatalf("%s: another result than that of an undisturbed run", what)
	}
	for i := range a {
		var x, y float64
		if _, err := fmt.Sscan(a[i]+" "+b[i], &x, &y); err != nil {
			t.Fatal(err)
		}
		if math.Abs(x-y) > 1e-5 {
			t.Fatalf("%s: %s is too far from %s of an undisturbed run", what, a[i], b[i])
		}
	}
}

// TestResume interrupts every program after each of its iterations, in every
// mode, resumes it with other threads, and interrupts that again: the result is
// that of an undisturbed run, in sync mode to the bit.
func TestResume(t *testing.T) {
	g := manyShards(t, 9)
	for _, w := range works() {
		for _, mode := range []dispatcher.Mode{dispatcher.Sync, dispatcher.Async} {
			for _, policy := range []garaph.Checkpoints{{}, {Every: 1}, {Every: 3, Keep: 1}, {Pages: 2}} {
				if policy.Pages > 0 && mode == dispatcher.Sync {
					continue
				}
				name := fmt.Sprintf("%s/%s/%+v", w.name, mode, policy)
				t.Run(name, func(t *testing.T) {
					o := garaph.RunOptions{Mode: mode, Threads: 2}
					r, err := w.run(t.Context(), g, o)
					if err != nil {
						t.Fatal(err)
					}
					want, all := written(t, r), len(r.Report.Iterations)
					r.Close()
					o.Checkpoints = policy
					step := max(1, all/6)
					for stop := 0; stop < all; stop += step {
						interruptAndResume(t, g, w, o, stop, all, want)
					}
				})
			}
		}
	}
}

// interruptAndResume stops a run after so many iterations, and the resumed one
// two iterations later.
func interruptAndResume(t *testing.T, g *garaph.Graph, w work, o garaph.RunOptions, stop, all int, want []byte) {
	t.Helper()
	o.Job = g.NewJob(garaph.JobSpec{Name: w.name})
	o.Job.SetChunkVertices(64)
	exact := w.exact || o.Mode == dispatcher.Sync
	id := 0
	for _, after := range []int{stop, stop + 2} {
		ctx, cancel := context.WithCancel(t.Context())
		o.Progress = func(it garaph.Iteration) {
			if it.Iteration+1 >= after {
				cancel()
			}
		}
		if stop == 0 {
			cancel()
		}
		r, err := w.run(ctx, g, o)
		cancel()
		id = o.Job.ID()
		if err == nil { // it was done before it noticed
			alike(t, "not interrupted", written(t, r), want, exact)
			r.Close()
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		var errOpen error
		if o.Job, errOpen = g.OpenJob(id); errOpen != nil {
			t.Fatal(errOpen)
		}
		o.Job.SetChunkVertices(64)
		o.Threads = 3
	}
	o.Progress = nil
	r, err := w.run(t.Context(), g, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if done := r.Report.Before; done < stop && stop+2 < all {
		t.Errorf("interrupted after %d iterations, resumed after %d", stop, done)
	}
	alike(t, fmt.Sprintf("interrupted after %d", stop), written(t, r), want, exact)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	list, err := g.Jobs()
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(list, func(l garaph.JobInfo) bool { return l.ID == id }); i < 0 || list[i].Status != garaph.Done || len(list[i].Epochs) > 0 {
		t.Errorf("job %d in the list: %+v", id, list)
	}
}

// lines collects a job's log.
func lines() (*zap.Logger, *bytes.Buffer) {
	var b bytes.Buffer
	encoder := zapcore.NewConsoleEncoder(zapcore.EncoderConfig{LevelKey: "level", MessageKey: "message", EncodeLevel: zapcore.LowercaseLevelEncoder, ConsoleSeparator: " "})
	return zap.New(zapcore.NewCore(encoder, zapcore.AddSync(&b), zapcore.DebugLevel)), &b
}
