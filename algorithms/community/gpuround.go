package community

import (
	"context"
	"errors"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/kernels"
)

// rounds runs round after round until no task is left, or the context has ended. The device has
// tasks from slot Bottom on; what it takes are the last ones, and their children take their
// place: that is depth first, with as much breadth as there are warps. When there is no room, the
// first tasks go to host memory, and come back when the device has few.
func (b *batch) rounds(ctx context.Context) error {
	warps := uint64(b.blocks * kernels.CommunityPerBlock)
	for first := true; first || ctx.Err() == nil; first = false { // one round at least: no search goes on without progress
		if b.args.Tasks < warps && b.spilled.len() > 0 {
			if err := b.refill(); err != nil {
				return err
			}
		}
		if b.args.Tasks == 0 {
			return nil
		}
		round, err := b.round(warps)
		if err == nil {
			err = b.collect()
		}
		if err == nil {
			b.args.Tasks -= min(b.args.Tasks, uint64(round.Taken))
			err = b.place(round.Open)
		}
		if err != nil {
			return err
		}
		b.visited += int64(round.Nodes)
		if b.o.Progress != nil {
			b.o.Progress(int64(b.args.Tasks)+int64(b.spilled.len()), b.visited)
		}
	}
	return nil
}

// round lets the warps work, and reads back what they share and the best communities.
func (b *batch) round(warps uint64) (r kernels.CommunityRound, err error) {
	a := b.args
	a.Nanoseconds, a.Most = uint64(roundTime), 1<<20
	if b.o.most > 0 {
		a.Most = b.o.most
	}
	a.Least, a.Hungry = 1, uint32(max(1, warps/16))
	if a.Tasks >= warps {
		a.Least = min(a.Most, 4)
	}
	one := []kernels.CommunityRound{{}}
	if err = b.Stream.Fill(a.Round, 0, int64(len(hostmem.AsBytes(one)))); err == nil {
		err = b.kernels.Process(b.Stream, b.blocks, &a)
	}
	if err == nil {
		err = algorithms.ToHost(b.DeviceMemory, one, a.Round)
	}
	if err == nil {
		err = algorithms.ToHost(b.DeviceMemory, b.bests, a.Bests)
	}
	return one[0], err
}

// collect offers the communities that the device has found since.
func (b *batch) collect() error {
	for i, best := range b.bests {
		if best.Size == 0 || int(best.Next)-1 <= b.queries[i].Best.K() {
			continue
		}
		members := make([]uint32, best.Size)
		if err := algorithms.ToHost(b.DeviceMemory, members, b.args.Members+device.Pointer(4*i*int(b.members))); err != nil {
			return err
		}
		ids := b.problems[best.Problem].whole.IDs
		for j, v := range members {
			members[j] = ids[v]
		}
		b.queries[i].Best.Offer(int(best.Next)-1, members)
	}
	return nil
}

// place makes tasks of the nodes that warps left. As long as there is no room for all of them,
// tasks go to the host.
func (b *batch) place(open uint64) error {
	a := &b.args
	for first := uint64(0); first < open; {
		if missing := int64(a.Tasks+open-first) - int64(a.Capacity); missing > 0 && a.Tasks > 0 {
			if err := b.takeLowest(min(a.Tasks, max(uint64(missing), a.Capacity/4)), b.keep); err != nil {
				return err
			}
		}
		x := kernels.CommunityExpandArgs{
			Problems: a.Problems, Scratch: a.Scratch, Open: a.Open, Pool: a.Pool, WarpWords: a.WarpWords, First: first,
			Room: min(open-first, a.Capacity-a.Tasks), To: (a.Bottom + a.Tasks) % a.Capacity,
			Capacity: a.Capacity, Layout: a.Layout,
		}
		if err := b.kernels.Expand(b.Stream, b.blocks, &x); err != nil {
			return err
		}
		first += x.Room
		a.Tasks += x.Room
	}
	return nil
}

// slot returns where a task lies, counted from the bottom.
func (b *batch) slot(i uint64) device.Pointer {
	return b.args.Pool + device.Pointer((b.args.Bottom+i)%b.args.Capacity*uint64(8*b.spilled.words))
}

// atOnce is the number of bytes of tasks that are read back at once.
const atOnce = 4 << 20

// takeLowest reads the n lowest tasks back, many at once, and calls f with each.
func (b *batch) takeLowest(n uint64, f func(task []uint64) error) error {
	size := b.spilled.words
	words := make([]uint64, min(n, max(1, atOnce/uint64(8*size)))*uint64(size))
	for n > 0 {
		run := min(n, b.args.Capacity-b.args.Bottom, uint64(len(words)/size))
		if err := algorithms.ToHost(b.DeviceMemory, words[:run*uint64(size)], b.slot(0)); err != nil {
			return err
		}
		for i := range int(run) {
			if err := f(words[i*size:][:size]); err != nil {
				return err
			}
		}
		b.args.Bottom = (b.args.Bottom + run) % b.args.Capacity
		b.args.Tasks -= run
		n -= run
	}
	return nil
}

var errFull = errors.New("no room for the open nodes of a search")

// keep keeps a task on the host.
func (b *batch) keep(task []uint64) error {
	if b.spilled.full() {
		return errFull
	}
	b.spilled.push(task)
	return nil
}

// refill moves tasks from the host to the device, as many as fill half of it.
func (b *batch) refill() error {
	for full := max(1, b.args.Capacity/2); b.args.Tasks < full && b.spilled.len() > 0; {
		at := (b.args.Bottom + b.args.Tasks) % b.args.Capacity
		words := b.spilled.pop(int(min(full-b.args.Tasks, b.args.Capacity-at)))
		if err := algorithms.ToDevice(b.DeviceMemory, b.slot(b.args.Tasks), words); err != nil {
			return err
		}
		b.args.Tasks += uint64(len(words) / b.spilled.words)
	}
	return nil
}

// end looks which queries have tasks that are left, and reads the counts.
func (b *batch) end() error {
	left := func(task []uint64) error {
		b.open[b.problems[uint32(task[0])].query] = true
		return nil
	}
	err := b.takeLowest(b.args.Tasks, left)
	for err == nil && b.spilled.len() > 0 {
		err = left(b.spilled.pop(1))
	}
	nodes := make([]uint64, len(b.queries))
	if err == nil {
		err = algorithms.ToHost(b.DeviceMemory, nodes, b.args.Nodes)
	}
	for i, q := range b.queries {
		q.Branches += int64(nodes[i])
	}
	return err
}
