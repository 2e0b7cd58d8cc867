package gpuengine

import (
	"context"
	"fmt"
	"runtime"

	"github.com/garaph/garaph/gpuengine/device"
)

// launcher launches kernels, on the goroutine of an iteration.
type launcher struct {
	iteration        *iteration
	queues           *queues
	residency        *residency
	arrays           *arrays
	exchange         *exchange
	last, lastCopied device.Event // of what was launched last in an iteration; if nil, nothing yet
}

// run launches the kernels of an iteration: those of copied batches as soon as these are there,
// otherwise those of resident shards. After a failure it launches no more.
func (c *launcher) run(ctx context.Context) {
	c.last, c.lastCopied = nil, nil
	q := c.queues
	ready, still := q.ready, len(c.residency.shards) > 0
	for ready != nil || still {
		l, copied := q.pick(ready, still)
		switch {
		case l == nil:
			ready = nil
			continue
		case copied && ctx.Err() != nil:
			continue
		case !copied:
			from, to := 0, 0
			if ctx.Err() == nil {
				from, to = c.iteration.From.Stay()
			}
			if from == to {
				q.idle <- l
				still = false
				continue
			}
			l.work = c.residency.join(from, to)
		}
		if err := c.launch(l); err != nil {
			c.iteration.fail(fmt.Errorf("processing %s: %w", &l.work, err))
			if !copied {
				q.idle <- l // it may be the only one, for which pick would wait
			}
			continue
		}
		q.inFlight.Add(1)
		if copied {
			l.reopen()
			q.flying[0] <- l
		} else {
			q.flying[1] <- l
		}
	}
}

// pick returns a lane with a copied batch, if there is one. Otherwise it waits for such a lane or
// for an idle one for resident shards.
func (q *queues) pick(ready chan *lane, still bool) (l *lane, copied bool) {
	if !still {
		return <-ready, true
	}
	select {
	case l = <-ready:
		return l, true
	default:
	}
	select {
	case l = <-ready:
		return l, true
	case l = <-q.idle:
		return l, false
	}
}

// launch queues the kernels of a lane's work.
func (c *launcher) launch(l *lane) error {
	s := l.stream
	if l.work.continued && c.lastCopied != nil {
		if err := s.Wait(c.lastCopied); err != nil {
			return err
		}
	}
	if c.arrays.plan.async && c.last != nil { // new values are seen by the pages after it, all of them
		if err := s.Wait(c.last); err != nil {
			return err
		}
	}
	if err := c.exchange.absorb(s); err != nil {
		return err
	}
	if err := s.Record(l.events.started); err != nil {
		return err
	}
	if l.memory != 0 {
		if err := c.arrays.expand(l, l.work.rows()); err != nil {
			return err
		}
	}
	if err := s.Record(l.events.expanded); err != nil {
		return err
	}
	if err := c.arrays.pull(l); err != nil {
		return err
	}
	if err := s.Record(l.events.pulled); err != nil {
		return err
	}
	if err := c.arrays.apply(l, c.iteration.Step); err != nil {
		return err
	}
	c.last = l.events.done
	if l.memory != 0 {
		c.lastCopied, l.emptied = l.events.done, l.events.done
	}
	if err := s.Record(l.events.done); err != nil {
		return err
	}
	if err := c.arrays.bringSums(l); err != nil {
		return err
	}
	if !c.arrays.plan.async && !c.iteration.Quiet {
		if err := c.exchange.share(l.stream, l.work.from, l.work.to); err != nil {
			return err
		}
	}
	if c.iteration.Exchange {
		if err := c.exchange.bring(l); err != nil {
			return err
		}
	}
	return s.Record(l.events.brought)
}

// retirer holds the goroutines that wait for the ends of batches.
type retirer struct {
	iteration *iteration
	queues    *queues
	exchange  *exchange
	holds     *holds
	tracer    *tracer
}

// run waits for the end of launched batches, lane by lane, reads their times and results, and
// returns each lane to its queue.
func (r *retirer) run(flying <-chan *lane, back chan<- *lane) {
	for l := range flying {
		if err := r.retire(l); err != nil {
			r.iteration.fail(fmt.Errorf("processing %s: %w", &l.work, err))
		} else {
			r.holds.releaseAll(l)
		}
		back <- l
		r.queues.inFlight.Done()
		runtime.Gosched() // a goroutine that waits for the lane goes on in this thread, which is awake
	}
}

func (r *retirer) retire(l *lane) error {
	if err := l.events.brought.Sync(); err != nil {
		return err
	}
	if l.memory != 0 {
		if err := l.events.copied.Sync(); err != nil { // of copies that failed, in their own stream
			return err
		}
	}
	if r.iteration.Exchange {
		r.exchange.arrive(l)
	}
	r.exchange.arrays.sum(l)
	t, err := l.time()
	if err != nil {
		return err
	}
	r.iteration.done(t)
	if r.iteration.Quiet {
		return nil
	}
	return r.tracer.spans(l)
}
