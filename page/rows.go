package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/shard/rowweights"
	"github.com/garaph/garaph/store"
)

// WholeRows describes the rows of a whole graph that a job needs. The row of a vertex is its edges
// on all Sides, one side after another.
type WholeRows struct {
	Sides    []shard.Direction
	Weighted bool
	Threads  int
	Memory   Memory // of the edges; if nil, that of package hostmem
}

// Bytes returns the memory of the rows, and the additional memory for reading them.
func (w WholeRows) Bytes(cat *store.Catalogue) (all, reading int64) {
	var edges uint64
	var largest int64
	for i := range cat.Shards {
		n := int64(0)
		for _, dir := range w.Sides {
			edges += uint64(cat.SideEdges(dir, i))
			n += w.blobBytes(cat, dir, i) + w.plainBytes(cat, dir, i)
		}
		largest = max(largest, n)
	}
	return frontier.RowsBytes(cat.Vertices, edges, w.weightBytes(cat)), largest * int64(max(1, w.Threads))
}

// weightBytes returns the size of a weight in the rows.
func (w WholeRows) weightBytes(cat *store.Catalogue) int {
	if w.Weighted {
		return cat.WeightBytes()
	}
	return 0
}

// blobBytes returns the size of what is read at once for a side.
func (w WholeRows) blobBytes(cat *store.Catalogue, dir shard.Direction, i int) (n int64) {
	for _, is := range w.stored(cat, dir) {
		n = max(n, cat.Bytes(is, i))
	}
	return n
}

// plainBytes returns the size of a packed side as plain rows.
func (w WholeRows) plainBytes(cat *store.Catalogue, dir shard.Direction, i int) int64 {
	is := w.stored(cat, dir)
	if cat.Encoding(is[0]) == rows.Version {
		return 0
	}
	weight := 0
	if len(is) > 1 || is[0] == shard.In {
		weight = cat.WeightBytes()
	}
	return rows.Size(cat.Shards[i].Vertices, cat.SideEdges(is[0], i), weight)
}

// Reads returns the number of bytes that Load reads.
func (w WholeRows) Reads(cat *store.Catalogue) (n int64) {
	for _, dir := range w.Sides {
		for _, is := range w.stored(cat, dir) {
			for i := range cat.Shards {
				n += cat.Bytes(is, i)
			}
		}
	}
	return n
}

// stored returns what is read for one of w.Sides: a side, and its weights where they have a
// blob of their own.
func (w WholeRows) stored(cat *store.Catalogue, dir shard.Direction) []shard.Direction {
	is, ok := cat.RowsOf(dir)
	weights, apart := cat.WeightsOf(is)
	switch {
	case w.Weighted && ok && apart:
		return []shard.Direction{is, weights}
	case w.Weighted:
		return []shard.Direction{shard.In}
	case ok:
		return []shard.Direction{is}
	}
	return []shard.Direction{dir}
}

// transposed reports whether rows are made of the other side, which has the weights.
func (w WholeRows) transposed(cat *store.Catalogue) bool {
	return w.Weighted && !cat.Symmetric && w.Sides[0] == shard.Out && w.stored(cat, shard.Out)[0] == shard.In
}

// Load reads the rows. [WholeRows.Free] frees them.
func (w WholeRows) Load(ctx context.Context, s *store.Store) (r *frontier.Rows, err error) {
	cat := s.Catalogue()
	l := &rowsLoader{WholeRows: w, store: s, cat: cat}
	begin := make([]uint64, len(cat.Shards)+1)
	for i := range cat.Shards {
		begin[i+1] = begin[i]
		for _, dir := range w.Sides {
			begin[i+1] += uint64(cat.SideEdges(dir, i))
		}
	}
	if l.to, err = w.allocate(cat, begin[len(cat.Shards)]); err != nil {
		return nil, err
	}
	read := func(memory []byte, i int) error { return l.shard(memory, i, begin[i], begin[i+1]) }
	if w.transposed(cat) {
		if err = l.degrees(); err == nil {
			read = l.transpose
		}
	}
	if err == nil {
		err = l.each(ctx, read)
	}
	if err == nil && w.transposed(cat) {
		err = l.shift()
	}
	if err != nil {
		return nil, errors.Join(err, w.Free(l.to))
	}
	return l.to, nil
}

// allocate makes rows. Off is zero.
func (w WholeRows) allocate(cat *store.Catalogue, edges uint64) (r *frontier.Rows, err error) {
	r = &frontier.Rows{}
	if r.Off, err = hostmem.Slice[uint64](int(cat.Vertices) + 1); err != nil {
		return nil, err
	}
	weight := w.weightBytes(cat)
	b, err := w.memory().Pin(int64(edges) * int64(4+weight))
	switch weight {
	case 4:
		r.Arcs = unsafe.Slice((*frontier.Arc)(unsafe.Pointer(unsafe.SliceData(b))), edges)
	case 8:
		if err == nil {
			r.Wide = shard.View[float64](b, 0, int(edges))
			r.Nbr = shard.View[uint32](b, 8*int64(edges), int(edges))
		}
	default:
		r.Nbr = unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), edges)
	}
	if err != nil {
		hostmem.Free(r.Off)
		return nil, err
	}
	return r, nil
}

func (w WholeRows) memory() Memory {
	if w.Memory == nil {
		return plain{}
	}
	return w.Memory
}

// Free frees loaded rows. r may be nil.
func (w WholeRows) Free(r *frontier.Rows) error {
	if r == nil {
		return nil
	}
	hostmem.Free(r.Off)
	edges := r.Bytes()
	*r = frontier.Rows{}
	return w.memory().Unpin(edges)
}

// rowsLoader reads rows.
type rowsLoader struct {
	WholeRows
	store *store.Store
	cat   *store.Catalogue
	to    *frontier.Rows
}

// each calls read for every shard, on all threads, each with memory for what it reads.
func (l *rowsLoader) each(ctx context.Context, read func(memory []byte, i int) error) error {
	_, reading := l.Bytes(l.cat)
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	threads := max(1, l.Threads)
	for range threads {
		g.Go(func() error {
			memory, err := hostmem.Bytes(reading / int64(threads))
			if err != nil {
				return err
			}
			defer hostmem.FreeBytes(memory)
			for i := int(next.Add(1)) - 1; i < len(l.cat.Shards) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if ahead := i + threads; ahead < len(l.cat.Shards) {
					for _, dir := range l.Sides {
						is := l.stored(l.cat, dir)[0]
						l.store.Prefetch(is, ahead, l.cat.Bytes(is, ahead))
					}
				}
				if err := read(memory, i); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}

// side reads a side of a shard as plain rows: to memory, or if it is packed and to is not
// nil, its neighbours to where they stay. It returns the memory that is left.
func (l *rowsLoader) side(memory []byte, to []uint32, dir shard.Direction, i int) (
	side *rows.Side, rest []byte, err error) {
	stored, blob := l.stored(l.cat, dir), l.blobBytes(l.cat, dir, i)
	plain := memory[blob:][:l.plainBytes(l.cat, dir, i)]
	rest = memory[blob+int64(len(plain)):]
	read := func(is shard.Direction) (shard.Side, error) {
		n := l.cat.Bytes(is, i)
		return l.store.ReadShard(is, i, memory[:n:n])
	}
	is, err := read(stored[0])
	if err != nil {
		return nil, nil, err
	}
	if x, ok := is.(*rows.Side); ok && len(stored) == 1 {
		return x, rest, nil
	}
	if to != nil {
		if x, ok := is.(rows.Unpacker); ok {
			side = &rows.Side{Off: shard.View[uint32](plain, 0, is.Header().Vertices+1), Nbr: to}
			x.Unpack(side)
			return side, rest, nil
		}
	}
	weight := 0
	if len(stored) > 1 {
		weight = l.cat.WeightBytes()
	}
	if side, err = plainSide(is, plain, weight); err != nil || len(stored) == 1 {
		return side, rest, err
	}
	if is, err = read(stored[1]); err == nil {
		is.(*rowweights.Side).Fill(side.Plane(), 0)
	}
	return side, rest, err
}

// shard reads the rows of a shard's vertices to their places, from begin up to end.
func (l *rowsLoader) shard(memory []byte, i int, begin, end uint64) (err error) {
	var to []uint32
	if !l.Weighted && len(l.Sides) == 1 {
		to = l.to.Nbr[begin:end]
	}
	sides := make([]*rows.Side, len(l.Sides))
	for k, dir := range l.Sides {
		if sides[k], memory, err = l.side(memory, to, dir, i); err != nil {
			return err
		}
	}
	inPlace := len(to) > 0 && &sides[0].Nbr[0] == &to[0]
	off := l.to.Off[l.cat.Shards[i].First:]
	for v := range l.cat.Shards[i].Vertices {
		off[v] = begin
		for _, s := range sides {
			from, end := s.Off[v], s.Off[v+1]
			switch {
			case l.to.Arcs != nil:
				arcs := l.to.Arcs[begin:]
				for k, u := range s.Nbr[from:end] {
					arcs[k] = frontier.Arc{To: u, Weight: s.Weight[int(from)+k]}
				}
			case !inPlace:
				copy(l.to.Nbr[begin:], s.Nbr[from:end])
				if l.to.Wide != nil {
					copy(l.to.Wide[begin:], s.Wide[from:end])
				}
			}
			begin += uint64(end - from)
		}
	}
	if i == len(l.cat.Shards)-1 {
		l.to.Off[l.cat.Vertices] = begin
	}
	return nil
}

// degrees puts the out-degree of vertex v, summed up, into Off[v+1], where rows to be
// transposed begin: as each edge is put, it moves to where the next one goes.
func (l *rowsLoader) degrees() error {
	sum, off := uint64(0), l.to.Off
	for i, info := range l.cat.Shards {
		degrees, err := l.store.Degrees(shard.Out, i)
		if err != nil {
			return err
		}
		for v, d := range degrees {
			off[uint64(info.First)+uint64(v)+1] = sum
			sum += uint64(d)
		}
	}
	if sum != l.cat.Edges {
		return fmt.Errorf("graph %s: %w: its out-degrees sum to %d, but it has %d edges", l.store.Name(), store.ErrDamaged,
			sum, l.cat.Edges)
	}
	return nil
}

// transpose puts the in-edges of a shard's vertices into the rows of the other ends.
func (l *rowsLoader) transpose(memory []byte, i int) error {
	s, _, err := l.side(memory, nil, shard.Out, i)
	if err != nil {
		return err
	}
	off, first := l.to.Off[1:], l.cat.Shards[i].First
	for v := range s.Vertices() {
		for k := s.Off[v]; k < s.Off[v+1]; k++ {
			at := atomic.AddUint64(&off[s.Nbr[k]], 1) - 1
			if at >= l.cat.Edges {
				return fmt.Errorf("graph %s: %w: its in-edges do not match its out-degrees", l.store.Name(), store.ErrDamaged)
			}
			if l.to.Arcs != nil {
				l.to.Arcs[at] = frontier.Arc{To: first + uint32(v), Weight: s.Weight[k]}
			} else {
				l.to.Nbr[at], l.to.Wide[at] = first+uint32(v), s.Wide[k]
			}
		}
	}
	return nil
}

// shift looks whether every transposed row ended where the next one began.
func (l *rowsLoader) shift() error {
	sum, off := uint64(0), l.to.Off
	for i, info := range l.cat.Shards {
		degrees, err := l.store.Degrees(shard.Out, i)
		if err != nil {
			return err
		}
		for v, d := range degrees {
			sum += uint64(d)
			if off[uint64(info.First)+uint64(v)+1] != sum {
				return fmt.Errorf("graph %s: %w: the edges of vertex %d do not match its degrees", l.store.Name(),
					store.ErrDamaged, uint64(info.First)+uint64(v))
			}
		}
	}
	return nil
}

// Rename returns rows in the order of other numbers of vertices, ids by place, with these in them,
// ascending. It frees the old ones.
func (w WholeRows) Rename(
	ctx context.Context, cat *store.Catalogue, r *frontier.Rows, ids []uint32,
) (to *frontier.Rows, err error) {
	to, err = w.allocate(cat, r.Off[cat.Vertices])
	if err != nil {
		return nil, errors.Join(err, w.Free(r))
	}
	for p, id := range ids {
		to.Off[id+1] = r.Off[p+1] - r.Off[p]
	}
	for v := range ids {
		to.Off[v+1] += to.Off[v]
	}
	const some = 1 << 12
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, w.Threads))
	for first := 0; first < len(ids); first += some {
		g.Go(func() error {
			for p := first; p < min(first+some, len(ids)); p++ {
				renameRow(r, r.Off[p], r.Off[p+1], to, to.Off[ids[p]], ids)
			}
			return ctx.Err()
		})
	}
	if err = errors.Join(g.Wait(), w.Free(r)); err != nil {
		return nil, errors.Join(err, w.Free(to))
	}
	return to, nil
}

// renameRow copies the row [begin, end) to another place. Parallel edges keep their order.
func renameRow(r *frontier.Rows, begin, end uint64, to *frontier.Rows, at uint64, ids []uint32) {
	if r.Arcs == nil {
		was, weights := shard.Plane{Wide: r.Wide}, shard.Plane{Wide: to.Wide}
		rows.Rename(r.Nbr[begin:end], was.Slice(int(begin), int(end)), ids, to.Nbr[at:][:end-begin],
			weights.Slice(int(at), int(at+end-begin)))
		return
	}
	row := to.Arcs[at:][:end-begin]
	for i, a := range r.Arcs[begin:end] {
		row[i] = frontier.Arc{To: ids[a.To], Weight: a.Weight}
	}
	slices.SortStableFunc(row, func(a, b frontier.Arc) int { return cmp.Compare(a.To, b.To) })
}
