package gpuengine

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/store"
)

// Values lie on the host and on the device. What the one side computed goes to
// the other page by page, while the next pages run: to the host behind a batch's
// kernels, in its stream; to the device in sync mode beside them, since nobody
// reads what is new before Commit, and in async mode between two batches, so that
// no kernel reads a value that is being written.

// bring queues the copies of a batch's results to the host, and the event after
// them.
func (e *Engine[V, A]) bring(l *lane) error {
	if v := e.interval(&l.work); e.work.Exchange && v.from < v.to {
		if err := e.bringTo(l, v); err != nil {
			return err
		}
	}
	return l.stream.Record(l.brought)
}

func (e *Engine[V, A]) bringTo(l *lane, v interval) error {
	fresh := bytesOfSlice(e.host.Next[v.from:v.to])
	if err := l.stream.ToHost(fresh, e.at[nextValues]+device.Pointer(e.offset(v.from))); err != nil {
		return err
	}
	bits := e.bitsOf(l, v)
	e.mu.Lock()
	e.back += int64(len(bits)) + int64(len(fresh))
	e.mu.Unlock()
	return l.stream.ToHost(bits, e.at[active]+device.Pointer(8*(v.from/64)))
}

// bitsOf is where the active bits of a batch go to. Batches that share a word have
// one each: a batch lies a word further for each shard before it.
func (e *Engine[V, A]) bitsOf(l *lane, v interval) []byte {
	at := int64(v.from)/64 + int64(l.work.from)
	return e.bits[8*at:][:8*((int64(v.to)+63)/64-int64(v.from)/64)]
}

// arrive adds what a batch activated to the host's rising vertices.
func (e *Engine[V, A]) arrive(l *lane) {
	v := e.interval(&l.work)
	if !e.work.Exchange || v.from >= v.to {
		return
	}
	first, last := v.from/64, (v.to-1)/64
	came := e.bitsOf(l, v)
	for w := first; w <= last; w++ {
		bits := *(*uint64)(unsafe.Pointer(&came[8*(w-first)]))
		if w == first {
			bits &^= 1<<(v.from%64) - 1
		}
		if rest := v.to % 64; w == last && rest != 0 {
			bits &= 1<<rest - 1
		}
		e.host.Rising.Or(w, bits)
	}
}

// interval is that of the vertices that end in some work.
func (e *Engine[V, A]) interval(w *work) interval {
	if w.from == w.to {
		return interval{}
	}
	last := &e.plan.cat.Shards[w.to-1]
	return interval{e.plan.cat.Shards[w.from].First, last.First + uint32(last.Vertices)}
}

// offset is where the value of a vertex lies in an array of values.
func (e *Engine[V, A]) offset(v uint32) int64 {
	var value V
	return int64(v) * int64(unsafe.Sizeof(value))
}

// Receive takes the values of the vertices [from, to) that the host has computed
// in this iteration, out of Arrays.Next; they stay there until Commit. One
// goroutine calls it, also while Iterate runs.
func (e *Engine[V, A]) Receive(from, to uint32) error {
	v := interval{from, to}
	e.mu.Lock()
	e.received = append(e.received, v)
	e.exchange += e.offset(to) - e.offset(from)
	if e.opt.Async {
		e.waiting = append(e.waiting, v)
	}
	e.mu.Unlock()
	if e.opt.Async {
		return nil
	}
	return e.named("copying values to", e.send(e.inbound, v))
}

func (e *Engine[V, A]) send(s device.Stream, v interval) error {
	return s.ToDevice(e.at[nextValues]+device.Pointer(e.offset(v.from)), bytesOfSlice(e.host.Next[v.from:v.to]))
}

// absorb queues the copies of what waits.
func (e *Engine[V, A]) absorb(s device.Stream) error {
	e.mu.Lock()
	list := e.waiting
	e.waiting = nil
	e.mu.Unlock()
	for _, v := range list {
		if err := e.send(s, v); err != nil {
			return err
		}
	}
	return nil
}

// Commit makes the new values of an iteration current, those that were computed
// here and those that were received.
func (e *Engine[V, A]) Commit() (exchanged int64, err error) {
	exchanged = e.exchange
	if e.opt.Async {
		err = e.absorb(e.main)
	} else {
		for i := range e.times {
			t := &e.times[i]
			e.received = append(e.received, e.interval(&work{from: t.From, to: t.To}))
		}
		err = e.commit(e.received)
	}
	e.received, e.exchange = e.received[:0], 0
	if err == nil {
		err = e.main.Sync()
	}
	return exchanged, e.named("taking over the values of an iteration on", err)
}

// commit makes what is new current: it copies that, or it copies what is not new
// beside it and lets the arrays change places, whichever are fewer vertices.
func (e *Engine[V, A]) commit(list []interval) error {
	if err := e.inbound.Sync(); err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b interval) int { return cmp.Compare(a.from, b.from) })
	runs := list[:0]
	for _, v := range list {
		if n := len(runs); n > 0 && v.from <= runs[n-1].to {
			runs[n-1].to = max(runs[n-1].to, v.to)
		} else if v.from < v.to {
			runs = append(runs, v)
		}
	}
	var gaps []interval
	to, fresh := uint32(0), uint32(0)
	for _, v := range append(runs, interval{e.plan.cat.Vertices, e.plan.cat.Vertices}) {
		if v.from > to {
			gaps = append(gaps, interval{to, v.from})
		}
		to = v.to
		fresh += v.to - v.from
	}
	if fresh > e.plan.cat.Vertices/2 {
		runs = gaps
		e.at[values], e.at[nextValues] = e.at[nextValues], e.at[values]
	}
	for _, v := range runs {
		at := device.Pointer(e.offset(v.from))
		if err := e.main.Copy(e.at[values]+at, e.at[nextValues]+at, e.offset(v.to)-e.offset(v.from)); err != nil {
			return err
		}
	}
	return nil
}

// Upload copies the current values of the vertices [from, to) from the host's
// Cur.
func (e *Engine[V, A]) Upload(from, to uint32) error {
	err := e.main.ToDevice(e.at[values]+device.Pointer(e.offset(from)), bytesOfSlice(e.host.Cur[from:to]))
	if err == nil {
		err = e.main.Sync()
	}
	return e.named("copying values to", err)
}

// Download copies the current values of the vertices [from, to) to the host's
// Next.
func (e *Engine[V, A]) Download(from, to uint32) error {
	err := e.main.ToHost(bytesOfSlice(e.host.Next[from:to]), e.at[values]+device.Pointer(e.offset(from)))
	if err == nil {
		err = e.main.Sync()
	}
	return e.named("copying values from", err)
}

// Active copies the bits of the vertices that the last iteration activated on the
// device to the host's Rising. One that failed has cleared them: with all vertices
// active, it can be done again.
func (e *Engine[V, A]) Active() error {
	if e.failed != nil {
		for v := range e.plan.cat.Vertices {
			e.host.Rising.Add(v)
		}
		return nil
	}
	return e.named("copying the active set from", e.staging.toHost(e.main, bytesOfSlice(e.host.Rising), e.at[active]))
}

func (e *Engine[V, A]) named(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s GPU %s: %w", what, e.device.Info().Name, err)
}

// ExchangeBytes is the host's memory for active bits that are exchanged.
func ExchangeBytes(cat *store.Catalogue) int64 {
	return 8 * int64(bitset.Words(cat.Vertices)+len(cat.Shards))
}
