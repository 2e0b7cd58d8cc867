package dispatcher

import (
	"context"
	"errors"
	"time"

	"github.com/garaph/garaph/cpuengine"
)

// slice is how long the engine goes on by itself at least, before the job looks at what
// else is due: reports, progress, checkpoints.
const slice = time.Millisecond

// orderedSlice is the same where buckets are filled and emptied at both ends.
const orderedSlice = 200 * time.Millisecond

// loadRows brings the rows into memory, unless they are there, and returns how many bytes
// it read.
func (c *cpuWorker[V, A]) loadRows(ctx context.Context) (read int64, err error) {
	f := &c.plan.front
	switch {
	case c.advancer != nil:
		return 0, nil
	case f.stored != nil:
		c.advancer = cpuengine.NewStoredAdvancer(c.engine, f.stored, c.plan.opt.Iterations > 0)
		return 0, nil
	case f.held.rows != nil:
		c.advancer, err = cpuengine.NewHeldAdvancer(c.engine, f.held.rows, f.held.in, c.plan.shape.notifyEdges)
		return 0, err
	}
	out, in, read, err := f.whole.load(ctx, c.plan.store)
	if err != nil {
		return 0, err
	}
	seekIn := in
	if c.plan.shape.cat.SameRows() {
		seekIn = out
	}
	if c.advancer, err = cpuengine.NewAdvancer(c.engine, out, seekIn); err != nil {
		return 0, errors.Join(err, f.whole.free(out, in))
	}
	return read, nil
}

// advance does iterations from frontier to frontier, at most limit. New values replace old ones in place.
func (c *cpuWorker[V, A]) advance(ctx context.Context, x *iteration, limit int) error {
	read, err := c.loadRows(ctx)
	if err != nil {
		return err
	}
	s, f := c.state, &c.plan.front
	s.keep(s.arrays.Cur, c.plan.shape.allShards())
	s.keep(s.arrays.Next, c.plan.shape.allShards())
	from := cpuengine.Stats{Activated: s.now.activated, Degrees: s.now.degrees}
	next, until := c.advancer.Advance, slice
	if f.ordered {
		next, until = c.advancer.AdvanceOrdered, orderedSlice
	}
	heldBefore, storedBefore, neededBefore := f.counts()
	done, err := next(ctx, s.now.step, from, limit, time.Now().Add(until))
	held, stored, needed := f.counts()
	x.RowsRead, x.RowsNeeded = stored-storedBefore, needed-neededBefore
	read += x.RowsRead + held - heldBefore
	x.Levels, x.Edges, x.Vertices, x.loaded = done.Levels, done.Edges, done.Vertices, read
	s.advanced(done.Levels, done.Activated, done.Degrees)
	return err
}

// freeRows frees the advancer and its rows.
func (c *cpuWorker[V, A]) freeRows() {
	if c.advancer == nil {
		return
	}
	_ = c.plan.front.whole.free(c.advancer.Rows()) // what is the same is freed once
	c.advancer.Free()
	c.advancer = nil
}
