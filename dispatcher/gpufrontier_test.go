package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// drawAdvancing draws how frontiers are advanced.
func drawAdvancing(t *rapid.T) gpuengine.Advancing {
	return gpuengine.Advancing{
		Policy:    kernels.Policy(rapid.Uint32Range(0, uint32(kernels.Lonestar)).Draw(t, "policy")),
		Filter:    kernels.Filter(rapid.Uint32Range(0, uint32(kernels.LabelFilter)).Draw(t, "filter")),
		Cull:      rapid.Bool().Draw(t, "cull"),
		Direction: kernels.Direction(rapid.Uint32Range(0, uint32(kernels.Seek)).Draw(t, "direction")),
	}
}

// onGPUFrontier compares the values of frontiers on the emulated device with those of pulls.
func onGPUFrontier[V comparable, A any](t *rapid.T, s *store.Store, p gas.Program[V, A], o Options) {
	t.Helper()
	o.Device = CPU
	o.Method = Pull
	want, _ := run(t, s, p, setting{opt: o})
	o.Device, o.GPU.Advancing = GPU, drawAdvancing(t)
	o.Method = rapid.SampledFrom([]Method{Frontier, Frontier, Auto}).Draw(t, "method")
	gpus := rapid.IntRange(1, 4).Draw(t, "GPUs")
	o.GPU.Name, o.hooks.smallFrontier = "0"+strings.Repeat(",0", gpus-1), rapid.Uint64Range(1, 60).Draw(t, "small")
	var devices []*device.Emulated
	var opening sync.Mutex
	o.hooks.open = func(string) (device.Device, error) {
		opening.Lock()
		defer opening.Unlock()
		devices = append(devices, device.NewEmulated(device.EmulatedOptions{}))
		return devices[len(devices)-1], nil
	}
	if gpus == 1 && rapid.Bool().Draw(t, "few edges on the device") {
		o.GPU.Memory = 3 << 20
	}
	got, r := run(t, s, p, setting{opt: o})
	if i := differs(got, want); i >= 0 {
		t.Fatalf("%T %+v, %+v: vertex %d: got %v, want %v as by pull", p, p, o.GPU.Advancing, i, got[i], want[i])
	}
	for _, it := range r.Iterations {
		if it.Method != Frontier && o.Method == Frontier || it.Device != GPU {
			t.Fatalf("%T: iteration %d is a %s of the %s", p, it.Iteration, it.Method, it.Device)
		}
	}
	for _, d := range devices {
		if left := d.InUse(); left != (device.InUse{}) {
			t.Fatalf("%T: left on the device: %+v", p, left)
		}
	}
}

// TestGPUFrontier checks that frontiers on a device give what pulls give, whatever the policy, the
// filter and the direction, over every kind of stored graph.
func TestGPUFrontier(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := testgraph.Draw(rt)
		if hub := rapid.IntRange(0, 4).Draw(rt, "hub"); hub == 0 { // rows beyond what a thread, a warp and a block take
			for k := range uint32(rapid.IntRange(30, 3000).Draw(rt, "edges of the hub")) {
				g.Edges = append(g.Edges, oracle.Edge{Src: 0, Dst: k % uint32(g.N), Weight: float32(k%7) + 1},
					oracle.Edge{Src: k % uint32(g.N), Dst: 0, Weight: float32(k % 5)})
			}
		}
		o := teststore.Draw(rt)
		o.Wide = false
		s := teststore.Build(t, g, o)
		source := rapid.Uint32Range(0, uint32(g.N-1)).Draw(rt, "source")
		by := Options{Threads: 2}
		onGPUFrontier(rt, s, gas.Program[uint32, uint32](programs.BFS{Source: source}), by)
		onGPUFrontier(rt, s, gas.Program[uint32, uint32](programs.WCC{}), by)
		onGPUFrontier(rt, s, gas.Program[float32, float32](programs.SSWP[float32]{Source: source}), by)
		onGPUFrontier(rt, s, gas.Program[float32, float32](programs.SSSP[float32]{Source: source}), by)
		onGPUFrontier(rt, s, gas.Program[float64, float64](programs.SSSP[float64]{Source: source}), by)
	})
}

// TestGPUFrontierFaults checks that a GPU that fails while it advances frontiers is lost, and the
// job goes on on the CPU with the right result; before the job it is an error. Nothing is left.
func TestGPUFrontierFaults(t *testing.T) {
	g := chain(300)
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 50, Layout: store.Packed, Weighted: true})
	p := gas.Program[float32, float32](programs.SSSP[float32]{})
	want, _ := run(t, s, p, setting{opt: Options{Device: CPU, Method: Pull}})
	o := Options{Device: GPU, Method: Frontier, Threads: 2, Mode: Sync}
	survived := 0
	for op := device.FaultAlloc; op <= device.FaultRun; op++ {
		calls := device.NewEmulated(device.EmulatedOptions{})
		if _, _, err := searchOn(t, s, p, o, calls); err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= calls.Calls(op); n++ {
			d := device.NewEmulated(device.EmulatedOptions{Faults: []device.EmulatedFault{{Op: op, N: n, Lost: n%2 == 0}}})
			got, r, err := searchOn(t, s, p, o, d)
			if left := d.InUse(); left != (device.InUse{}) {
				t.Fatalf("%s %d: left on the device: %+v", op, n, left)
			}
			if err != nil {
				continue
			}
			if i := differs(got, want); i >= 0 {
				t.Fatalf("%s %d: vertex %d: got %v, want %v", op, n, i, got[i], want[i])
			}
			if r.GPU.Lost != "" {
				survived++
			}
		}
	}
	if survived < 10 {
		t.Errorf("%d faults were survived", survived)
	}
}

// TestTeamFaults checks that a job continues with the right result after a fault at any copy to a peer, any launch or
// another call of either of two GPUs that advance frontiers, and that a GPU that is left has its part of it.
func TestTeamFaults(t *testing.T) {
	s := teststore.Build(t, manyEdges(), teststore.Options{ShardVertices: 50, Layout: store.Packed, Weighted: true})
	p := gas.Program[float32, float32](programs.SSSP[float32]{})
	want, _ := run(t, s, p, setting{opt: Options{Device: CPU, Method: Pull}})
	step := 1
	if testing.Short() {
		step = 4
	}
	survived, peers := 0, 0
	for op := device.FaultAlloc; op <= device.FaultPeer; op++ {
		for faulty := range 2 {
			for n := 1; ; n += step {
				var devices [2]*device.Emulated
				o := Options{Device: GPU, Method: Frontier, Threads: 2, GPU: GPUOptions{Name: "0,1"},
					hooks: hooks{smallFrontier: 20}}
				o.hooks.open = func(name string) (device.Device, error) {
					k := int(name[0] - '0')
					var faults []device.EmulatedFault
					if k == faulty {
						faults = append(faults, device.EmulatedFault{Op: op, N: n, Lost: n%2 == 0})
					}
					devices[k] = device.NewEmulated(device.EmulatedOptions{Faults: faults})
					return watched{devices[k], t}, nil
				}
				name := fmt.Sprintf("%s %d of GPU %d", op, n, faulty)
				got, r, err := runJob(s, p, o)
				if devices[faulty].Calls(op) < n {
					break
				}
				switch {
				case err != nil && len(r.Iterations) > 0:
					t.Errorf("%s: %v", name, err)
				case err != nil:
				case differs(got, want) >= 0:
					t.Errorf("%s: wrong values", name)
				case r.GPU.Lost != "":
					survived++
					if last := r.Iterations[len(r.Iterations)-1]; last.Device != GPU {
						t.Errorf("%s: the last iteration was on the %s", name, last.Device)
					}
					if op == device.FaultPeer {
						peers++
					}
				}
			}
		}
	}
	if survived < 20 || peers < 5 {
		t.Errorf("%d faults were survived, %d of copies to peers", survived, peers)
	}
}

// searchOn runs a program on a device, of which nothing is in use when it is closed.
func searchOn[V, A any](t *testing.T, s *store.Store, p gas.Program[V, A], o Options, d *device.Emulated) (values []V,
	r Report, err error) {
	t.Helper()
	o.hooks.open = func(string) (device.Device, error) { return watched{d, t}, nil }
	j, err := New(s, p, o)
	if err != nil {
		return nil, r, err
	}
	defer j.Close()
	if r, err = j.Run(t.Context()); err != nil {
		return nil, r, err
	}
	err = j.Values(func(_ []gas.Vertex, some []V) error {
		values = append(values, some...)
		return nil
	})
	return values, r, err
}

// TestGPUFrontierBudget checks that the budget that a refusal names is enough, and not exceeded; a
// job that may do without the GPU advances its frontiers on the CPU.
func TestGPUFrontierBudget(t *testing.T) {
	g := manyEdges()
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 50, Layout: store.Packed, Weighted: true})
	p := gas.Program[float32, float32](programs.SSSP[float32]{})
	want, _ := run(t, s, p, setting{opt: Options{Device: CPU, Method: Pull}})
	o := Options{Device: GPU, Method: Frontier, Threads: 2, GPU: GPUOptions{Memory: 1}}
	_, _, err := searchOn(t, s, p, o, device.NewEmulated(device.EmulatedOptions{}))
	var need *gpuengine.NeedError
	if !errors.As(err, &need) {
		t.Fatalf("got %v", err)
	}
	for _, on := range []Device{GPU, AutoDevice} {
		if o.Device = on; on == GPU {
			o.GPU.Memory = need.Least()
		} else {
			o.GPU.Name, o.GPU.Memory = "0", 1
		}
		d := device.NewEmulated(device.EmulatedOptions{})
		got, r, err := searchOn(t, s, p, o, d)
		if err != nil {
			t.Fatalf("%s with %d bytes: %v", on, o.GPU.Memory, err)
		}
		if i := differs(got, want); i >= 0 {
			t.Errorf("%s: vertex %d: got %v, want %v", on, i, got[i], want[i])
		}
		did := r.Iterations[0]
		if by := map[Device]Device{GPU: GPU, AutoDevice: CPU}[on]; did.Method != Frontier || did.Device != by {
			t.Errorf("%s: the first iteration is a %s of the %s", on, did.Method, did.Device)
		}
		if on == GPU && d.Peak() > o.GPU.Memory {
			t.Errorf("%d bytes of the device were used of %d", d.Peak(), o.GPU.Memory)
		}
	}
}

// TestGPUFrontierActive checks that after frontiers on the GPU, the active set has no bits beyond
// the vertices, for which a CPU would notify.
func TestGPUFrontierActive(t *testing.T) {
	for n := 3; n < 70; n += 4 {
		g := oracle.Graph{N: n}
		for v := range uint32(n - 1) {
			g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: v + 1, Weight: 1})
		}
		s := teststore.Build(t, g, teststore.Options{ShardVertices: 30})
		var j *Job[uint32, uint32]
		o := Options{Device: GPU, GPU: GPUOptions{Name: device.EmulatedName,
			Advancing: gpuengine.Advancing{Policy: kernels.AllEdges}}, Method: Frontier, Threads: 1}
		looked := false
		o.Progress = func(Iteration) {
			if err := j.workers.gpus.fetch(); err != nil {
				t.Error(err)
			}
			for v := range 64 * uint32(len(j.state.arrays.Active)) {
				if j.state.arrays.Active.Has(v) && v >= uint32(n) {
					t.Fatalf("%d vertices: %d is active", n, v)
				}
			}
			looked = true
		}
		var err error
		if j, err = New(s, gas.Program[uint32, uint32](programs.BFS{}), o); err != nil {
			t.Fatal(err)
		}
		if _, err := j.Run(t.Context()); err != nil || !looked {
			t.Errorf("%d vertices: looked %v, %v", n, looked, err)
		}
		j.Close()
	}
}

// endless has no end: a vertex that is reached is active.
type endless struct{ programs.WCC }

func (endless) Activate(gas.Vertex, uint32, uint32) bool { return true }

// Fragments returns those of WCC: an emulated GPU runs the methods.
func (p endless) Fragments() compiled.Fragments {
	f := p.WCC.Fragments()
	f.Program = "endless"
	return f
}

// TestGPUFrontierInterrupted checks that a job of which a frontier never ends on the emulated GPU
// ends with its context.
func TestGPUFrontierInterrupted(t *testing.T) {
	s := teststore.Build(t, chain(100), teststore.Options{Symmetric: true})
	o := Options{Device: GPU, GPU: GPUOptions{Name: device.EmulatedName}, Method: Frontier, Threads: 1}
	j, err := New(s, gas.Program[uint32, uint32](endless{}), o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = j.Run(ctx)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
