// Package gpuengine runs vertex programs on a GPU: pulls over pages that stay in the
// device's memory as far as its budget goes and are streamed through a ring of buffers
// beyond that (Garaph, section 4), and frontiers over the rows of the whole graph
// ([Advancer]). The GPU is a [device.Device].
package gpuengine

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/store"
)

// Engine runs one program over one graph on one device: GlobalVertices lie on
// the device for the whole job. New and Start allocate its memory; an
// iteration allocates none. One goroutine at a time calls its methods, but for
// Receive.
type Engine[V, A any] struct {
	program   gas.Program[V, A]
	fragments compiled.Fragments
	host      *vertices.Arrays[V]
	opt       Options
	plan      *plan
	resources resources
	arrays    arrays
	lanes     lanes
	exchange  exchange
	residency residency // since Start
	pipeline  *pipeline // from Start to Close
}

// New plans a job on a device and allocates the device's memory for arrays and
// edges. Cur and Next of the arrays are in memory that the device has pinned. The
// errors of a job that does not fit are [ErrUnfit] and [NeedError].
func New[V, A any](d device.Device, p gas.Program[V, A], a *vertices.Arrays[V], cat *store.Catalogue,
	o Options) (*Engine[V, A], error) {
	f, err := FragmentsOf(p)
	if err != nil {
		return nil, err
	}
	info := d.Info()
	o.complete(info)
	e := &Engine[V, A]{program: p, fragments: f, host: a, opt: o, resources: resources{device: d}}
	if e.plan, err = newPlan(cat, f, gas.DirectionOf(p), o); err != nil {
		return nil, err
	}
	if err := e.allocate(); err != nil {
		return nil, errors.Join(fmt.Errorf("preparing GPU %s: %w", info.Name, err), e.Close())
	}
	return e, nil
}

// allocate allocates everything whose size is known.
func (e *Engine[V, A]) allocate() error {
	r := &e.resources
	k, err := kernels.Load(r.device, e.program, e.fragments, e.plan.cat.Wide && e.fragments.Weighs())
	if err != nil {
		return err
	}
	if e.arrays, err = newArrays(r, e.plan, k); err != nil {
		return err
	}
	if err = e.exchange.open(r, &e.arrays, arraysOf[V]{e.host}); err != nil {
		return err
	}
	if e.lanes, err = newLanes(r, e.plan); err != nil {
		return err
	}
	return nil
}

// Memory returns the bytes of device memory in use by the engine, which do not shrink until Close.
func (e *Engine[V, A]) Memory() int64 { return e.resources.bytes }

// Start copies the values and degrees of the host's arrays to the device. The engine uses pages
// until Close.
func (e *Engine[V, A]) Start(pages Pages) error {
	trace, err := e.newTracer()
	if err == nil {
		err = e.arrays.fill(hostmem.AsBytes(e.host.Cur), [arrayCount][]byte{
			degree: hostmem.AsBytes(e.host.Degree), inDegree: hostmem.AsBytes(e.host.In), outDegree: hostmem.AsBytes(e.host.Out),
			vertexIDs: hostmem.AsBytes(e.host.IDs), parameterBlock: parameters(e.program, e.fragments.Parameters),
		})
	}
	if err != nil {
		return e.named("copying vertices to", err)
	}
	e.residency = newResidency(e.plan, Requests(pages.Spans(), e.plan.kept.From, e.plan.kept.To))
	e.pipeline = e.newPipeline(pages, trace)
	e.pipeline.start()
	return nil
}

// Load copies the resident edges to the device, unless they are there. Otherwise the first
// iteration does.
func (e *Engine[V, A]) Load(ctx context.Context) error {
	r := &e.residency
	if r.loaded {
		return nil
	}
	l := loader{resources: &e.resources, arrays: &e.arrays, lanes: &e.lanes,
		pack: newPacker(e.plan, e.opt, e.plan.kept.limits)}
	loaded, err := l.load(ctx, e.pipeline.everything.pages, r.requests)
	if err != nil {
		return e.named("copying edges to", err)
	}
	if len(e.exchange.peers) > 0 { // the values of one launch are sent during the next
		loaded.enough /= 2
	}
	loaded.requests, loaded.first, loaded.loaded = r.requests, r.first, true
	*r = loaded
	return nil
}

// Loaded reports whether the resident edges are on the device.
func (e *Engine[V, A]) Loaded() bool { return e.residency.loaded }

// newTracer records the moment from which the device's times count.
func (e *Engine[V, A]) newTracer() (*tracer, error) {
	t := &tracer{trace: e.opt.Trace}
	err := e.resources.newEvents(&t.epoch)
	if err == nil {
		err = errors.Join(e.arrays.main.Record(t.epoch), e.arrays.main.Sync())
	}
	if !e.opt.Began.IsZero() {
		t.skew = time.Since(e.opt.Began).Seconds()
	}
	return t, err
}

// Kept returns the shards that are resident on the device after Start.
func (e *Engine[V, A]) Kept() page.Span { return e.plan.kept.Span }

// Keeps returns the shards that an engine with such options would keep, and whether it keeps all of
// its own without a buffer for others.
func Keeps[V, A any](d device.Device, p gas.Program[V, A], cat *store.Catalogue, o Options) (kept page.Span, all bool,
	err error) {
	f, err := FragmentsOf(p)
	if err != nil {
		return kept, false, err
	}
	o.complete(d.Info())
	plan, err := newPlan(cat, f, gas.DirectionOf(p), o)
	if err != nil {
		return kept, false, err
	}
	return plan.kept.Span, plan.ring.slots == 0, nil
}

// Resident returns the number of edges that are resident on the device.
func (e *Engine[V, A]) Resident() (edges uint64) {
	for i := range e.residency.shards {
		edges += e.residency.shards[i].edges
	}
	return edges
}

// Enough returns the end of the resident shards, from number i on, that make one launch that keeps the device busy.
func (e *Engine[V, A]) Enough(i int) int { return e.residency.next(i) }

// Receive takes the values of vertices [from, to) that the host has computed in this iteration,
// from Arrays.Next, where they must stay until Commit. One goroutine may call it, also while
// Iterate runs.
func (e *Engine[V, A]) Receive(from, to uint32) error {
	return e.named("copying values to", e.exchange.receive(interval{from, to}))
}

// Commit makes the new values of an iteration current: those that were computed, those that were
// received, and those of the given shards, which peers have sent. It returns the bytes exchanged.
func (e *Engine[V, A]) Commit(sent ...page.Span) (exchanged int64, err error) {
	exchanged, err = e.exchange.commit(e.Times(), sent)
	return exchanged, e.named("taking over the values of an iteration on", err)
}

// Upload copies the current values of the vertices [from, to) from the host's
// Cur.
func (e *Engine[V, A]) Upload(from, to uint32) error {
	return e.synced("copying values to", e.arrays.main.ToDevice(e.arrays.valuesAt(values, from),
		hostmem.AsBytes(e.host.Cur[from:to])))
}

// Download copies the current values of the vertices [from, to) to the host's
// Next.
func (e *Engine[V, A]) Download(from, to uint32) error {
	return e.synced("copying values from", e.arrays.main.ToHost(hostmem.AsBytes(e.host.Next[from:to]),
		e.arrays.valuesAt(values, from)))
}

// Connect lets the engines of several devices send their new values to each other: every batch in
// an iteration, or all of them in [Engine.Send] in async mode. After an error, engine k has failed.
func Connect[V, A any](engines []*Engine[V, A]) (k int, err error) {
	for k, e := range engines {
		for _, peer := range engines {
			if peer == e {
				continue
			}
			if _, err := e.resources.device.Reach(peer.resources.device); err != nil {
				return k, e.named("connecting", err)
			}
			e.exchange.peers = append(e.exchange.peers, peerArrays{peer.resources.device, &peer.arrays})
		}
	}
	return 0, nil
}

// Send sends what an async iteration has computed to the peers, which must not iterate.
func (e *Engine[V, A]) Send() error {
	return e.named("copying values from", e.exchange.sendAll(e.Times()))
}

// Sums stores the aggregates of the shards that the last iteration has done.
func (e *Engine[V, A]) Sums(sums []float64) {
	if e.plan.sums {
		for _, t := range e.Times() {
			copy(sums[t.From:t.To], e.arrays.sums[t.From:t.To])
		}
	}
}

// Active adds the bits of the vertices activated on the device by the last iteration to the
// host's Rising. A failed iteration has cleared them: all vertices are then set, so that it can be
// repeated.
func (e *Engine[V, A]) Active() error {
	if e.pipeline.iteration.failed != nil {
		for v := range e.plan.cat.Vertices {
			e.host.Rising.Add(v)
		}
		return nil
	}
	rising := e.host.Rising
	return e.named("copying the active set from", e.arrays.staging.toHost(e.arrays.main, 8*len(rising),
		e.arrays.at[active], func(part []byte) {
			for w := range len(part) / 8 {
				rising[w] |= *(*uint64)(unsafe.Pointer(&part[8*w]))
			}
			rising = rising[len(part)/8:]
		}))
}

// synced waits for what was queued in the main stream, unless that failed.
func (e *Engine[V, A]) synced(what string, err error) error {
	if err == nil {
		err = e.arrays.main.Sync()
	}
	return e.named(what, err)
}

func (e *Engine[V, A]) named(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s GPU %s: %w", what, e.resources.device.Info().Name, err)
}

// Close stops the pipeline and frees the engine's memory. It does not close the device.
func (e *Engine[V, A]) Close() error {
	if e.pipeline != nil {
		e.pipeline.stop()
		e.pipeline = nil
	}
	return e.resources.close()
}
