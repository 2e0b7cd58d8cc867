package store

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/hostmem"
)

// IDSet is a set of vertices whose ids are read together, so that they can be
// had in any order: reading each where it lies would read a block for nearly
// every one. Vertices are added, Load reads every block that has some of them
// once, in ascending order, and then Int, Uint or Text, by the kind of the
// graph's ids, gives that of any of them.
//
// Ids lie one behind the other by the rank of their vertex in the set, which is
// the number of bits before it: counted up to every eighth word in ranks, and
// from there when asked. All of it lies outside the Go heap until Free. With
// [IDBase] ids are computed, and nothing is kept. Adding is not for concurrent
// use.
type IDSet struct {
	s     *Store
	limit int64      // of bytes that ids take
	has   bitset.Set // if nil, ids are computed
	ranks []uint32
	n     int // vertices in the set

	bits []uint64 // ids of kind IDInt and IDUint
	text []byte   // ids of kind IDString, of which that of rank i is text[ends[i]:ends[i+1]]
	ends []uint32
}

// leastIDs is the memory that a set may use in any case: the longest id and more.
const leastIDs = 1 << 20

// IDSet returns an empty set that takes about limit bytes at most, but at least a
// bit per vertex and a mebibyte.
func (s *Store) IDSet(limit int64) (*IDSet, error) {
	x := &IDSet{s: s}
	if s.cat.IDs.Kind == IDBase {
		return x, nil
	}
	words := bitset.Words(s.cat.Vertices)
	var errs [2]error
	x.has, errs[0] = hostmem.Slice[uint64](words)
	x.ranks, errs[1] = hostmem.Slice[uint32](words / bitset.RankWords)
	x.limit = max(limit-8*int64(words)-4*int64(words/bitset.RankWords), leastIDs, 2*int64(s.cat.IDs.MaxBytes))
	if err := errors.Join(errs[:]...); err != nil {
		x.Free()
		return nil, err
	}
	return x, nil
}

// Free returns the memory of the set.
func (x *IDSet) Free() {
	x.freeIDs()
	hostmem.Free(x.has)
	hostmem.Free(x.ranks)
	x.has, x.ranks = nil, nil
}

func (x *IDSet) freeIDs() {
	hostmem.Free(x.bits)
	hostmem.Free(x.ends)
	hostmem.FreeBytes(x.text[:cap(x.text)])
	x.bits, x.ends, x.text = nil, nil, nil
}

// Clear empties the set.
func (x *IDSet) Clear() {
	clear(x.has)
	x.freeIDs()
}

// Add adds a vertex; the error of one that the graph has not is an
// [ErrNoVertex].
func (x *IDSet) Add(v uint32) error {
	if err := x.s.checkVertex(v); err != nil {
		return err
	}
	if x.has != nil {
		x.has.Add(v)
	}
	return nil
}

// Load reads the ids of the set. They may not fit within its limit, which no
// set of one vertex exceeds: then there are none.
func (x *IDSet) Load() (fits bool, err error) {
	if x.has == nil {
		return true, nil
	}
	x.freeIDs()
	x.n = x.has.Ranks(x.ranks)
	if fits, err = x.reserve(); !fits || err != nil {
		return false, err
	}
	rank, b := 0, new(IDBlock)
	for v, ok := x.has.Next(0, x.s.cat.Vertices); ok; {
		if err := x.s.readIDs(b, x.s.cat.IDs.blockOf(v)); err != nil {
			return false, err
		}
		end := b.First + uint32(b.Len())
		for ; ok && v < end; v, ok = x.has.Next(v+1, x.s.cat.Vertices) {
			if !x.put(rank, b, int(v-b.First)) {
				x.freeIDs()
				return false, nil
			}
			rank++
		}
	}
	return true, nil
}

// reserve takes the memory for n ids; of the memory for names, only the used part
// counts.
func (x *IDSet) reserve() (fits bool, err error) {
	m := &x.s.cat.IDs
	if m.Kind != IDString {
		if 8*int64(x.n) > x.limit {
			return false, nil
		}
		x.bits, err = hostmem.Slice[uint64](x.n)
		return err == nil, err
	}
	rest := x.limit - 4*int64(x.n+1)
	if rest < 0 {
		return false, nil
	}
	if x.ends, err = hostmem.Slice[uint32](x.n + 1); err != nil {
		return false, err
	}
	all := int64(len(m.Blocks)) * int64(idBlockBytes+m.MaxBytes)
	if rest = min(rest, all, math.MaxUint32); rest == 0 {
		return true, nil
	}
	b, err := hostmem.Sparse[byte](rest)
	x.text = b[:0]
	return err == nil, err
}

// put keeps the i-th id of a block under a rank, and reports whether it fits.
func (x *IDSet) put(rank int, b *IDBlock, i int) bool {
	switch {
	case b.Strings != nil:
		s := b.Strings[i]
		if len(s) > cap(x.text)-len(x.text) {
			return false
		}
		x.text = append(x.text, s...)
		x.ends[rank+1] = uint32(len(x.text))
	case b.Uints != nil:
		x.bits[rank] = b.Uints[i]
	default:
		x.bits[rank] = uint64(b.Ints[i])
	}
	return true
}

// rank returns the number of vertices of the set before v, which is one of it; -1
// for one that is not.
func (x *IDSet) rank(v uint32) int {
	if v >= x.s.cat.Vertices || !x.has.Has(v) {
		return -1
	}
	return x.has.Rank(x.ranks, v)
}

// Int returns the id of v, of kind [IDInt] or [IDBase], once the set is loaded. The
// error of a vertex that is not in the set is an [ErrNoVertex], as is that of
// Uint and Text.
func (x *IDSet) Int(v uint32) (int64, error) {
	if x.has == nil {
		return x.s.cat.IDs.Base + int64(v), x.s.checkVertex(v)
	}
	id, err := x.Uint(v)
	return int64(id), err
}

// Uint returns the id of v, of kind [IDUint].
func (x *IDSet) Uint(v uint32) (uint64, error) {
	r := x.rank(v)
	if r < 0 {
		return 0, x.unknown(v)
	}
	return x.bits[r], nil
}

// Text returns the id of v, of kind [IDString], in memory of the set: it lasts until
// the next Clear, Load or Free.
func (x *IDSet) Text(v uint32) (string, error) {
	r := x.rank(v)
	if r < 0 {
		return "", x.unknown(v)
	}
	id := x.text[x.ends[r]:x.ends[r+1]]
	return unsafe.String(unsafe.SliceData(id), len(id)), nil
}

func (x *IDSet) unknown(v uint32) error {
	return fmt.Errorf("graph %s: %w: dense id %d is not in the set whose ids were read", x.s.name, ErrNoVertex, v)
}
