package gpuengine

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/garaph/garaph/page"
)

// work is what a lane computes: launches of the pull kernels, each over a list
// of chunks, and the vertices to apply then.
type work struct {
	page      int
	chunks    [keys]Pointer
	counts    [keys]int
	shared    [keys]int
	from, to  int // shards
	edges     uint64
	replicas  uint64 // as in a batch
	bytes     int64  // copied for it
	continued bool   // what was streamed before it has to be done first
}

// lane is a stream with what it needs to process one batch after another: its
// events, a slot of device memory, and pinned memory for descriptors. One
// goroutine at a time has it: the transfer goroutine fills it, the compute
// goroutine launches its kernels, its own waits for their end.
type lane struct {
	number int
	stream Stream
	slot   Pointer // 0: for resident chunks
	pinned []byte
	batch  batch
	room   room
	work   work
	held   *held
	bits   []byte // pinned: of the vertices that were activated
	// begun, copies, copied, [waiting], started, expand, expanded, pull, pulled,
	// apply, done, results, brought
	begun, copied, started, expanded, pulled, done, brought Event
	launched                                                chan struct{}

	// Arguments are here so that launches do not allocate.
	expandArgs expandArgs
	pullArgs   pullArgs
	applyArgs  applyArgs
}

func newLane(d Device, number int) (*lane, error) {
	l := &lane{number: number, launched: make(chan struct{}, 1)}
	var err error
	if l.stream, err = d.NewStream(); err != nil {
		return l, err
	}
	for _, e := range l.events() {
		if *e, err = d.NewEvent(); err != nil {
			return l, err
		}
	}
	return l, nil
}

func (l *lane) events() []*Event {
	return []*Event{&l.begun, &l.copied, &l.started, &l.expanded, &l.pulled, &l.done, &l.brought}
}

// close gives everything back but the slot.
func (l *lane) close(d Device) error {
	var errs []error
	if l.stream != nil {
		errs = append(errs, l.stream.Close())
	}
	for _, e := range l.events() {
		if *e != nil {
			errs = append(errs, (*e).Close())
		}
	}
	errs = append(errs, d.Unpin(l.pinned), d.Unpin(l.bits))
	return errors.Join(errs...)
}

// send queues the copies of the lane's batch, and its descriptors behind them.
func (l *lane) send(d Device) error {
	b := &l.batch
	descriptors := l.room.low
	if err := l.describe(d, l.room.pointer(l.room.below(int64(b.count)*descriptorBytes))); err != nil {
		return err
	}
	if l.room.free() < 0 {
		return fmt.Errorf("a batch of %d chunks is %d bytes too large for its buffer", b.count, -l.room.free())
	}
	if err := l.stream.Record(l.begun); err != nil {
		return err
	}
	for _, c := range b.copies {
		if err := l.stream.ToDevice(c.to, c.src); err != nil {
			return err
		}
	}
	if b.count > 0 {
		n := int64(b.count) * descriptorBytes
		if err := l.stream.ToDevice(l.room.pointer(descriptors), l.pinned[:n]); err != nil {
			return err
		}
	}
	return l.stream.Record(l.copied)
}

// describe writes the batch's descriptors as they will lie at p: chunks, then
// ranges.
func (l *lane) describe(d Device, p Pointer) error {
	b := &l.batch
	if n := b.count * int(descriptorBytes); n > len(l.pinned) {
		if l.pinned != nil {
			if err := d.Unpin(l.pinned); err != nil {
				return err
			}
		}
		var err error
		if l.pinned, err = d.Pin(int64(max(2*n, 64<<10))); err != nil {
			return err
		}
	}
	l.work = work{page: b.page, shared: b.shared, from: b.from, to: b.to, edges: b.edges, replicas: b.replicas, bytes: b.bytes, continued: b.continued}
	at := 0
	for k, list := range b.chunks {
		l.work.chunks[k], l.work.counts[k] = p+Pointer(at), len(list)
		at += copy(l.pinned[at:], bytesOfSlice(list))
	}
	l.expandArgs = expandArgs{Chunks: p, Ranges: p + Pointer(b.count*int(unsafe.Sizeof(chunk{})))}
	for _, list := range b.ranges {
		at += copy(l.pinned[at:], bytesOfSlice(list))
	}
	return nil
}

// expand queues the expansion of the batch's destinations.
func (l *lane) expand() error {
	if l.batch.count == 0 {
		return nil
	}
	return l.stream.Launch("expand", l.batch.count, threads, 0, bytesOf(&l.expandArgs))
}

// held is a page from which copies run.
type held struct {
	page *page.Page
	refs int
}
