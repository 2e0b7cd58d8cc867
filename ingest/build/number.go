package build

import (
	"cmp"
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"

	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/ingest/read"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/store"
)

// While edges are read, vertices have provisional numbers; when all ids are
// known, a numbering turns these into dense ids, in the order of the ids.
type numbering struct {
	n    uint32 // vertices
	kind store.IDKind
	base int64 // IDBase: the user's id of dense vertex 0

	first uint32   // provisional number of dense vertex 0, when that is all
	ranks []rank   // or: which provisional numbers exist
	perm  []uint32 // or: dense id of each provisional number

	ints  []numbered // ids in dense order, for IDInt and IDUint
	names *nameSort  // for IDString; write turns it into order and perm
	order []uint32   // for IDString: the provisional number of each dense id
}

// askEvery is the number of vertices are handled between looks at the context.
const askEvery = 1 << 16

// rank marks which of 64 provisional numbers exist, and how many come before.
type rank struct {
	bits  uint64
	below uint32
}

const numberedBytes = 16

// numbered is an id with its provisional number.
type numbered struct {
	id uint64
	t  uint32
}

// freeOrder returns what only the order of vertices needs.
func (m *numbering) freeOrder() {
	hostmem.Free(m.ints)
	hostmem.Free(m.order)
	m.ints, m.order = nil, nil
}

// free returns all memory. It may be called again.
func (m *numbering) free() {
	m.freeOrder()
	hostmem.Free(m.perm)
	m.perm = nil
}

// dense returns the dense id of a provisional number.
func (m *numbering) dense(t uint32) uint32 {
	if m.ranks != nil {
		r := &m.ranks[t>>6]
		return r.below + uint32(bits.OnesCount64(r.bits&(1<<(t&63)-1)))
	}
	if m.perm != nil {
		return m.perm[t]
	}
	return t - m.first
}

// number returns the provisional number of a dense id, where these ascend with each other.
func (m *numbering) number(dense uint32) uint32 {
	if m.ranks == nil {
		return m.first + dense
	}
	w := sort.Search(len(m.ranks), func(w int) bool { return m.ranks[w].below > dense }) - 1
	word := m.ranks[w].bits
	for range dense - m.ranks[w].below {
		word &= word - 1
	}
	return uint32(w)<<6 + uint32(bits.TrailingZeros64(word))
}

// has reports whether a number in the range of those that there are is one of a vertex.
func (m *numbering) has(t uint32) bool {
	return m.ranks == nil || m.ranks[t>>6].bits>>(t&63)&1 != 0
}

// each calls f with the provisional number of every vertex, in dense order.
func (m *numbering) each(f func(t uint32)) {
	switch {
	case m.ranks != nil:
		for w := range m.ranks {
			for word := m.ranks[w].bits; word != 0; word &= word - 1 {
				f(uint32(w)<<6 + uint32(bits.TrailingZeros64(word)))
			}
		}
	case m.ints != nil:
		for _, x := range m.ints {
			f(x.t)
		}
	case m.order != nil:
		for _, t := range m.order {
			f(t)
		}
	default:
		for i := range m.n {
			f(m.first + i)
		}
	}
}

// number decides the dense ids, when all ids are known.
func (b *Builder) number(ctx context.Context, schema read.Schema, unsigned bool) (*numbering, error) {
	if err := cmp.Or(b.renumber(ctx), b.in.sum(), b.out.sum()); err != nil {
		return nil, err
	}
	top := b.top.Load()
	switch {
	case schema.IDs == read.IDDense:
		n := top
		if schema.Vertices >= 0 {
			n = uint32(schema.Vertices)
		}
		return &numbering{n: n, kind: store.IDBase, base: schema.Base}, nil
	case b.strings != nil:
		return b.strings.numbering()
	case b.mapped.Load():
		m, compare := &numbering{kind: store.IDInt}, compareInt
		if unsigned {
			m.kind, compare = store.IDUint, compareUint
		}
		var err error
		m.ints, m.perm, err = b.ints.sorted(compare)
		m.n = uint32(len(m.ints))
		return m, err
	}
	ranks := make([]rank, (uint64(top)+63)/64)
	var g errgroup.Group
	const words = 1 << 14
	for from := 0; from < len(ranks); from += words {
		g.Go(func() error {
			b.mark(ranks, from, min(from+words, len(ranks)), top)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return compact(ranks), nil
}

// mark sets the bits of the numbers below top that are vertices, in
// ranks[from:to].
func (b *Builder) mark(ranks []rank, from, to int, top uint32) {
	for w := from; w < to; w++ {
		ranks[w].bits = b.declared[w]
		for t := uint32(w) << 6; t < top && t>>6 == uint32(w); t++ {
			if b.in.of(t)|b.out.of(t) != 0 {
				ranks[w].bits |= 1 << (t & 63)
			}
		}
	}
}

// write stores the id map.
func (m *numbering) write(ctx context.Context, w *store.Writer) error {
	ids := w.IDs(m.kind, m.base)
	n := 0
	appendInt := func(id uint64) error {
		if n++; n%askEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return ids.AppendInt(id)
	}
	switch {
	case m.kind == store.IDBase:
	case m.names != nil:
		if err := m.writeNames(ctx, ids); err != nil {
			return err
		}
	case m.ints != nil:
		for _, x := range m.ints {
			if err := appendInt(x.id); err != nil {
				return err
			}
		}
	default:
		var err error
		m.each(func(t uint32) {
			if err == nil {
				err = appendInt(uint64(t))
			}
		})
		if err != nil {
			return err
		}
	}
	return ids.Finish()
}

// writeNames stores names in their order, which decides their dense ids.
func (m *numbering) writeNames(ctx context.Context, ids *store.IDWriter) error {
	n := 0
	return m.names.each(func(name []byte, t uint32) error {
		m.order[n], m.perm[t] = t, uint32(n)
		if n++; n%askEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return ids.AppendString(name)
	})
}

// compact numbers small integers by themselves. It completes ranks of which
// only the bits are there.
func compact(ranks []rank) *numbering {
	m := &numbering{ranks: ranks, kind: store.IDInt}
	low, high := uint32(0), uint32(0)
	for w := range ranks {
		r := &ranks[w]
		r.below = m.n
		if r.bits == 0 {
			continue
		}
		if m.n == 0 {
			low = uint32(w)<<6 + uint32(bits.TrailingZeros64(r.bits))
		}
		high = uint32(w)<<6 + uint32(bits.Len64(r.bits)) - 1
		m.n += uint32(bits.OnesCount64(r.bits))
	}
	if m.n > 0 && high-low+1 == m.n { // no gaps: nothing to store
		return &numbering{n: m.n, kind: store.IDBase, base: int64(low), first: low}
	}
	return m
}

// intTable gives provisional numbers to integers as they come, from many
// goroutines.
type intTable struct {
	table[uint64]
	seeds [2]uint64
}

func newIntTable() *intTable {
	return &intTable{seeds: [2]uint64{rand.Uint64(), rand.Uint64() | 1}}
}

// hash mixes an id with seeds of the process, so that no input can make all
// ids fall on one place.
func (x *intTable) hash(id uint64) uint64 {
	high, low := bits.Mul64(id^x.seeds[0], x.seeds[1])
	high, low = bits.Mul64(high^low, 0x9e3779b97f4a7c15)
	return high ^ low
}

func (x *intTable) cell(id uint64) uint32 { return uint32(x.hash(id)) }

// provisional returns the number of the i-th id of a stripe. Ids beyond what 32 bits number
// share a number, until all are counted and refused.
func provisional(i, stripe uint32) uint32 { return min(i, maxID/stripes-1)*stripes + stripe }

// number returns the provisional number of an id.
func (x *intTable) number(id uint64) (uint32, error) {
	stripe := uint32(x.hash(id) >> 56)
	s := &x.stripe[stripe]
	s.Lock()
	defer s.Unlock()
	i, _, err := s.find(id, x.cell)
	return provisional(i, stripe), err
}

// sorted ends the numbering: it gives all ids in order, and the dense ids of the
// provisional numbers.
func (x *intTable) sorted(compare func(a, b numbered) int) (list []numbered, perm []uint32, err error) {
	n, top, err := x.count()
	if err != nil {
		return nil, nil, err
	}
	for i := range x.stripe {
		x.stripe[i].freeCells()
	}
	if list, err = hostmem.Slice[numbered](n); err != nil {
		return nil, nil, err
	}
	at := 0
	for i := range x.stripe {
		s := &x.stripe[i]
		for local, id := range s.keys[:s.n] {
			list[at] = numbered{id, uint32(local*stripes + i)}
			at++
		}
		s.free()
	}
	slices.SortFunc(list, compare)
	if perm, err = hostmem.Slice[uint32](top * stripes); err != nil {
		hostmem.Free(list)
		return nil, nil, err
	}
	for i, e := range list {
		perm[e.t] = uint32(i)
	}
	return list, perm, nil
}

// close frees what is left. nil is fine.
func (x *intTable) close() {
	if x != nil {
		x.free()
	}
}

func compareInt(a, b numbered) int { return cmp.Compare(int64(a.id), int64(b.id)) }

func compareUint(a, b numbered) int { return cmp.Compare(a.id, b.id) }
