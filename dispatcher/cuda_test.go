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
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/garaph/garaph/bench"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/kernels"
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

// severalGPUs skips a test where there are fewer than two GPUs, and returns lists of them.
func severalGPUs(t *testing.T) (lists []string) {
	t.Helper()
	needGPU(t)
	names, err := device.Names()
	if err != nil || len(names) < 2 {
		t.Skipf("this test needs two GPUs: %v, %v", names, err)
	}
	for n := 2; n <= len(names); n *= 2 {
		lists = append(lists, strings.Join(names[:n], ","))
	}
	return lists
}

// TestCUDASeveral is TestCUDARMAT and TestCUDANamedGraphs on several GPUs; if -short, TestCUDARMAT on all.
func TestCUDASeveral(t *testing.T) {
	lists := severalGPUs(t)
	if testing.Short() {
		lists = lists[len(lists)-1:]
	}
	for _, list := range lists {
		t.Run(list, func(t *testing.T) {
			if !testing.Short() { // every program on every graph opens the GPUs again
				tryNamed(t, list)
			}
			o := bench.GenOptions{Kind: bench.RMAT, Scale: 18, Degree: 16, Format: bench.RawW, Seed: 1}
			tryAll(t, subjectOf(t, generated(t, o, store.Packed), list))
		})
	}
}

// TestCUDATeam checks that frontiers that are divided among several GPUs give the values of the CPU.
func TestCUDATeam(t *testing.T) {
	o := bench.GenOptions{Kind: bench.RMAT, Scale: 18, Degree: 16, Format: bench.RawW, Seed: 1}
	var ways []dispatcher.Options
	for _, list := range severalGPUs(t) {
		for policy := range kernels.Lonestar + 1 {
			for i, small := range []uint64{1, 1 << 12, 1 << 20} {
				filter := (kernels.Filter(policy) + kernels.Filter(i)) % (kernels.LabelFilter + 1)
				o := dispatcher.Options{Device: dispatcher.GPU, Method: dispatcher.Frontier,
					GPU: dispatcher.GPUOptions{Name: list, Advancing: gpuengine.Advancing{Policy: policy, Filter: filter}}}
				o.DivideFrontiers(small)
				ways = append(ways, o)
			}
		}
	}
	ways = testsize.Some(ways, len(ways)/4, 0)
	s := generated(t, o, store.Packed)
	sameOnCPU(t, s, gas.Program[uint32, uint32](programs.WCC{}), ways)
	sameOnCPU(t, s, gas.Program[float32, float32](programs.SSSP[float32]{Source: 1}), ways)
	sameOnCPU(t, s, gas.Program[float64, float64](programs.SSSP[float64]{Source: 1}), ways)
	sameOnCPU(t, s, gas.Program[float32, float32](programs.SSWP[float32]{Source: 1}), ways)
}

// sameOnCPU checks that a program gives the same values with options and on the CPU.
func sameOnCPU[V comparable, A any](t *testing.T, s *store.Store, p gas.Program[V, A], ways []dispatcher.Options) {
	t.Helper()
	var want []V
	for i, o := range append([]dispatcher.Options{{Device: dispatcher.CPU}}, ways...) {
		var got []V
		j, err := dispatcher.New(s, p, o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := j.Run(t.Context())
		if err == nil {
			err = j.Values(func(_ []gas.Vertex, values []V) error {
				got = append(got, values...)
				return nil
			})
		}
		j.Close()
		if i == 0 {
			want = got
		}
		if err != nil || r.GPU.Lost != "" || !slices.Equal(got, want) {
			t.Errorf("%T, %+v: %v, lost: %q, the same: %v", p, o.GPU, err, r.GPU.Lost, slices.Equal(got, want))
		}
	}
}

// TestCUDARMAT has 2¹⁸ vertices and 2²² edges, skewed.
func TestCUDARMAT(t *testing.T) {
	needGPU(t)
	for format, layout := range map[string]store.Layout{bench.Raw: store.CSC, bench.RawW: store.Packed} {
		t.Run(format+"/"+string(layout), func(t *testing.T) {
			o := bench.GenOptions{Kind: bench.RMAT, Scale: 18, Degree: 16, Format: format, Seed: 1}
			tryAll(t, subjectOf(t, generated(t, o, layout), gpu))
		})
	}
}

// generated returns a graph of package bench, imported as a user would.
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
	if _, err := ingest.Import(t.Context(), []string{edges}, path, ingest.Options{Format: ingest.Format(o.Format),
		Storage: ingest.StorageOptions{Layout: layout}}); err != nil {
		t.Fatal(err)
	}
	return teststore.Open(t, path)
}

// TestCUDAStar has one destination with 10⁷ in-edges, as many as hundreds of
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
	tryAll(t, subjectOf(t, teststore.Build(t, g, teststore.Options{Weighted: true, ShardVertices: shard.DefaultVertices}),
		gpu))
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

// Unwrap returns the device beneath.
func (d trapping) Unwrap() device.Device { return d.Device }

func (d trapping) Load(k device.Kernel) (device.Function, error) {
	f, err := d.Device.Load(k)
	if err != nil || k.Name != d.kernel {
		return f, err
	}
	const trapped = "_trap" // what the name of the kernel that traps ends with
	traps, err := d.Device.Load(device.Kernel{Name: k.Name + trapped, Entry: k.Entry + trapped,
		PTX: func() (string, error) {
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

// TestCUDATrap checks that a kernel that traps costs time, not the job, which ends on the
// CPU with the right result. The process has no use of the GPU after it: it is
// another one.
func TestCUDATrap(t *testing.T) {
	if which := os.Getenv(trapKernel); which != "" {
		trap(t, which)
		return
	}
	needGPU(t)
	for _, which := range []string{"zero 1 gpu", "expand 1 gpu", "expand 1 hybrid", "pull_segmented 1 gpu",
		"pull_segmented 4 hybrid", "apply 3 gpu", "apply 7 hybrid", "check_packed 1 gpu", "check_packed 1 hybrid"} {
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
		g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: (v * 7) % uint32(g.N), Weight: 1},
			oracle.Edge{Src: v, Dst: (v + 1) % uint32(g.N), Weight: 1})
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
	if !strings.Contains(r.GPU.Lost, "GPU ") || r.Devices[dispatcher.CPU].Edges == 0 {
		t.Errorf("lost: %q; %+v", r.GPU.Lost, r.Devices)
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
	t.Logf("the GPU was lost in %d iterations: %s", len(r.Iterations), r.GPU.Lost)
}
