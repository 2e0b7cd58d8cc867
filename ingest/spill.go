package ingest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/garaph/garaph/internal/hostmem"
)

// blockBytes is the unit in which edges are kept: see [recordForm] for what is in it.
const blockBytes = 24 << 10

// buffer is memory for a block.
type buffer = [blockBytes]byte

// spill keeps blocks of edge records: in memory as long as there is room, then
// in a file that has no name, so that it goes with the process.
type spill struct {
	spillMemory
	file    *os.File
	space   func(int64) error // reports a full disk before it is one
	holes   []int64           // offsets of blocks in the file that were read; guarded by mu
	bytes   int64             // of the file; guarded by mu
	checked int64             // bytes of the file for which there was space; guarded by mu

	ending sync.Once
	ended  chan error // how the file was closed
}

// spillMemory is the memory of blocks: at most room of them at a time, of those that there are
// addresses for.
type spillMemory struct {
	slab   []byte // addresses of all
	mu     sync.Mutex
	room   int       // guarded by mu, as all below
	used   int       // have memory
	free   []*buffer // of these, those that nobody uses
	bare   []*buffer // had memory once
	fresh  int       // blocks of slab from the beginning on that never had any
	lent   bool      // room may shrink, so that filled lists the blocks in memory
	filled []*block
}

// newSpill makes a spill that has addresses for so many blocks in memory, and room for some of
// them, in a folder for the file.
func newSpill(dir string, most, room int, space func(int64) error) (*spill, error) {
	s := &spill{space: space, ended: make(chan error, 1)}
	f, err := os.CreateTemp(dir, "spill-*")
	if err != nil {
		return nil, fmt.Errorf("create the file for sorting: %w", err)
	}
	s.file = f
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("create the file for sorting: %w", err)
	}
	if s.slab, err = hostmem.Sparse[byte](int64(most) * blockBytes); err != nil {
		_ = f.Close()
		return nil, err
	}
	hostmem.SmallPages(s.slab)
	s.fresh, s.room = most, room
	return s, nil
}

// end begins to free what blocks took, of which none is in use any more. For the system that is
// more work than it looks, hundreds of megabytes page by page, which nobody needs to wait for.
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
	var b *buffer
	switch {
	case len(s.free) > 0:
		b = pop(&s.free)
		s.mu.Unlock()
		return b
	case s.used >= s.room:
	case len(s.bare) > 0:
		b = pop(&s.bare)
	case s.fresh > 0:
		s.fresh--
		b = (*buffer)(s.slab[s.fresh*blockBytes:])
	}
	if b == nil {
		s.mu.Unlock()
		return nil
	}
	s.used++
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

// owns reports whether a buffer is one of slab: the first buffers of a writer may be others.
func (s *spillMemory) owns(b *buffer) bool {
	at, first := uintptr(unsafe.Pointer(b)), uintptr(unsafe.Pointer(unsafe.SliceData(s.slab)))
	return at >= first && at < first+uintptr(len(s.slab))
}

// setRoom sets how many blocks may have memory. Nobody may read blocks meanwhile: of those that are
// lent memory, as many as are too many go to the file.
func (s *spill) setRoom(room int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room = room
	for s.used > room {
		switch {
		case len(s.free) > 0:
			if b := pop(&s.free); s.owns(b) {
				hostmem.Drop(b[:])
				s.bare = append(s.bare, b)
				s.used--
			}
		case len(s.filled) > 0:
			b := pop(&s.filled)
			off, err := s.place()
			if err == nil {
				err = s.write(b.data, b.n, off)
			}
			if err != nil {
				return err
			}
			s.free = append(s.free, b.data)
			b.data, b.off = nil, off
		default:
			return nil // writers have the rest, and fill it
		}
	}
	return nil
}

// keepRoom is setRoom for the last time: from then on, blocks stay where they are.
func (s *spill) keepRoom(room int) error {
	err := s.setRoom(room)
	s.lent, s.filled = false, nil
	return err
}

// put turns a buffer from take with n bytes of records into a block. It returns
// another buffer, or the same one after writing it to the file.
func (s *spill) put(buf *buffer, n int, form recordForm) (*block, *buffer, error) {
	if fresh := s.take(); fresh != nil {
		return s.inMemory(buf, n, form), fresh, nil
	}
	s.mu.Lock()
	off, err := s.place()
	s.mu.Unlock()
	if err == nil {
		err = s.write(buf, n, off)
	}
	if err != nil {
		return nil, buf, err
	}
	return newBlock(nil, off, n, form), buf, nil
}

// write writes the records of a buffer to the file.
func (s *spill) write(buf *buffer, n int, off int64) error {
	if _, err := s.file.WriteAt(buf[:n], off); err != nil {
		return fmt.Errorf("write edges to the file for sorting: %w", err)
	}
	return nil
}

// inMemory is a block of a buffer from take.
func (s *spill) inMemory(buf *buffer, n int, form recordForm) *block {
	b := newBlock(buf, 0, n, form)
	if s.lent {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.filled = append(s.filled, b)
	}
	return b
}

func newBlock(data *buffer, off int64, n int, form recordForm) *block {
	b := &block{data: data, off: off, n: n, form: form}
	b.refs.Store(1)
	return b
}

// place finds room in the file for a block. The caller has s.mu.
func (s *spill) place() (int64, error) {
	const step = 64 << 20
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

// eachUnpacked is each with the records unpacked: source, destination and, where there are
// weights, the bits of the weight.
func (s *spill) eachUnpacked(ctx context.Context, blocks []*block, f func(records []uint32) error) error {
	var records []uint32
	return s.each(ctx, blocks, func(b *block, data *buffer) error {
		records = b.form.unpack(data, b.n, records[:0])
		return f(records)
	})
}
