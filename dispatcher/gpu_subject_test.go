package dispatcher_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// subject is a stored graph to run programs over, and what they need to know of
// it.
type subject struct {
	store  *store.Store
	gpu    string // name of the device
	graph  oracle.Graph
	source uint32 // the vertex with the most out-edges
	ground uint32 // another one
	most   uint32 // in-edges of a vertex
	heavy  float64
	bytes  int64 // of in-edges
	// streams: so many edges that not all of them fit in the least memory.
	streams bool
	lumped  bool // most edges are in one shard, so that there is one worker for them
	turn    int  // of the ways to run jobs
}

// subjectOf reads a stored graph back.
func subjectOf(t *testing.T, s *store.Store, gpu string) *subject {
	t.Helper()
	x := &subject{store: s, gpu: gpu}
	c := s.Catalogue()
	x.graph.N = int(c.Vertices)
	var largest int64
	for i := range c.Shards {
		n := c.Bytes(shard.In, i)
		buffer, err := hostmem.Bytes(n)
		if err != nil {
			t.Fatal(err)
		}
		read, err := s.ReadShard(shard.In, i, buffer)
		if err != nil {
			t.Fatal(err)
		}
		x.bytes += n
		largest = max(largest, n)
		x.add(read)
		hostmem.FreeBytes(buffer)
	}
	_, out := oracle.Degrees(x.graph)
	for v, d := range out {
		if d > out[x.source] {
			x.source = uint32(v)
		}
	}
	if x.source == 0 {
		x.ground = uint32(min(1, x.graph.N-1))
	}
	x.lumped = largest > x.bytes/2
	x.streams, x.turn = len(x.graph.Edges) >= 100_000, x.graph.N
	return x
}

// add takes in the in-edges of a shard.
func (x *subject) add(s shard.Side) {
	degree, sum := make([]uint32, s.Header().Vertices), make([]float64, s.Header().Vertices)
	s.Degrees(degree)
	edge := func(src, slot uint32, weight float64) {
		x.graph.Edges = append(x.graph.Edges, oracle.Edge{Src: src, Dst: s.Header().First + slot, Weight: float32(weight)})
		sum[slot] += weight
	}
	switch s := s.(type) {
	case *packed.Side:
		for e := range s.All() {
			for i, u := range e.Nbr {
				edge(u, uint32(e.Dst[i]), e.At(i))
			}
		}
	case *rows.Side:
		for v := range s.Vertices() {
			for k := s.Off[v]; k < s.Off[v+1]; k++ {
				edge(s.Nbr[k], uint32(v), s.Plane().At(int(k)))
			}
		}
	}
	for v := range sum {
		x.most, x.heavy = max(x.most, degree[v]), max(x.heavy, sum[v])
	}
}

// way is a way to run a job on a GPU.
type way struct {
	device   dispatcher.Device
	mode     dispatcher.Mode
	gather   gpuengine.Gather
	streamed bool // within little memory of the GPU
	fewPages bool // within the least memory of the host
	gpus     int  // if 0, 1
}

func (w way) String() string {
	text := fmt.Sprintf("%s, %s, %s", w.device, w.mode, w.gather)
	if w.streamed {
		text += ", streamed"
	}
	if w.fewPages {
		text += ", from disk"
	}
	if w.gpus > 1 {
		text += fmt.Sprintf(", %d GPUs", w.gpus)
	}
	return text
}

// ways returns all ways, or every seventh, beginning with another one for each program.
func (x *subject) ways() (list []way) {
	for _, mode := range []dispatcher.Mode{dispatcher.Sync, dispatcher.Async} {
		for _, gather := range []gpuengine.Gather{gpuengine.GatherReplicated, gpuengine.GatherSegmented} {
			list = append(list, way{dispatcher.GPU, mode, gather, false, false, 1})
			if x.streams {
				list = append(list, way{dispatcher.GPU, mode, gather, true, false, 1})
			}
		}
		for _, fewPages := range []bool{false, true} {
			list = append(list, way{dispatcher.Hybrid, mode, gpuengine.GatherAuto, false, fewPages, 1})
			if x.streams {
				list = append(list, way{dispatcher.Hybrid, mode, gpuengine.GatherAuto, true, fewPages, 1})
			}
		}
	}
	for gpus := 2; x.gpu == device.EmulatedName && gpus <= 4; gpus++ {
		for _, on := range []dispatcher.Device{dispatcher.GPU, dispatcher.Hybrid} {
			for _, mode := range []dispatcher.Mode{dispatcher.Sync, dispatcher.Async} {
				list = append(list, way{on, mode, gpuengine.GatherAuto, x.streams, false, gpus},
					way{on, mode, gpuengine.GatherAuto, false, false, gpus})
			}
		}
	}
	x.turn++
	return testsize.Some(list, 7, x.turn)
}

// onCPU returns the values of a job on the CPU.
func onCPU[V, A any](t *testing.T, x *subject, p gas.Program[V, A], iterations int) []V {
	t.Helper()
	values, _ := valuesOf(t, x, p, dispatcher.Options{Device: dispatcher.CPU, Method: dispatcher.Pull,
		Iterations: iterations})
	return values
}

// onGPU returns the values of a job on the GPU. Streamed, the GPU has room for the
// arrays and a tenth of the edges.
func onGPU[V, A any](t *testing.T, x *subject, p gas.Program[V, A], w way, iterations int) []V {
	t.Helper()
	o := dispatcher.Options{Device: w.device, GPU: dispatcher.GPUOptions{Name: x.gpu, Gather: w.gather}, Mode: w.mode,
		Iterations: iterations}
	for range w.gpus - 1 {
		o.Method = dispatcher.Pull // frontiers would have one GPU
		o.GPU.Name += "," + x.gpu
	}
	if w.device == dispatcher.Hybrid {
		o.ShareEvenly()
	}
	if w.streamed {
		o.GPU.Memory = 1
		var need *gpuengine.NeedError
		if _, err := dispatcher.New(x.store, p, o); !errors.As(err, &need) {
			t.Fatalf("%T, a byte of device memory: %v", p, err)
		}
		o.GPU.Memory = need.Least() + x.bytes/10/int64(w.gpus)
	}
	if w.fewPages {
		o.Memory = 1
		var need *dispatcher.MemoryError
		if _, err := dispatcher.New(x.store, p, o); !errors.As(err, &need) {
			t.Fatalf("%T, a byte of memory: %v", p, err)
		}
		o.Memory = need.Least()
	}
	values, r := valuesOf(t, x, p, o)
	if w.device == dispatcher.Hybrid {
		// A GPU that has all edges may be done before the first page comes from disk.
		without := !w.streamed && (w.fewPages || w.gpus > 1) // nor is there much for the CPU beside several
		if x.streams && !x.lumped &&
			(r.Devices[dispatcher.CPU].Pages == 0 && !without || r.Devices[dispatcher.GPU].Pages == 0) {
			t.Fatalf("%T, %s: not both did something: %+v", p, w, r.Devices)
		}
		return values
	}
	if streamed := len(r.Iterations) > 0 && r.Iterations[0].Traffic.BytesCopied > 0; streamed != w.streamed &&
		len(r.Iterations) > 0 {
		t.Fatalf("%T, %s: %d bytes were copied in the first iteration", p, w, r.Iterations[0].Traffic.BytesCopied)
	}
	return values
}

func valuesOf[V, A any](t *testing.T, x *subject, p gas.Program[V, A], o dispatcher.Options) ([]V, dispatcher.Report) {
	t.Helper()
	j, err := dispatcher.New(x.store, p, o)
	if err != nil {
		t.Fatalf("%T: %v", p, err)
	}
	defer j.Close()
	r, err := j.Run(context.Background())
	if err != nil {
		t.Fatalf("%T: %v", p, err)
	}
	var values []V
	err = j.Values(func(_ []gas.Vertex, some []V) error {
		values = append(values, some...)
		return nil
	})
	if err != nil {
		t.Fatalf("%T: %v", p, err)
	}
	return values, r
}
