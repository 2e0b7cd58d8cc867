package gpuengine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/vertices"
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
	device    Device
	program   gas.Program[V, A]
	fragments gas.Fragments
	host      *vertices.Arrays[V]
	opt       Options
	plan      *plan

	at        [arrayCount]Pointer
	owned     []Pointer // to free
	main      Stream
	epoch     Event
	staging   staging
	head      []byte // pinned: the results of an iteration
	in, out   []uint32
	kept      packer // of chunks that stay
	streamed  packer
	units     []work // what stays, in the order of shards
	pieces    []work // the same page by page, as it was copied
	lanes     []*lane
	residents []*lane // lanes for units
	every     []*lane // all of them

	pages    Pages
	requests []page.Request
	step     gas.Step

	// The pipeline.
	running             sync.WaitGroup
	transfers, computes chan context.Context
	ended               chan struct{}
	free, idle, ready   chan *lane
	inFlight            sync.WaitGroup // lanes that were launched
	last, lastCopied    Event          // of what was launched last; nil: nothing yet

	mu     sync.Mutex // guards what follows, and the pages' counts
	holds  []held     // by page
	times  []PageTime
	failed error
	cancel context.CancelFunc
}

// Stats says what an iteration did.
type Stats struct {
	Edges     uint64
	Vertices  uint64 // applied
	Activated uint64
	Degrees   uint64  // the sum of their Arrays.Degree
	Aggregate float64 // over all values
	Pages     int     // batches
	Bytes     int64   // of edges copied to the device
}

// New plans a job on a device and takes the device's memory for arrays and
// edges. The errors of a job that does not fit are [ErrUnfit] and [NeedError].
func New[V, A any](d Device, p gas.Program[V, A], a *vertices.Arrays[V], cat *store.Catalogue, o Options) (*Engine[V, A], error) {
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
		return nil, fmt.Errorf("program %T: %w", p, err)
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
	if err := e.loadKernels(); err != nil {
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
	if e.main, err = e.device.NewStream(); err != nil {
		return err
	}
	if e.epoch, err = e.device.NewEvent(); err != nil {
		return err
	}
	if e.staging, err = newStaging(e.device, sizes[values]); err != nil {
		return err
	}
	if e.head, err = e.device.Pin(sizes[results]); err != nil {
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

// makeLanes makes a lane for each slot, and lanes for what stays: one, or all of
// them when nothing is streamed.
func (e *Engine[V, A]) makeLanes() error {
	still := 0
	switch {
	case e.plan.slots == 0:
		still = e.opt.Streams
	case e.plan.resident > 0:
		still = 1
	}
	for i := range e.plan.slots + still {
		l, err := newLane(e.device, i)
		if i < e.plan.slots {
			e.lanes = append(e.lanes, l)
		} else {
			e.residents = append(e.residents, l)
		}
		e.every = append(e.every, l)
		if err != nil {
			return err
		}
		if i < e.plan.slots {
			if l.slot, err = e.take256(e.plan.slotSize); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *Engine[V, A]) take256(n int64) (Pointer, error) {
	p, err := e.device.Alloc(n)
	if err == nil {
		e.owned = append(e.owned, p)
	}
	return p, err
}

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
	e.requests = requests(pages.Spans(), e.plan.resident, len(e.plan.cat.Shards))
	e.begin()
	return nil
}

// upload fills the arrays.
func (e *Engine[V, A]) upload() error {
	if err := e.main.Record(e.epoch); err != nil {
		return err
	}
	if e.plan.degreeIn {
		e.at[inDegree] = e.at[degree]
	}
	if e.plan.degreeOut {
		e.at[outDegree] = e.at[degree]
	}
	host := [arrayCount][]byte{
		values: bytesOfSlice(e.host.Cur), degree: bytesOfSlice(e.host.Degree), inDegree: bytesOfSlice(e.in), outDegree: bytesOfSlice(e.out),
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
	args := zeroArgs{Acc: e.at[accumulators], Parameters: e.at[parameterBlock], Fault: e.fault(), N: e.plan.cat.Vertices}
	if err := e.main.Launch("zero", blocksFor(args.N), threads, 0, bytesOf(&args)); err != nil {
		return err
	}
	return e.main.Sync()
}

// fault is where kernels report a [gas.Fault].
func (e *Engine[V, A]) fault() Pointer {
	return e.at[results] + Pointer(unsafe.Sizeof(totals{}))
}

// Iterate pulls and applies every vertex once. After an error, which may be that
// of ctx, the values on the device are those of before in sync mode, and the
// engine does not iterate again.
func (e *Engine[V, A]) Iterate(ctx context.Context, step gas.Step) (Stats, error) {
	if e.failed != nil {
		return Stats{}, e.failed
	}
	e.step, e.times, e.last, e.lastCopied = step, e.times[:0], nil, nil
	if err := e.clear(); err != nil {
		return Stats{}, e.broken(err)
	}
	ctx, e.cancel = context.WithCancel(ctx)
	defer e.cancel()
	e.transfers <- ctx
	e.computes <- ctx
	<-e.ended
	<-e.ended
	e.inFlight.Wait()
	if e.failed == nil {
		e.failed = ctx.Err()
	}
	if e.failed == nil {
		if err := e.collect(); err != nil {
			e.failed = err
		}
	}
	if e.failed != nil {
		e.drop()
		return Stats{}, e.broken(e.failed)
	}
	stats, err := e.stats()
	if err != nil {
		return stats, e.broken(err)
	}
	if !e.opt.Async {
		e.at[values], e.at[nextValues] = e.at[nextValues], e.at[values]
	}
	return stats, nil
}

// broken names the device and the iteration of an error.
func (e *Engine[V, A]) broken(err error) error {
	if e.failed == nil {
		e.failed = err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("GPU %s, iteration %d: %w", e.device.Info().Name, e.step.Iteration+1, err)
}

// clear empties what an iteration adds to.
func (e *Engine[V, A]) clear() error {
	if err := e.main.Fill(e.at[results], 0, int64(len(e.head))); err != nil {
		return err
	}
	if err := e.main.Fill(e.at[active], 0, e.plan.arraySizes(e.fragments)[active]); err != nil {
		return err
	}
	return e.main.Sync()
}

// collect waits for everything and fetches the results.
func (e *Engine[V, A]) collect() error {
	if err := e.sync(); err != nil {
		return err
	}
	if err := e.main.ToHost(e.head, e.at[results]); err != nil {
		return err
	}
	return e.main.Sync()
}

// drop waits for what is left of a failed iteration, and lets go of its pages.
func (e *Engine[V, A]) drop() {
	e.quiet()
	for i := range e.holds {
		if h := &e.holds[i]; h.page != nil {
			h.page.Release()
			h.page, h.refs = nil, 0
		}
	}
}

// stats reads the results of an iteration.
func (e *Engine[V, A]) stats() (Stats, error) {
	t := (*totals)(unsafe.Pointer(&e.head[0]))
	if fault := *(*gas.Fault)(unsafe.Pointer(&e.head[unsafe.Sizeof(*t)])); fault != gas.NoFault {
		return Stats{}, fmt.Errorf("program %T: %s", e.program, fault)
	}
	s := Stats{Vertices: t.Applied, Activated: t.Activated, Degrees: t.Degrees, Pages: len(e.times)}
	for _, x := range e.times {
		s.Edges += x.Edges
		s.Bytes += x.Bytes
	}
	sums := e.head[headBytes:]
	for ; len(sums) > 0; sums = sums[8:] {
		s.Aggregate += math.Float64frombits(*(*uint64)(unsafe.Pointer(&sums[0])))
	}
	return s, nil
}

// Times are those of the batches of the last iteration, until the next one.
func (e *Engine[V, A]) Times() []PageTime { return e.times }

// Resident is how many edges stay on the device.
func (e *Engine[V, A]) Resident() (edges uint64) {
	for i := range e.units {
		edges += e.units[i].edges
	}
	return edges
}

// Values copies the values into the host's Cur.
func (e *Engine[V, A]) Values() error {
	if err := e.staging.toHost(e.main, bytesOfSlice(e.host.Cur), e.at[values]); err != nil {
		return fmt.Errorf("copying values from GPU %s: %w", e.device.Info().Name, err)
	}
	return nil
}

// Active copies the bits of the vertices that the last iteration activated into
// the host's Active. One that failed has cleared them: with all vertices active,
// it can be done again.
func (e *Engine[V, A]) Active() error {
	if e.failed != nil {
		for v := range e.plan.cat.Vertices {
			e.host.Active.Add(v)
		}
		return nil
	}
	if err := e.staging.toHost(e.main, bytesOfSlice(e.host.Active), e.at[active]); err != nil {
		return fmt.Errorf("copying the active set from GPU %s: %w", e.device.Info().Name, err)
	}
	return nil
}

// Close ends the pipeline and frees what the engine took, but not the device.
func (e *Engine[V, A]) Close() error {
	e.end()
	var errs []error
	for _, l := range e.every {
		errs = append(errs, l.close(e.device))
	}
	if e.main != nil {
		errs = append(errs, e.main.Close())
	}
	errs = append(errs, e.staging.close(e.device)) // nothing runs from it any more
	if e.epoch != nil {
		errs = append(errs, e.epoch.Close())
	}
	errs = append(errs, e.device.Unpin(e.head))
	for _, p := range e.owned {
		errs = append(errs, e.device.Free(p))
	}
	hostmem.Free(e.in)
	hostmem.Free(e.out)
	e.lanes, e.residents, e.every, e.main, e.epoch, e.head, e.owned, e.in, e.out = nil, nil, nil, nil, nil, nil, nil, nil, nil
	return errors.Join(errs...)
}
