// Package gpuengine runs vertex programs on a GPU: pull only, over pages that
// stay in the device's memory as far as its budget goes and are streamed through
// a ring of buffers beyond that (Garaph, section 4). The GPU is a [device.Device].
package gpuengine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/store"
)

// The arrays on the device. Those that a job does not need are 0; one that is
// the same as another has its address.
const (
	values = iota
	nextValues
	accumulators
	degree
	inDegree
	outDegree
	active // bits
	results
	parameterBlock
	arrayCount
)

// Engine runs one program over one graph on one device: GlobalVertices lie on
// the device for the whole job. Its memory is taken by New and Start; an
// iteration takes none. One goroutine at a time calls its methods, but for
// Vertex.
type Engine[V, A any] struct {
	device    device.Device
	program   gas.Program[V, A]
	fragments gas.Fragments
	host      *vertices.Arrays[V]
	opt       Options
	plan      *plan
	kernels   *kernels.Set

	at        [arrayCount]device.Pointer
	owned     []device.Pointer // to free
	taken     int64            // bytes of them
	main      device.Stream
	copies    device.Stream // of batches to the device
	epoch     device.Event
	cleared   device.Event
	skew      float64 // seconds from Options.Began to epoch
	staging   staging
	head      []byte // pinned: the results of an iteration
	in, out   []uint32
	kept      packer // of chunks that stay
	streamed  packer
	pieces    []resident // what stays, page by page, in the order of shards
	enough    int        // chunks for one launch over pieces
	slots     []*slot    // those for pieces at the end
	lanes     []*lane    // of slots with memory, in turn
	residents []*lane    // of the others
	bits      []byte     // pinned: what batches activated, see bitsOf
	described []byte     // pinned: the descriptors of all lanes

	pages Pages
	all   []page.Request // for what does not stay
	work  Work           // of the iteration in hand
	whole everything[V, A]

	// The pipeline.
	running             sync.WaitGroup
	spare               *lane // taken from free, and not used
	sent                *lane // the last one whose copies were queued
	early               early
	transfers, computes chan context.Context
	ended               chan struct{}
	free, idle, ready   chan *lane
	flying              [2]chan *lane  // lanes that were launched: what is copied, what stays
	inFlight            sync.WaitGroup // their number
	last, lastCopied    device.Event   // of what was launched last; nil: nothing yet

	inbound device.Stream // copies what the host computed; sync mode

	mu       sync.Mutex // guards what follows, and the pages' counts
	holds    []held     // by page
	times    []PageTime
	received []interval // of the host's new values, in this iteration
	waiting  []interval // the same, to be copied between batches; async mode
	exchange int64      // bytes of values copied to the device
	back     int64      // bytes of results copied from it
	failed   error
	cancel   context.CancelFunc
}

// interval is of vertices, [from, to).
type interval struct{ from, to uint32 }

// New plans a job on a device and takes the device's memory for arrays and
// edges. Cur and Next of the arrays are in memory that the device has pinned. The
// errors of a job that does not fit are [ErrUnfit] and [NeedError].
func New[V, A any](d device.Device, p gas.Program[V, A], a *vertices.Arrays[V], cat *store.Catalogue, o Options) (*Engine[V, A], error) {
	f, err := FragmentsOf(p)
	if err != nil {
		return nil, err
	}
	info := d.Info()
	if err := o.complete(info); err != nil {
		return nil, err
	}
	e := &Engine[V, A]{device: d, program: p, fragments: f, host: a, opt: o}
	if e.plan, err = newPlan(cat, f, gas.DirectionOf(p), o); err != nil {
		return nil, err
	}
	e.kept = packer{slot: e.plan.slot, shared: o.Shared, gather: o.Gather, single: o.Single, limits: e.plan.kept}
	e.streamed = e.kept
	e.streamed.limits = e.plan.streamed
	if err := e.allocate(); err != nil {
		return nil, errors.Join(fmt.Errorf("preparing GPU %s: %w", info.Name, err), e.Close())
	}
	return e, nil
}

// allocate takes everything whose size is known.
func (e *Engine[V, A]) allocate() (err error) {
	if e.kernels, err = kernels.Load(e.device, e.program, e.fragments); err != nil {
		return err
	}
	sizes := e.plan.arraySizes(e.fragments)
	for i, n := range sizes {
		if n > 0 {
			if e.at[i], err = e.take256(n); err != nil {
				return err
			}
		}
	}
	if e.opt.Async {
		e.at[nextValues] = e.at[values]
	}
	if e.main, err = e.device.NewStream(device.Normal); err != nil {
		return err
	}
	if e.inbound, err = e.device.NewStream(device.Normal); err != nil {
		return err
	}
	if e.copies, err = e.device.NewStream(device.Normal); err != nil {
		return err
	}
	if e.epoch, err = e.device.NewEvent(); err != nil {
		return err
	}
	if e.cleared, err = e.device.NewEvent(); err != nil {
		return err
	}
	if e.staging, err = newStaging(e.device, sizes[values]); err != nil {
		return err
	}
	if e.head, err = e.device.Pin(sizes[results]); err != nil {
		return err
	}
	if e.bits, err = e.device.Pin(ExchangeBytes(e.plan.cat)); err != nil {
		return err
	}
	n := int(e.plan.cat.Vertices)
	if e.plan.needIn {
		if e.in, err = hostmem.Slice[uint32](n); err != nil {
			return err
		}
	}
	if e.plan.needOut {
		if e.out, err = hostmem.Slice[uint32](n); err != nil {
			return err
		}
	}
	return e.makeLanes()
}

// ahead is how many batches can be under way, at least one of each slot: while all
// processors of the host are busy, a goroutine that could go on waits for a
// millisecond, and at times for four.
const ahead = 8

// laneBytes of pinned memory are enough for the descriptors of most batches.
const laneBytes = 64 << 10

// makeLanes makes the slots and their lanes, and those for what stays: two, or all
// of them when nothing is streamed.
func (e *Engine[V, A]) makeLanes() error {
	still := 0
	switch {
	case e.plan.slots == 0:
		still = e.plan.streams
	case e.plan.resident > 0:
		still = 2 // results of the one are copied while the other computes
	}
	for i := range e.plan.slots + still {
		priority := device.Normal
		if i < e.plan.slots { // the link waits for its kernels
			priority = device.Urgent
		}
		s, err := newSlot(e.device, i, priority)
		e.slots = append(e.slots, s)
		if err != nil {
			return err
		}
		if i < e.plan.slots {
			if s.memory, err = e.take256(e.plan.slotSize); err != nil {
				return err
			}
		}
	}
	lanes := func(list *[]*lane, slots []*slot) error {
		for _, s := range slots {
			l, err := newLane(e.device, s)
			*list = append(*list, l)
			if err != nil {
				return err
			}
		}
		return nil
	}
	for range max(1, ahead/max(1, e.plan.slots)) {
		if err := lanes(&e.lanes, e.slots[:e.plan.slots]); err != nil {
			return err
		}
	}
	if err := lanes(&e.residents, e.slots[e.plan.slots:]); err != nil {
		return err
	}
	all := slices.Concat(e.lanes, e.residents)
	var err error
	e.described, err = e.device.Pin(int64(len(all)) * laneBytes)
	for i := range all {
		if err == nil {
			all[i].pinned = e.described[i*laneBytes:][:laneBytes]
		}
	}
	return err
}

func (e *Engine[V, A]) take256(n int64) (device.Pointer, error) {
	p, err := e.device.Alloc(n)
	if err == nil {
		e.owned = append(e.owned, p)
		e.taken += aligned(n)
	}
	return p, err
}

// Streams is how many streams overlap.
func (e *Engine[V, A]) Streams() int { return e.plan.streams }

// Memory is how many bytes the engine has of the device, which is the most that
// it ever had.
func (e *Engine[V, A]) Memory() int64 { return e.taken }

// Vertex tells the engine the degrees of a vertex, before Start. Goroutines may
// call it for different vertices.
func (e *Engine[V, A]) Vertex(v gas.Vertex) {
	if e.in != nil {
		e.in[v.ID] = v.In
	}
	if e.out != nil {
		e.out[v.ID] = v.Out
	}
}

// Start copies the values and degrees of the host's arrays to the device, and
// the edges that stay there. It keeps pages until Close.
func (e *Engine[V, A]) Start(ctx context.Context, pages Pages) error {
	e.pages = pages
	e.holds = make([]held, len(pages.Spans()))
	if err := e.upload(); err != nil {
		return fmt.Errorf("copying vertices to GPU %s: %w", e.device.Info().Name, err)
	}
	if err := e.settle(ctx); err != nil {
		return fmt.Errorf("copying edges to GPU %s: %w", e.device.Info().Name, err)
	}
	e.all = Requests(pages.Spans(), e.plan.resident, len(e.plan.cat.Shards))
	e.begin()
	return nil
}

// upload fills the arrays.
func (e *Engine[V, A]) upload() error {
	if err := errors.Join(e.main.Record(e.epoch), e.main.Sync()); err != nil {
		return err
	}
	if !e.opt.Began.IsZero() {
		e.skew = time.Since(e.opt.Began).Seconds()
	}
	if e.plan.degreeIn {
		e.at[inDegree] = e.at[degree]
	}
	if e.plan.degreeOut {
		e.at[outDegree] = e.at[degree]
	}
	if err := e.main.ToDevice(e.at[values], bytesOfSlice(e.host.Cur)); err != nil {
		return err
	}
	host := [arrayCount][]byte{
		degree: bytesOfSlice(e.host.Degree), inDegree: bytesOfSlice(e.in), outDegree: bytesOfSlice(e.out),
		parameterBlock: parameters(e.program, e.fragments.Parameters),
	}
	for i, b := range host {
		if err := e.staging.toDevice(e.main, e.at[i], b); err != nil {
			return err
		}
	}
	hostmem.Free(e.in)
	hostmem.Free(e.out)
	e.in, e.out = nil, nil
	if err := e.main.Fill(e.at[results], 0, headBytes); err != nil {
		return err
	}
	args := kernels.ZeroArgs{Acc: e.at[accumulators], Parameters: e.at[parameterBlock], Fault: e.fault(), N: e.plan.cat.Vertices}
	if err := e.kernels.Zero.Launch(e.main, &args); err != nil {
		return err
	}
	return e.main.Sync()
}

// fault is where kernels report a [gas.Fault].
func (e *Engine[V, A]) fault() device.Pointer {
	return e.at[results] + device.Pointer(unsafe.Sizeof(kernels.Totals{}))
}

// Resident is how many edges stay on the device.
func (e *Engine[V, A]) Resident() (edges uint64) {
	for i := range e.pieces {
		edges += e.pieces[i].edges
	}
	return edges
}

// Close ends the pipeline and frees what the engine took, but not the device.
func (e *Engine[V, A]) Close() error {
	_, _ = e.endEarly(), e.forgetEarly() // nobody needs what was copied ahead
	e.end()
	var errs []error
	for _, s := range e.slots {
		errs = append(errs, s.close())
	}
	for _, l := range slices.Concat(e.lanes, e.residents) {
		errs = append(errs, l.close(e.device))
	}
	for _, s := range []device.Stream{e.main, e.inbound, e.copies} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	errs = append(errs, e.staging.close(e.device)) // nothing runs from it any more
	for _, x := range []device.Event{e.epoch, e.cleared} {
		if x != nil {
			errs = append(errs, x.Close())
		}
	}
	errs = append(errs, e.device.Unpin(e.head), e.device.Unpin(e.bits), e.device.Unpin(e.described))
	for _, p := range e.owned {
		errs = append(errs, e.device.Free(p))
	}
	hostmem.Free(e.in)
	hostmem.Free(e.out)
	e.slots, e.lanes, e.residents, e.main, e.inbound, e.copies, e.epoch, e.cleared, e.head, e.bits, e.described, e.owned, e.in, e.out = nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil
	return errors.Join(errs...)
}
