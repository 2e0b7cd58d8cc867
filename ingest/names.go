package ingest

import (
	"fmt"
	"hash/maphash"
	"sync"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/store"
)

// nameTable gives provisional numbers to names as they come, from many
// goroutines. It holds a fingerprint of each name, about 20 bytes however long
// the name is; the names themselves go to a nameSort, which has a bounded part
// of them in memory and gives all of them in order at the end.
//
// Two names of one fingerprint would become one vertex. A fingerprint has 104
// bits of two hashes with random seeds: among 2^32 names, the most that a graph
// can have, that happens with a probability of 2^-41.
type nameTable struct {
	seeds  [2]maphash.Seed
	stripe [stripes]nameStripe
	sort   *nameSort
	order  []uint32 // set by numbering, freed by close
}

// namePrint stands for a name within its stripe.
type namePrint [3]uint32

// nameStripe numbers the names of one stripe: a hash table with open addressing,
// at most three quarters full.
type nameStripe struct {
	sync.Mutex
	slots  []uint32      // number within the stripe plus 1; 0 is free
	prints [][]namePrint // by number, in pieces that never move
	n      uint32
	_      [40]byte // to the end of a cache line
}

const (
	printsPiece = 1 << 10
	maxNameRoom = 256 << 20 // larger runs gain nothing, and offsets have 32 bits
)

// newNameTable makes a table whose sort keeps room bytes of names in memory, and
// the others in a file in dir.
func newNameTable(seed maphash.Seed, dir string, room int64, space func(int64) error) *nameTable {
	return &nameTable{seeds: [2]maphash.Seed{seed, maphash.MakeSeed()}, sort: &nameSort{dir: dir, room: int(min(room, maxNameRoom)), space: space}}
}

// number is the provisional number of a name, which is copied when it is new.
func (x *nameTable) number(name []byte) uint32 {
	h, g := maphash.Bytes(x.seeds[0], name), maphash.Bytes(x.seeds[1], name)
	stripe := uint32(h >> 56)
	s := &x.stripe[stripe]
	s.Lock()
	defer s.Unlock()
	local, isNew := s.find(namePrint{uint32(h), uint32(g), uint32(g >> 32)})
	t := provisional(local, stripe)
	if isNew {
		x.sort.add(name, t)
	}
	return t
}

// find is the number of a fingerprint, and whether it is a new one.
func (s *nameStripe) find(p namePrint) (number uint32, isNew bool) {
	if 4*(int(s.n)+1) > 3*len(s.slots) {
		s.grow()
	}
	mask := uint32(len(s.slots) - 1)
	for i := p[0] & mask; ; i = (i + 1) & mask {
		k := s.slots[i]
		if k == 0 {
			s.slots[i] = s.n + 1
			break
		}
		if s.prints[(k-1)/printsPiece][(k-1)%printsPiece] == p {
			return k - 1, false
		}
	}
	if s.n%printsPiece == 0 {
		s.prints = append(s.prints, nil)
	}
	last := &s.prints[len(s.prints)-1]
	*last = append(*last, p)
	s.n++
	return s.n - 1, true
}

// grow doubles the slots.
func (s *nameStripe) grow() {
	s.slots = make([]uint32, max(16, 2*len(s.slots)))
	mask := uint32(len(s.slots) - 1)
	k := uint32(0)
	for _, piece := range s.prints {
		for _, p := range piece {
			i := p[0] & mask
			for s.slots[i] != 0 {
				i = (i + 1) & mask
			}
			k++
			s.slots[i] = k
		}
	}
}

// numbering ends the numbering of names. Their order is found when it is
// written.
func (x *nameTable) numbering() (*numbering, error) {
	var n, top uint32
	for i := range x.stripe {
		n += x.stripe[i].n
		top = max(top, x.stripe[i].n)
		x.stripe[i].slots, x.stripe[i].prints = nil, nil
	}
	if top > maxID/stripes {
		return nil, fmt.Errorf("about %d vertices: dense ids have 32 bits", uint64(top)*stripes)
	}
	m := &numbering{n: n, kind: store.IDString, names: x.sort}
	if n == 0 {
		return m, nil
	}
	var err error
	if x.order, err = hostmem.Slice[uint32](int(n)); err != nil {
		return nil, err
	}
	m.order = x.order
	m.perm, err = hostmem.Slice[uint32](int(top) * stripes)
	return m, err
}

// close frees what is left. nil is fine.
func (x *nameTable) close() {
	if x == nil {
		return
	}
	hostmem.Free(x.order)
	x.order = nil
	x.sort.close()
}
