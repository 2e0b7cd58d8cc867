package build

import (
	"hash/maphash"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/store"
)

// nameTable gives provisional numbers to names as they come, from many
// goroutines. It holds a fingerprint of each name, about 20 bytes however long
// the name is; the names themselves go to a nameSort, which has a bounded part
// of them in memory and returns all of them in order at the end.
//
// Two names of one fingerprint would become one vertex. A fingerprint has 104
// bits of two hashes with random seeds: among 2^32 names, the most that a graph
// can have, that happens with a probability of 2^-41.
type nameTable struct {
	table[namePrint]
	seeds [2]maphash.Seed
	sort  *nameSort
}

// namePrint stands for a name within its stripe.
type namePrint [3]uint32

const namePrintBytes = 12

func (p namePrint) hash() uint32 { return p[0] }

// printOf returns the fingerprint of two hashes of a name, and its stripe.
func printOf(h, g uint64) (key namePrint, stripe uint32) {
	return namePrint{uint32(h), uint32(g), uint32(g >> 32)}, uint32(h >> 56)
}

// maxNameRoom bounds the names in memory: larger runs gain nothing, and offsets
// have 32 bits.
const maxNameRoom = 256 << 20

// newNameTable returns a table whose sort keeps room bytes of names in memory, and
// the others in a file in dir.
func newNameTable(seed maphash.Seed, dir string, room int64, space func(int64) error) *nameTable {
	return &nameTable{
		seeds: [2]maphash.Seed{seed, maphash.MakeSeed()},
		sort:  &nameSort{dir: dir, room: int(min(room, maxNameRoom)), space: space},
	}
}

// number returns the provisional number of a name, which is copied when it is new.
func (x *nameTable) number(name []byte) (uint32, error) {
	h, g := maphash.Bytes(x.seeds[0], name), maphash.Bytes(x.seeds[1], name)
	key, stripe := printOf(h, g)
	s := &x.stripe[stripe]
	s.Lock()
	defer s.Unlock()
	local, isNew, err := s.find(key, namePrint.hash)
	if err != nil {
		return 0, err
	}
	t := provisional(local, stripe)
	if isNew {
		x.sort.add(name, t)
	}
	return t, nil
}

// numbering ends the numbering of names. Their order is found when it is
// written.
func (x *nameTable) numbering() (*numbering, error) {
	n, top, err := x.count()
	x.free()
	if err != nil {
		return nil, err
	}
	m := &numbering{n: uint32(n), kind: store.IDString, names: x.sort}
	if n == 0 {
		return m, nil
	}
	if m.order, err = hostmem.Slice[uint32](n); err != nil {
		return nil, err
	}
	if m.perm, err = hostmem.Slice[uint32](top * stripes); err != nil {
		m.free()
		return nil, err
	}
	return m, nil
}

// close frees what is left. nil is fine.
func (x *nameTable) close() {
	if x == nil {
		return
	}
	x.free()
	x.sort.close()
}
