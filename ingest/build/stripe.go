package build

import (
	"fmt"
	"sync"

	"github.com/garaph/garaph/internal/hostmem"
)

// stripes is into how many tables ids are divided, so that many goroutines find
// theirs at once.
const stripes = 256

// stripe numbers keys from 0 on as they come: a hash table with open addressing,
// at most three quarters full, outside the Go heap.
type stripe[K comparable] struct {
	sync.Mutex
	cells []uint32 // number plus 1; 0 is free
	keys  []K      // by number; there are n
	n     uint32
	_     [4]byte // to the end of a cache line
}

// stripeBytes returns the most memory for a key of that size: cells are at least
// three eighths full.
func stripeBytes(key int64) int64 { return key + 4*8/3 + 1 }

// firstCells fill a page of memory.
const firstCells = 1 << 10

// find returns the number of a key, and whether it is a new one. hash is the same for
// every call. The caller holds the lock.
func (s *stripe[K]) find(key K, hash func(K) uint32) (number uint32, isNew bool, err error) {
	if 4*(int(s.n)+1) > 3*len(s.cells) {
		if err := s.grow(hash); err != nil {
			return 0, false, err
		}
	}
	mask := uint32(len(s.cells) - 1)
	for i := hash(key) & mask; ; i = (i + 1) & mask {
		k := s.cells[i]
		if k == 0 {
			s.cells[i] = s.n + 1
			s.keys[s.n] = key
			s.n++
			return s.n - 1, true, nil
		}
		if s.keys[k-1] == key {
			return k - 1, false, nil
		}
	}
}

// grow doubles the cells, and the room for keys, of which only those that are
// there take memory.
func (s *stripe[K]) grow(hash func(K) uint32) error {
	size := max(firstCells, 2*len(s.cells))
	cells, err := hostmem.Slice[uint32](size)
	if err != nil {
		return fmt.Errorf("vertices: %w", err)
	}
	keys, err := hostmem.Slice[K](size / 4 * 3)
	if err != nil {
		hostmem.Free(cells)
		return fmt.Errorf("vertices: %w", err)
	}
	copy(keys, s.keys[:s.n])
	mask := uint32(size - 1)
	for k, key := range keys[:s.n] {
		i := hash(key) & mask
		for cells[i] != 0 {
			i = (i + 1) & mask
		}
		cells[i] = uint32(k) + 1
	}
	s.free()
	s.cells, s.keys = cells, keys
	return nil
}

func (s *stripe[K]) freeCells() {
	hostmem.Free(s.cells)
	s.cells = nil
}

// free returns the memory. It may be called again.
func (s *stripe[K]) free() {
	s.freeCells()
	hostmem.Free(s.keys)
	s.keys = nil
}

// table divides keys among stripes.
type table[K comparable] struct{ stripe [stripes]stripe[K] }

// count returns the number of keys, and the most in a stripe.
func (x *table[K]) count() (n, top int, err error) {
	for i := range x.stripe {
		n += int(x.stripe[i].n)
		top = max(top, int(x.stripe[i].n))
	}
	if top > maxID/stripes {
		err = fmt.Errorf("about %d vertices: dense ids have 32 bits", uint64(top)*stripes)
	}
	return n, top, err
}

func (x *table[K]) free() {
	for i := range x.stripe {
		x.stripe[i].free()
	}
}
