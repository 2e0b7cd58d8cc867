package dispatcher

import (
	"sync"
	"unsafe"

	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/hostmem"
)

// snapshot is the state of a job at one moment, for an epoch that is written while the job goes on.
// It has a set of active vertices of its own, but no copy of the values: it reads them where they
// stand, in chunks, and a chunk that is about to be overwritten before it was read is copied to
// spare memory. In sync mode that is rare: what is current is not written to until the iteration
// after the next, unless that marks few vertices.
//
// Fill is the one place where an epoch's values come from. An engine that holds
// newer ones than the host must have brought them before the snapshot is taken.
type snapshot[V any] struct {
	values []V
	active bitset.Set
	chunk  uint32
	spare  *spare[V] // nil if values do not change

	mu     sync.Mutex // guards the rest
	moved  sync.Cond  // a chunk is in another state
	state  []chunkState
	copies map[int]int // in spare, of the chunks that are kept
}

type chunkState uint8

const (
	pending chunkState = iota // to be read where it stands
	reading
	kept // to be read from spare memory
	done
)

// spare is memory for chunks that have to be kept. When none is left, the job
// waits until chunks were written.
type spare[V any] struct {
	values []V
	chunk  uint32
	free   []int
}

// spareBytes bounds spare memory: what a disk takes in a tenth of a second.
const spareBytes = 64 << 20

// spareChunks returns the number of chunks of n vertices that spare memory holds.
func spareChunks[V any](n, chunk uint32) int {
	var v V
	all := int((uint64(n) + uint64(chunk) - 1) / uint64(chunk))
	size := max(1, int64(chunk)*int64(unsafe.Sizeof(v)))
	return min(all, int(max(1, spareBytes/size)))
}

func newSpare[V any](n, chunk uint32) (*spare[V], error) {
	s := &spare[V]{chunk: chunk}
	count := spareChunks[V](n, chunk)
	for i := range count {
		s.free = append(s.free, i)
	}
	var err error
	s.values, err = hostmem.Slice[V](count * int(chunk))
	return s, err
}

// at returns the memory of one chunk.
func (s *spare[V]) at(i, n int) []V { return s.values[i*int(s.chunk):][:n] }

func newSnapshot[V any](values []V, active bitset.Set, chunk uint32, sp *spare[V]) *snapshot[V] {
	s := &snapshot[V]{values: values, active: active, chunk: chunk, spare: sp, copies: map[int]int{}}
	s.state = make([]chunkState, (uint64(len(values))+uint64(chunk)-1)/uint64(chunk))
	s.moved.L = &s.mu
	return s
}

// Fill is [checkpoint.Source].
func (s *snapshot[V]) Fill(from, to uint32, values []byte, active []uint64) error {
	copy(active, s.active[from/64:(uint64(to)+63)/64])
	i := int(from / s.chunk)
	src := s.values[from:to]
	s.mu.Lock()
	if place, ok := s.copies[i]; ok {
		src = s.spare.at(place, int(to-from))
	} else {
		s.state[i] = reading
	}
	s.mu.Unlock()
	copy(values, hostmem.AsBytes(src))
	s.mu.Lock()
	defer s.mu.Unlock()
	if place, ok := s.copies[i]; ok {
		delete(s.copies, i)
		s.spare.free = append(s.spare.free, place)
	}
	s.state[i] = done
	s.moved.Broadcast()
	return nil
}

// keep must be called before the vertices in [from, to) of an array are written to.
func (s *snapshot[V]) keep(array []V, from, to uint32) {
	if from >= to || unsafe.SliceData(array) != unsafe.SliceData(s.values) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := int(from / s.chunk); i <= int((to-1)/s.chunk); i++ {
		for s.state[i] == reading || s.state[i] == pending && len(s.spare.free) == 0 {
			s.moved.Wait()
		}
		if s.state[i] != pending {
			continue
		}
		last := len(s.spare.free) - 1
		place := s.spare.free[last]
		s.spare.free = s.spare.free[:last]
		first := uint64(i) * uint64(s.chunk)
		end := min(first+uint64(s.chunk), uint64(len(s.values)))
		copy(s.spare.at(place, int(end-first)), s.values[first:end])
		s.copies[i], s.state[i] = place, kept
	}
}

// drop ends the snapshot: nothing is read any more.
func (s *snapshot[V]) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, place := range s.copies {
		delete(s.copies, i)
		s.spare.free = append(s.spare.free, place)
	}
	for i := range s.state {
		s.state[i] = done
	}
	s.moved.Broadcast()
}
