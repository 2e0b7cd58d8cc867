package community

import (
	"cmp"
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
)

const (
	// easyTime is how long the CPU searches for a query under AutoDevice before a GPU does: what
	// is found by then is not worth a copy.
	easyTime = 50 * time.Millisecond
	// batchQueries are searched on a GPU at once, at most.
	batchQueries = 256
	// batchBytes are the problems of a batch, if there is no budget; otherwise they take a
	// quarter of what is left, and open nodes another one.
	batchBytes = 1 << 30
	// emulatedBytes is the memory of an emulated device, which is that of the process.
	emulatedBytes = 64 << 20
)

// pending is a query of a batch.
type pending struct {
	DeviceQuery
	result *Result
	search time.Duration
}

// findOn answers the queries in batches on a device.
func (f *finder) findOn(ctx context.Context, b *base, d device.Device, budget int64) error {
	o := DeviceOptions{Memory: budget, TimeLimit: f.o.TimeLimit}
	room := int64(batchBytes)
	if f.o.Memory > 0 {
		left := f.o.Memory - hostmem.Process - 4*int64(len(b.core)) - b.levels[b.least].bytes()
		room = max(1, left/4)
		o.Host = room
	}
	if d.Info().OnHost {
		o.Memory = min(o.Memory, emulatedBytes)
	}
	for from := 0; from < len(f.queries); {
		batch, err := f.prepare(ctx, b, from, room)
		if err == nil {
			err = f.searchOn(ctx, d, from, batch, o)
		}
		if err != nil {
			return err
		}
		for _, p := range batch {
			p.result.Members, p.result.MinDegree, p.result.Proven = p.Best.Members(), p.Best.K(), len(p.Open) == 0
			p.result.Stats = *p.Stats
			p.result.Search = p.search
			if p.Searched {
				p.result.GPU = d.Info().Name
			}
			if err := f.answer(from, p.result); err != nil {
				return err
			}
			from++
		}
	}
	return nil
}

// prepare makes the problems of the next queries, as many as there is room for; one at least.
func (f *finder) prepare(ctx context.Context, b *base, from int, room int64) (batch []*pending, err error) {
	for _, q := range f.queries[from:] {
		if len(batch) == batchQueries || len(batch) > 0 && room <= 0 || ctx.Err() != nil {
			break
		}
		begin := time.Now()
		p := &pending{DeviceQuery: DeviceQuery{Best: &Best{}, Stats: &Stats{}}}
		problem, err := b.start(q, p.Best)
		if err != nil {
			return nil, err
		}
		p.result = &Result{Query: q, Start: p.Best.K(), Prepare: time.Since(begin)}
		batch = append(batch, p)
		if problem == nil {
			continue
		}
		p.result.Vertices, p.result.Edges = int64(problem.N), int64(len(problem.Neighbours)/2)
		p.Open = []Open{{problem, Root(problem)}}
		if f.o.Device == algorithms.AutoDevice {
			if err := f.onCPU(ctx, p, from+len(batch)-1, cmp.Or(f.o.easy, easyTime)); err != nil {
				return nil, err
			}
			if len(p.Open) > 0 {
				p.Open = []Open{{problem, Root(problem)}} // with a better k̂, the device drops more of it
			}
		}
		room -= 4*int64(len(problem.Neighbours)) + 8*int64(problem.N)
	}
	return batch, ctx.Err()
}

// searchOn searches a batch on a device. The CPU searches what the device has no room for, and under
// AutoDevice what it has failed at.
func (f *finder) searchOn(ctx context.Context, d device.Device, from int, batch []*pending, o DeviceOptions) error {
	var queries []*DeviceQuery
	for _, p := range batch {
		if len(p.Open) > 0 {
			queries = append(queries, &p.DeviceQuery)
		}
	}
	if f.o.Progress != nil {
		o.Progress = func(open, visited int64) {
			f.o.Progress(from, Progress{Best: bestOf(batch), Open: int(open), Branches: visited})
		}
	}
	begin := time.Now()
	err := SearchDevice(ctx, d, queries, o)
	for _, p := range batch {
		if p.Searched {
			p.search += time.Since(begin)
		}
	}
	if err != nil && ctx.Err() == nil && f.o.Device == algorithms.AutoDevice {
		f.withoutGPU(err)
		err = nil
	}
	for i, p := range batch {
		if err == nil && len(p.Open) > 0 && !p.Searched {
			err = f.onCPU(ctx, p, from+i, f.o.TimeLimit)
		}
	}
	return errors.Join(err, ctx.Err())
}

// onCPU searches a query within a limit of time.
func (f *finder) onCPU(ctx context.Context, p *pending, i int, limit time.Duration) error {
	begin := time.Now()
	rest, stats, err := f.parallel(ctx, p.Open, p.Best, i, limit)
	p.Open = rest
	p.Stats.Add(&stats)
	p.search += time.Since(begin)
	return err
}

// bestOf is the largest minimum degree in a batch.
func bestOf(batch []*pending) int {
	k := -1
	for _, p := range batch {
		k = max(k, p.Best.K())
	}
	return k
}

func (f *finder) withoutGPU(err error) {
	f.o.Log.Warn("the CPU computes instead of the GPU", zap.NamedError("reason", err))
}

// device opens the GPU of the options; nil: the CPU searches.
func (f *finder) device() (device.Device, int64, error) {
	d, budget, err := f.open(algorithms.Options{Device: f.o.Device, GPU: f.o.GPU, GPUMemory: f.o.GPUMemory})
	if err != nil && f.o.Device == algorithms.AutoDevice {
		f.withoutGPU(err)
		err = nil
	}
	return d, budget, err
}
