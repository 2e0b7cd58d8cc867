package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// gpuSetting is one way to run a job on the emulated device.
type gpuSetting struct {
	device   Device
	mode     Mode
	gather   gpuengine.Gather
	streams  int
	starved  bool // with the least device memory that the job accepts
	fewPages bool // with the least host memory too
	gpus     int  // if 0, 1
	// fault breaks one of several GPUs, if the program gets that far.
	fault *device.EmulatedFault
}

func (s gpuSetting) String() string {
	return fmt.Sprintf("%s,%s,%s,%d streams,starved=%v,%v,%d GPUs", s.device, s.mode, s.gather, s.streams, s.starved,
		s.fewPages, s.gpus)
}

// evenly has both devices work in every iteration of a hybrid job.
var evenly = policy.Speeds{CPU: 1.5, Page: 1.5, Resident: 1, Streamed: 1, Link: 1e-9}

// runGPU returns the values after a job on the emulated device, of which nothing
// is left in use.
func runGPU[V, A any](t testing.TB, s *store.Store, p gas.Program[V, A], set gpuSetting, iterations int) ([]V, Report) {
	t.Helper()
	o := Options{Mode: set.mode, Threads: 2, Iterations: iterations, Device: set.device,
		GPU: GPUOptions{Name: "emulated", Streams: set.streams, Gather: set.gather}}
	if set.device == Hybrid || set.gpus > 1 {
		o.hooks.speeds, o.hooks.pageBytes = evenly, 1
	}
	if set.starved {
		o.GPU.Memory = leastGPU(t, s, p, o)
	}
	for range set.gpus - 1 {
		o.Method = Pull // frontiers would have one GPU
		o.GPU.Name += ",emulated"
	}
	if set.fewPages {
		o.Memory = 1
		var need *MemoryError
		if _, err := New(s, p, o); errors.As(err, &need) {
			o.Memory = need.Least()
		}
	}
	var devices []*device.Emulated
	var opening sync.Mutex
	o.hooks.open = func(string) (device.Device, error) {
		opening.Lock()
		defer opening.Unlock()
		var faults []device.EmulatedFault
		if set.fault != nil && len(devices) == 1 { // the second one
			faults = append(faults, *set.fault)
		}
		devices = append(devices, device.NewEmulated(device.EmulatedOptions{Faults: faults}))
		return devices[len(devices)-1], nil
	}
	j, err := New(s, p, o)
	if err != nil {
		t.Fatalf("%s: %T: %v", set, p, err)
	}
	if len(devices) != max(1, set.gpus) {
		t.Fatalf("%s: %d devices were opened", set, len(devices))
	}
	r, err := j.Run(context.Background())
	if err != nil {
		t.Fatalf("%s: %T: %v", set, p, err)
	}
	var values []V
	err = j.Values(func(_ []gas.Vertex, some []V) error {
		values = append(values, some...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
	for _, d := range devices {
		if peak := d.Peak(); o.GPU.Memory > 0 && peak > o.GPU.Memory {
			t.Fatalf("%s: %T: %d bytes of the device were used, %d allowed", set, p, peak, o.GPU.Memory)
		}
		if left := d.InUse(); left != (device.InUse{}) {
			t.Fatalf("%s: %T: left on the device: %+v", set, p, left)
		}
	}
	return values, r
}

// leastGPU returns the smallest device budget that a job accepts, as its error says.
func leastGPU[V, A any](t testing.TB, s *store.Store, p gas.Program[V, A], o Options) int64 {
	t.Helper()
	o.GPU.Memory = 1
	var need *gpuengine.NeedError
	if _, err := New(s, p, o); !errors.As(err, &need) || !errors.Is(err, ErrMemory) {
		t.Fatalf("a byte of device memory: %v", err)
	}
	o.GPU.Memory = need.Least() - 1
	if _, err := New(s, p, o); !errors.Is(err, ErrMemory) {
		t.Fatalf("a byte less than the smallest budget: %v", err)
	}
	return need.Least()
}

// checkGPU runs every program on the emulated device and compares with the
// oracles.
func checkGPU(t testing.TB, s *store.Store, g oracle.Graph, source uint32, sets []gpuSetting) {
	t.Helper()
	hops, dist, labels := oracle.BFS(g, source), oracle.SSSP(g, source), oracle.WCC(g)
	rank := oracle.PageRank(g, 0.85, -1, 0, 1e-13)
	ten := oracle.PageRank(g, 0.85, int(source), 10, 0)
	_, out := oracle.Degrees(g)
	for _, set := range sets {
		bfs := BFS{BFS: programs.BFS{Source: source}}
		values, r := runGPU[uint32, uint32](t, s, bfs, set, 0)
		for v, x := range values {
			if got := bfs.Result(gas.Vertex{}, x); got != hops[v] {
				t.Fatalf("%s: bfs of vertex %d: got %d, want %d", set, v, got, hops[v])
			}
		}
		did := r.Devices[GPU]
		notified := slices.ContainsFunc(r.Iterations, func(it Iteration) bool { return it.Method == NotifyPull })
		if set.device == GPU && did.Edges != r.Edges && !notified && r.GPU.Lost == "" ||
			did.Edges+r.Devices[CPU].Edges > r.Edges || !r.Converged {
			t.Fatalf("%s: the report says %+v", set, r)
		}
		lengths, _ := runGPU[float32, float32](t, s, SSSP[float32]{SSSP: programs.SSSP[float32]{Source: source}}, set, 0)
		for v, x := range lengths {
			if !near(float64(x), dist[v], 1e-5) {
				t.Fatalf("%s: sssp of vertex %d: got %v, want %v", set, v, x, dist[v])
			}
		}
		components, _ := runGPU[uint32, uint32](t, s, WCC{}, set, 0)
		if !slices.Equal(components, labels) {
			t.Fatalf("%s: wcc: got %v, want %v", set, components, labels)
		}
		exact := programs.PageRank[float64]{Damping: 0.85, Tolerance: 1e-13}
		ranks, _ := runGPU[float64, int64](t, s, PageRank[float64]{PageRank: exact}, set, 0)
		compareRanks(t, exact, ranks, out, rank, 1e-9)
		if set.mode == Sync {
			personal := programs.PageRank[float32]{Damping: 0.85, Personalised: true, Source: source}
			ranks, _ := runGPU[float32, int64](t, s, PageRank[float32]{PageRank: personal}, set, 10)
			compareRanks(t, personal, ranks, out, ten, 1e-5)
		}
	}
}

func compareRanks[F float32 | float64](t testing.TB, p programs.PageRank[F], values []F, out []uint32, want []float64,
	tolerance float64) {
	t.Helper()
	for v, x := range values {
		got := float64(p.Result(gas.Vertex{ID: uint32(v), N: uint32(len(values)), Out: out[v]}, x))
		if math.Abs(got-want[v]) > tolerance {
			t.Fatalf("%T of vertex %d: got %v, want %v", p, v, got, want[v])
		}
	}
}
