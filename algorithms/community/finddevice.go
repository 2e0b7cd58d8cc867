package community

import (
	"cmp"
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gpuengine/device"
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
)

// findOn answers the queries in batches on a device.
func (f *finder) findOn(ctx context.Context, b *base, d device.Device, budget int64) error {
	o := DeviceOptions{Memory: budget}
	room := int64(batchBytes)
	if f.o.Memory > 0 {
		room = max(1, (f.o.Memory-b.fixed())/4)
		o.Host = room
	}
	for len(f.answers) < len(f.queries) {
		err := f.prepare(ctx, b, room)
		if err == nil {
			err = f.searchOn(ctx, d, o)
		}
		for err == nil && len(f.begun) > 0 {
			err = f.answered(f.begun[0])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prepare begins with the next queries, as many as there is room for; one at least. Those with
// which an earlier process has begun make batches of their own, for they have less time left.
func (f *finder) prepare(ctx context.Context, b *base, room int64) error {
	old := len(f.earlier) > 0
	for len(f.answers)+len(f.begun) < len(f.queries) && ctx.Err() == nil {
		if n := len(f.begun); n == batchQueries || n > 0 && (room <= 0 || old != (len(f.earlier) > 0)) {
			break
		}
		p, err := f.begin(ctx, b)
		if err != nil {
			return err
		}
		open := p.Open
		if f.o.Device == algorithms.AutoDevice {
			if err := f.onCPU(ctx, p, len(f.answers)+len(f.begun)-1, min(f.left(p), cmp.Or(f.o.easy, easyTime))); err != nil {
				return err
			}
			if len(p.Open) > 0 {
				p.Open = open // with a better k̂, the device drops more of it
			}
		}
		for problem := range problemsOf(&p.DeviceQuery) {
			room -= problem.bytes()
		}
	}
	return ctx.Err()
}

// searchOn searches a batch on a device. The CPU searches what the device has no room for, and under
// AutoDevice what it has failed at.
func (f *finder) searchOn(ctx context.Context, d device.Device, o DeviceOptions) error {
	var queries []*DeviceQuery
	limit := f.left(f.begun[0])
	on := batchTime{begin: time.Now()}
	for _, p := range f.begun {
		if limit = min(limit, f.left(p)); len(p.Open) > 0 {
			queries = append(queries, &p.DeviceQuery)
			on.queries, on.before = append(on.queries, p), append(on.before, p.search)
		}
	}
	if limit == 0 {
		return nil
	}
	if o.most = f.o.most; f.o.TimeLimit > 0 {
		o.TimeLimit = limit
	}
	o.Progress = func(open, visited int64) {
		if f.o.Progress != nil {
			f.o.Progress(len(f.answers), Progress{Best: bestOf(f.begun), Open: int(open), Branches: visited})
		}
		f.changed = true
		if f.due() {
			on.count()
			f.save()
		}
	}
	err := SearchDevice(ctx, d, queries, o)
	on.end(ctx.Err() != nil, d.Info().Name)
	if err != nil && ctx.Err() == nil && f.o.Device == algorithms.AutoDevice {
		f.withoutGPU(err)
		err = nil
	}
	for i, p := range f.begun {
		if err == nil && len(p.Open) > 0 && !p.Searched {
			err = f.onCPU(ctx, p, len(f.answers)+i, f.left(p))
		}
	}
	return errors.Join(err, ctx.Err())
}

// batchTime is the time that a device searches for the queries of a batch.
type batchTime struct {
	begin   time.Time
	queries []*pending
	before  []time.Duration // what they had taken until then
}

func (b *batchTime) count() {
	for i, p := range b.queries {
		p.search = b.before[i] + time.Since(b.begin)
	}
}

// end counts the time of the queries that the device has searched, or that were stopped.
func (b *batchTime) end(stopped bool, gpu string) {
	b.count()
	for i, p := range b.queries {
		if p.Searched {
			p.result.GPU = gpu
		} else if !stopped {
			p.search = b.before[i]
		}
	}
}

// bestOf returns the largest minimum degree in a batch.
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

// device opens the GPU of the options; if nil, the CPU searches, also for an emulated one.
func (f *finder) device() (device.Device, int64, error) {
	if f.o.GPU == device.EmulatedName {
		return nil, 0, nil
	}
	d, budget, err := algorithms.OpenDevice(algorithms.Options{Device: f.o.Device, GPU: f.o.GPU, GPUMemory: f.o.GPUMemory})
	if err != nil && f.o.Device == algorithms.AutoDevice {
		f.withoutGPU(err)
		err = nil
	}
	return d, budget, err
}
