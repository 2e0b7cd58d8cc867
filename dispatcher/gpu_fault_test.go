package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// manyEdges returns a graph whose edges take several slots of the least size.
func manyEdges() oracle.Graph {
	g := oracle.Graph{N: 500}
	for v := range uint32(g.N) {
		for k := range uint32(20) {
			g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: (v*7 + k*k) % uint32(g.N), Weight: 1})
		}
	}
	return g
}

// TestGPUFaults checks that a fault of the device at any call, transient or final, before
// the job is an error that says what was done; in its middle the job ends on the
// CPU, with a warning and the right result. It does not hang, and leaves nothing
// behind.
func TestGPUFaults(t *testing.T) {
	g := manyEdges()
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 50, Layout: store.Packed})
	labels := oracle.WCC(g)
	faults, survived, parts := 0, 0, 8
	if testing.Short() {
		parts = 3
	}
	for _, on := range []Device{GPU, Hybrid} {
		for _, mode := range []Mode{Sync, Async} {
			for _, starved := range []bool{false, true} {
				o := Options{Device: on, GPU: GPUOptions{Name: "emulated"}, Threads: 1, Mode: mode,
					hooks: hooks{speeds: evenly, pageBytes: 1}}
				if !starved {
					o.GPU.Streams = 1 // one idle lane
				} else {
					o.GPU.Memory = leastGPU(t, s, WCC{}, o) + 48<<10
				}
				calls := device.NewEmulated(device.EmulatedOptions{})
				if _, _, err := runOn(t, s, o, calls); err != nil {
					t.Fatal(err)
				}
				for op := device.FaultAlloc; op <= device.FaultRun; op++ {
					most := calls.Calls(op)
					if most == 0 {
						t.Fatalf("%s: no such call", op)
					}
					for n := 1; n <= most; n += max(1, most/parts) {
						lost := n%2 == 0
						name := fmt.Sprintf("%s, %s, %s %d of %d, lost=%v, starved=%v", on, mode, op, n, most, lost, starved)
						d := device.NewEmulated(device.EmulatedOptions{Faults: []device.EmulatedFault{{Op: op, N: n, Lost: lost}}})
						values, r, err := runOn(t, s, o, d)
						happened := d.Calls(op) >= n
						switch {
						case err == nil:
							if !slices.Equal(values, labels) {
								t.Errorf("%s: wrong labels", name)
							}
							if happened && r.GPU.Lost != "" {
								survived++
							}
						case !errors.Is(err, device.ErrInjected) && !errors.Is(err, device.ErrLost):
							t.Errorf("%s: got %v", name, err)
						case !strings.Contains(err.Error(), "GPU") && !strings.Contains(err.Error(), "pin "):
							t.Errorf("%s: %q does not say where", name, err)
						case len(r.Iterations) > 0:
							t.Errorf("%s: the job ended after %d iterations: %v", name, len(r.Iterations), err)
						}
						if happened {
							faults++
						}
					}
				}
			}
		}
	}
	t.Logf("%d faults, %d of them in the middle of a job that went on", faults, survived)
	if survived < 100 {
		t.Errorf("%d jobs went on without the device", survived)
	}
}

// runOn runs WCC on a device, which then has nothing in use.
func runOn(t *testing.T, s *store.Store, o Options, d *device.Emulated) (values []uint32, r Report, err error) {
	t.Helper()
	o.hooks.open = func(string) (device.Device, error) { return watched{d, t}, nil }
	ended := make(chan error, 1)
	go func() {
		var err error
		values, r, err = runWCC(s, o)
		ended <- err
	}()
	select {
	case err := <-ended:
		if left := d.InUse(); left != (device.InUse{}) {
			t.Errorf("left on the device after %v: %+v", err, left)
		}
		return values, r, err
	case <-time.After(time.Minute):
		t.Fatal("the job hangs")
		return nil, r, nil
	}
}

// watched is a device of which nothing is in use when it is closed.
type watched struct {
	*device.Emulated
	t *testing.T
}

func (w watched) Close() error {
	if left := w.InUse(); left != (device.InUse{}) {
		w.t.Errorf("in use when the device is closed: %+v", left)
	}
	return w.Emulated.Close()
}

func runWCC(s *store.Store, o Options) ([]uint32, Report, error) {
	return runJob[uint32, uint32](s, WCC{}, o)
}

// TestGPUOrCPU checks who is refused on the GPU, and who runs on the CPU instead.
func TestGPUOrCPU(t *testing.T) {
	s := teststore.Build(t, testgraph.Diamond(), teststore.Options{})
	portable := gas.Program[uint32, uint32](BFS{})
	for _, c := range []struct {
		name    string
		program gas.Program[uint32, uint32]
		opt     Options
		want    string // of the error; if "", it runs
		on      Device
	}{
		{"asked for", portable, Options{Device: GPU, GPU: GPUOptions{Name: "emulated"}}, "", GPU},
		{"auto with a GPU that is faster", portable, Options{GPU: GPUOptions{Name: "emulated"},
			hooks: hooks{speeds: policy.Speeds{CPU: 1, Page: 1, Resident: 1e-3, Link: 1e-9}}}, "", GPU},
		{"auto with a GPU that is slower", portable, Options{GPU: GPUOptions{Name: "emulated"},
			hooks: hooks{speeds: policy.Speeds{CPU: 1, Page: 1, Resident: 1e3, Link: 1e-9}}}, "", CPU},
		{"auto without", portable, Options{}, "", CPU},
		{"not wanted", portable, Options{Device: CPU, GPU: GPUOptions{Name: "emulated"}}, "", CPU},
		{"no such device", portable, Options{Device: GPU, GPU: GPUOptions{Name: "7"}},
			"GPU 7: no such GPU: this build of garaph has no driver for it", ""},
		{"no such device, auto", portable, Options{GPU: GPUOptions{Name: "7"}}, "", CPU},
		{"no fragments", programsOnly{}, Options{Device: GPU, GPU: GPUOptions{Name: "emulated"}},
			"program dispatcher.programsOnly: this program does not run on a GPU: it was not compiled: run `garaph compile` " +
				"on its package", ""},
		{"no fragments, auto", programsOnly{}, Options{GPU: GPUOptions{Name: "emulated"}}, "", CPU},
		{"another's fragments", inheriting{}, Options{Device: GPU, GPU: GPUOptions{Name: "emulated"}},
			"program dispatcher.inheriting: this program does not run on a GPU: its fragments are those of BFS, not of " +
				"inheriting: run `garaph compile` on its package", ""},
		{"no memory", portable, Options{Device: GPU, GPU: GPUOptions{Name: "emulated", Memory: 100}},
			"not enough memory on the GPU", ""},
		{"no memory, auto", portable, Options{GPU: GPUOptions{Name: "emulated", Memory: 100}}, "", CPU},
		{"notify-pull", portable, Options{Device: GPU, GPU: GPUOptions{Name: "emulated"}, Method: NotifyPull},
			"method notify-pull runs on the CPU only", ""},
		{"hybrid without a GPU", portable, Options{Device: Hybrid, GPU: GPUOptions{Name: "7"}},
			"GPU 7: no such GPU: this build of garaph has no driver for it", ""},
		{"hybrid with a program of the CPU", programsOnly{}, Options{Device: Hybrid, GPU: GPUOptions{Name: "emulated"}},
			"this program does not run on a GPU", ""},
		{"hybrid with a GPU that is faster", portable, Options{Device: Hybrid, GPU: GPUOptions{Name: "emulated"},
			hooks: hooks{speeds: policy.Speeds{CPU: 1, Page: 1, Resident: 1e-3, Link: 1e-9}}}, "", GPU},
		{"notify-pull, hybrid", portable, Options{Device: Hybrid, GPU: GPUOptions{Name: "emulated"}, Method: NotifyPull},
			"method notify-pull runs on the CPU only", ""},
		{"odd device", portable, Options{Device: "tpu"}, `device "tpu": expected auto, cpu, gpu or hybrid`, ""},
		{"odd gather", portable, Options{Device: GPU, GPU: GPUOptions{Name: "emulated", Gather: "odd"}},
			`gather "odd": expected auto, replicated or segmented`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r Report
			j, err := New(s, c.program, c.opt)
			if err == nil {
				defer j.Close()
				r, err = j.Run(context.Background())
			}
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n")):
				t.Fatalf("got %v, want %s", err, c.want)
			case c.want == "" && r.Devices[c.on].Edges == 0:
				t.Fatalf("it ran on %+v", r.Devices)
			}
		})
	}
}

// programsOnly is BFS without fragments, whatever the built-in one has.
type programsOnly struct{ gas.Program[uint32, uint32] }

func (programsOnly) Init(v gas.Vertex) (uint32, bool) { return programs.BFS{}.Init(v) }
func (programsOnly) Zero() uint32                     { return programs.BFS{}.Zero() }
func (programsOnly) Gather(src uint32, e gas.Edge, dst uint32) uint32 {
	return programs.BFS{}.Gather(src, e, dst)
}
func (programsOnly) Sum(a, b uint32) uint32                                 { return min(a, b) }
func (programsOnly) Apply(_ gas.Vertex, old, acc uint32, _ gas.Step) uint32 { return min(old, acc) }
func (programsOnly) Activate(_ gas.Vertex, old, now uint32) bool            { return old != now }

// inheriting has the fragments of the program in it.
type inheriting struct{ BFS }
