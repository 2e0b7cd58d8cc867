package store

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
)

// LookupAll is [Store.Lookup] of many ids at once: they are sorted, and every block of ids is read once.
// The error, of the first id that is no vertex, is that of Lookup; it stands at index missing, which is
// -1 otherwise.
func (s *Store) LookupAll(ids []string) (vertices []uint32, missing int, err error) {
	m := &s.cat.IDs
	if each := bits.Len(uint(len(m.Blocks))) + 1; m.Kind == IDBase || len(ids)*each < len(m.Blocks) {
		vertices = make([]uint32, 0, len(ids))
		for i, id := range ids {
			v, err := s.Lookup(id)
			if err != nil {
				return nil, i, err
			}
			vertices = append(vertices, v)
		}
		return vertices, -1, nil
	}
	switch m.Kind {
	case IDInt:
		vertices, missing, err = lookupSorted(s, ids,
			func(id string) (int64, error) { return strconv.ParseInt(id, 10, 64) }, func(b *IDBlock) []int64 { return b.Ints })
	case IDUint:
		vertices, missing, err = lookupSorted(s, ids,
			func(id string) (uint64, error) { return strconv.ParseUint(id, 10, 64) }, func(b *IDBlock) []uint64 { return b.Uints })
	default:
		vertices, missing, err = lookupSorted(s, ids,
			func(id string) (string, error) { return id, nil }, func(b *IDBlock) []string { return b.Strings })
	}
	if err == nil && missing >= 0 {
		_, err = s.Lookup(ids[missing]) // which says what ids look like
	}
	return vertices, missing, err
}

// lookupSorted merges ids with all blocks.
func lookupSorted[K cmp.Ordered](s *Store, ids []string, parse func(string) (K, error), keys func(*IDBlock) []K) ([]uint32, int, error) {
	type sought struct {
		key K
		at  int
	}
	list, missing := make([]sought, 0, len(ids)), -1
	miss := func(at int) {
		if missing < 0 || at < missing {
			missing = at
		}
	}
	for i, id := range ids {
		if key, err := parse(id); err == nil {
			list = append(list, sought{key, i})
		} else {
			miss(i)
		}
	}
	slices.SortFunc(list, func(a, b sought) int { return cmp.Compare(a.key, b.key) })
	vertices := make([]uint32, len(ids))
	block := new(IDBlock)
	for i := 0; i < len(s.cat.IDs.Blocks) && len(list) > 0; i++ {
		if err := s.readIDs(block, i); err != nil {
			return nil, -1, err
		}
		has, at := keys(block), 0
		for len(list) > 0 && list[0].key <= has[len(has)-1] {
			n, found := slices.BinarySearch(has[at:], list[0].key)
			if at += n; found {
				vertices[list[0].at] = block.First + uint32(at)
			} else {
				miss(list[0].at)
			}
			list = list[1:]
		}
	}
	for _, x := range list {
		miss(x.at)
	}
	return vertices, missing, nil
}
