package ingest

import (
	"context"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"

	"github.com/garaph/garaph/internal/hostmem"
)

// blockWords is the unit in which edges are kept, in 32-bit words: a multiple of
// both record sizes. An edge is its source, its destination and, where there
// are weights, the bits of its weight.
const (
	blockWords = 6 << 10
	blockBytes = 4 * blockWords
)

// spill keeps blocks of edge records: in memory as long as there is room, then
// in a file that has no name, so that it goes with the process.
type spill struct {
	file    *os.File
	space   func(int64) error // reports a full disk before it is one
	slab    []uint32          // all blocks in memory
	mu      sync.Mutex        // guards free and holes
	free    [][]uint32
	holes   []int64 // offsets of blocks in the file that were read
	end     int64   // of the file; guarded by mu
	checked int64   // bytes of the file for which there was space; guarded by mu
}

// newSpill makes a spill with the given number of blocks in memory, in a folder
// for the file.
func newSpill(dir string, blocks int, space func(int64) error) (*spill, error) {
	s := &spill{space: space}
	f, err := os.CreateTemp(dir, "spill-*")
	if err != nil {
		return nil, fmt.Errorf("create the file for sorting: %w", err)
	}
	s.file = f
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("create the file for sorting: %w", err)
	}
	if s.slab, err = hostmem.Slice[uint32](blocks * blockWords); err != nil {
		_ = f.Close()
		return nil, err
	}
	for i := range blocks {
		s.free = append(s.free, s.slab[i*blockWords:(i+1)*blockWords:(i+1)*blockWords])
	}
	return s, nil
}

func (s *spill) close() error {
	hostmem.Free(s.slab)
	return s.file.Close()
}

// block is some records, in memory (data) or in the file.
type block struct {
	data []uint32
	off  int64
	n    int // words
	refs atomic.Int32
}

// take returns an empty block of memory, or nil when all are in use.
func (s *spill) take() []uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) == 0 {
		return nil
	}
	b := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return b
}

func (s *spill) give(b []uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, b[:blockWords])
}

// put turns a buffer from take with n words of records into a block. It returns
// another buffer, or the same one after writing it to the file.
func (s *spill) put(buf []uint32, n int) (*block, []uint32, error) {
	if fresh := s.take(); fresh != nil {
		return newBlock(buf, 0, n), fresh, nil
	}
	off, err := s.place()
	if err == nil {
		_, err = s.file.WriteAt(hostmem.AsBytes(buf[:n]), off)
	}
	if err != nil {
		return nil, buf, fmt.Errorf("write edges to the file for sorting: %w", err)
	}
	return newBlock(nil, off, n), buf, nil
}

func newBlock(data []uint32, off int64, n int) *block {
	b := &block{data: data, off: off, n: n}
	b.refs.Store(1)
	return b
}

// place finds room in the file for a block.
func (s *spill) place() (int64, error) {
	const step = 64 << 20
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.holes); n > 0 {
		off := s.holes[n-1]
		s.holes = s.holes[:n-1]
		return off, nil
	}
	if s.end+blockBytes > s.checked {
		if err := s.space(step); err != nil {
			return 0, err
		}
		s.checked = s.end + step
	}
	s.end += blockBytes
	return s.end - blockBytes, nil
}

// read returns the records of a block; buf serves for those in the file.
func (s *spill) read(b *block, buf []uint32) ([]uint32, error) {
	if b.data != nil {
		return b.data[:b.n], nil
	}
	if _, err := s.file.ReadAt(hostmem.AsBytes(buf[:b.n]), b.off); err != nil {
		return nil, fmt.Errorf("read edges from the file for sorting: %w", err)
	}
	return buf[:b.n], nil
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

// recordWords is the size of an edge.
func recordWords(weighted bool) int {
	if weighted {
		return 3
	}
	return 2
}

// each calls f with the records of each block, and drops the blocks.
func (s *spill) each(ctx context.Context, blocks []*block, f func(records []uint32) error) error {
	buf := make([]uint32, blockWords)
	for _, b := range blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := s.read(b, buf)
		if err == nil {
			err = f(data)
		}
		if err != nil {
			return err
		}
		s.drop(b)
	}
	return nil
}

// writer puts records into buckets, for one goroutine. A record goes to the
// bucket that the caller names.
type writer struct {
	spill   *spill
	record  int // words
	pending []pending
	buckets [][]*block
}

type pending struct {
	buf []uint32
	n   int // words
}

func (s *spill) writer(buckets int, weighted bool) *writer {
	return &writer{spill: s, record: recordWords(weighted), pending: make([]pending, buckets), buckets: make([][]*block, buckets)}
}

// add appends a record to a bucket.
func (w *writer) add(bucket, src, dst uint32, weight float32) error {
	f := &w.pending[bucket]
	if f.n+w.record > len(f.buf) {
		if err := w.next(f, bucket); err != nil {
			return err
		}
	}
	b := f.buf[f.n : f.n+w.record]
	b[0], b[1] = src, dst
	if len(b) > 2 {
		b[2] = math.Float32bits(weight)
	}
	f.n += w.record
	return nil
}

// addAll appends edges without weights to the buckets of their destinations,
// 2^shift of them a bucket.
func (w *writer) addAll(src, dst []uint32, shift uint) error {
	all := w.pending
	src = src[:len(dst)]
	for i, v := range dst {
		f := &all[v>>shift]
		n := f.n
		if n+1 >= len(f.buf) {
			if err := w.next(f, v>>shift); err != nil {
				return err
			}
			n = f.n
		}
		f.buf[n+1] = v
		f.buf[n] = src[i]
		f.n = n + 2
	}
	return nil
}

// addRun appends edges without weights from one source to the buckets of their
// destinations' groups.
func (w *writer) addRun(src uint32, dst []uint32, find *grouping) error {
	all := w.pending
	for _, u := range dst {
		g := find.of(u)
		f := &all[g]
		n := f.n
		if n+1 >= len(f.buf) {
			if err := w.next(f, g); err != nil {
				return err
			}
			n = f.n
		}
		f.buf[n+1] = u
		f.buf[n] = src
		f.n = n + 2
	}
	return nil
}

// addWeightedRun is addRun for edges with weights.
func (w *writer) addWeightedRun(src uint32, dst []uint32, weights []float32, find *grouping) error {
	for i, u := range dst {
		if err := w.add(find.of(u), src, u, weights[i]); err != nil {
			return err
		}
	}
	return nil
}

// next makes room in a bucket's buffer.
func (w *writer) next(f *pending, bucket uint32) error {
	if f.buf == nil {
		if f.buf = w.spill.take(); f.buf == nil {
			f.buf = make([]uint32, blockWords) // the first buffers must exist whatever the budget
		}
		return nil
	}
	b, fresh, err := w.spill.put(f.buf, f.n)
	if err != nil {
		return err
	}
	w.buckets[bucket] = append(w.buckets[bucket], b)
	f.buf, f.n = fresh, 0
	return nil
}

// flush turns what is in the buffers into blocks.
func (w *writer) flush() {
	for i := range w.pending {
		f := &w.pending[i]
		if f.n > 0 {
			w.buckets[i] = append(w.buckets[i], newBlock(f.buf, 0, f.n))
		} else if f.buf != nil {
			w.spill.give(f.buf)
		}
		*f = pending{}
	}
}
