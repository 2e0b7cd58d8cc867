package gpuengine

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/page"
)

// work is what a lane computes: launches of the pull kernels, each over a list
// of chunks, and the vertices to apply then.
type work struct {
	page      int
	chunks    [keys]device.Pointer
	counts    [keys]int
	shared    [keys]int
	from, to  int // shards
	edges     uint64
	replicas  uint64 // as in a batch
	bytes     int64  // copied for it
	continued bool   // what was streamed before it has to be done first
}

func (w *work) String() string {
	if w.from == w.to {
		return fmt.Sprintf("a part of shard %d", w.from)
	}
	return fmt.Sprintf("shards %d to %d", w.from, w.to-1)
}

// slot is a stream for kernels, and the device memory that they read batch after
// batch. Copies of all slots run in one stream of their own, one after another: more
// streams were not faster. Those of a batch can be queued as soon as the kernels of the
// batch before it are, for which they wait.
type slot struct {
	number  int
	stream  device.Stream
	memory  device.Pointer // 0: for resident chunks
	turn    chan struct{}  // holds one while copies can be queued
	emptied device.Event   // when the memory can be written to; nil: it was not used
	early   *lane          // the last batch in it for the next iteration
}

func newSlot(d device.Device, number int, p device.Priority) (*slot, error) {
	stream, err := d.NewStream(p)
	s := &slot{number: number, stream: stream, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s, err
}

func (s *slot) close() error {
	if s.stream == nil {
		return nil
	}
	return s.stream.Close()
}

// lane has what one batch needs from its copies to its results beside a slot: its
// events, and pinned memory for descriptors. One goroutine at a time has it: the
// transfer goroutine fills it, the compute goroutine launches its kernels, another
// waits for their end. A slot has several, so that the device has work queued
// while goroutines wait for a processor.
type lane struct {
	*slot
	pinned []byte // for descriptors
	grown  []byte // the same, once that was too small
	batch  batch
	room   room
	work   work
	held   []*held // pages from which its copies run
	own    held    // one of them, for the next iteration
	shared bool    // another batch lies in the slot beside it, of which the turn is
	// begun, copies, copied, [waiting], started, expand, expanded, pull, pulled,
	// apply, done, results, brought
	begun, copied, started, expanded, pulled, done, brought device.Event

	// Arguments are here so that launches do not allocate.
	expandArgs kernels.ExpandArgs
	pullArgs   kernels.PullArgs
	applyArgs  kernels.ApplyArgs
}

func newLane(d device.Device, s *slot) (*lane, error) {
	l := &lane{slot: s}
	for _, e := range l.events() {
		var err error
		if *e, err = d.NewEvent(); err != nil {
			return l, err
		}
	}
	return l, nil
}

// newOwnLane makes a lane with a slot of its own, without memory. It is closed
// with closeOwn, also after an error.
func newOwnLane(d device.Device) (*lane, error) {
	s, err := newSlot(d, 0, device.Normal)
	if err != nil {
		return &lane{slot: s}, err
	}
	return newLane(d, s)
}

func (l *lane) closeOwn(d device.Device) error { return errors.Join(l.slot.close(), l.close(d)) }

func (l *lane) events() []*device.Event {
	return []*device.Event{&l.begun, &l.copied, &l.started, &l.expanded, &l.pulled, &l.done, &l.brought}
}

// close gives everything back but the slot, whose stream has been closed.
func (l *lane) close(d device.Device) error {
	var errs []error
	for _, e := range l.events() {
		if *e != nil {
			errs = append(errs, (*e).Close())
		}
	}
	errs = append(errs, d.Unpin(l.grown))
	return errors.Join(errs...)
}

// send queues the copies of the lane's batch in a stream, and its descriptors behind
// them. The lane's own stream goes on after them.
func (l *lane) send(d device.Device, copies device.Stream) error {
	b := &l.batch
	descriptors := l.room.low
	if err := l.describe(d, l.room.pointer(l.room.below(int64(b.count)*descriptorBytes))); err != nil {
		return err
	}
	if l.room.free() < 0 {
		return fmt.Errorf("a batch of %d chunks is %d bytes too large for its buffer", b.count, -l.room.free())
	}
	if l.emptied != nil {
		if err := copies.Wait(l.emptied); err != nil {
			return err
		}
	}
	if err := copies.Record(l.begun); err != nil {
		return err
	}
	for _, c := range b.copies {
		if err := copies.ToDevice(c.to, c.src); err != nil {
			return err
		}
	}
	if b.count > 0 {
		n := int64(b.count) * descriptorBytes
		if err := copies.ToDevice(l.room.pointer(descriptors), l.pinned[:n]); err != nil {
			return err
		}
	}
	if err := copies.Record(l.copied); err != nil {
		return err
	}
	return l.stream.Wait(l.copied)
}

// describe writes the batch's descriptors as they will lie at p: chunks, then
// ranges.
func (l *lane) describe(d device.Device, p device.Pointer) error {
	b := &l.batch
	if n := b.count * int(descriptorBytes); n > len(l.pinned) {
		if err := d.Unpin(l.grown); err != nil {
			return err
		}
		var err error
		if l.grown, err = d.Pin(int64(2 * n)); err != nil {
			return err
		}
		l.pinned = l.grown
	}
	l.work = work{page: b.page, shared: b.shared, from: b.from, to: b.to, edges: b.edges, replicas: b.replicas, bytes: b.bytes, continued: b.continued}
	at := 0
	for k, list := range b.chunks {
		l.work.chunks[k], l.work.counts[k] = p+device.Pointer(at), len(list)
		at += copy(l.pinned[at:], bytesOfSlice(list))
	}
	l.expandArgs = kernels.ExpandArgs{Chunks: p, Ranges: p + device.Pointer(b.count*int(unsafe.Sizeof(kernels.Chunk{})))}
	for _, list := range b.ranges {
		at += copy(l.pinned[at:], bytesOfSlice(list))
	}
	return nil
}

// expand queues the expansion of the batch's destinations.
func (l *lane) expand(k kernels.Expand) error {
	if l.batch.count == 0 {
		return nil
	}
	return k.Launch(l.stream, l.batch.count, &l.expandArgs)
}

// held is a page from which copies run.
type held struct {
	page *page.Page
	refs int
}
