package community

import (
	"context"
	"errors"
	"math/bits"
	"time"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/kernels"
)

// A DeviceQuery is the search for one query vertex.
type DeviceQuery struct {
	Open     []Open // nodes of problems with the same bounds; those that a search has left
	Best     *Best
	Branches int64 // nodes that were visited

	Searched bool // the device has searched it: what is open is what there was no time for
}

// DeviceOptions configure a search on a device.
type DeviceOptions struct {
	Memory    int64         // bytes of the device's memory; if 0, what is free
	Host      int64         // bytes of host memory for nodes that the device has no room for; if 0, no limit
	TimeLimit time.Duration // of the search for a batch; if 0, none
	// Progress, when not nil, gets after each round how many nodes are open, and were visited.
	Progress func(open, visited int64)

	capacity int64  // tasks that lie on the device at most; if 0, what memory has room for
	most     uint32 // nodes that a warp visits in a round at most; if 0, as many as there is time for
}

const (
	roundTime = 20 * time.Millisecond
	// localVertices is the number of vertices a part of a problem has at most for a warp to give
	// them new ids.
	localVertices = 1024
	// poolBytes are for tasks on the device, if there is so much room.
	poolBytes = 8 << 30
	// problemsShare of the memory is for problems: the rest is for scratch and tasks.
	problemsShare = 2
)

// SearchDevice searches the open nodes of many queries at once on a device: a warp for each
// node, and all warps share the tasks. The more queries, the better they keep it busy. Afterwards the
// queries that are not proved have the nodes that they had at first, and keep what was found: those that were
// searched when the time was up or the context ended, or when the device failed, and those for whose problems
// or nodes the device or the host has no room.
func SearchDevice(ctx context.Context, d device.Device, queries []*DeviceQuery, o DeviceOptions) (err error) {
	budget := d.Info().Free
	if o.Memory > 0 {
		budget = min(budget, o.Memory)
	}
	m, err := algorithms.NewDeviceMemory(d, budget)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	g := &gpu{DeviceMemory: m, o: o}
	if g.kernels, err = kernels.LoadCommunity(d); err != nil {
		return err
	}
	for len(queries) > 0 && ctx.Err() == nil {
		batch, room := []*DeviceQuery(nil), g.Budget/problemsShare
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
		if err := g.searchFitting(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// searchFitting searches a batch within the limit of time, or each query of it by itself where the sets of
// some, which are known when the problems are reduced, are too large for the device, or there are too many
// open nodes; such a query is left as it is.
func (g *gpu) searchFitting(ctx context.Context, batch []*DeviceQuery) error {
	limited := ctx
	if g.o.TimeLimit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, g.o.TimeLimit)
		defer cancel()
	}
	err := g.search(limited, batch)
	if !errors.Is(err, kernels.ErrShared) && !errors.Is(err, errFull) {
		return err
	}
	if err := errors.Join(g.Stream.Sync(), g.FreeAll()); err != nil || len(batch) == 1 {
		return err
	}
	for i := range batch {
		if err := g.searchFitting(ctx, batch[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// deviceBytes returns the most memory that the problems of a query use on a device.
func deviceBytes(q *DeviceQuery) (bytes int64) {
	for p := range problemsOf(q) {
		bytes += 4*int64(len(p.Neighbours)) + 16*int64(p.N+1) + 8*int64(p.N)*int64(p.Words()) + 4*device.Alignment
	}
	return bytes
}

// problemsOf returns the problems of the open nodes of a query.
func problemsOf(q *DeviceQuery) map[*Problem]bool {
	problems := map[*Problem]bool{}
	for _, o := range q.Open {
		problems[o.Problem] = true
	}
	return problems
}

// gpu is the device of a search.
type gpu struct {
	*algorithms.DeviceMemory
	o       DeviceOptions
	kernels *kernels.Community
}

// popcount returns the size of a set.
func popcount(set []uint64) (n int) {
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	return n
}
