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
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/internal/tinydisk"
	"github.com/garaph/garaph/programs"
)

// manyShards imports a small skewed graph with tiny shards.
func manyShards(t testing.TB, scale int) *garaph.Graph {
	t.Helper()
	g := manyShardsIn(t, memoryDir(t), scale)
	t.Cleanup(func() { _ = g.Close() })
	return g
}

func manyShardsIn(t testing.TB, folder string, scale int) *garaph.Graph {
	t.Helper()
	edges := filepath.Join(t.TempDir(), "edges.txt")
	var text []byte
	for _, e := range testgraph.Skewed(scale, 4<<scale, 3).Edges {
		text = fmt.Appendf(text, "%d %d %g\n", e.Src, e.Dst, e.Weight)
	}
	if err := os.WriteFile(edges, text, 0o666); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "g")
	if _, err := garaph.Import(t.Context(), []string{edges}, path,
		garaph.ImportOptions{Storage: ingest.StorageOptions{ShardVertices: 50}}); err != nil {
		t.Fatal(err)
	}
	g, err := garaph.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// memoryDir returns an empty folder, in memory where the system has such a file
// system, so that tests that write many epochs need not wait for a disk.
func memoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "garaph-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
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
		workOf[float32, int64]("pagerank", false, programs.PageRank[float32]{Damping: 0.85, Tolerance: 1e-6}),
		workOf[float64, int64]("pagerank64", false, programs.PageRank[float64]{Damping: 0.85, Tolerance: 1e-9}),
	}
}

// written returns what a job writes.
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
	for i, w := range works() {
		for k, mode := range []dispatcher.Mode{dispatcher.Sync, dispatcher.Async} {
			for _, policy := range testsize.Some([]garaph.Checkpoints{{}, {Every: 1}, {Every: 3, Keep: 1}, {Pages: 2}}, 2, i+k) {
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
					step := max(1, all/3)
					for stop := 0; stop < all; stop += step {
						interruptAndResume(t, g, w, o, stop, all, want)
					}
				})
			}
		}
	}
}

// interruptAndResume stops a run after some iterations, and the resumed one
// two iterations later.
func interruptAndResume(t *testing.T, g *garaph.Graph, w work, o garaph.RunOptions, stop, all int, want []byte) {
	t.Helper()
	o.Job = g.NewJob(checkpoint.Spec{Name: w.name})
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
	if i := slices.IndexFunc(list, func(l checkpoint.Listed) bool { return l.ID == id }); i < 0 ||
		list[i].Status != checkpoint.Done || len(list[i].Epochs) > 0 {
		t.Errorf("job %d in the list: %+v", id, list)
	}
}

// logged collects a job's log, and shows what is in it. The last checkpoint may
// be written after Run and Resume have returned, until the result is closed.
func logged() (log *zap.Logger, text func() string) {
	core, entries := observer.New(zap.DebugLevel)
	return zap.New(core), func() string {
		var b strings.Builder
		for _, e := range entries.All() {
			fmt.Fprintln(&b, e.Level, e.Message, e.ContextMap())
		}
		return b.String()
	}
}

// TestLostResults checks that a job whose results could not be written is not done, and
// Resume writes them.
func TestLostResults(t *testing.T) {
	g := manyShards(t, 7)
	p := programs.PageRank[float32]{Damping: 0.85, Tolerance: 1e-6}
	r, err := garaph.Run[float32, int64](t.Context(), g, p, garaph.RunOptions{Checkpoints: garaph.Checkpoints{Every: 3}})
	if err != nil {
		t.Fatal(err)
	}
	want := written(t, r)
	if err := r.WriteFile(filepath.Join(t.TempDir(), "no", "such", "out.tsv"), ""); err == nil {
		t.Fatal("it was written")
	}
	all := len(r.Report.Iterations)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r, err = garaph.Resume[float32, int64](t.Context(), g, p, 0, garaph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Report.Before != all || len(r.Report.Iterations) != 0 || !r.Report.Converged {
		t.Errorf("resumed after %d of %d iterations, %d more", r.Report.Before, all, len(r.Report.Iterations))
	}
	alike(t, "resumed", written(t, r), want, true)
}

// TestNoLastEpoch checks that none is written after the last iteration, and what Close needs
// of it when the results were lost is.
func TestNoLastEpoch(t *testing.T) {
	g := manyShards(t, 7)
	for _, lost := range []error{nil, errors.New("no room")} {
		p := programs.PageRank[float32]{Damping: 0.85}
		r, err := garaph.Run[float32, int64](t.Context(), g, p,
			garaph.RunOptions{Iterations: 1, Checkpoints: garaph.Checkpoints{Every: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if n := r.Job().Record().Epoch; n != 0 {
			t.Errorf("epoch %d was written", n)
		}
		if lost != nil {
			r.Lose(lost)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if n := r.Job().Record().Epoch; (n == 1) != (lost != nil) {
			t.Errorf("results lost: %v; epoch %d was written", lost, n)
		}
	}
}

// TestResumeOther checks that Resume refuses what would be another job, by name, and says
// what there is to resume.
func TestResumeOther(t *testing.T) {
	g := manyShards(t, 7)
	p := programs.BFS{Source: 1}
	if _, err := garaph.Resume[uint32, uint32](t.Context(), g, p, 0, garaph.RunOptions{}); !errors.Is(err,
		garaph.ErrNoJob) {
		t.Errorf("without a job: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := garaph.Run[uint32, uint32](ctx, g, p,
		garaph.RunOptions{Checkpoints: garaph.Checkpoints{Every: 1}, Iterations: 50})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for _, c := range []struct {
		resume func() error
		says   string
	}{
		{func() error {
			_, err := garaph.Resume[uint32, uint32](t.Context(), g, programs.BFS{Source: 2}, 1, garaph.RunOptions{})
			return err
		}, "Source was 1 and is 2"},
		{func() error {
			_, err := garaph.Resume[uint32, uint32](t.Context(), g, programs.WCC{}, 1, garaph.RunOptions{})
			return err
		}, "the program was github.com/garaph/garaph/programs.BFS and is github.com/garaph/garaph/programs.WCC"},
	} {
		if err := c.resume(); !errors.Is(err, garaph.ErrDiffers) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("got %v, want %q", err, c.says)
		}
	}
	r, err := garaph.Resume[uint32, uint32](t.Context(), g, p, 1, garaph.RunOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestResumePassesOver checks that Resume of the newest job names the newer ones that are
// damaged.
func TestResumePassesOver(t *testing.T) {
	folder := memoryDir(t)
	g := manyShardsIn(t, folder, 7)
	defer g.Close()
	p := programs.BFS{Source: 1}
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := garaph.Run[uint32, uint32](ctx, g, p, garaph.RunOptions{Checkpoints: garaph.Checkpoints{Every: 1}})
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "g", "jobs", "2", "JOB"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	log, text := logged()
	r, err := garaph.Resume[uint32, uint32](t.Context(), g, p, 0, garaph.RunOptions{Log: log})
	if err != nil {
		t.Fatal(err)
	}
	if id := r.Job().ID(); id != 1 || !strings.Contains(text(), "a job is skipped: job 2: damaged") {
		t.Errorf("job %d was resumed\n%s", id, text())
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestFullDisk checks that on a disk that fills up while it runs, a job goes on without new
// epochs, says so, keeps those that it has, and ends right; it writes them again
// when there is room.
func TestFullDisk(t *testing.T) {
	disk := tinydisk.Mount(t, 256<<20)
	g := manyShardsIn(t, disk, 8)
	defer g.Close()
	const iterations = 1000
	p := programs.PageRank[float64]{Damping: 0.999}
	want, err := garaph.Run[float64, int64](t.Context(), g, p, garaph.RunOptions{Iterations: iterations})
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	log, text := logged()
	job := g.NewJob(checkpoint.Spec{Name: "pagerank"})
	folder := func() string { return filepath.Join(disk, "g", "jobs", fmt.Sprint(job.ID())) }
	kept, begin, full := 0, 0, "" // when the disk was filled, or emptied again
	r, err := garaph.Run[float64, int64](t.Context(), g, p, garaph.RunOptions{
		Iterations: iterations, Job: job, Log: log, Checkpoints: garaph.Checkpoints{Every: 1},
		Progress: func(it garaph.Iteration) {
			if !strings.Contains(text(), "checkpoints are written again") {
				time.Sleep(5 * time.Millisecond) // a long iteration: epochs are written meanwhile
			}
			switch long := it.Iteration >= begin+30; {
			case long && begin == 0 && countEpochs(t, folder()) > 0:
				begin, full = it.Iteration, tinydisk.Fill(t, disk, 1<<20)
			case long && full != "" && strings.Contains(text(), "older checkpoints stay"):
				kept = countEpochs(t, folder())
				if err := os.Remove(full); err != nil {
					t.Error(err)
				}
				full = ""
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	alike(t, "on a full disk", written(t, r), written(t, want), true)
	if kept == 0 {
		t.Error("no epoch was left while the disk was full")
	}
	for what, n := range map[string]int{"not enough free disk space": 1, "older checkpoints stay": 1,
		"checkpoints are written again": 1} {
		if got := strings.Count(text(), what); got != n {
			t.Errorf("%q was reported %d times, want %d:\n%s", what, got, n, text())
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func countEpochs(t *testing.T, folder string) int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "epoch-*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}
