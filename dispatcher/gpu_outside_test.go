package dispatcher

import (
	"slices"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
)

// TestOutsideSubset checks that an Init and a Saturated that do not compile to PTX keep no
// program from the GPU, where it gives what it gives on the CPU.
func TestOutsideSubset(t *testing.T) {
	g := testgraph.Diamond()
	g.N++ // one that no edge leads to
	s := teststore.Build(t, g, teststore.Options{})
	var want []bool
	for _, hops := range oracle.BFS(g, 0) {
		want = append(want, hops != gas.Unreached)
	}
	for _, on := range []Device{CPU, GPU} {
		reached, r, err := runJob(s, gas.Program[bool, bool](Flag{}), Options{Device: on, GPU: GPUOptions{Name: "emulated"}})
		if err != nil {
			t.Fatalf("on %s: %v", on, err)
		}
		if !slices.Equal(reached, want) {
			t.Errorf("on %s: reached %v, want %v", on, reached, want)
		}
		if r.Devices[on].Edges == 0 {
			t.Errorf("on %s: it ran on %+v", on, r.Devices)
		}
	}
}
