package build

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/scratch"
)

// blockBytes is the unit in which edges are kept: see [recordForm] for what is in it.
const blockBytes = 24 << 10

// buffer is memory for a block.
type buffer = [blockBytes]byte

// spill keeps blocks of edge records, in memory while there is room, then
// in a file that has no name, so that it goes with the process.
type spill struct {
	spillMemory
	file    *os.File
	space   func(int64) error // reports a full disk before it is one
	holes   []int64           // offsets of blocks in the file that were read; guarded by mu
	bytes   int64             // of the file; guarded by mu
	checked int64             // bytes of the file for which there was space; guarded by mu
	wide    atomic.Bool       // weights are unpacked as float64; it changes while edges are read alone

	ending sync.Once
	ended  chan error // how the file was closed
}

// spillMemory is the memory of blocks.
type spillMemory struct {
	slab  []byte // all of it
	mu    sync.Mutex
	free  []*buffer // guarded by mu: those that were used before
	fresh int       // guarded by mu: blocks from the beginning of slab on that were not
}

// newSpill returns a spill with room for blocks in memory, and a file in a folder.
func newSpill(dir string, room int, space func(int64) error) (*spill, error) {
	s := &spill{space: space, ended: make(chan error, 1)}
	f, err := scratch.File(dir)
	if err != nil {
		return nil, fmt.Errorf("create the file for sorting: %w", err)
	}
	s.file = f
	if s.slab, err = hostmem.Sparse[byte](int64(max(1, room)) * blockBytes); err != nil {
		_ = f.Close()
		return nil, err
	}
	hostmem.SmallPages(s.slab)
	s.fresh = room
	return s, nil
}

// end begins to free what blocks took, of which none is in use any more. For the system that is
// work of its own, hundreds of megabytes page by page; the import need not wait for it.
func (s *spill) end() {
	s.ending.Do(func() {
		go func() {
			hostmem.Free(s.slab)
			s.ended <- s.file.Close()
		}()
	})
}

// close waits for the end. It may be called once.
func (s *spill) close() error {
	s.end()
	return <-s.ended
}

// block is some records, in memory (data) or in the file.
type block struct {
	data *buffer
	off  int64
	n    int // bytes
	form recordForm
	refs atomic.Int32
}

// take returns an empty block of memory, or nil when there is no room for one.
func (s *spillMemory) take() *buffer {
	s.mu.Lock()
	if len(s.free) > 0 {
		defer s.mu.Unlock()
		return pop(&s.free)
	}
	if s.fresh == 0 {
		s.mu.Unlock()
		return nil
	}
	s.fresh--
	b := (*buffer)(s.slab[s.fresh*blockBytes:])
	s.mu.Unlock()
	hostmem.Populate(b[:])
	return b
}

func (s *spillMemory) give(b *buffer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, b)
}

func pop[T any](list *[]T) T {
	n := len(*list) - 1
	x := (*list)[n]
	*list = (*list)[:n]
	return x
}

// put turns a buffer from take with n bytes of records into a block. It returns
// another buffer, or the same one after writing it to the file.
func (s *spill) put(buf *buffer, n int, form recordForm) (*block, *buffer, error) {
	if fresh := s.take(); fresh != nil {
		return newBlock(buf, 0, n, form), fresh, nil
	}
	off, err := s.place()
	if err == nil {
		if _, err = s.file.WriteAt(buf[:n], off); err != nil {
			err = fmt.Errorf("write edges to the file for sorting: %w", err)
		}
	}
	if err != nil {
		return nil, buf, err
	}
	return newBlock(nil, off, n, form), buf, nil
}

func newBlock(data *buffer, off int64, n int, form recordForm) *block {
	b := &block{data: data, off: off, n: n, form: form}
	b.refs.Store(1)
	return b
}

// place finds room in the file for a block.
func (s *spill) place() (int64, error) {
	const step = 64 << 20
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.holes); n > 0 {
		return pop(&s.holes), nil
	}
	if s.bytes+blockBytes > s.checked {
		if err := s.space(step); err != nil {
			return 0, err
		}
		s.checked = s.bytes + step
	}
	s.bytes += blockBytes
	return s.bytes - blockBytes, nil
}

// read returns what a block has; buf serves for those in the file.
func (s *spill) read(b *block, buf *buffer) (*buffer, error) {
	if b.data != nil {
		return b.data, nil
	}
	if _, err := s.file.ReadAt(buf[:b.n], b.off); err != nil {
		return nil, fmt.Errorf("read edges from the file for sorting: %w", err)
	}
	return buf, nil
}

// drop ends one use of a block; after the last its place is reused.
func (s *spill) drop(b *block) {
	if b.refs.Add(-1) > 0 {
		return
	}
	if b.data != nil {
		s.give(b.data)
		b.data = nil
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holes = append(s.holes, b.off)
}

// each calls f with each block and its memory, and drops the blocks.
func (s *spill) each(ctx context.Context, blocks []*block, f func(b *block, data *buffer) error) error {
	buf := new(buffer)
	for _, b := range blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := s.read(b, buf)
		if err == nil {
			err = f(b, data)
		}
		if err != nil {
			return err
		}
		s.drop(b)
	}
	return nil
}

// eachUnpacked is like each, with the records unpacked: source, destination and, where there are
// weights, the bits of the weight.
func (s *spill) eachUnpacked(ctx context.Context, blocks []*block, f func(records []uint32) error) error {
	var records []uint32
	return s.each(ctx, blocks, func(b *block, data *buffer) error {
		records = b.form.unpack(data, b.n, records[:0], s.wide.Load())
		return f(records)
	})
}
