package gpuengine

import (
	"context"
	"fmt"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/kernels"
)

// slot is a stream for kernels, and the device memory that they read batch after
// batch. Copies of all slots run in one stream of their own, one after another: more
// streams were not faster. Those of a batch can be queued as soon as the kernels of the
// batch before it are, for which they wait.
type slot struct {
	number  int
	stream  device.Stream
	memory  device.Pointer // 0 for resident chunks
	open    chan struct{}  // holds one while copies can be queued
	emptied device.Event   // when the memory can be written to; if nil, it was not used
	early   *lane          // the last batch in it for the next iteration
}

// lane has what one batch needs from its copies to its results beside a slot: its
// events, and pinned memory for descriptors. One goroutine at a time has it: the
// transfer goroutine fills it, the compute goroutine launches its kernels, another
// waits for their end. A slot has several, so that the device has work queued
// while goroutines wait for a processor.
type lane struct {
	*slot
	events events
	pinned []byte // for descriptors
	batch  batch
	room   room
	work   work
	args   arguments
	held   []*held // pages from which its copies run
	own    held    // one of them, for the next iteration
	shared bool    // another batch lies in the slot beside it, which will open it
}

// events holds the events of a batch, in their order: begun, copies, copied, [waiting], started,
// expand, expanded, pull, pulled, apply, done, results, brought.
type events struct {
	begun, copied, started, expanded, pulled, done, brought device.Event
}

// arguments of kernels are in a lane so that launches do not allocate.
type arguments struct {
	expand kernels.ExpandArgs
	pull   kernels.PullArgs
	apply  kernels.ApplyArgs
}

// lanes holds the slots of an engine, and their lanes.
type lanes struct {
	copies   device.Stream // of all batches
	slots    []*slot       // those with memory first
	streamed []*lane       // of slots with memory, slot after slot
	resident []*lane       // of the others
}

const (
	// ahead is the number of batches that can be under way, at least one of each slot: while all
	// processors of the host are busy, a goroutine that could go on waits for a
	// millisecond, and at times for four.
	ahead = 8
	// laneBytes of pinned memory are enough for the descriptors of most batches.
	laneBytes = 64 << 10
)

// newLanes makes the slots of a plan and their lanes, and those for what stays: two, or
// all of them when nothing is streamed.
func newLanes(r *resources, p *plan) (l lanes, err error) {
	if l.copies, err = r.stream(device.Normal); err != nil {
		return l, err
	}
	still := 0
	switch {
	case p.ring.slots == 0:
		still = p.streams
	case p.kept.To > p.kept.From:
		still = 2 // results of the one are copied while the other computes
	}
	for i := range p.ring.slots + still {
		s := &slot{number: i, open: make(chan struct{}, 1)}
		s.open <- struct{}{}
		l.slots = append(l.slots, s)
		if i >= p.ring.slots {
			s.stream, err = r.stream(device.Normal)
		} else if s.stream, err = r.stream(device.Urgent); err == nil { // the link waits for its kernels
			s.memory, err = r.alloc(p.ring.bytes)
		}
		if err != nil {
			return l, err
		}
	}
	for range max(1, ahead/max(1, p.ring.slots)) {
		for _, s := range l.slots[:p.ring.slots] {
			l.streamed = append(l.streamed, &lane{slot: s})
		}
	}
	for _, s := range l.slots[p.ring.slots:] {
		l.resident = append(l.resident, &lane{slot: s})
	}
	return l, l.prepare(r)
}

// prepare makes the events of the lanes, and their memory for descriptors.
func (l *lanes) prepare(r *resources) error {
	described, err := r.pin(int64(len(l.streamed)+len(l.resident)) * laneBytes)
	for i, x := range l.all() {
		if err != nil {
			return err
		}
		x.pinned = described[i*laneBytes:][:laneBytes:laneBytes]
		err = r.newEvents(&x.events.begun, &x.events.copied, &x.events.started, &x.events.expanded, &x.events.pulled,
			&x.events.done, &x.events.brought)
	}
	return err
}

func (l *lanes) all() []*lane {
	return append(l.streamed[:len(l.streamed):len(l.streamed)], l.resident...)
}

// sync waits for all slots.
func (l *lanes) sync() error {
	for _, s := range l.slots {
		if err := s.stream.Sync(); err != nil {
			return err
		}
	}
	return l.copies.Sync()
}

// quiet waits for all slots after an error, which is known.
func (l *lanes) quiet() {
	_ = l.copies.Sync()
	for _, s := range l.slots {
		_ = s.stream.Sync()
	}
}

// awaitOpen waits until copies can be queued in the lane's slot. It returns false if the context
// has ended.
func (l *lane) awaitOpen(ctx context.Context) bool {
	select {
	case <-l.open:
		l.shared = false
		return true
	case <-ctx.Done():
		return false
	}
}

// reopen lets the copies of the slot's next batch be queued.
func (l *lane) reopen() {
	if !l.shared {
		l.open <- struct{}{}
	}
}

// send queues the copies of the lane's batch in a stream, and its descriptors behind
// them. The lane's own stream goes on after them.
func (l *lane) send(r *resources, copies device.Stream) error {
	b := &l.batch
	descriptors := l.room.low
	if err := l.describe(r, l.room.pointer(l.room.below(int64(b.chunks())*descriptorBytes))); err != nil {
		return err
	}
	if l.room.free() < 0 {
		return fmt.Errorf("a batch of %d chunks is %d bytes too large for its buffer", b.chunks(), -l.room.free())
	}
	if l.emptied != nil {
		if err := copies.Wait(l.emptied); err != nil {
			return err
		}
	}
	if err := copies.Record(l.events.begun); err != nil {
		return err
	}
	for _, c := range b.copies {
		if err := copies.ToDevice(c.to, c.src); err != nil {
			return err
		}
	}
	if n := int64(b.chunks()) * descriptorBytes; n > 0 {
		if err := copies.ToDevice(l.room.pointer(descriptors), l.pinned[:n]); err != nil {
			return err
		}
	}
	if err := copies.Record(l.events.copied); err != nil {
		return err
	}
	return l.stream.Wait(l.events.copied)
}

// describe writes the batch's descriptors as they will lie at p: chunks of rows, their
// ranges, then other chunks. Nothing copies from the lane's pinned memory any more.
func (l *lane) describe(r *resources, p device.Pointer) error {
	b := &l.batch
	if n := b.chunks() * int(descriptorBytes); n > len(l.pinned) {
		var err error
		if l.pinned, err = r.repin(l.pinned, int64(2*n)); err != nil {
			return err
		}
	}
	l.work = work{extent: b.extent}
	l.args.expand = kernels.ExpandArgs{Chunks: p, Ranges: p + device.Pointer(int64(b.rows())*chunkBytes)}
	at := 0
	list := func(k int) {
		l.work.lists[k] = p + device.Pointer(at)
		at += copy(l.pinned[at:], b.lists[k])
	}
	for k := range rowKeys {
		list(k)
	}
	for _, ranges := range b.ranges {
		at += copy(l.pinned[at:], hostmem.AsBytes(ranges))
	}
	for k := rowKeys; k < keys; k++ {
		list(k)
	}
	return nil
}
