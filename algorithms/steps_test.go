package algorithms_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// resumables are the algorithms with checkpoints, for graphs of n vertices.
func resumables(n uint32) []func(rapid.TB, *store.Store) int {
	sources := []uint32{0, n / 3, n / 2, n - 1}
	for i := 1; i < len(sources); {
		if sources[i] == sources[i-1] {
			sources = append(sources[:i], sources[i+1:]...)
		} else {
			i++
		}
	}
	return []func(rapid.TB, *store.Store) int{
		resumes(algorithms.CDLP{Iterations: 6}), resumes(algorithms.HITS{Iterations: 9, Tolerance: 1e-6}),
		resumes(algorithms.Eigenvector{Iterations: 9, Tolerance: 1e-6}), resumes(algorithms.Harmonic{Seed: 3}),
		resumes(algorithms.Surfers{Sources: sources, Damping: 0.85, Iterations: 7}),
		resumes(algorithms.Betweenness{}), resumes(algorithms.Betweenness{Samples: 7, Seed: 2}),
		resumes(algorithms.Betweenness{Error: 0.1, Confidence: 0.9, Seed: 4}),
		resumes(algorithms.Closeness{Sources: sources}), resumes(algorithms.Closeness{Most: 3}),
		resumes(algorithms.Similarity{Nearest: 2}),
		resumes(algorithms.Leiden{Resolution: 1.5, Seed: 26, Levels: 2}),
		resumes(algorithms.Closeness{Most: 200, Harmonic: true}),
	}
}

// TestResume interrupts runs after each checkpoint, or anywhere, and resumes them with another number of threads: all
// that they return is the same as of a run without interruption.
func TestResume(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		g := testgraph.Draw(r)
		if rapid.Bool().Draw(r, "dense") {
			g = drawDense(r)
		}
		s, err := teststore.BuildIn(folder, g, teststore.Draw(r))
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		all := resumables(s.Catalogue().Vertices)
		all[rapid.IntRange(0, len(all)-1).Draw(r, "algorithm")](r, s)
	})
}

// TestResumeEach is TestResume for every algorithm.
func TestResumeEach(t *testing.T) {
	g := testgraph.Skewed(4, 40, 1)
	for _, symmetric := range []bool{false, true} {
		s := teststore.Build(t, g, teststore.Options{Symmetric: symmetric, Layout: store.Packed, ShardVertices: 16})
		for i, resume := range resumables(s.Catalogue().Vertices) {
			if processes := resume(t, s); processes < 3 {
				t.Errorf("algorithm %d was interrupted %d times", i, processes-1)
			}
		}
	}
}

// TestResumeWeighted is TestResume for paths by weights.
func TestResumeWeighted(t *testing.T) {
	g := testgraph.Skewed(4, 40, 1)
	for i := range g.Edges {
		g.Edges[i].Weight = float32(1 + i%5)
	}
	s := teststore.Build(t, g, teststore.Options{Layout: store.Packed, Weighted: true, ShardVertices: 16})
	resumes(algorithms.Betweenness{Weighted: true})(t, s)
}

// TestResumeTruss is TestResume for trusses of a graph that is not dense: a ring whose vertices know the next few.
func TestResumeTruss(t *testing.T) {
	g := oracle.Graph{N: 200}
	for v := range uint32(200) {
		for d := range 1 + v*7%5 {
			g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: (v + d + 1) % 200})
		}
	}
	s := teststore.Build(t, g, teststore.Options{Layout: store.Packed, ShardVertices: 16})
	if processes := resumes(algorithms.Truss{})(t, s); processes < 3 {
		t.Errorf("it was interrupted %d times", processes-1)
	}
}

// resumes returns a check of an algorithm, which returns the most processes that a run took.
func resumes[T algorithms.Value](a algorithms.Algorithm[T]) func(rapid.TB, *store.Store) int {
	return func(t rapid.TB, s *store.Store) (most int) {
		t.Helper()
		want := runs(t, s, a)
		for round, threads := range [][]int{{1}, {2}, {7}, {1, 3}} {
			folder, err := os.MkdirTemp("/dev/shm", "garaph-test-")
			if err != nil {
				folder, err = os.MkdirTemp("", "garaph-test-")
			}
			if err != nil {
				t.Fatal(err)
			}
			got, processes := interrupted(t, s, a, folder, threads, round)
			if !reflect.DeepEqual(want, got) {
				t.Fatalf("%T %+v, %v threads, after %d processes: %s", a, a, threads, processes, cmp.Diff(want, got))
			}
			_ = os.RemoveAll(folder)
			most = max(most, processes)
		}
		return most
	}
}

// interrupted runs an algorithm in process after process, each of which is interrupted right after its first checkpoint
// or, of every third one in some rounds, anywhere. In round 2 the newest of two checkpoints is damaged.
func interrupted[T algorithms.Value](
	t rapid.TB, s *store.Store, a algorithms.Algorithm[T], jobs string, threads []int, round int,
) (output[T], int) {
	t.Helper()
	job := checkpoint.NewJob(jobs, checkpoint.Spec{}, checkpoint.Policy{})
	damaged := false
	for process := 1; process < 10_000; process++ {
		if err := job.Begin(checkpoint.Identity{Program: "a"}, checkpoint.Policy{}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		o := algorithms.Options{Threads: threads[process%len(threads)], Job: job,
			Checkpoints: checkpoint.Policy{Every: 1 + round%3, Interval: time.Duration(round/3) * time.Nanosecond}}
		wrote, skipped := 0, 0
		o.Log = logging(func(message string) {
			if strings.HasPrefix(message, "wrote checkpoint") {
				wrote++
				cancel()
			} else if strings.Contains(message, "a checkpoint is skipped") {
				skipped++
			}
		})
		var left atomic.Int64
		left.Store(int64(process % 5))
		o.Progress = func(algorithms.Progress) {
			if left.Add(-1) == 0 && round%2 == 1 && process%3 == 0 && threads[0] == 1 {
				cancel()
			}
		}
		out, err := algorithms.Run(ctx, s, a, o)
		cancel()
		if damaged && skipped != 1 {
			t.Fatalf("%T: %d damaged checkpoints were skipped", a, skipped)
		}
		if err == nil {
			got := outputOf(out)
			out.Close()
			if err := job.End(checkpoint.Done, nil); err != nil {
				t.Fatal(err)
			}
			return got, process
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%T: %v", a, err)
		}
		if err := job.End(checkpoint.Interrupted, nil); err != nil {
			t.Fatal(err)
		}
		damaged = round == 2 && wrote > 0 && damage(t, jobs)
		if job, err = checkpoint.OpenJob(jobs, 1); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatalf("%T does not end", a)
	return output[T]{}, 0
}

// logging returns a log that calls f with each message.
func logging(f func(message string)) *zap.Logger {
	encoder := zapcore.NewConsoleEncoder(zapcore.EncoderConfig{})
	core := zapcore.NewCore(encoder, zapcore.AddSync(io.Discard), zap.DebugLevel)
	return zap.New(core, zap.Hooks(func(e zapcore.Entry) error {
		f(e.Message)
		return nil
	}))
}

// damage changes a byte of the newest of two checkpoints, if there are two, and its number is a multiple of 3.
func damage(t rapid.TB, jobs string) bool {
	epochs, _ := filepath.Glob(filepath.Join(jobs, "1", "epoch-*"))
	var n int
	if len(epochs) < 2 {
		return false
	}
	path := filepath.Join(epochs[len(epochs)-1], "VALUES")
	if _, err := fmt.Sscanf(filepath.Base(epochs[len(epochs)-1]), "epoch-%d", &n); err != nil || n%3 != 0 {
		return false
	}
	b, err := os.ReadFile(path)
	if err == nil {
		b[0] ^= 1
		err = os.WriteFile(path, b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

// TestResumeRefused checks that the state of another algorithm, and states that no run has had, are errors.
func TestResumeRefused(t *testing.T) {
	s := teststore.Build(t, oracle.Graph{N: 64, Edges: path(64).Edges}, teststore.Options{Symmetric: true})
	for what, c := range map[string]struct {
		write, read algorithms.Algorithm[float64]
		change      func(values []byte)
		want        error
	}{
		"another": {algorithms.Eigenvector{Iterations: 9}, algorithms.Surfers{Sources: []uint32{1, 2}, Iterations: 9},
			nil, checkpoint.ErrDiffers},
		"numbers": {algorithms.Betweenness{}, algorithms.Betweenness{Error: 0.5, Confidence: 0.9},
			nil, checkpoint.ErrDamaged},
		"vertex 64": {algorithms.Closeness{Sources: []uint32{1, 2, 3}}, nil,
			func(values []byte) { values[0] = 64 }, checkpoint.ErrDamaged},
		"a circle": {algorithms.Harmonic{}, nil,
			func(values []byte) { values[len(values)-4] = 64 }, checkpoint.ErrDamaged},
	} {
		t.Run(what, func(t *testing.T) {
			jobs := t.TempDir()
			run := func(a algorithms.Algorithm[float64], job *checkpoint.Job) error {
				if err := job.Begin(checkpoint.Identity{}, checkpoint.Policy{}); err != nil {
					t.Fatal(err)
				}
				defer job.Close()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				o := algorithms.Options{Threads: 1, Job: job, Checkpoints: checkpoint.Policy{Every: 1}}
				o.Log = logging(func(message string) {
					if strings.HasPrefix(message, "wrote checkpoint") {
						cancel()
					}
				})
				_, err := algorithms.Run(ctx, s, a, o)
				return err
			}
			err := run(c.write, checkpoint.NewJob(jobs, checkpoint.Spec{}, checkpoint.Policy{}))
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if c.change != nil {
				c.read = c.write
				forge(t, filepath.Join(jobs, "1", "epoch-00000001", "VALUES"), c.change)
			}
			job, err := checkpoint.OpenJob(jobs, 1)
			if err != nil {
				t.Fatal(err)
			}
			if err := run(c.read, job); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

// forge changes the values of a checkpoint of one chunk, under its right checksum.
func forge(t testing.TB, path string, change func(values []byte)) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := len(b) - 4
	words := 0
	for 8*words+(words+63)/64*8 != end {
		words++
	}
	change(b[:8*words])
	sum := crc32.Checksum(append(make([]byte, 4), b[:end]...), crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint32(b[end:], sum)
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}
