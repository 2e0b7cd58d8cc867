package gpuengine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/page"
)

// Work describes what an iteration processes.
type Work struct {
	Step gas.Step
	From Source // if nil, everything
	// Exchange brings the new values of each batch to the host, into Arrays.Next,
	// and adds those that it activated to Arrays.Rising.
	Exchange bool
	Quiet    bool // without a trace
	// Next are pages in memory with which the next iteration begins, most likely: they
	// are copied at the end of this one, unless it is the last.
	Next []page.Request
	Last bool
	// Early: what Engine.Early lists is done in this iteration, beside what From hands
	// out.
	Early bool
}

// Stats reports the work of an iteration.
type Stats struct {
	Edges     uint64
	Vertices  uint64 // applied
	Activated uint64
	Degrees   uint64 // the sum of their Arrays.Degree
	Pages     int    // batches
	Bytes     int64  // of edges copied to the device
	Back      int64  // bytes of values and active bits copied to the host
}

// iteration is the current or the last iteration.
type iteration struct {
	Work
	cancel context.CancelFunc

	mu     sync.Mutex // guards what follows, and calls of From.Done
	times  []PageTime
	failed error // the first failure, after which there is no iteration
}

// fail records the first error of an iteration, and ends it.
func (it *iteration) fail(err error) {
	it.mu.Lock()
	defer it.mu.Unlock()
	if it.failed == nil {
		it.failed = err
	}
	it.cancel()
}

// done records a finished batch.
func (it *iteration) done(t PageTime) {
	it.mu.Lock()
	defer it.mu.Unlock()
	it.times = append(it.times, t)
	it.From.Done(t)
}

// Iterate pulls and applies every vertex of its work once. In sync mode, new values are visible
// after Commit. After an error, such as ctx's, values on the device are unchanged in sync mode, and
// the engine must not iterate again.
func (e *Engine[V, A]) Iterate(ctx context.Context, w Work) (Stats, error) {
	p := e.pipeline
	it := &p.iteration
	err := p.copier.endEarly()
	if it.failed == nil && err != nil {
		it.failed = e.broken(err)
	}
	if it.failed != nil {
		p.drop()
		return Stats{}, it.failed
	}
	if w.From == nil {
		p.everything.next = e.plan.kept.From
		w.From = &p.everything
	}
	it.Work, it.times, e.exchange.back = w, it.times[:0], 0
	if !w.Early {
		err = p.copier.forgetEarly()
	}
	if err == nil {
		err = e.Load(ctx)
	}
	if err == nil {
		err = e.arrays.clear(e.lanes.slots)
	}
	if err == nil {
		err = e.iterate(ctx)
	}
	if err == nil {
		err = e.fault()
	}
	if err != nil {
		err = e.broken(err)
		p.drop()
		return Stats{}, err
	}
	return e.stats(), nil
}

// iterate runs the pipeline over the current work, and fetches its results.
func (e *Engine[V, A]) iterate(ctx context.Context) error {
	p := e.pipeline
	ctx, p.iteration.cancel = context.WithCancel(ctx)
	defer p.iteration.cancel()
	p.run(ctx)
	if p.iteration.failed != nil {
		return p.iteration.failed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return e.arrays.collect()
}

// broken adds the device and the iteration to an error.
func (e *Engine[V, A]) broken(err error) error {
	it := &e.pipeline.iteration
	if it.failed == nil {
		it.failed = err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("GPU %s, iteration %d: %w", e.resources.device.Info().Name, it.Step.Iteration+1, err)
}

// fault returns the program's fault in an iteration as an error, or nil.
func (e *Engine[V, A]) fault() error {
	fault := *(*compiled.Fault)(unsafe.Pointer(&e.arrays.head[unsafe.Sizeof(kernels.Totals{})]))
	if fault != compiled.NoFault {
		return fmt.Errorf("program %T: %s", e.program, fault)
	}
	return nil
}

// stats reads the results of an iteration.
func (e *Engine[V, A]) stats() Stats {
	t := (*kernels.Totals)(unsafe.Pointer(&e.arrays.head[0]))
	s := Stats{Vertices: t.Applied, Activated: t.Activated, Degrees: t.Degrees, Pages: len(e.Times()),
		Back: e.exchange.back}
	for _, x := range e.Times() {
		s.Edges += x.Edges
		s.Bytes += x.Bytes
	}
	return s
}

// Times returns the times of the batches of the last iteration. They are valid until the next one.
func (e *Engine[V, A]) Times() []PageTime { return e.pipeline.iteration.times }
