package gpuengine

import (
	"cmp"
	"slices"
	"sync"
	"unsafe"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/store"
)

// exchange copies values between the host and the device, page by page, while the next pages run:
// to the host after a batch's kernels, in its stream; to the device in sync mode concurrently, as
// new values are not read before Commit, and in async mode between two batches, so that no kernel
// reads a value that is being written.
type exchange struct {
	arrays  *arrays
	host    hostArrays
	inbound device.Stream // copies what the host computed; sync mode
	bits    []byte        // pinned: what batches activated, see bitsOf
	peers   []peerArrays

	mu       sync.Mutex // guards what follows
	received []interval // of the host's new values, in this iteration
	waiting  []interval // the same, to be copied between batches; async mode
	sent     int64      // bytes of values copied to the device
	back     int64      // bytes of results copied from it
}

// peerArrays are the arrays of a peer.
type peerArrays struct {
	device device.Device
	arrays *arrays
}

// ExchangeBytes returns the host memory for active bits that are exchanged.
func ExchangeBytes(cat *store.Catalogue) int64 {
	return 8 * int64(bitset.Words(cat.Vertices)+len(cat.Shards))
}

func (x *exchange) open(r *resources, a *arrays, host hostArrays) (err error) {
	x.arrays, x.host = a, host
	if x.inbound, err = r.stream(device.Normal); err != nil {
		return err
	}
	x.bits, err = r.pin(ExchangeBytes(a.plan.cat))
	return err
}

// bring queues the copies of a batch's results to the host.
func (x *exchange) bring(l *lane) error {
	v := x.arrays.plan.interval(l.work.from, l.work.to)
	if v.from == v.to {
		return nil
	}
	fresh, bits := x.host.next(v), x.bitsOf(l, v)
	if err := l.stream.ToHost(fresh, x.arrays.valuesAt(nextValues, v.from)); err != nil {
		return err
	}
	x.mu.Lock()
	x.back += int64(len(bits)) + int64(len(fresh))
	x.mu.Unlock()
	return l.stream.ToHost(bits, x.arrays.at[active]+device.Pointer(8*(v.from/64)))
}

// bitsOf is where the active bits of a batch go to. Batches that share a word have
// one each: a batch lies a word further for each shard before it.
func (x *exchange) bitsOf(l *lane, v interval) []byte {
	at := int64(v.from)/64 + int64(l.work.from)
	return x.bits[8*at:][:8*((int64(v.to)+63)/64-int64(v.from)/64)]
}

// arrive adds what a batch activated to the host's rising vertices.
func (x *exchange) arrive(l *lane) {
	v := x.arrays.plan.interval(l.work.from, l.work.to)
	if v.from == v.to {
		return
	}
	first, last := v.from/64, (v.to-1)/64
	came := x.bitsOf(l, v)
	for w := first; w <= last; w++ {
		bits := *(*uint64)(unsafe.Pointer(&came[8*(w-first)]))
		if w == first {
			bits &^= 1<<(v.from%64) - 1
		}
		if rest := v.to % 64; w == last && rest != 0 {
			bits &= 1<<rest - 1
		}
		x.host.rising().Or(w, bits)
	}
}

// share queues the copies of new values of the shards [from, to) to the peers.
func (x *exchange) share(s device.Stream, from, to int) error {
	a := x.arrays
	v := a.plan.interval(from, to)
	if v.from == v.to {
		return nil
	}
	for _, p := range x.peers {
		to, src := p.arrays.valuesAt(nextValues, v.from), a.valuesAt(nextValues, v.from)
		if err := s.ToPeer(p.device, to, src, a.valueBytes(v.to-v.from)); err != nil {
			return err
		}
	}
	return nil
}

// sendAll sends the new values of batches to the peers.
func (x *exchange) sendAll(batches []PageTime) error {
	for _, t := range batches {
		if err := x.share(x.inbound, t.From, t.To); err != nil {
			return err
		}
	}
	return x.inbound.Sync()
}

// receive records values computed by the host, and in sync mode copies them.
func (x *exchange) receive(v interval) error {
	x.mu.Lock()
	x.received = append(x.received, v)
	x.sent += x.arrays.valueBytes(v.to - v.from)
	if x.arrays.plan.async {
		x.waiting = append(x.waiting, v)
	}
	x.mu.Unlock()
	if x.arrays.plan.async {
		return nil
	}
	return x.send(x.inbound, v)
}

func (x *exchange) send(s device.Stream, v interval) error {
	return s.ToDevice(x.arrays.valuesAt(nextValues, v.from), x.host.next(v))
}

// absorb queues the copies of pending values.
func (x *exchange) absorb(s device.Stream) error {
	x.mu.Lock()
	list := x.waiting
	x.waiting = nil
	x.mu.Unlock()
	for _, v := range list {
		if err := x.send(s, v); err != nil {
			return err
		}
	}
	return nil
}

// commit makes the new values of an iteration current: those of its batches, those of the shards that
// peers have sent, and received ones. It returns the bytes received from the host.
func (x *exchange) commit(batches []PageTime, peers []page.Span) (sent int64, err error) {
	a := x.arrays
	if a.plan.async {
		err = x.absorb(a.main)
	} else {
		for _, t := range batches {
			x.received = append(x.received, a.plan.interval(t.From, t.To))
		}
		for _, s := range peers {
			x.received = append(x.received, a.plan.interval(s.From, s.To))
		}
		if err = x.inbound.Sync(); err == nil {
			err = a.commit(x.received)
		}
	}
	sent = x.sent
	x.received, x.sent = x.received[:0], 0
	if err == nil {
		err = a.main.Sync()
	}
	return sent, err
}

// commit makes what is new current: it copies that, or it copies what is not new
// beside it and lets the arrays change places, whichever are fewer vertices.
func (a *arrays) commit(list []interval) error {
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
	to, fresh, all := uint32(0), uint32(0), a.plan.cat.Vertices
	for _, v := range append(runs, interval{all, all}) {
		if v.from > to {
			gaps = append(gaps, interval{to, v.from})
		}
		to = v.to
		fresh += v.to - v.from
	}
	if fresh > all/2 {
		runs = gaps
		a.at[values], a.at[nextValues] = a.at[nextValues], a.at[values]
	}
	for _, v := range runs {
		if err := a.main.Copy(a.valuesAt(values, v.from), a.valuesAt(nextValues, v.from),
			a.valueBytes(v.to-v.from)); err != nil {
			return err
		}
	}
	return nil
}
