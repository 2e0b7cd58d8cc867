package dispatcher

import (
	"fmt"
	"math"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
)

// TestFaultsShow checks that faults in a few iterations of PageRank, whose later iterations do not
// mend what an earlier one has wrong.
func TestFaultsShow(t *testing.T) {
	s := teststore.Build(t, manyEdges(), teststore.Options{ShardVertices: 50})
	p := PageRank[float64]{PageRank: programs.PageRank[float64]{Damping: 0.85}}
	o := Options{Device: CPU, Threads: 1, Iterations: 3}
	want, _, err := runJob[float64, int64](s, p, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, on := range []Device{Hybrid, GPU} {
		for _, starved := range []bool{true, false} {
			o := Options{Device: on, GPU: GPUOptions{Name: device.EmulatedName}, Threads: 2, Iterations: 3,
				hooks: hooks{speeds: evenly, pageBytes: 1}}
			if starved {
				o.GPU.Memory = leastGPU(t, s, gas.Program[float64, int64](p), o) + 8<<10
			}
			sound := device.NewEmulated(device.EmulatedOptions{})
			o.hooks.open = func(string) (device.Device, error) { return sound, nil }
			if _, _, err := runJob[float64, int64](s, p, o); err != nil {
				t.Fatal(err)
			}
			for op := device.FaultCopy; op <= device.FaultRun; op++ {
				for n := 1; n <= sound.Calls(op); n += 1 + sound.Calls(op)/30 {
					d := device.NewEmulated(device.EmulatedOptions{Faults: []device.EmulatedFault{{Op: op, N: n, Lost: n%2 == 0}}})
					o.hooks.open = func(string) (device.Device, error) { return d, nil }
					name := fmt.Sprintf("%s, starved %v, %s %d", on, starved, op, n)
					got, _, err := runJob[float64, int64](s, p, o)
					if err != nil {
						continue // before the job began
					}
					for v := range want {
						if !(math.Abs(got[v]-want[v]) <= 1e-9*want[v]) {
							t.Errorf("%s: vertex %d: got %v, want %v", name, v, got[v], want[v])
							break
						}
					}
				}
			}
		}
	}
}
