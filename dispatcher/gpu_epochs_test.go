package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// longWay returns a graph through which a change takes many iterations.
func longWay(t testing.TB) *store.Store {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	g := oracle.Graph{N: 400}
	for v := range uint32(g.N - 1) {
		g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: v + 1, Weight: float32(5 + rng.IntN(9))})
		for range 4 {
			near := int(v) - 10 + rng.IntN(30)
			g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: uint32(min(max(near, 0), g.N-1)),
				Weight: float32(1 + rng.IntN(50))})
		}
	}
	return teststore.Build(t, g, teststore.Options{Weighted: true, ShardVertices: 30})
}

// epochState is what an epoch holds.
type epochState[V any] struct {
	state  checkpoint.State
	values []V
	active bitset.Set

	mu sync.Mutex // held while it is filled
}

func (e *epochState[V]) Begin(s checkpoint.State) error {
	e.state, e.values, e.active = s, make([]V, s.Vertices), make(bitset.Set, bitset.Words(s.Vertices))
	return nil
}

func (e *epochState[V]) Take(from, to uint32, values []byte, active []uint64) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	copy(hostmem.AsBytes(e.values[from:to]), values)
	copy(e.active[from/64:], active[:(to-from+63)/64])
	return nil
}

// recorded runs a program as a job in a folder, the first of it or the one that
// is there.
func recorded[V, A any](ctx context.Context, t testing.TB, s *store.Store, p gas.Program[V, A], folder string,
	o Options) ([]V, Report, error) {
	t.Helper()
	var err error
	if _, none := os.Stat(filepath.Join(folder, "1")); none != nil {
		o.Job = checkpoint.NewJob(folder, checkpoint.Spec{}, o.Checkpoints)
	} else if o.Job, err = checkpoint.OpenJob(folder, 1); err != nil {
		t.Fatal(err)
	}
	o.Job.SetChunkVertices(64)
	o.Threads = 2
	if o.Device == GPU {
		o.GPU.Name = device.EmulatedName
	}
	j, err := New(s, p, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Job.Begin(checkpoint.Identity{}, o.Checkpoints); err != nil {
		j.Close()
		t.Fatal(err)
	}
	r, errRun := j.Run(ctx)
	var values []V
	err = j.Values(func(_ []gas.Vertex, some []V) error {
		values = append(values, some...)
		return nil
	})
	j.Close()                                                      // which waits for an epoch that was called off
	if end := o.Job.End(checkpoint.Interrupted, nil); end != nil { // whatever it did, epochs stay
		t.Fatal(end)
	}
	if err != nil && errRun == nil {
		t.Fatal(err)
	}
	return values, r, errRun
}

// gpuWork is a program for the tests of epochs.
type gpuWork struct {
	name   string
	epochs func(t *testing.T, s *store.Store)
	resume func(t *testing.T, s *store.Store, mode Mode, devices [2]Device, stop stopping)
}

func gpuWorkOf[V, A any](name string, p gas.Program[V, A], same func(a, b V) bool, exact bool) gpuWork {
	return gpuWork{
		name,
		func(t *testing.T, s *store.Store) { checkEpochs(t, s, p, same, exact) },
		func(t *testing.T, s *store.Store, mode Mode, devices [2]Device, stop stopping) {
			checkStopped(t, s, p, same, mode, devices, stop)
		},
	}
}

func gpuWorks() []gpuWork {
	close32 := func(a, b float32) bool { return near(float64(a), float64(b), 1e-4) }
	close64 := func(a, b float64) bool { return near(a, b, 1e-6) }
	equal := func(a, b uint32) bool { return a == b }
	return []gpuWork{
		gpuWorkOf[float64, int64]("pagerank", programs.PageRank[float64]{Damping: 0.85, Tolerance: 1e-12}, close64, false),
		gpuWorkOf[uint32, uint32]("bfs", programs.BFS{Source: 0}, equal, true),
		gpuWorkOf[float32, float32]("sssp", programs.SSSP[float32]{Source: 0}, close32, true),
		gpuWorkOf[uint32, uint32]("wcc", programs.WCC{}, equal, true),
		gpuWorkOf[uint32, uint32]("kcore", programs.KCore{K: 8}, equal, true),
	}
}

// TestGPUEpochs checks that each epoch that is written while a job runs on the GPU, and the
// one that it leaves, has values, active set and aggregate of its iteration,
// which are those of the CPU.
func TestGPUEpochs(t *testing.T) {
	s := longWay(t)
	for _, w := range gpuWorks() {
		t.Run(w.name, func(t *testing.T) { w.epochs(t, s) })
	}
}

func checkEpochs[V, A any](t *testing.T, s *store.Store, p gas.Program[V, A], same func(a, b V) bool, exact bool) {
	folder := memoryDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const last = 5
	o := Options{Device: GPU, Method: Pull, Checkpoints: checkpoint.Policy{Every: 1, Keep: 100},
		Progress: func(it Iteration) {
			if it.Iteration == last-1 {
				cancel()
			}
			if it.Iteration > 0 { // after the first iteration, one was begun
				awaitEpoch(folder)
			}
			time.Sleep(30 * time.Millisecond) // for the writer
		}}
	_, r, err := recorded(ctx, t, s, p, folder, o)
	if !errors.Is(err, context.Canceled) || len(r.Iterations) != last {
		t.Fatalf("%d iterations, %v", len(r.Iterations), err)
	}
	job, err := checkpoint.OpenJob(folder, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer job.Close()
	if err := job.Begin(checkpoint.Identity{}, checkpoint.Policy{}); err != nil {
		t.Fatal(err)
	}
	numbers, err := job.Epochs().Numbers()
	if err != nil || len(numbers) < 2 {
		t.Fatalf("epochs %v, %v", numbers, err)
	}
	for _, n := range slices.Backward(numbers) { // each is the newest in turn
		var got epochState[V]
		if _, err := job.Restore(t.Context(), &got); err != nil {
			t.Fatal(err)
		}
		k := got.state.Iteration
		if n == numbers[len(numbers)-1] && k != last {
			t.Errorf("the last epoch is of %d iterations", k)
		}
		j, err := New(s, p, Options{Device: CPU, Method: Pull, Iterations: k})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for v, want := range j.state.arrays.Cur {
			if !same(got.values[v], want) {
				t.Fatalf("after %d iterations, vertex %d: got %v, want %v", k, v, got.values[v], want)
			}
		}
		if exact && !slices.Equal(got.active, j.state.arrays.Active) {
			t.Errorf("after %d iterations, another active set", k)
		}
		if sum := float64(got.state.Aggregate); !near(sum, j.state.now.step.Aggregate, 1e-9) {
			t.Errorf("after %d iterations, the aggregate is %v, want %v", k, sum, j.state.now.step.Aggregate)
		}
		if k < last && got.active.Count(0, got.state.Vertices) != int(r.Iterations[k].Active) {
			t.Errorf("after %d iterations, %d are active, want %d", k, got.active.Count(0, got.state.Vertices),
				r.Iterations[k].Active)
		}
		j.Close()
		if err := os.RemoveAll(filepath.Join(folder, "1", fmt.Sprintf("epoch-%08d", n))); err != nil {
			t.Fatal(err)
		}
	}
}

// awaitEpoch waits until an epoch of the first job in a folder is written, a minute at most.
func awaitEpoch(folder string) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if list, _ := filepath.Glob(filepath.Join(folder, "1", "epoch-*")); len(list) > 0 {
			return
		}
	}
}

// stopping says when a run is stopped: after some iterations, or, on a GPU,
// within the next one.
type stopping struct {
	after  int
	within bool
	policy checkpoint.Policy
}

// TestGPUResume checks that a job that was stopped on one device goes on on the other, or
// on the same, to the result of an undisturbed one.
func TestGPUResume(t *testing.T) {
	s := longWay(t)
	stops := []stopping{{after: 0}, {after: 1}, {after: 4}, {after: 3, policy: checkpoint.Policy{Every: 1}},
		{after: 0, within: true}, {after: 3, within: true}, {after: 3, within: true, policy: checkpoint.Policy{Every: 2}}}
	for i, w := range gpuWorks() {
		for k, mode := range []Mode{Sync, Async} {
			for n, devices := range [][2]Device{{GPU, CPU}, {CPU, GPU}, {GPU, GPU}} {
				for _, stop := range testsize.Some(stops, 3, i+k+n) {
					if stop.within && devices[0] == CPU {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/%v/%+v", w.name, mode, devices, stop),
						func(t *testing.T) { w.resume(t, s, mode, devices, stop) })
				}
			}
		}
	}
}

func checkStopped[V, A any](t *testing.T, s *store.Store, p gas.Program[V, A], same func(a, b V) bool, mode Mode,
	devices [2]Device, stop stopping) {
	want, _ := run(t, s, p, setting{opt: Options{Device: CPU, Threads: 2}})
	folder := memoryDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := 0
	o := Options{Device: devices[0], Mode: mode, Method: Pull, Checkpoints: stop.policy} // one iteration after the other
	o.Progress = func(it Iteration) {
		if done = it.Iteration + 1; done >= stop.after && !stop.within {
			cancel()
		}
	}
	if stop.within {
		o.GPU.Streams = 1 // the first batch ends long before the last
		o.GPU.Memory = leastGPU(t, s, p, Options{Device: GPU, GPU: GPUOptions{Name: device.EmulatedName, Streams: 1},
			Mode: mode})
		o.Trace.Span = func(gpuengine.Span) {
			if done == stop.after {
				cancel()
			}
		}
	} else if stop.after == 0 {
		cancel()
	}
	_, r, err := recorded(ctx, t, s, p, folder, o)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("after %d iterations: %v", len(r.Iterations), err)
	}
	if stop.within && len(r.Iterations) != stop.after {
		t.Fatalf("it was stopped after %d iterations", len(r.Iterations))
	}
	method := Auto
	if devices[1] == CPU {
		method = NotifyPull // which looks at the active set alone
	}
	got, r, err := recorded(t.Context(), t, s, p, folder, Options{Device: devices[1], Mode: mode, Method: method})
	if err != nil {
		t.Fatal(err)
	}
	if r.Before != stop.after && !(r.Before > stop.after && mode == Async) {
		t.Errorf("stopped after %d iterations, resumed after %d", stop.after, r.Before)
	}
	for v := range want {
		if !same(got[v], want[v]) {
			t.Fatalf("vertex %d: got %v, want %v", v, got[v], want[v])
		}
	}
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

// TestForgedIteration checks that an epoch of more iterations than the job has is refused:
// the job would never come to its last one.
func TestForgedIteration(t *testing.T) {
	s, folder := longWay(t), memoryDir(t)
	forged := checkpoint.NewJob(folder, checkpoint.Spec{}, checkpoint.Policy{})
	forged.SetChunkVertices(64)
	if err := forged.Begin(checkpoint.Identity{}, checkpoint.Policy{}); err != nil {
		t.Fatal(err)
	}
	n := s.Catalogue().Vertices
	all := &zeros{}
	number, err := forged.Epochs().Write(t.Context(), checkpoint.State{Vertices: n, ValueBytes: 4, Iteration: 1 << 30},
		all)
	if err == nil {
		err = errors.Join(forged.Wrote(number, 0), forged.End(checkpoint.Interrupted, nil))
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, _, err = recorded[uint32, uint32](ctx, t, s, programs.WCC{}, folder, Options{Iterations: 5})
	if !errors.Is(err, checkpoint.ErrDiffers) || !strings.Contains(err.Error(), "1073741824 iterations of 5") {
		t.Errorf("got %v", err)
	}
}

// zeros is a state of zeros, all of them active.
type zeros struct{}

func (*zeros) Fill(from, to uint32, _ []byte, active []uint64) error {
	for i := range (to - from) / 64 {
		active[i] = ^uint64(0)
	}
	return nil
}
