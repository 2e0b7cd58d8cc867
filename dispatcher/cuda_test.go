//go:build cuda

package dispatcher_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/garaph/garaph/bench"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

const gpu = "0"

// needGPU skips a test where there is no GPU, and keeps the context of the GPU
// for its time, so that no job makes one.
func needGPU(t *testing.T) {
	t.Helper()
	d, err := device.Open(gpu)
	if errors.Is(err, device.ErrNoDevice) {
		t.Skipf("this test needs a GPU: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestCUDANamedGraphs(t *testing.T) {
	needGPU(t)
	tryNamed(t, gpu)
}

// TestCUDARMAT: 10⁶ vertices and 17 × 10⁶ edges, skewed.
func TestCUDARMAT(t *testing.T) {
	needGPU(t)
	for _, format := range []string{bench.Raw, bench.RawW} {
		for _, layout := range layouts {
			t.Run(format+"/"+string(layout), func(t *testing.T) {
				o := bench.GenOptions{Kind: bench.RMAT, Scale: 20, Degree: 16, Format: format, Seed: 1}
				tryAll(t, subjectOf(t, generated(t, o, layout), gpu))
			})
		}
	}
}

// generated is a graph of package bench, imported as a user would.
func generated(t *testing.T, o bench.GenOptions, layout store.Layout) *store.Store {
	t.Helper()
	folder := t.TempDir()
	edges, path := filepath.Join(folder, "edges"), filepath.Join(folder, "graph")
	f, err := os.Create(edges)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	if err := errors.Join(bench.Generate(t.Context(), w, o, nil), w.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := ingest.Import(t.Context(), []string{edges}, path, ingest.Options{Format: ingest.Format(o.Format), Storage: ingest.StorageOptions{Layout: layout}}); err != nil {
		t.Fatal(err)
	}
	return teststore.Open(t, path)
}

// TestCUDAStar: one destination with 10⁷ in-edges, as many as hundreds of
// blocks have.
func TestCUDAStar(t *testing.T) {
	needGPU(t)
	n := 10_000_000
	if testing.Short() {
		n = 1_000_000
	}
	g := oracle.Graph{N: n + 1}
	hub := uint32(n / 2)
	for v := range uint32(n + 1) {
		if v != hub {
			g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: hub, Weight: float32(v%16 + 1)})
		}
	}
	g.Edges = append(g.Edges, oracle.Edge{Src: hub, Dst: 1, Weight: 3})
	tryAll(t, subjectOf(t, teststore.Build(t, g, teststore.Options{Weighted: true, ShardVertices: shard.DefaultVertices}), gpu))
}

// TestCUDAPath: as many iterations as there are vertices.
func TestCUDAPath(t *testing.T) {
	needGPU(t)
	g := oracle.Graph{N: 2000}
	for v := range uint32(g.N - 1) {
		g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: v + 1, Weight: float32(v%7 + 1)})
	}
	tryAll(t, subjectOf(t, teststore.Build(t, g, teststore.Options{Weighted: true, ShardVertices: 500}), gpu))
}

// TestCUDAIsolated: nearly all vertices have no edges, and most shards none.
func TestCUDAIsolated(t *testing.T) {
	needGPU(t)
	g := oracle.Graph{N: 1_000_000}
	for v := uint32(0); v+20_011 < uint32(g.N); v += 9973 {
		g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: v + 9973, Weight: 2}, oracle.Edge{Src: v + 9973, Dst: v / 2, Weight: 5})
	}
	tryAll(t, subjectOf(t, teststore.Build(t, g, teststore.Options{Weighted: true, ShardVertices: shard.DefaultVertices}), gpu))
}

// counting counts what is taken of a device.
type counting struct {
	device.Device
	taken *atomic.Int64
}

func (c counting) Alloc(n int64) (device.Pointer, error) {
	c.taken.Add(1)
	return c.Device.Alloc(n)
}

func (c counting) Pin(n int64) ([]byte, error) {
	c.taken.Add(1)
	return c.Device.Pin(n)
}

// TestCUDASmallJob: BFS on 10⁵ edges takes at most 50 ms where the context
// exists, and its iterations take a few objects of the host, and memory of the GPU
// only where the first frontier is advanced, which loads the rows.
func TestCUDASmallJob(t *testing.T) {
	needGPU(t)
	x := subjectOf(t, generated(t, bench.GenOptions{Kind: bench.Uniform, Vertices: 20_000, Edges: 100_000, Format: bench.Raw, Seed: 5}, store.CSC), gpu)
	var taken atomic.Int64
	var marks []int64     // taken, by iteration
	first := -1           // of frontiers
	var objects []float64 // made since the one before
	var last runtime.MemStats
	o := dispatcher.Options{Device: dispatcher.GPU, GPU: dispatcher.GPUOptions{Name: gpu}}
	o.SetOpen(func(name string) (device.Device, error) {
		d, err := device.Open(name)
		return counting{d, &taken}, err
	})
	best := time.Hour
	for round := range 6 { // the driver compiles kernels in the first one
		o.Progress = nil
		if round == 0 {
			o.Progress = func(it dispatcher.Iteration) {
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				if first < 0 && it.Method == dispatcher.Frontier {
					first = len(marks)
				}
				marks, objects = append(marks, taken.Load()), append(objects, float64(now.Mallocs-last.Mallocs))
				runtime.ReadMemStats(&last)
			}
		}
		start := time.Now()
		j, err := dispatcher.New(x.store, gas.Program[uint32, uint32](programs.BFS{Source: x.source}), o)
		if err != nil {
			t.Fatal(err)
		}
		planned := time.Since(start)
		r, err := j.Run(context.Background())
		all := time.Since(start)
		j.Close()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("planning and kernels %v, copying %v, %d iterations %v, all %v", planned, r.Load, len(r.Iterations), r.Duration, all)
		if round > 0 {
			best = min(best, all)
		}
	}
	if best > 50*time.Millisecond {
		t.Errorf("it took %v at best", best)
	}
	if len(marks) < 4 {
		t.Fatalf("%d iterations: too few to see", len(marks))
	}
	least := objects[1]
	for i := 1; i < len(marks); i++ {
		least = min(least, objects[i])
		if i != first && marks[i] != marks[i-1] {
			t.Errorf("iteration %d allocated memory of the device, or pinned some: %d times", i, marks[i]-marks[i-1])
		}
	}
	t.Logf("objects of the host made in each iteration: %v", objects[1:])
	if least > 64 {
		t.Errorf("an iteration makes %v objects at least", least)
	}
}

// TestCUDAForged is TestForgedOnGPU on a real GPU.
func TestCUDAForged(t *testing.T) {
	needGPU(t)
	tryForged(t, gpu, programs.SSSP[float32]{})
}

// trapping is a device one of whose kernels traps, from its n-th launch on.
type trapping struct {
	device.Device
	kernel   string
	from     int64
	launches *atomic.Int64
}

func (d trapping) Load(k device.Kernel) (device.Function, error) {
	f, err := d.Device.Load(k)
	if err != nil || k.Name != d.kernel {
		return f, err
	}
	const trapped = "_trap" // what the name of the kernel that traps ends with
	traps, err := d.Device.Load(device.Kernel{Name: k.Name + trapped, Entry: k.Entry + trapped, PTX: func() (string, error) {
		text, err := k.PTX()
		if err == nil && !strings.Contains(text, "\n\tret;") {
			err = fmt.Errorf("kernel %s: no place for a trap", k.Name)
		}
		text = strings.ReplaceAll(text, k.Entry, k.Entry+trapped)
		return strings.ReplaceAll(text, "\n\tret;", "\n\ttrap;\n\tret;"), err
	}})
	return trappingFunction{f, traps, d}, err
}

// trappingFunction is the kernel that traps.
type trappingFunction struct {
	device.Function
	traps  device.Function
	device trapping
}

func (f trappingFunction) Launch(s device.Stream, blocks, threads, shared int, args []byte) error {
	if f.device.launches.Add(1) >= f.device.from {
		return f.traps.Launch(s, blocks, threads, shared, args)
	}
	return f.Function.Launch(s, blocks, threads, shared, args)
}

const trapKernel = "GARAPH_TEST_TRAP"

// TestCUDATrap: a kernel that traps costs time, not the job, which ends on the
// CPU with the right result. The process has no use of the GPU after it: it is
// another one.
func TestCUDATrap(t *testing.T) {
	if which := os.Getenv(trapKernel); which != "" {
		trap(t, which)
		return
	}
	needGPU(t)
	for _, which := range []string{"zero 1 gpu", "expand 1 gpu", "expand 1 hybrid", "pull_segmented 1 gpu", "pull_segmented 4 hybrid", "apply 3 gpu", "apply 7 hybrid", "check_packed 1 gpu", "check_packed 1 hybrid"} {
		t.Run(which, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestCUDATrap$", "-test.v")
			cmd.Env = append(os.Environ(), trapKernel+"="+which)
			out, err := cmd.CombinedOutput()
			for line := range strings.Lines(string(out)) {
				if strings.Contains(line, "the GPU was lost") {
					t.Log(strings.TrimSpace(line))
				}
			}
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// trap runs a job in which a kernel traps: its name, the launch, the device.
func trap(t *testing.T, which string) {
	var d trapping
	var on dispatcher.Device
	if _, err := fmt.Sscan(which, &d.kernel, &d.from, &on); err != nil {
		t.Fatal(err)
	}
	d.launches = new(atomic.Int64)
	g := oracle.Graph{N: 1000}
	for v := range uint32(g.N) {
		g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: (v * 7) % uint32(g.N), Weight: 1}, oracle.Edge{Src: v, Dst: (v + 1) % uint32(g.N), Weight: 1})
	}
	layout := store.CSC
	if strings.HasSuffix(d.kernel, "_packed") {
		layout = store.Packed
	}
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 100, Layout: layout})
	o := dispatcher.Options{Device: on, GPU: dispatcher.GPUOptions{Name: gpu}}
	o.ShareEvenly()
	o.SetOpen(func(name string) (device.Device, error) {
		var err error
		d.Device, err = device.Open(name)
		return d, err
	})
	j, err := dispatcher.New(s, gas.Program[uint32, uint32](programs.WCC{}), o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	r, err := j.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Lost, "GPU ") || r.Devices[dispatcher.CPU].Edges == 0 {
		t.Errorf("lost: %q; %+v", r.Lost, r.Devices)
	}
	labels := oracle.WCC(g)
	err = j.Values(func(vs []gas.Vertex, values []uint32) error {
		for k, v := range vs {
			if values[k] != labels[v.ID] {
				t.Fatalf("vertex %d: got %d, want %d", v.ID, values[k], labels[v.ID])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the GPU was lost in %d iterations: %s", len(r.Iterations), r.Lost)
}
