package dispatcher

import (
	"fmt"
	"slices"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
)

// TestPeerFaults checks that a job goes on after a fault at any copy to a peer, of either of two GPUs, and that
// values have the bits of a job without faults.
func TestPeerFaults(t *testing.T) {
	s := teststore.Build(t, dangling(), teststore.Options{ShardVertices: 100})
	p := PageRank[float64]{PageRank: programs.PageRank[float64]{Damping: 0.85}}
	want, _, err := runJob[float64, int64](s, p, Options{Device: CPU, Method: Pull, Iterations: 6})
	if err != nil {
		t.Fatal(err)
	}
	step := 1
	if testing.Short() {
		step = 5
	}
	for _, on := range []Device{GPU, Hybrid} {
		for _, streamed := range []bool{false, true} {
			for faulty := range 2 {
				for n := 1; ; n += step {
					o := Options{Device: on, GPU: GPUOptions{Name: "emulated", Streams: 2}, Threads: 2, Iterations: 6,
						Method: Pull, hooks: hooks{speeds: evenly, pageBytes: 1}}
					if streamed {
						o.GPU.Memory = leastGPU(t, s, gas.Program[float64, int64](p), o)
					}
					o.GPU.Name = "emulated,other"
					var devices [2]*device.Emulated
					o.hooks.open = func(name string) (device.Device, error) {
						k, faults := 0, []device.EmulatedFault(nil)
						if name == "other" {
							k = 1
						}
						if k == faulty {
							faults = append(faults, device.EmulatedFault{Op: device.FaultPeer, N: n, Lost: n%2 == 0})
						}
						devices[k] = device.NewEmulated(device.EmulatedOptions{Faults: faults})
						return watched{devices[k], t}, nil
					}
					name := fmt.Sprintf("%s, streamed=%v, copy %d of GPU %d", on, streamed, n, faulty)
					got, r, err := runJob[float64, int64](s, p, o)
					happened := devices[faulty].Calls(device.FaultPeer) >= n
					switch {
					case err != nil && n > 1: // the first is that with which they connect
						t.Errorf("%s: %v", name, err)
					case err == nil && !slices.Equal(got, want):
						t.Errorf("%s: wrong values", name)
					case err == nil && happened && r.GPU.Lost == "":
						t.Errorf("%s: no GPU was lost", name)
					}
					if !happened {
						break
					}
				}
			}
		}
	}
}
