package community

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"time"
	"unsafe"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/kernels"
)

// DeviceQuery is what is to be searched for one query vertex.
type DeviceQuery struct {
	Open  []Open // nodes of problems with the same bounds; those that a search has left
	Best  *Best
	Stats *Stats

	Searched bool // the device has searched it: what is open is what there was no time for
}

// DeviceOptions are those of a search on a device.
type DeviceOptions struct {
	Memory    int64         // bytes of the device's memory; 0: what is free
	Host      int64         // bytes of host memory for nodes that the device has no room for; 0: no limit
	TimeLimit time.Duration // of the search for a batch; 0: none
	Keep      bool          // return the very nodes that are open at the end
	// Progress, when not nil, gets after each round how many nodes are open, and were visited.
	Progress func(open, visited int64)

	capacity int64  // tasks that lie on the device at most; 0: what memory has room for
	most     uint32 // nodes that a warp visits in a round at most; 0: as many as there is time for
}

const (
	stagingBytes = 4 << 20
	roundTime    = 20 * time.Millisecond
	// localVertices is how many vertices a part of a problem has at most for a warp to give
	// them new ids.
	localVertices = 1024
	// poolBytes are for tasks on the device, if there is so much room.
	poolBytes = 8 << 30
	// problemsShare of the memory is for problems: the rest is for scratch and tasks.
	problemsShare = 2
)

// SearchDevice searches the open nodes of many queries at once on a device: a warp for each
// node, and all warps share the tasks. The more queries, the better they keep it busy. Afterwards the
// queries have the nodes that are still open: those that were when the time was up or the context
// ended (with Keep; otherwise the nodes that they had at first, for a query that is not proved), and all
// of a query whose problems the device has no room for. After an error of the device, queries
// whose search had not ended have the nodes that they had at first, and keep what was found.
func SearchDevice(ctx context.Context, d device.Device, queries []*DeviceQuery, o DeviceOptions) (err error) {
	g := &gpu{d: d, o: o, budget: d.Info().Free}
	if o.Memory > 0 {
		g.budget = min(g.budget, o.Memory)
	}
	defer func() { err = errors.Join(err, g.close()) }()
	if g.kernels, err = kernels.LoadCommunity(d); err != nil {
		return err
	}
	if g.stream, err = d.NewStream(device.Normal); err != nil {
		return err
	}
	if g.staging, err = d.Pin(stagingBytes); err != nil {
		return err
	}
	for len(queries) > 0 && ctx.Err() == nil {
		batch, room := []*DeviceQuery(nil), g.budget/problemsShare
		for len(queries) > 0 {
			need := deviceBytes(queries[0])
			if need > room && len(batch) > 0 {
				break
			}
			if need <= room && len(queries[0].Open) > 0 {
				batch = append(batch, queries[0])
				room -= need
			}
			queries = queries[1:]
		}
		if len(batch) == 0 {
			break
		}
		if err := g.limited(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// limited searches a batch within the limit of time.
func (g *gpu) limited(ctx context.Context, batch []*DeviceQuery) error {
	if g.o.TimeLimit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, g.o.TimeLimit)
		defer cancel()
	}
	return g.search(ctx, batch)
}

// deviceBytes is what the problems of a query take on a device at most.
func deviceBytes(q *DeviceQuery) (bytes int64) {
	for p := range problemsOf(q) {
		bytes += 4*int64(len(p.Neighbours)) + 16*int64(p.N+1) + 8*int64(p.N)*int64(p.Words()) + 4*device.Alignment
	}
	return bytes
}

// problemsOf are the problems of the open nodes of a query.
func problemsOf(q *DeviceQuery) map[*Problem]bool {
	problems := map[*Problem]bool{}
	for _, o := range q.Open {
		problems[o.Problem] = true
	}
	return problems
}

// gpu is the device of a search.
type gpu struct {
	d       device.Device
	o       DeviceOptions
	kernels *kernels.Community
	stream  device.Stream
	staging []byte
	budget  int64
	used    int64
	owned   []device.Pointer // allocated for the batch
}

func (g *gpu) close() error {
	err := g.free()
	if g.staging != nil {
		err = errors.Join(err, g.d.Unpin(g.staging))
	}
	if g.stream != nil {
		err = errors.Join(err, g.stream.Close())
	}
	return err
}

// free frees what was allocated for a batch.
func (g *gpu) free() (err error) {
	for _, p := range g.owned {
		err = errors.Join(err, g.d.Free(p))
	}
	g.owned, g.used = nil, 0
	return err
}

func (g *gpu) left() int64 { return g.budget - g.used }

// alloc allocates memory for the batch.
func (g *gpu) alloc(what string, bytes int64) (device.Pointer, error) {
	bytes = (max(1, bytes) + device.Alignment - 1) &^ (device.Alignment - 1)
	if bytes > g.left() {
		return 0, fmt.Errorf("%w on the GPU: %s take %s, and %s are left of %s: give more with --gpu-memory, or search on the CPU",
			hostmem.ErrBudget, what, humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(max(0, g.left()))), humanize.IBytes(uint64(g.budget)))
	}
	p, err := g.d.Alloc(bytes)
	if err == nil {
		g.owned = append(g.owned, p)
		g.used += bytes
	}
	return p, err
}

// synced waits for what was queued, unless that failed.
func (g *gpu) synced(err error) error {
	if err == nil {
		err = g.stream.Sync()
	}
	return err
}

// toDevice copies values. They are there when it returns.
func toDevice[E any](g *gpu, dst device.Pointer, src []E) error {
	for b := asBytes(src); len(b) > 0; {
		n := copy(g.staging, b)
		if err := g.synced(g.stream.ToDevice(dst, g.staging[:n])); err != nil {
			return err
		}
		b, dst = b[n:], dst+device.Pointer(n)
	}
	return nil
}

// toHost copies them back.
func toHost[E any](g *gpu, dst []E, src device.Pointer) error {
	for b := asBytes(dst); len(b) > 0; {
		n := min(len(b), len(g.staging))
		if err := g.synced(g.stream.ToHost(g.staging[:n], src)); err != nil {
			return err
		}
		copy(b, g.staging[:n])
		b, src = b[n:], src+device.Pointer(n)
	}
	return nil
}

func asBytes[E any](s []E) []byte {
	var x E
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(x)))
}

// popcount is the size of a set.
func popcount(set []uint64) (n int) {
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	return n
}
