package algorithms_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// closing is an emulated device that must be closed with nothing in use.
type closing struct {
	*device.Emulated
	t testing.TB
}

func (d closing) Close() error {
	err := d.Emulated.Close()
	if u := d.InUse(); u != (device.InUse{}) {
		d.t.Errorf("left in use: %+v", u)
	}
	return err
}

// onDevice are the options of a run on an emulated device.
func onDevice(t testing.TB, on algorithms.Device, x device.EmulatedOptions) algorithms.Options {
	o := algorithms.Options{Threads: 2, Device: on, GPU: device.EmulatedName}
	o.SetOpen(func(string) (device.Device, error) { return closing{device.NewEmulated(x), t}, nil })
	return o
}

// TestGPUFails checks that after any failure of the device the CPU computes under auto, with a warning,
// and otherwise the error is that of the device.
func TestGPUFails(t *testing.T) {
	s := teststore.Build(t, tangled(3000, 2),
		teststore.Options{Layout: store.Packed, Symmetric: true, ShardVertices: 1000})
	failing(t, s, algorithms.Components{})
	s = teststore.Build(t, tangled(300, 2), teststore.Options{Layout: store.Packed, ShardVertices: 100})
	failing(t, s, algorithms.LCC{})
	failing(t, s, algorithms.Truss{})
	failing(t, s, algorithms.CDLP{Iterations: 2})
	failing(t, s, algorithms.Walks{Length: 2, Walks: 1, P: 2, Q: 1})
}

func failing[T algorithms.Value](t *testing.T, s *store.Store, a algorithms.Algorithm[T]) {
	want, cpu := run(t, s, a, algorithms.Options{Device: algorithms.CPU})
	for op := range device.FaultRun + 1 {
		for _, lost := range []bool{false, true} {
			fired := 0
			for n := 1; n == fired+1; n++ {
				t.Run(fmt.Sprintf("%T, %s %d, lost %v", a, op, n, lost), func(t *testing.T) {
					x := device.EmulatedOptions{Faults: []device.EmulatedFault{{Op: op, N: n, Lost: lost}}}
					_, err := algorithms.Run(t.Context(), s, a, onDevice(t, algorithms.GPU, x))
					if err == nil {
						return // there is no such call
					}
					fired++
					if !errors.Is(err, device.ErrInjected) && !(lost && errors.Is(err, device.ErrLost)) {
						t.Errorf("got %v", err)
					}
					o := onDevice(t, algorithms.AutoDevice, x)
					core, logs := observer.New(zap.WarnLevel)
					o.Log = zap.New(core)
					got, report := run(t, s, a, o)
					if !slices.Equal(got, want) || report.GPU != "" || !slices.Equal(report.Totals, cpu.Totals) {
						t.Errorf("other values, or report %+v", report)
					}
					if logs.FilterMessage("the CPU computes instead of the GPU").Len() != 1 {
						t.Errorf("logged %v", logs.All())
					}
				})
			}
			if fired == 0 {
				t.Errorf("no %s failed", op)
			}
		}
	}
}

// TestGPUMemory checks that a graph that does not fit onto the device is refused with a budget that is enough,
// and done by the CPU under auto.
func TestGPUMemory(t *testing.T) {
	s := teststore.Build(t, tangled(3000, 2), teststore.Options{ShardVertices: 1000})
	o := onDevice(t, algorithms.GPU, device.EmulatedOptions{})
	o.GPUMemory = 20_000
	_, err := algorithms.Run(t.Context(), s, algorithms.Components{}, o)
	const enough = "24 KiB for where rows begin, "
	if !errors.Is(err, hostmem.ErrBudget) || !strings.Contains(err.Error(), enough) ||
		!strings.Contains(err.Error(), "more than 20 KiB") {
		t.Fatalf("got %v", err)
	}
	var least int64
	if _, err := fmt.Sscanf(err.Error()[strings.LastIndex(err.Error(), " ")+1:], "%dKiB", &least); err != nil {
		t.Fatal(err)
	}
	o.GPUMemory = least << 10
	if _, report := run(t, s, algorithms.Components{}, o); report.GPUMemory > o.GPUMemory ||
		report.GPUMemory <= o.GPUMemory-1<<10 || report.Kernels <= 0 {
		t.Errorf("of %d bytes: %+v", o.GPUMemory, report)
	}
	o.GPUMemory, o.Device = 20_000, algorithms.AutoDevice
	if _, report := run(t, s, algorithms.Components{}, o); report.GPU != "" {
		t.Errorf("%+v", report)
	}
}

// TestGPUHostMemory checks that under auto, a budget that is enough for the CPU is enough.
func TestGPUHostMemory(t *testing.T) {
	s := teststore.Build(t, tangled(30_000, 2), teststore.Options{Layout: store.Packed, ShardVertices: 1000})
	_, err := algorithms.Run(t.Context(), s, algorithms.Components{},
		algorithms.Options{Device: algorithms.CPU, Memory: starved})
	var need *algorithms.MemoryError
	if !errors.As(err, &need) {
		t.Fatal(err)
	}
	o := onDevice(t, algorithms.AutoDevice, device.EmulatedOptions{})
	o.Memory = need.Least()
	if _, report := run(t, s, algorithms.Components{}, o); report.GPU != "" {
		t.Errorf("%+v", report)
	}
	o.Device = algorithms.GPU
	if _, err := algorithms.Run(t.Context(), s, algorithms.Components{}, o); !errors.As(err, &need) ||
		!strings.Contains(err.Error(), "4.0 MiB for copies to the GPU") {
		t.Errorf("got %v", err)
	}
}

// TestDevices checks that a run has the device that its options name, or an error.
func TestDevices(t *testing.T) {
	s := teststore.Build(t, testgraph.Path(), teststore.Options{Layout: store.Packed, InRows: true})
	for _, c := range []struct {
		o    algorithms.Options
		want string // of the error for core numbers, which run on the CPU alone
	}{
		{algorithms.Options{Device: "tpu"}, `device "tpu": expected auto, cpu or gpu`},
		{algorithms.Options{Device: algorithms.GPU, GPU: "emulated"}, "algorithms.Coreness runs on the CPU alone"},
		{algorithms.Options{GPUMemory: -1}, "GPU memory -1: expected a number of bytes ≥ 0"},
		{algorithms.Options{GPU: "emulated"}, ""},
		{algorithms.Options{Device: algorithms.CPU, GPU: "emulated"}, ""},
	} {
		out, err := algorithms.Run(t.Context(), s, algorithms.Coreness{}, c.o)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v", c.o, err)
		}
		if err == nil {
			out.Close()
		}
	}
	if algorithms.HasGPU(algorithms.Coreness{}) || !algorithms.HasGPU(algorithms.Components{}) {
		t.Error("of core numbers and components, components run on a GPU")
	}
	if _, err := algorithms.Run(t.Context(), s, algorithms.Components{},
		algorithms.Options{Device: algorithms.GPU, GPU: "emulated 2"}); !errors.Is(err, device.ErrNoDevice) {
		t.Errorf("got %v", err)
	}
}

// TestGPUCancel checks that a run on a device ends with the error of its context, and not on the CPU.
func TestGPUCancel(t *testing.T) {
	s := teststore.Build(t, tangled(3000, 2), teststore.Options{ShardVertices: 1000})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := onDevice(t, algorithms.AutoDevice, device.EmulatedOptions{})
	o.Progress = func(algorithms.Progress) { cancel() }
	core, logs := observer.New(zap.WarnLevel)
	o.Log = zap.New(core)
	if _, err := algorithms.Run(ctx, s, algorithms.Components{}, o); !errors.Is(err, context.Canceled) || logs.Len() > 0 {
		t.Errorf("got %v, logged %v", err, logs.All())
	}
}

// TestComponentsSeveralGPUs checks that components of several devices are those of an oracle, and that each device has
// a part of the edges.
func TestComponentsSeveralGPUs(t *testing.T) {
	for _, g := range []oracle.Graph{testgraph.Path(), testgraph.TwoComponents(), tangled(3000, 2)} {
		want, count := components(g)
		for _, x := range []teststore.Options{{ShardVertices: 500}, {Symmetric: true, ShardVertices: 2},
			{Layout: store.Packed, Symmetric: true, ShardVertices: 500}} {
			s := teststore.Build(t, g, x)
			var alone int64
			for n := 1; n <= 4; n++ {
				o := onDevice(t, algorithms.GPU, device.EmulatedOptions{})
				o.GPU = strings.Repeat(",emulated", n)[1:]
				if n > 1 && g.N > 1000 { // several are used where one has not the room
					o.GPUMemory = alone - 1
				}
				got, report := run(t, s, algorithms.Components{}, o)
				if !slices.Equal(got, want) || report.Totals[0].Value != count {
					t.Errorf("%d vertices, %+v, %d devices: other values, totals %v", g.N, x, n, report.Totals)
				}
				if n == 1 {
					alone = report.GPUMemory
				}
				most := alone + int64(n-1)*(12*int64(g.N)+4<<10)
				if g.N > 1000 && n > 1 && (strings.Count(report.GPU, ",") != n-1 || report.GPUMemory > most) {
					t.Errorf("%d devices: %s took %d bytes, one %d", n, report.GPU, report.GPUMemory, alone)
				}
			}
		}
	}
}

// TestComponentsSecondGPUFails checks that a failure of one of several devices is the error of the run, and that
// nothing is left in use on any.
func TestComponentsSecondGPUFails(t *testing.T) {
	s := teststore.Build(t, tangled(3000, 2), teststore.Options{ShardVertices: 500})
	_, alone := run(t, s, algorithms.Components{}, onDevice(t, algorithms.GPU, device.EmulatedOptions{}))
	for op := range device.FaultRun + 1 {
		fired := false
		for n := 1; n < 40; n += 3 {
			o, opened := onDevice(t, algorithms.GPU, device.EmulatedOptions{}), 0
			o.GPU, o.GPUMemory = "emulated,emulated", alone.GPUMemory-1
			o.SetOpen(func(string) (device.Device, error) {
				var x device.EmulatedOptions
				if opened++; opened == 2 {
					x.Faults = []device.EmulatedFault{{Op: op, N: n}}
				}
				return closing{device.NewEmulated(x), t}, nil
			})
			out, err := algorithms.Run(t.Context(), s, algorithms.Components{}, o)
			if err == nil {
				out.Close()
				break
			}
			if fired = true; !errors.Is(err, device.ErrInjected) {
				t.Errorf("%s %d: got %v", op, n, err)
			}
		}
		if !fired {
			t.Errorf("no %s failed", op)
		}
	}
}
