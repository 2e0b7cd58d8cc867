package dispatcher_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/store"
)

// forged changes a packed side of 50 vertices and 1000 edges with weights in a way that no
// checksum sees.
var forged = []struct {
	name   string
	change func(s *packed.Side)
}{
	{"nothing", func(*packed.Side) {}},
	{"a source outside", func(s *packed.Side) { s.Heads[s.Layout.Blocks-1].Source = 1 << 30 }},
	{"a block before another", func(s *packed.Side) { s.Heads[1].Source = 0 }},
	{"a gap", func(s *packed.Side) {
		data := s.Blob()[s.Layout.Places().Data:]
		for i := range s.Heads[0].Width() {
			for g := range packed.Groups {
				data[g*(s.Heads[0].Width()+s.Layout.Bits)+i] = 0xff
			}
		}
	}},
	{"a destination outside", func(s *packed.Side) { putDestination(s, s.Layout.Vertices+1) }},
	{"an edge less", func(s *packed.Side) { putDestination(s, s.Layout.Vertices) }},
	{"a code", func(s *packed.Side) { s.Blob()[s.Layout.Places().Codes+300] = byte(s.Layout.Entries) }},
	{"a weight", func(s *packed.Side) { s.Dictionary[1] = -1 }},
}

// putDestination changes the destination of the first slot.
func putDestination(s *packed.Side, d int) {
	to := s.Blob()[s.Layout.Places().Data+int64(s.Heads[0].Width()):]
	binary.LittleEndian.PutUint16(to, binary.LittleEndian.Uint16(to)&^(1<<14-1)|uint16(d))
}

// thousands returns a graph of so many edges in each shard of 50 vertices.
func thousands() oracle.Graph {
	g := oracle.Graph{N: 500}
	for v := range uint32(g.N) {
		for k := range uint32(20) {
			g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: (v*7 + k*k) % uint32(g.N), Weight: float32(k % 5)})
		}
	}
	return g
}

// TestForgedOnGPU checks that what the host leaves to the GPU to check ends the job with the error
// that the host has for it, whether edges stay on the GPU or not, and whether it works alone.
func TestForgedOnGPU(t *testing.T) { tryForged(t, "emulated", dispatcher.SSSP[float32]{}) }

func tryForged(t *testing.T, gpu string, p gas.Program[float32, float32]) {
	const damaged = 3
	for _, c := range forged {
		s := teststore.Build(t, thousands(), teststore.Options{Weighted: true, ShardVertices: 50, Layout: store.Packed,
			Forge: func(i int, side *packed.Side) {
				if i == damaged {
					c.change(side)
				}
			}})
		_, want := s.ReadShard(shard.In, damaged, make([]byte, s.Catalogue().Bytes(shard.In, damaged)))
		if (want == nil) != (c.name == "nothing") {
			t.Fatalf("%s: %v", c.name, want)
		}
		for _, on := range []dispatcher.Device{dispatcher.GPU, dispatcher.Hybrid} {
			for _, streamed := range []bool{false, true} {
				for _, fewPages := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%s, streamed %v, few pages %v", c.name, on, streamed, fewPages), func(t *testing.T) {
						o := dispatcher.Options{Device: on, GPU: dispatcher.GPUOptions{Name: gpu}, Method: dispatcher.Pull}
						o.ShareEvenly()
						if streamed {
							o.GPU.Memory = 1
							var need *gpuengine.NeedError
							if _, err := dispatcher.New(s, p, o); !errors.As(err, &need) {
								t.Fatal(err)
							}
							o.GPU.Memory = need.Least()
						}
						if fewPages {
							o.Memory = 1
							var need *dispatcher.MemoryError
							if _, err := dispatcher.New(s, p, o); !errors.As(err, &need) {
								t.Fatal(err)
							}
							o.Memory = need.Least()
						}
						j, err := dispatcher.New(s, p, o)
						if err != nil {
							t.Fatal(err)
						}
						defer j.Close()
						r, err := j.Run(context.Background())
						switch {
						case want == nil && (err != nil || r.GPU.Lost != ""):
							t.Errorf("a sound graph: %v, %s", err, r.GPU.Lost)
						case want == nil:
						case !errors.Is(err, shard.ErrInvalid) || !errors.Is(err, store.ErrDamaged) ||
							!strings.Contains(err.Error(), want.Error()):
							t.Errorf("got %v, want %v", err, want)
						// that one's memory is the host's
						case !streamed && !(fewPages && gpu == "emulated") && !strings.Contains(r.GPU.Lost, want.Error()):
							t.Errorf("the GPU was lost by %q, want %v", r.GPU.Lost, want)
						}
					})
				}
			}
		}
	}
}

// suspicious is a device that finds damage in every packed side.
type suspicious struct{ device.Device }

func (d suspicious) Load(k device.Kernel) (device.Function, error) {
	if emulate := k.Emulate; k.Name == "check_packed" {
		k.Emulate = func(m device.Memory, g device.Grid, args []byte) error {
			a := (*kernels.CheckPackedArgs)(unsafe.Pointer(&args[0]))
			result, err := m.Bytes(a.Result, 8)
			if err == nil {
				err = emulate(m, g, args)
			}
			if err == nil {
				result[4] = 1
			}
			return err
		}
	}
	return d.Device.Load(k)
}

// TestSuspiciousGPU checks that a GPU that finds damage where there is none is lost, and not the
// job.
func TestSuspiciousGPU(t *testing.T) {
	g := thousands()
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 50, Layout: store.Packed})
	for _, on := range []dispatcher.Device{dispatcher.GPU, dispatcher.Hybrid} {
		o := dispatcher.Options{Device: on, GPU: dispatcher.GPUOptions{Name: "emulated"}, Method: dispatcher.Pull}
		o.SetOpen(func(string) (device.Device, error) {
			return suspicious{device.NewEmulated(device.EmulatedOptions{})}, nil
		})
		values, r := valuesOf(t, &subject{store: s}, gas.Program[uint32, uint32](dispatcher.WCC{WCC: programs.WCC{}}), o)
		if !strings.Contains(r.GPU.Lost, "shard 0: the GPU reports damage that the host does not find") {
			t.Errorf("%s: lost by %q", on, r.GPU.Lost)
		}
		for v, want := range oracle.WCC(g) {
			if values[v] != want {
				t.Fatalf("%s: vertex %d: got %d, want %d", on, v, values[v], want)
			}
		}
	}
}
