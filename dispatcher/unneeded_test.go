package dispatcher

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/store"
)

// TestUnneededWeights checks that a program that reads no weights leaves them on the disk, so that
// their damage is none to it; one that reads them finds it. So it is on every device, in memory and
// from disk.
func TestUnneededWeights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph")
	if err := teststore.Write(path, manyEdges(), teststore.Options{ShardVertices: 50, Layout: store.Packed,
		Weighted: true}); err != nil {
		t.Fatal(err)
	}
	bfs, sssp := gas.Program[uint32, uint32](programs.BFS{}), gas.Program[float32, float32](programs.SSSP[float32]{})
	var without, all int64
	damage(t, path, func(cat *store.Catalogue, payload []byte) {
		for i := range cat.Shards {
			e := cat.Blob(shard.In, i)
			blob := payload[e.Off : e.Off+e.Bytes]
			n, err := packed.BareBytes(blob[:shard.HeaderBytes], e.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			without, all = without+n, all+e.Bytes
			blob[e.Bytes-40] ^= 1 // a code, of a dummy at least
		}
	})
	if without >= all {
		t.Fatalf("%d of %d bytes are needed", without, all)
	}
	s := teststore.Open(t, path)
	for _, o := range []Options{
		{Device: CPU, Method: Pull}, {Device: GPU, Method: Pull}, {Device: Hybrid, Method: Pull,
			hooks: hooks{speeds: evenly, pageBytes: 1}},
		{Device: CPU, Method: Pull, Memory: 1}, {Device: GPU, Method: Pull, Memory: 1},
		{Device: GPU, Method: Pull, GPU: GPUOptions{Memory: 1}},
	} {
		o.Threads, o.GPU.Name = 2, "emulated"
		inMemory := o.Memory == 0
		if o.GPU.Memory == 1 {
			o.GPU.Memory = leastGPU(t, s, bfs, o)
		}
		if !inMemory {
			var need *MemoryError
			if _, err := New(s, bfs, o); !errors.As(err, &need) {
				t.Fatalf("a byte of memory: %v", err)
			}
			o.Memory = need.Least()
		}
		_, r, err := runJob(s, bfs, o)
		if err != nil {
			t.Errorf("%s, %d bytes of memory: %v", o.Device, o.Memory, err)
		}
		read := int64(0)
		for _, it := range r.Iterations {
			read += it.Traffic.Requested
		}
		if inMemory && o.Device == CPU && read != without {
			t.Errorf("%d bytes were read, %d are needed of %d", read, without, all)
		}
		if _, _, err := runJob(s, sssp, Options{Device: o.Device, Method: Pull, Threads: 2,
			GPU: GPUOptions{Name: "emulated"}}); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%s: a program that reads damaged weights: %v", o.Device, err)
		}
	}
}

// damage changes the payload of a graph.
func damage(t *testing.T, path string, change func(*store.Catalogue, []byte)) {
	t.Helper()
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	name := filepath.Join(path, "payload")
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	change(s.Catalogue(), b)
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
}
