package algorithms_test

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gpuengine/device"
)

//go:embed testdata/mutual.ptx
var mutualPTX string

// mutualArgs are the arguments of the kernel, in the layout of C.
type mutualArgs struct {
	In, Out algorithms.DeviceRows
	Counts  device.Pointer
	N       uint32
	_       uint32
}

func (Mutual) RunGPU(ctx context.Context, e *algorithms.Env, g *algorithms.GPUEnv) ([]int64, error) {
	counts, err := algorithms.Make[int64](e, int(e.Graph.Vertices))
	if err != nil {
		return nil, err
	}
	arrays := append(algorithms.RowArrays(e.Graph), algorithms.Array{Name: "the counts", Bytes: 8 * int64(len(counts))})
	if !e.Graph.Symmetric {
		arrays = append(arrays, algorithms.RowArrays(e.Graph)...)
	}
	at, err := g.AllocAll(arrays...)
	if err != nil {
		return nil, err
	}
	a := mutualArgs{In: algorithms.DeviceRows{Off: at[0], Nbr: at[1]}, Counts: at[2], N: e.Graph.Vertices}
	rows := []algorithms.DeviceRows{a.In}
	if a.Out = a.In; !e.Graph.Symmetric {
		a.Out = algorithms.DeviceRows{Off: at[3], Nbr: at[4]}
		rows = append(rows, a.Out)
	}
	if err := g.CopyRows(ctx, e, rows...); err != nil {
		return nil, err
	}
	kernel, err := g.Device.Load(device.Kernel{Name: "mutual", Entry: "mutual", Emulate: emulateMutual,
		PTX: func() (string, error) { return mutualPTX, nil }})
	if err != nil {
		return nil, err
	}
	args, err := binary.Append(nil, binary.NativeEndian, a)
	if err == nil {
		err = g.Timed(func() error { return kernel.Launch(g.Stream, (len(counts)+255)/256, 256, 0, args) })
	}
	if err == nil {
		err = algorithms.ToHost(g.DeviceMemory, counts, a.Counts)
	}
	return counts, err
}

// emulateMutual is the kernel on an emulated device, for tests.
func emulateMutual(m device.Memory, grid device.Grid, args []byte) error {
	var a mutualArgs
	_, err := binary.Decode(args, binary.NativeEndian, &a)
	read := func(p device.Pointer, to any) {
		var b []byte
		if err == nil {
			b, err = m.Bytes(p, int64(binary.Size(to)))
		}
		if err == nil {
			_, err = binary.Decode(b, binary.NativeEndian, to)
		}
	}
	row := func(r algorithms.DeviceRows, v int) []uint32 {
		var off [2]uint64
		read(r.Off+device.Pointer(8*v), &off)
		nbr := make([]uint32, off[1]-off[0])
		read(r.Nbr+device.Pointer(4*off[0]), nbr)
		return nbr
	}
	for v := grid.Block * grid.Threads; v < min((grid.Block+1)*grid.Threads, int(a.N)); v++ {
		in, out, count := row(a.In, v), row(a.Out, v), uint64(0)
		for _, u := range slices.Compact(in) {
			if slices.Contains(out, u) {
				count++
			}
		}
		var b []byte
		if b, err = m.Bytes(a.Counts+device.Pointer(8*v), 8); err != nil {
			return err
		}
		binary.NativeEndian.PutUint64(b, count)
	}
	return err
}

// Example_gpu runs Mutual on an emulated GPU, where all of it but the kernel's PTX is as on a real one.
func Example_gpu() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(follows(folder, Mutual{}, algorithms.Options{Device: algorithms.GPU, GPU: device.EmulatedName}))
	_ = os.RemoveAll(folder)
	// Output:
	// [2 1 1 0] <nil>
}
