package gpuengine

import (
	"context"
	"fmt"
	"slices"

	"github.com/garaph/garaph/page"
)

// copier is the goroutine that copies what does not stay on the device, batch by batch.
type copier struct {
	iteration *iteration
	queues    *queues
	resources *resources
	lanes     *lanes
	pages     Pages
	holds     holds
	pack      packer
	slotBytes int64
	spare     *lane // from free, and not used
	sent      *lane // the last one whose copies were queued
	early     early
}

// run copies the pages of an iteration. Where nothing is exchanged, batches go on from
// page to page, so that they fill their slots; but one from disk is not kept waiting for
// the next, which may need its buffer, and what may be copied ahead, a page in each batch,
// is so also where there was no time for that: sums over the vertices of a batch do not
// depend on it. A nil lane ends the iteration's.
func (c *copier) run(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			c.iteration.fail(err)
		}
		c.queues.ready <- nil
	}()
	var l *lane // with a batch that goes on
	for p, err := range c.iteration.From.Pages(ctx) {
		if err != nil {
			return err
		}
		h := c.holds.hold(p)
		if l != nil && c.comesNext(p.Index) {
			if err := c.submit(l); err != nil {
				return err
			}
			l = nil
		}
		l, err = c.page(ctx, l, h)
		if err == nil && l != nil && (c.iteration.Exchange || !c.pages.Stays(p.Index) || c.comesNext(p.Index)) {
			err = c.submit(l)
			l = nil
		}
		c.holds.release(h)
		if err != nil {
			return err
		}
	}
	if l == nil {
		return nil
	}
	return c.submit(l)
}

// comesNext reports whether the next iteration begins with a page, as this one did.
func (c *copier) comesNext(p int) bool {
	return slices.ContainsFunc(c.iteration.Next, func(rq page.Request) bool { return rq.Page == p })
}

// page copies a page, in one batch or several, the first of which may be that of a lane
// already. The lane that it returns has the last one, which was not submitted.
func (c *copier) page(ctx context.Context, l *lane, h *held) (_ *lane, err error) {
	if l != nil {
		c.holds.keep(l, h)
	}
	for i := 0; i < len(h.page.Shards); {
		s := &h.page.Shards[i]
		if l == nil {
			if l, err = c.begin(ctx, h, s.Index); err != nil {
				return nil, err
			}
		}
		gap := !l.batch.empty() && s.Index > l.batch.to // of shards that are not wanted
		switch {
		case !gap && c.pack.fits(&l.batch, &l.room, s):
			c.pack.whole(&l.batch, &l.room, s)
			i++
		case !l.batch.empty():
			if err := c.submit(l); err != nil {
				return nil, err
			}
			l = nil
		default:
			if l, err = c.parts(ctx, l, h, s); err != nil {
				return nil, err
			}
			i++
		}
	}
	return l, nil
}

// parts copies a shard that no slot can hold, in several batches. The last one
// may get further shards.
func (c *copier) parts(ctx context.Context, l *lane, h *held, s *page.Shard) (_ *lane, err error) {
	for k := range s.Sides {
		side := layoutOf(s.Sides[k])
		for at := uint32(0); at < side.end(); {
			next := side.part(&c.pack, &l.batch, &l.room, k, at)
			if next > at {
				at = next
				continue
			}
			if l.batch.chunks() == 0 {
				return nil, fmt.Errorf("shard %d: what begins at place %d does not fit into a buffer of %d bytes", s.Index,
					at, c.slotBytes)
			}
			if err := c.submit(l); err != nil {
				return nil, err
			}
			if l, err = c.begin(ctx, h, s.Index); err != nil {
				return nil, err
			}
			l.batch.continued = true
		}
	}
	l.batch.to = s.Index + 1
	return l, nil
}

// begin waits for a lane, and until copies can be queued in its stream, for a batch
// of a page. Lanes come back in the order in which they went, so that slots follow each
// other.
func (c *copier) begin(ctx context.Context, h *held, shard int) (*lane, error) {
	l := c.lane(ctx)
	if l == nil || !l.awaitOpen(ctx) {
		return nil, ctx.Err()
	}
	l.batch.reset(h.page.Index, shard)
	l.room = room{base: l.memory, high: c.slotBytes}
	c.holds.keep(l, h)
	return l, nil
}

// lane waits for a lane. It returns nil if the context has ended.
func (c *copier) lane(ctx context.Context) *lane {
	if l := c.spare; l != nil {
		c.spare = nil
		return l
	}
	select {
	case l := <-c.queues.free:
		return l
	case <-ctx.Done():
		return nil
	}
}

// submit queues the copies of a batch and hands it to the compute goroutine.
func (c *copier) submit(l *lane) error {
	if err := l.send(c.resources, c.lanes.copies); err != nil {
		return fmt.Errorf("copying page %d: %w", l.batch.page, err)
	}
	c.sent = l
	c.queues.ready <- l
	return nil
}
