package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dustin/go-humanize"
	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
)

// Verify reads everything that the catalogue names, with the given number of
// goroutines, and calls damaged for each blob that differs from the bytes that were written, in no particular order
// but never at once. The error is of the verification itself (cancelled, no memory), not of the graph.
func (s *Store) Verify(ctx context.Context, threads int, progress func(bytes int64), damaged func(error)) error {
	var mu sync.Mutex
	report := func(err error) {
		if err != nil {
			mu.Lock()
			defer mu.Unlock()
			damaged(err)
		}
	}
	var largest int64
	for i := range s.cat.Shards {
		for _, dir := range s.cat.Sides() {
			largest = max(largest, s.cat.Bytes(dir, i))
		}
	}
	if free := hostmem.Available(); free > 0 && largest > free {
		return fmt.Errorf("graph %s: %w: its largest shard has %s, and %s of memory are available", s.name, hostmem.ErrBudget,
			humanize.IBytes(uint64(largest)), humanize.IBytes(uint64(free)))
	} else if largest > 0 {
		threads = int(max(1, min(int64(threads), free/2/largest)))
	}
	sides := s.cat.Sides()
	blobs := int64(len(s.cat.Shards) * len(sides))
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range threads {
		g.Go(func() error {
			buf, err := hostmem.Bytes(largest)
			if err != nil {
				return err
			}
			defer hostmem.FreeBytes(buf)
			for k := next.Add(1) - 1; k < blobs+int64(len(s.cat.IDs.Blocks)); k = next.Add(1) - 1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				n := int64(0)
				if k < blobs {
					i, dir := int(k)/len(sides), sides[int(k)%len(sides)]
					n = s.cat.Bytes(dir, i)
					report(checkSide(s, dir, i, buf))
				} else {
					report(checkIDs(s, int(k-blobs)))
				}
				mu.Lock()
				progress(n)
				mu.Unlock()
			}
			return nil
		})
	}
	err := g.Wait()
	if err == nil {
		report(checkOrder(s))
	}
	return err
}

// checkSide reads a shard's side into buf.
func checkSide(s *Store, dir shard.Direction, i int, buf []byte) error {
	if err := s.ReadHeader(dir, i, buf[:shard.HeaderBytes]); err != nil {
		return err
	}
	side, err := s.ReadShard(dir, i, buf[:s.cat.Bytes(dir, i)])
	if err != nil {
		return err
	}
	if err := side.CheckOrder(); err != nil {
		return s.ShardError(dir, i, err)
	}
	if dir < shard.OutWeights {
		return checkDegrees(s, dir, i, side)
	}
	return nil
}

// ReadHeader reads the header of a shard's side into head, of [shard.HeaderBytes], and
// compares it with the catalogue before the rest is read: a forged directory may promise
// gigabytes.
func (s *Store) ReadHeader(dir shard.Direction, i int, head []byte) error {
	e, _ := s.cat.side(dir, i)
	e.Bytes = shard.HeaderBytes
	err := s.payload.read(e, head)
	var h shard.Header
	if err == nil {
		h, err = shard.DecodeHeader(head)
	}
	if err == nil {
		err = s.cat.Matches(dir, i, h)
	}
	if err != nil {
		return s.ShardError(dir, i, err)
	}
	return nil
}

// checkIDs reads a block of ids, which are in order, also with the next block.
func checkIDs(s *Store, i int) error {
	b, next := new(IDBlock), new(IDBlock)
	err := s.readIDs(b, i)
	sound := err != nil || slices.IsSortedFunc(b.Ints, strictly) && slices.IsSortedFunc(b.Uints, strictly) &&
		slices.IsSortedFunc(b.Strings, strictly)
	// its own errors are reported once
	if err == nil && sound && i+1 < len(s.cat.IDs.Blocks) && s.readIDs(next, i+1) == nil {
		last := b.Len() - 1
		switch {
		case b.Strings != nil:
			sound = b.Strings[last] < next.Strings[0]
		case b.Uints != nil:
			sound = b.Uints[last] < next.Uints[0]
		default:
			sound = b.Ints[last] < next.Ints[0]
		}
	}
	if !sound {
		err = fmt.Errorf("graph %s: id block %d: %w: ids are not in order", s.name, i, ErrDamaged)
	}
	return err
}

// strictly compares an element with the one before it: equal ones are not in order.
func strictly[T cmp.Ordered](x, before T) int {
	if x <= before {
		return -1
	}
	return 1
}
