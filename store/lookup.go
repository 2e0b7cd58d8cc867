package store

import (
	"cmp"
	"errors"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// LookupAll is [Store.Lookup] of many ids at once: they are sorted, and every block of ids is read once.
// The error of the first id that is no vertex is the same as Lookup's. The id has the index missing, which is
// -1 otherwise. Ids for which maybe reports true may be no vertices; these are left out. maybe may be nil.
func (s *Store) LookupAll(ids []string, maybe func(i int) bool) (vertices []uint32, missing int, err error) {
	found, err := s.lookupEach(ids)
	if err != nil {
		return nil, -1, err
	}
	for i, v := range found {
		switch {
		case v != noVertex:
			vertices = append(vertices, uint32(v))
		case maybe == nil || !maybe(i):
			_, err := s.Lookup(ids[i]) // its error describes the form of ids
			return nil, i, err
		}
	}
	return vertices, -1, nil
}

// noVertex stands in the place of a vertex that there is not.
const noVertex = math.MaxUint64

// lookupEach returns the vertex of each id, in the order of ids; noVertex if there is none.
func (s *Store) lookupEach(ids []string) (vertices []uint64, err error) {
	m := &s.cat.IDs
	if each := bits.Len(uint(len(m.Blocks))) + 1; m.Kind == IDBase || len(ids)*each < len(m.Blocks) {
		for _, id := range ids {
			v, err := s.Lookup(id)
			switch {
			case err == nil:
				vertices = append(vertices, uint64(v))
			case errors.Is(err, ErrNoVertex):
				vertices = append(vertices, noVertex)
			default:
				return nil, err
			}
		}
		return vertices, nil
	}
	switch m.Kind {
	case IDInt:
		return lookupSorted(s, ids,
			func(id string) (int64, error) { return strconv.ParseInt(id, 10, 64) }, func(b *IDBlock) []int64 { return b.Ints })
	case IDUint:
		return lookupSorted(s, ids,
			func(id string) (uint64, error) {
				return strconv.ParseUint(id, 10,
					64)
			}, func(b *IDBlock) []uint64 { return b.Uints })
	default:
		return lookupSorted(s, ids,
			func(id string) (string, error) { return id, nil }, func(b *IDBlock) []string { return b.Strings })
	}
}

// lookupSorted merges ids with all blocks.
func lookupSorted[K cmp.Ordered](s *Store, ids []string, parse func(string) (K, error),
	keys func(*IDBlock) []K) ([]uint64, error) {
	type sought struct {
		key K
		at  int
	}
	list := make([]sought, 0, len(ids))
	for i, id := range ids {
		if key, err := parse(id); err == nil {
			list = append(list, sought{key, i})
		}
	}
	slices.SortFunc(list, func(a, b sought) int { return cmp.Compare(a.key, b.key) })
	vertices := slices.Repeat([]uint64{noVertex}, len(ids))
	block := new(IDBlock)
	for i := 0; i < len(s.cat.IDs.Blocks) && len(list) > 0; i++ {
		if err := s.readIDs(block, i); err != nil {
			return nil, err
		}
		has, at := keys(block), 0
		for len(list) > 0 && list[0].key <= has[len(has)-1] {
			n, found := slices.BinarySearch(has[at:], list[0].key)
			if at += n; found {
				vertices[list[0].at] = uint64(block.First) + uint64(at)
			}
			list = list[1:]
		}
	}
	return vertices, nil
}
