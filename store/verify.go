package store

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/dustin/go-humanize"
	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
)

// Verify reads everything that the catalogue names, with the given number of
// goroutines, and calls damaged for each blob that is not what was written, and for
// what lies behind all of them, in no particular order but never at once. The error is of the verification
// itself (cancelled, no memory), not of the graph.
func (s *Store) Verify(ctx context.Context, threads int, progress func(bytes int64), damaged func(error)) error {
	var mu sync.Mutex
	report := func(err error) {
		if err != nil {
			mu.Lock()
			defer mu.Unlock()
			damaged(err)
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	work := make(chan func([]byte) int64)
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
	for range threads {
		g.Go(func() error {
			buf, err := hostmem.Bytes(largest)
			if err != nil {
				return err
			}
			defer hostmem.FreeBytes(buf)
			for check := range work {
				n := check(buf)
				mu.Lock()
				progress(n)
				mu.Unlock()
			}
			return nil
		})
	}
	g.Go(func() error {
		defer close(work)
		for check := range s.checks(report) {
			select {
			case work <- check:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		report(s.checkEnd())
		return nil
	})
	return g.Wait()
}

// checkEnd reports bytes that the payload has behind the last ones that something was put into.
func (s *Store) checkEnd() error {
	var end int64
	for i := range s.cat.Shards {
		for _, dir := range s.cat.Sides() {
			e, _ := s.side(dir, i)
			n := e.end()
			if is := s.cat.Stored(dir); is < shard.InRows {
				n += int64(s.cat.Shards[i].degrees[is])
			}
			end = max(end, n)
		}
	}
	for _, e := range s.cat.IDs.places {
		end = max(end, e.end())
	}
	if more := s.payload.size - end; more > 0 {
		return fmt.Errorf("graph %s: %w: its file %s has %d bytes behind the %d that the import wrote", s.name, ErrDamaged, payloadFile, more, end)
	}
	return nil
}

// checks are one for each blob: they are made as they are wanted, for a graph may
// have millions.
func (s *Store) checks(report func(error)) iter.Seq[func([]byte) int64] {
	sides := s.cat.Sides()
	return func(yield func(func([]byte) int64) bool) {
		for i := range s.cat.Shards {
			for _, dir := range sides {
				if !yield(func(buf []byte) int64 { return s.checkSide(dir, i, buf, report) }) {
					return
				}
			}
		}
		for i := range s.cat.IDs.Blocks {
			if !yield(func([]byte) int64 { return s.checkIDs(i, report) }) {
				return
			}
		}
	}
}

// checkSide reads a shard's side into buf, and gives its size.
func (s *Store) checkSide(dir shard.Direction, i int, buf []byte, report func(error)) int64 {
	n := s.cat.Bytes(dir, i)
	if err := s.ReadHeader(dir, i, buf[:shard.HeaderBytes]); err != nil {
		report(err)
		return n
	}
	side, err := s.ReadShard(dir, i, buf[:n])
	if err == nil {
		if err = side.CheckOrder(); err != nil {
			err = s.ShardError(dir, i, err)
		} else if dir < shard.OutWeights {
			err = s.checkDegrees(dir, i, side)
		}
	}
	report(err)
	return n
}

// ReadHeader reads the header of a shard's side into head, of [shard.HeaderBytes], and
// compares it with the catalogue before the rest is read: a forged directory may promise
// gigabytes.
func (s *Store) ReadHeader(dir shard.Direction, i int, head []byte) error {
	e, _ := s.side(dir, i)
	e.Bytes = shard.HeaderBytes
	err := s.payload.read(e, head)
	var h shard.Header
	if err == nil {
		h, err = shard.DecodeHeader(head)
	}
	if err == nil {
		err = s.Matches(dir, i, h)
	}
	if err != nil {
		return s.ShardError(dir, i, err)
	}
	return nil
}

func (s *Store) checkIDs(i int, report func(error)) int64 {
	b := new(IDBlock)
	err := s.readIDs(b, i)
	if err == nil && !b.ascending() {
		err = fmt.Errorf("graph %s: id block %d: %w: ids are not in order", s.name, i, ErrDamaged)
	}
	if next := new(IDBlock); err == nil && i+1 < len(s.cat.IDs.Blocks) && s.readIDs(next, i+1) == nil && !b.before(next) { // its own errors are reported once
		err = fmt.Errorf("graph %s: id block %d: %w: its ids do not come before those of the next one", s.name, i, ErrDamaged)
	}
	report(err)
	return 0
}

// before reports whether the last id of a block is less than the first of another, of
// the same kind.
func (b *IDBlock) before(next *IDBlock) bool {
	last := b.Len() - 1
	switch {
	case b.Strings != nil:
		return b.Strings[last] < next.Strings[0]
	case b.Uints != nil:
		return b.Uints[last] < next.Uints[0]
	default:
		return b.Ints[last] < next.Ints[0]
	}
}

func (b *IDBlock) ascending() bool {
	for i := 1; i < b.Len(); i++ {
		switch {
		case b.Strings != nil && b.Strings[i-1] >= b.Strings[i],
			b.Uints != nil && b.Uints[i-1] >= b.Uints[i],
			b.Ints != nil && b.Ints[i-1] >= b.Ints[i]:
			return false
		}
	}
	return true
}
