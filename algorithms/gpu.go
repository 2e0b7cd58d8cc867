package algorithms

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/gas"
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

// GPUAlgorithm is an [Algorithm] that also runs on a GPU.
type GPUAlgorithm[T Value] interface {
	Algorithm[T]
	// RunGPU is like Run, on a GPU, with the same plan, and vertices are named by their places in the store: see
	// [Plan.Places]. If the plan has Edges, rows of in-edges take their place, for [GPUEnv.CopyRows] alone.
	RunGPU(ctx context.Context, e *Env, g *GPUEnv) ([]T, error)
}

// HasGPU reports whether an [Algorithm] is a [GPUAlgorithm].
func HasGPU(algorithm any) bool {
	switch algorithm.(type) {
	case GPUAlgorithm[int64], GPUAlgorithm[float32], GPUAlgorithm[float64], GPUAlgorithm[gas.VertexID]:
		return true
	}
	return false
}

// Divided is the ability of a [GPUAlgorithm] to run on several GPUs.
type Divided interface{ RunsOnSeveralGPUs() }

// gpuReserve is what is left of free memory at most: others may take some.
const gpuReserve = 512 << 20

// GPUEnv is the device of a run. Its memory is freed, and the device closed, when RunGPU has returned.
type GPUEnv struct {
	*DeviceMemory
	others  []*GPUEnv // of [Divided]
	kernels time.Duration
}

// Close closes the devices, too. The run does that.
func (g *GPUEnv) Close() error {
	err := errors.Join(g.DeviceMemory.Close(), g.Device.Close())
	for _, other := range g.others {
		err = errors.Join(err, other.Close())
	}
	return err
}

// all lists the devices of the run.
func (g *GPUEnv) all() []*GPUEnv { return append([]*GPUEnv{g}, g.others...) }

// report adds what the devices did.
func (g *GPUEnv) report(r *Report) {
	var names []string
	for _, x := range g.all() {
		names = append(names, x.Device.Info().Name)
		r.GPUMemory, r.Kernels = r.GPUMemory+x.Used, max(r.Kernels, x.kernels)
	}
	r.GPU = strings.Join(names, ", ")
}

// OpenDevice opens the first GPU that a run is to use, and says how much of its memory it may take; nil:
// the CPU computes.
func OpenDevice(o Options) (d device.Device, budget int64, err error) {
	o.complete()
	switch {
	case !slices.Contains([]Device{AutoDevice, CPU, GPU}, o.Device):
		return nil, 0, fmt.Errorf("device %q: expected %s, %s or %s", o.Device, AutoDevice, CPU, GPU)
	case o.Device == CPU, o.Device == AutoDevice && o.GPU == "" && !device.HasGPU():
		return nil, 0, nil
	}
	names, err := device.Split(o.GPU)
	if err == nil {
		d, err = o.open(names[0])
	}
	if err != nil {
		return nil, 0, err
	}
	info := d.Info()
	budget = info.Free - min(info.Free/32, gpuReserve)
	if o.GPUMemory > 0 {
		budget = min(budget, o.GPUMemory)
	}
	return d, budget, nil
}

// openGPU opens the devices of a run, or returns nil if the CPU computes.
func openGPU[T Value](a Algorithm[T], o Options) (g *GPUEnv, err error) {
	switch has := HasGPU(a); {
	case o.Device == CPU, o.Device == AutoDevice && (!has || o.GPU == ""):
		return nil, nil
	case o.Device == GPU && !has:
		return nil, fmt.Errorf("algorithm %T runs on the CPU alone", a)
	case o.Checkpoints.Wanted():
		return nil, fmt.Errorf("algorithm %T has no checkpoints on a GPU", a)
	}
	names, err := device.Split(o.GPU)
	if _, several := a.(Divided); err == nil && !several {
		names = names[:1]
	}
	for _, name := range names {
		var next *GPUEnv
		if o.GPU = name; err == nil {
			next, err = newGPUEnv(o)
		}
		if err != nil && g != nil {
			return nil, errors.Join(err, g.Close())
		}
		if g == nil {
			g = next
		} else {
			g.others = append(g.others, next)
		}
	}
	return g, err
}

func newGPUEnv(o Options) (*GPUEnv, error) {
	d, budget, err := OpenDevice(o)
	if err != nil {
		return nil, err
	}
	m, err := NewDeviceMemory(d, budget)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &GPUEnv{DeviceMemory: m}, nil
}

// leaveOthers closes the other devices if the first one has room for arrays.
func (g *GPUEnv) leaveOthers(arrays []Array) (err error) {
	if allocatedAll(arrays) > g.Left() {
		return nil
	}
	for _, other := range g.others {
		err = errors.Join(err, other.Close())
	}
	g.others = nil
	return err
}

// allocatedAll returns the bytes of a device's memory that arrays take.
func allocatedAll(arrays []Array) (n int64) {
	for _, a := range arrays {
		n += allocated(a.Bytes)
	}
	return n
}

// AllocAll allocates arrays, if the budget has room for all of them. Otherwise its error names one that has.
func (g *GPUEnv) AllocAll(arrays ...Array) (list []device.Pointer, err error) {
	need := allocatedAll(arrays)
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

// Timed waits for the work that f queues, and adds its time on the device to the time of the kernels.
func (g *GPUEnv) Timed(f func() error) (err error) {
	var events [2]device.Event // before and after
	for i := range events {
		if events[i], err = g.Device.NewEvent(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, events[i].Close()) }()
	}
	if err = g.Stream.Record(events[0]); err == nil {
		err = f()
	}
	if err == nil {
		err = g.Synced(g.Stream.Record(events[1]))
	}
	if err != nil {
		return err
	}
	seconds, err := events[1].Since(events[0])
	g.kernels += time.Duration(seconds * float64(time.Second))
	return err
}

// DeviceRows are rows of all vertices on a device: those of vertex v are from Off[v] to Off[v+1] of Nbr.
type DeviceRows struct {
	Off device.Pointer // uint64, one more than vertices
	Nbr device.Pointer // uint32, by edge
}

// RowArrays returns the arrays of [DeviceRows], Off and Nbr.
func RowArrays(c *store.Catalogue) []Array { return rowArrays(c.Vertices, int64(c.Edges)) }

func rowArrays(vertices uint32, edges int64) []Array {
	return []Array{{"where rows begin", 8 * (int64(vertices) + 1)}, {"the edges", 4 * edges}}
}

// CopyRows copies the rows of all vertices to the device: for each direction of the plan's Rows or Whole, and of Edges
// for in-edges; on a symmetric graph once. Parallel edges and self-loops are among them.
func (g *GPUEnv) CopyRows(ctx context.Context, e *Env, to ...DeviceRows) error {
	if e.read == nil {
		return g.copyWhole(ctx, e, to)
	}
	var all []*rowCopy
	for i := range to {
		all = append(all, &rowCopy{m: g.DeviceMemory, to: to[i], side: i})
	}
	return e.copyRows(ctx, all...)
}

// rowCopy copies the rows of a side to a device.
type rowCopy struct {
	m     *DeviceMemory
	to    DeviceRows
	side  int
	owns  func(shard int) bool // reports whether rows are copied, and not left empty; if nil, all are
	edges uint64
	ends  []uint64
}

// copyRows copies rows of consecutive shards.
func (e *Env) copyRows(ctx context.Context, to ...*rowCopy) error {
	for _, c := range to {
		if err := ToDevice(c.m, c.to.Off, []uint64{0}); err != nil {
			return err
		}
	}
	var done int64
	return e.read.pages(ctx, true, nil, func(p *page.Page) error {
		for _, s := range p.Shards {
			for _, c := range to {
				if err := c.add(rows.Of(s.Sides[c.side]), c.owns == nil || c.owns(s.Index)); err != nil {
					return err
				}
			}
			done += int64(rows.Of(s.Sides[0]).Edges())
		}
		e.Progress("edges", done, int64(e.Graph.Edges))
		return nil
	})
}

// add copies the rows of the next shard, or empty ones.
func (c *rowCopy) add(side *rows.Side, own bool) error {
	c.ends = c.ends[:0]
	for _, end := range side.Off[1:] {
		if !own {
			end = 0
		}
		c.ends = append(c.ends, c.edges+uint64(end))
	}
	err := ToDevice(c.m, c.to.Off+device.Pointer(8*(side.First+1)), c.ends)
	if err == nil && own {
		err = ToDevice(c.m, c.to.Nbr+device.Pointer(4*c.edges), side.Nbr)
		c.edges += uint64(len(side.Nbr))
	}
	return err
}

// copyWhole is like CopyRows, with rows that are in memory at once.
func (g *GPUEnv) copyWhole(ctx context.Context, e *Env, to []DeviceRows) error {
	for i, r := range to {
		all, err := e.Load(ctx, e.plan.Whole[i])
		if err == nil {
			err = ToDevice(g.DeviceMemory, r.Off, all.Off)
		}
		if err == nil {
			err = ToDevice(g.DeviceMemory, r.Nbr, all.Nbr)
		}
		if err != nil {
			return err
		}
		Free(e, all.Off)
	}
	return nil
}
