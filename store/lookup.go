package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
)

// Lookup finds the dense id of a user's id.
func (s *Store) Lookup(id string) (uint32, error) { return s.lookup(s.idKey(id), new(IDBlock)) }

// LookupAll is [Store.Lookup] of many ids at once, in their order: every block of ids is read about once.
// The error of the first id that is no vertex is the same as Lookup's. The id has the index missing, which is
// -1 otherwise. Ids for which maybe reports true may be no vertices; these are left out. maybe may be nil.
func (s *Store) LookupAll(ids []string, maybe func(i int) bool) (vertices []uint32, missing int, err error) {
	keys, order := make([]idKey, len(ids)), make([]int, len(ids))
	for i, id := range ids {
		keys[i], order[i] = s.idKey(id), i
	}
	slices.SortFunc(order, func(a, b int) int { return keys[a].compare(&keys[b]) })
	found, errs, block := make([]uint32, len(ids)), make([]error, len(ids)), new(IDBlock)
	for _, i := range order {
		if found[i], errs[i] = s.lookup(keys[i], block); errs[i] != nil && !errors.Is(errs[i], ErrNoVertex) {
			return nil, -1, errs[i]
		}
	}
	for i, v := range found {
		switch {
		case errs[i] == nil:
			vertices = append(vertices, v)
		case maybe == nil || !maybe(i):
			return nil, i, errs[i]
		}
	}
	return vertices, -1, nil
}

// idKey is an id as the blocks of a graph have it.
type idKey struct {
	text string
	kind IDKind
	int  int64
	uint uint64
	bad  bool // it is not of that kind
}

func (s *Store) idKey(id string) idKey {
	k := idKey{text: id, kind: s.cat.IDs.Kind}
	var err error
	switch k.kind {
	case IDBase, IDInt:
		k.int, err = strconv.ParseInt(id, 10, 64)
	case IDUint:
		k.uint, err = strconv.ParseUint(id, 10, 64)
	}
	k.bad = err != nil
	return k
}

func (k *idKey) compare(o *idKey) int {
	if k.kind == IDString {
		return cmp.Compare(k.text, o.text)
	}
	return cmp.Or(cmp.Compare(k.int, o.int), cmp.Compare(k.uint, o.uint))
}

// after compares the key with the i-th id of a block.
func (k *idKey) after(b *IDBlock, i int) int {
	switch k.kind {
	case IDString:
		return cmp.Compare(k.text, b.Strings[i])
	case IDUint:
		return cmp.Compare(k.uint, b.Uints[i])
	}
	return cmp.Compare(k.int, b.Ints[i])
}

// lookup finds a vertex. Block b, which it reads others into, is the one that was read last, or empty.
func (s *Store) lookup(k idKey, b *IDBlock) (uint32, error) {
	m := &s.cat.IDs
	switch {
	case k.bad || s.cat.Vertices == 0:
		return 0, s.noVertex(k.text)
	case m.Kind == IDBase:
		if k.int < m.Base || uint64(k.int)-uint64(m.Base) >= uint64(s.cat.Vertices) {
			return 0, s.noVertex(k.text)
		}
		return uint32(k.int - m.Base), nil
	}
	if b.Len() == 0 || k.after(b, 0) < 0 || k.after(b, b.Len()-1) > 0 {
		var failed error
		at := sort.Search(len(m.Blocks), func(i int) bool { // the first block behind that of the id
			if failed == nil {
				failed = s.readIDs(b, i)
			}
			return failed != nil || k.after(b, 0) < 0
		})
		if failed == nil && at > 0 {
			failed = s.readIDs(b, at-1)
		}
		if failed != nil {
			return 0, failed
		}
	}
	i := sort.Search(b.Len(), func(i int) bool { return k.after(b, i) <= 0 })
	if i == b.Len() || k.after(b, i) != 0 {
		return 0, s.noVertex(k.text)
	}
	return b.First + uint32(i), nil
}

// noVertex returns the error of an id that no vertex has, with the form of ids.
func (s *Store) noVertex(id string) error {
	m := &s.cat.IDs
	form := "its ids are " + m.Kind.Words()
	if m.Kind == IDBase {
		form = fmt.Sprintf("its ids run from %d to %d", m.Base, m.Base+int64(s.cat.Vertices)-1)
	}
	return &textError{fmt.Sprintf("graph %s has no vertex %q: %s", s.name, id, form), ErrNoVertex}
}
