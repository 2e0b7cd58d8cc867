package dispatcher

import (
	"errors"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
)

// initialised gets something for each vertex that a noticed program initialises.
var initialised chan struct{}

// noticed is BFS that tells.
type noticed struct{ BFS }

func (p noticed) Init(v gas.Vertex) (uint32, bool) {
	initialised <- struct{}{}
	return p.BFS.Init(v)
}

// TestInitAhead checks that vertices are initialised while a GPU is opened, once, whether the GPU
// opens or not.
func TestInitAhead(t *testing.T) {
	g := manyEdges()
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 50})
	hops := oracle.BFS(g, 0)
	for _, opens := range []bool{true, false} {
		d := device.NewEmulated(device.EmulatedOptions{})
		type BFS struct{ noticed } // as its fragments call it
		initialised = make(chan struct{}, 2*g.N)
		o := Options{Device: AutoDevice, GPU: GPUOptions{Name: "emulated"}, Threads: 2}
		o.open = func(string) (device.Device, error) {
			<-initialised // it would wait for ever if nothing were done meanwhile
			if !opens {
				return nil, errors.New("no such GPU")
			}
			return watched{d, t}, nil
		}
		values, r, err := runJob[uint32, uint32](s, BFS{}, o)
		if err != nil || len(values) != g.N {
			t.Fatalf("opens %v: %d values, %v", opens, len(values), err)
		}
		for v, x := range values {
			if got := (programs.BFS{}).Result(gas.Vertex{}, x); got != hops[v] {
				t.Fatalf("opens %v: hops to vertex %d: got %d, want %d", opens, v, got, hops[v])
			}
		}
		if opens != (r.GPU != "") || opens != (r.Without == "") {
			t.Errorf("opens %v: GPU %q, without: %q", opens, r.GPU, r.Without)
		}
		if n := len(initialised) + 1; n != g.N {
			t.Errorf("opens %v: %d vertices were initialised, of %d", opens, n, g.N)
		}
	}
}
