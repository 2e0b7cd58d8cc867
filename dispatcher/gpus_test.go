package dispatcher

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/internal/teststore"
)

// severalSettings are ways to run a job on two GPUs, and on them and the CPU.
func severalSettings() (list []gpuSetting) {
	for _, device := range []Device{GPU, Hybrid} {
		for _, mode := range []Mode{Sync, Async} {
			for _, starved := range []bool{false, true} {
				list = append(list, gpuSetting{device: device, mode: mode, gather: gpuengine.GatherAuto, streams: 2,
					starved: starved, gpus: 2})
			}
		}
	}
	return append(list, gpuSetting{device: Hybrid, mode: Sync, streams: 1, starved: true, fewPages: true, gpus: 3})
}

// TestSeveralGPUs checks that two GPUs, alone and with the CPU, give what the oracles give on the
// named graphs.
func TestSeveralGPUs(t *testing.T) {
	for turn, named := range testgraph.All() {
		t.Run(named.Name, func(t *testing.T) {
			for i, layout := range layouts {
				s := teststore.Build(t, named.Graph, teststore.Options{Weighted: true, ShardVertices: 2, Layout: layout})
				checkGPU(t, s, named.Graph, 0, testsize.Some(severalSettings(), 6, turn+i))
			}
		})
	}
}

// TestSeveralGPUsShare checks that of two GPUs and the CPU each does a part of most iterations, and
// with a GPU that is lost the job goes on on the rest.
func TestSeveralGPUsShare(t *testing.T) {
	g := manyEdges()
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 10})
	labels := oracle.WCC(g)
	p := gas.Program[uint32, uint32](WCC{})
	wide := 3
	if testing.Short() {
		wide = 1
	}
	for _, mode := range []Mode{Sync, Async} {
		for _, starved := range []bool{false, true} {
			for op := device.FaultCopy; op <= device.FaultPeer; op++ {
				lost := 0
				for at := 0; at < 400; at += 1 + at/wide { // if 0, never
					o := Options{Device: Hybrid, GPU: GPUOptions{Name: "emulated,emulated", Streams: 1}, Threads: 2, Mode: mode,
						Method: Pull, hooks: hooks{speeds: evenly, pageBytes: 1}}
					if starved {
						o.GPU.Memory = leastGPU(t, s, p, Options{Device: GPU, GPU: GPUOptions{Name: "emulated", Streams: 1},
							Mode: mode}) + 16<<10
					}
					var devices []*device.Emulated
					var opening sync.Mutex
					o.hooks.open = func(string) (device.Device, error) {
						opening.Lock()
						defer opening.Unlock()
						var faults []device.EmulatedFault
						if len(devices) == at%2 && at > 0 {
							faults = append(faults, device.EmulatedFault{Op: op, N: at, Lost: at%3 != 0})
						}
						devices = append(devices, device.NewEmulated(device.EmulatedOptions{Faults: faults}))
						return watched{devices[len(devices)-1], t}, nil
					}
					name := fmt.Sprintf("%s, starved=%v, %s %d", mode, starved, op, at)
					values, r, err := runJob(s, p, o)
					if err != nil {
						if len(r.Iterations) > 0 || at == 0 {
							t.Errorf("%s: %v", name, err)
						}
						continue
					}
					if !slices.Equal(values, labels) {
						t.Errorf("%s: wrong labels", name)
					}
					if at == 0 && (devices[0].Calls(device.FaultRun) < 10 || devices[1].Calls(device.FaultRun) < 10 ||
						r.Devices[CPU].Pages == 0) {
						t.Errorf("%s: %d and %d calls on the GPUs, %+v", name, devices[0].Calls(device.FaultRun),
							devices[1].Calls(device.FaultRun), r.Devices)
					}
					if r.GPU.Lost != "" && len(r.Iterations) > 0 {
						if lost++; r.Iterations[len(r.Iterations)-1].Device == CPU {
							t.Errorf("%s: the last iteration was on the CPU alone", name)
						}
					}
				}
				if lost == 0 {
					t.Errorf("%s, starved=%v, %s: no GPU was lost in the middle", mode, starved, op)
				}
			}
		}
	}
}
