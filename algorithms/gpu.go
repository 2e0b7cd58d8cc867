package algorithms

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// Device is where a run computes.
type Device string

// The devices. AutoDevice is the CPU, or the GPU that is named, if the algorithm can run on
// it, and where it fails the CPU. A run reads each edge once, and the CPU is done with an edge
// when the GPU would just get it.
const (
	AutoDevice Device = "auto"
	CPU        Device = "cpu"
	GPU        Device = "gpu"
)

// onGPU is an algorithm that plans to read edges and also runs on a GPU.
type onGPU[T Value] interface {
	gpuPlanner
	// runGPU is like Run, on a GPU. The edges are rows.
	runGPU(ctx context.Context, e *Env, g *gpu) ([]T, error)
}

type gpuPlanner interface {
	// gpuArrays returns the arrays that runGPU allocates there.
	gpuArrays(c *store.Catalogue) []Array
}

// HasGPU reports whether an [Algorithm] can run on a GPU.
func HasGPU(algorithm any) bool {
	_, has := algorithm.(gpuPlanner)
	return has
}

// gpuReserve is what is left of free memory at most: others may take some.
const gpuReserve = 512 << 20

// gpu is the device of a run, which is closed with it.
type gpu struct {
	*DeviceMemory
	kernels time.Duration
}

// Close closes the device, too.
func (g *gpu) Close() error { return errors.Join(g.DeviceMemory.Close(), g.Device.Close()) }

// OpenDevice opens the GPU that a run is to use, and says how much of its memory it may take; nil:
// the CPU computes.
func OpenDevice(o Options) (d device.Device, budget int64, err error) {
	o.complete()
	switch {
	case !slices.Contains([]Device{AutoDevice, CPU, GPU}, o.Device):
		return nil, 0, fmt.Errorf("device %q: expected %s, %s or %s", o.Device, AutoDevice, CPU, GPU)
	case o.Device == CPU, o.Device == AutoDevice && o.GPU == "" && !device.HasGPU():
		return nil, 0, nil
	}
	if d, err = o.open(o.GPU); err != nil {
		return nil, 0, err
	}
	info := d.Info()
	budget = info.Free - min(info.Free/32, gpuReserve)
	if o.GPUMemory > 0 {
		budget = min(budget, o.GPUMemory)
	}
	return d, budget, nil
}

// openGPU opens the device of a run, or returns nil if the CPU computes.
func openGPU[T Value](a Algorithm[T], o Options) (g *gpu, err error) {
	switch has := HasGPU(a); {
	case o.Device == GPU && !has:
		return nil, fmt.Errorf("algorithm %T runs on the CPU alone", a)
	case o.Device == AutoDevice && (!has || o.GPU == ""):
		return nil, nil
	}
	d, budget, err := OpenDevice(o)
	if d == nil {
		return nil, err
	}
	m, err := NewDeviceMemory(d, budget)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &gpu{DeviceMemory: m}, nil
}

// alloc allocates arrays, if the budget has room for all of them.
func (g *gpu) alloc(arrays ...Array) (list []device.Pointer, err error) {
	var need int64
	for _, a := range arrays {
		need += allocated(a.Bytes)
	}
	if need > g.Left() {
		return nil, fmt.Errorf("%w on the GPU: the algorithm takes %s there, more than %s; the smallest budget "+
			"for it is %dKiB",
			hostmem.ErrBudget, sizes(arrays), humanize.IBytes(uint64(g.Budget)), (need+1023)>>10)
	}
	for _, a := range arrays {
		p, err := g.Alloc(a.Name, a.Bytes)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// timed waits for what f queues, and adds its time on the device to that of the kernels.
func (g *gpu) timed(f func() error) error {
	begin, err := g.Device.NewEvent()
	if err != nil {
		return err
	}
	end, err := g.Device.NewEvent()
	if err == nil {
		err = g.Stream.Record(begin)
	}
	if err == nil {
		err = f()
	}
	if err == nil {
		err = g.Synced(g.Stream.Record(end))
	}
	if err != nil {
		return err
	}
	seconds, err := end.Since(begin)
	g.kernels += time.Duration(seconds * float64(time.Second))
	return err
}

// rows copies the rows of all vertices: where each begins and the last one ends, 8 bytes for
// a vertex and 8 more, and the neighbours, 4 bytes for an edge.
func (g *gpu) rows(ctx context.Context, e *Env, off, nbr device.Pointer) error {
	edges, ends := uint64(0), []uint64{0}
	if err := ToDevice(g.DeviceMemory, off, ends); err != nil {
		return err
	}
	off += 8
	return e.edges.pages(ctx, nil, func(p *page.Page) error {
		for _, s := range p.Shards {
			side := rows.Of(s.Sides[0])
			ends = ends[:0]
			for _, end := range side.Off[1:] {
				ends = append(ends, edges+uint64(end))
			}
			err := ToDevice(g.DeviceMemory, off, ends)
			if err == nil {
				err = ToDevice(g.DeviceMemory, nbr, side.Nbr)
			}
			if err != nil {
				return err
			}
			off, nbr = off+device.Pointer(8*len(ends)), nbr+device.Pointer(4*len(side.Nbr))
			edges += uint64(len(side.Nbr))
			e.Progress("edges", int64(edges), int64(e.Graph.Edges))
		}
		return nil
	})
}
