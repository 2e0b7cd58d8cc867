package page

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/garaph/garaph/internal/bitset"
)

// RowReader returns the rows of active vertices, one shard at a time, in the order in which they
// are read: [StoredRows.Read]. The consumer releases the rows. After the first error there are no
// more.
type RowReader struct {
	ctx     context.Context
	cancel  context.CancelFunc
	shards  []int
	ready   chan *ActiveRows
	reading sync.WaitGroup
	failed  sync.Once
	err     error // the first one; to be read when ready is closed
}

// Read starts reading the rows of active vertices: as many shards at once as there are frames, up
// to [Readers]. Of each shard, they are those that are active when its turn comes. If again is set,
// the vertices are not active yet, but looked at. Whole shards are read alternately in ascending and in descending
// order, and only those that have active vertices then.
func (r *StoredRows) Read(ctx context.Context, active bitset.Set, again bool) *RowReader {
	x := &RowReader{}
	r.level++
	r.stay = again || !r.Once || r.Weighted
	x.ctx, x.cancel = context.WithCancel(ctx)
	for i, info := range r.cat.Shards {
		if r.whole || active.Any(info.First, info.First+uint32(info.Vertices)) {
			x.shards = append(x.shards, i)
		}
	}
	if r.whole && r.level%2 == 0 {
		slices.Reverse(x.shards)
	}
	readers := min(Readers, cap(r.frames), len(x.shards))
	x.ready = make(chan *ActiveRows, cap(r.frames)) // so that sends do not block
	var next atomic.Int64
	for range readers {
		x.reading.Go(func() {
			for k := next.Add(1) - 1; k < int64(len(x.shards)); k = next.Add(1) - 1 {
				if !r.readShard(x, x.shards[k], active) {
					return
				}
			}
		})
	}
	go func() {
		x.reading.Wait()
		close(x.ready)
	}()
	return x
}

// readShard reads the rows of a shard, and reports whether there is anything to go on for.
func (r *StoredRows) readShard(x *RowReader, i int, active bitset.Set) bool {
	select {
	case <-x.ctx.Done():
		return false
	case p := <-r.frames:
		err := x.ctx.Err()
		if err == nil {
			err = p.fill(i, active)
		}
		if err == nil && len(p.active) > 0 {
			x.ready <- p
			return true
		}
		p.Release()
		if err == nil {
			return true
		}
		x.failed.Do(func() { x.err = err })
		x.cancel()
		return false
	}
}

// Shards returns the number of shards.
func (x *RowReader) Shards() int { return len(x.shards) }

// Next returns the rows of the next shard, or nil after the last. Several goroutines may call it.
func (x *RowReader) Next() (*ActiveRows, error) {
	p, more := <-x.ready
	if !more {
		return nil, cmp.Or(x.err, x.ctx.Err())
	}
	return p, nil
}

// Close stops reading and frees what was read ahead.
func (x *RowReader) Close() {
	x.cancel()
	for p := range x.ready {
		p.Release()
	}
}
