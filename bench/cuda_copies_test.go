//go:build cuda

package bench

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/kernels"
)

const (
	copiedBytes = 1 << 30  // in each iteration of the benchmark
	copiedBlock = 16 << 20 // of pinned memory, as the page cache has it
)

// copied is a way to bring batches to the device. Each has something more of what the
// pipeline does than the one before.
type copied struct {
	name      string
	pages     bool // from as much memory as is copied, not from a few blocks over and over
	timed     bool // with events around each batch
	described bool // with the descriptors of its chunks
	ring      bool // into slots, each of which waits for the kernel of its last batch
	gather    bool // a kernel that gathers at random from the device's memory, not one that does next to nothing
	own       bool // each slot's copies in its own stream
}

// BenchmarkCUDACopies shows what takes copies away from the bandwidth of the link.
func BenchmarkCUDACopies(b *testing.B) {
	d, err := device.Open("0")
	if err != nil {
		b.Fatal(err)
	}
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	defer func() { must(d.Close()) }()
	gather, err := kernels.LoadGather(d)
	must(err)
	blocks := make([][]byte, copiedBytes/copiedBlock)
	for i := range blocks {
		blocks[i], err = d.Pin(copiedBlock)
		must(err)
		defer func() { must(d.Unpin(blocks[i])) }()
	}
	args := randomGather(b, d)
	for _, megabytes := range []int{8, 16} { // of a batch
		for _, c := range []copied{
			{name: "same"},
			{name: "pages", pages: true},
			{name: "timed", pages: true, timed: true},
			{name: "described", pages: true, timed: true, described: true},
			{name: "ring", pages: true, timed: true, described: true, ring: true},
			{name: "gather", pages: true, timed: true, described: true, ring: true, gather: true},
			{name: "own", pages: true, timed: true, described: true, ring: true, gather: true, own: true},
		} {
			b.Run(fmt.Sprintf("%dMiB/%s", megabytes, c.name), func(b *testing.B) {
				b.SetBytes(copiedBytes)
				size := megabytes << 20
				args := args
				args.Edges = uint64(size) // less than half of the time that the copy takes
				if !c.gather {
					args.Edges = kernels.Run
				}
				must(bringBatches(b, d, gather, c, blocks, size, args))
			})
		}
	}
}

// copiedSlot is a slot of a ring: its memory can be written to at the end of its last
// kernel.
type copiedSlot struct {
	stopwatch
	copied device.Event
	memory device.Pointer
	used   bool
}

// bringBatches copies batches of so many bytes from blocks of memory.
func bringBatches(b *testing.B, d device.Device, gather kernels.Gather, c copied, blocks [][]byte, size int, args kernels.GatherArgs) (err error) {
	const slots = 4
	copies, err := d.NewStream(device.Normal)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, copies.Close()) }()
	descriptors, err := d.Pin(16 << 10)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Unpin(descriptors)) }()
	ring := make([]copiedSlot, slots)
	for i := range ring {
		l := &ring[i]
		l.stopwatch, err = newStopwatch(d)
		defer func() { err = errors.Join(err, l.close()) }()
		if err != nil {
			return err
		}
		if l.copied, err = d.NewEvent(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, l.copied.Close()) }()
		if l.memory, err = d.Alloc(int64(size) + 16<<10); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.Free(l.memory)) }()
	}
	perBlock := copiedBlock / size // batches
	if !c.pages {
		blocks = blocks[:2]
	}
	for b.Loop() {
		for n := range copiedBytes / size {
			l := &ring[n%slots]
			block := blocks[n/perBlock%len(blocks)]
			src := block[n%perBlock*size:][:size]
			s := copies
			if c.own {
				s = l.stream
			}
			var steps []error
			if c.ring && !c.own && l.used {
				steps = append(steps, s.Wait(l.end))
			}
			if c.timed {
				steps = append(steps, s.Record(l.begun))
			}
			steps = append(steps, s.ToDevice(l.memory, src))
			if c.described {
				steps = append(steps, s.ToDevice(l.memory+device.Pointer(size), descriptors[:8<<10]))
			}
			if c.timed {
				steps = append(steps, s.Record(l.copied))
			}
			if c.ring {
				steps = append(steps, l.stream.Wait(l.copied),
					gather.Launch(l.stream, d.Info().Processors*gatherBlocks, &args), l.stream.Record(l.end))
				l.used = true
			}
			if err := errors.Join(steps...); err != nil {
				return err
			}
		}
		for _, l := range ring {
			if err := l.stream.Sync(); err != nil {
				return err
			}
		}
		if err := copies.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// randomGather gathers values of 4 bytes at random.
func randomGather(b *testing.B, d device.Device) kernels.GatherArgs {
	const edges, values = 1 << 24, 1 << 24
	w, err := newStopwatch(d)
	if err != nil {
		b.Fatal(err)
	}
	nbr, err := d.Pin(4 * edges)
	if err != nil {
		b.Fatal(err)
	}
	list := unsafe.Slice((*uint32)(unsafe.Pointer(&nbr[0])), edges)
	for i := range list {
		list[i] = rand.Uint32N(values)
	}
	a := kernels.GatherArgs{Edges: edges, Width: 4}
	for _, p := range []*device.Pointer{&a.Nbr, &a.Values} {
		if *p, err = d.Alloc(4 * edges); err != nil {
			b.Fatal(err)
		}
	}
	a.Sink = a.Values
	err = errors.Join(w.stream.ToDevice(a.Nbr, nbr), w.stream.Fill(a.Values, 0, 4*values), w.stream.Sync(), w.close(), d.Unpin(nbr))
	if err != nil {
		b.Fatal(err)
	}
	return a
}
