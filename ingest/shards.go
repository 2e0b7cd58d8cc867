package ingest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/packedrows"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// sideBuilder sorts the groups of one side into shards.
type sideBuilder struct {
	dir      shard.Direction
	out      *store.Writer
	spill    *spill
	weighted bool
	dedup    bool
	layout   store.Layout
	mirror   bool // the out side is stored with the in side
	inRows   bool // rows of the in side are stored beside it
	shards   []store.ShardInfo
	groups   []group
	numbers  *numbering // gives the dense ids of a record's ends
	n        uint32     // vertices

	twin    *grouping // of the other side; nil when there is none
	writers []*writer // that collect the twin's edges, by goroutine

	memory  *semaphore.Weighted // of all sorters, budget bytes
	budget  int64
	plan    memoryPlan
	waiting atomic.Int32 // sorters that wait for it
	dropped atomic.Uint64
	bytes   atomic.Int64 // stored
	sorted  func(edges uint64)
}

// edgeBytes is the memory that sorting takes for an edge: keys twice, weights
// twice.
func (s *sideBuilder) edgeBytes() int64 {
	if s.weighted {
		return 2*8 + 2*4
	}
	return 2 * 8
}

// cacheEdges are sorted within a processor's own cache. Only tests change it.
var cacheEdges uint64 = 1 << 17

// maxGroups bounds the buffers for the groups of the other side.
const maxGroups = 512

// groupEdges is how many edges make a group, but for larger shards.
func groupEdges(total uint64) uint64 { return max(cacheEdges, total/maxGroups) }

// run sorts all groups. Each sorter has a run of them with about as many edges
// as the others', and goes through it in order, so that what it collects for
// the twin comes in the order of vertices.
func (s *sideBuilder) run(ctx context.Context, plan memoryPlan) error {
	g, ctx := errgroup.WithContext(ctx)
	s.plan = plan
	s.memory, s.budget = semaphore.NewWeighted(plan.sort), plan.sort
	var total, done uint64
	for i := range s.groups {
		total += s.groups[i].edges
	}
	next := 0
	for i := range plan.sorters {
		from := next
		for next < len(s.groups) && (i == plan.sorters-1 || done < total*uint64(i+1)/uint64(plan.sorters)) {
			done += s.groups[next].edges
			next++
		}
		to := next
		x := &sorter{sideBuilder: s}
		if s.twin != nil {
			x.twins = s.spill.writer(len(s.twin.groups), false)
			s.writers = append(s.writers, x.twins)
		}
		g.Go(func() error {
			defer func() {
				_ = x.stored() // after an error: the blobs are in use until then
				x.free()
			}()
			for k := from; k < to; k++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := x.group(ctx, &s.groups[k]); err != nil {
					return err
				}
			}
			return x.stored()
		})
	}
	return g.Wait()
}

// collect hands the edges collected for the twin to its groups: for each in
// ascending order of their neighbours.
func (s *sideBuilder) collect() []group {
	groups := s.twin.groups
	for _, w := range s.writers {
		w.flush()
		for i := range groups {
			groups[i].parts = append(groups[i].parts, w.buckets[i])
		}
	}
	return groups
}

// sorter is the work of one goroutine on a sideBuilder.
type sorter struct {
	*sideBuilder
	twins         *writer
	held          int64 // of sideBuilder.memory
	keys, keyBuf  []uint64
	weights, wBuf []float32
	counts        [maxDigits][1 << maxDigit]uint32
	nbr           []uint32  // of the group in hand, by vertex: those of its v-th are
	start, end    []uint32  // nbr[start[v]:end[v]], and so are the weights
	blobs         [2][]byte // one to fill while the other is being stored
	packed        [2][]byte // likewise, for packed sides
	packer        packed.Packer
	rowPacker     packedrows.Packer
	storing       [2]chan error // from whom the other is; nil when it is free
	at            int           // the one to fill
	shardWeights  []float32     // of the shard that is being packed
}

func (s *sorter) free() {
	hostmem.Free(s.keys)
	hostmem.Free(s.keyBuf)
	hostmem.Free(s.weights)
	hostmem.Free(s.wBuf)
	hostmem.FreeBytes(s.blobs[0])
	hostmem.FreeBytes(s.blobs[1])
	hostmem.FreeBytes(s.packed[0])
	hostmem.FreeBytes(s.packed[1])
	hostmem.Free(s.shardWeights)
	s.packer, s.shardWeights = packed.Packer{}, nil
	s.keys, s.keyBuf, s.weights, s.wBuf, s.blobs, s.packed = nil, nil, nil, nil, [2][]byte{}, [2][]byte{}
	s.memory.Release(s.held)
	s.held = 0
}

// grow makes the buffers long enough: for so many edges of a group, for blobs of rows
// and packed ones, and to pack a shard of most edges.
func (s *sorter) grow(ctx context.Context, edges int, blob, pack, most int64) (err error) {
	if len(s.keys) >= edges && int64(len(s.blobs[0])) >= blob && int64(len(s.packed[0])) >= pack && (pack == 0 || !s.weighted || int64(len(s.shardWeights)) >= most) {
		return nil
	}
	if err := s.stored(); err != nil {
		return err
	}
	s.free()
	need := int64(edges)*s.edgeBytes() + 2*(blob+pack)
	if s.packsIn() {
		need += most * s.edgeBytes()
		if s.weighted {
			need += most * 4
		}
	}
	if err := s.hold(ctx, need); err != nil {
		return err
	}
	if s.keys, err = hostmem.Slice[uint64](edges); err != nil {
		return err
	}
	if s.keyBuf, err = hostmem.Slice[uint64](edges); err != nil {
		return err
	}
	if s.weighted {
		if s.weights, err = hostmem.Slice[float32](edges); err != nil {
			return err
		}
		if s.wBuf, err = hostmem.Slice[float32](edges); err != nil {
			return err
		}
	}
	if s.blobs[0], err = hostmem.Bytes(blob); err != nil {
		return err
	}
	if s.blobs[1], err = hostmem.Bytes(blob); err != nil || pack == 0 {
		return err
	}
	if s.packed[0], err = hostmem.Bytes(pack); err != nil {
		return err
	}
	if s.weighted {
		if s.shardWeights, err = hostmem.Slice[float32](int(most)); err != nil {
			return err
		}
	}
	s.packed[1], err = hostmem.Bytes(pack)
	return err
}

// packs reports whether the side is packed, or its rows are; packsIn, whether the side
// itself is.
func (s *sideBuilder) packs() bool   { return s.layout == store.Packed }
func (s *sideBuilder) packsIn() bool { return s.packs() && s.dir == shard.In }

// packsRows reports whether rows are packed: those of out-edges, or in-rows.
func (s *sideBuilder) packsRows() bool {
	return s.packs() && (s.dir == shard.Out || s.mirror || s.inRows)
}

// packedBytes is room for what is packed of a shard of so many vertices and edges.
func (s *sideBuilder) packedBytes(vertices int, edges uint32) (in, rows int64) {
	if s.packsIn() {
		in = packed.MostBytes(edges, s.weighted)
	}
	if s.packsRows() {
		rows = packedrows.MostBytes(vertices, edges, false)
	}
	return in, rows
}

// hold takes its share of the sorters' memory. A sorter that waits for memory
// holds none, and lets the others give back theirs.
func (s *sorter) hold(ctx context.Context, need int64) error {
	need = min(need, s.budget) // the plan lets every group fit, but for giants
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	if err := s.memory.Acquire(ctx, need); err != nil {
		return err
	}
	s.held = need
	return nil
}

// stored waits until no blob is being stored.
func (s *sorter) stored() error {
	return cmp.Or(s.wait(0), s.wait(1)) // a full disk is said once
}

func (s *sorter) wait(i int) error {
	if s.storing[i] == nil {
		return nil
	}
	err := <-s.storing[i]
	s.storing[i] = nil
	return err
}

// group sorts one group and stores its shards.
func (s *sorter) group(ctx context.Context, g *group) error {
	if isGiant(g) {
		return s.giant(ctx, g)
	}
	var blob, pack int64
	most := uint32(0)
	for i := g.from; i < g.to; i++ {
		blob = max(blob, rows.Size(s.shards[i].Vertices, s.edges(i), s.weighted))
		most = max(most, s.edges(i))
		in, rows := s.packedBytes(s.shards[i].Vertices, s.edges(i))
		pack = max(pack, in+rows)
	}
	if err := s.grow(ctx, int(g.edges), blob, pack, int64(most)); err != nil {
		return err
	}
	weights, err := s.sortGroup(ctx, g)
	if err != nil {
		return err
	}
	for i := g.from; i < g.to; i++ {
		if err := s.store(i, g.first, weights); err != nil {
			return err
		}
	}
	s.sorted(g.edges)
	if s.waiting.Load() > 0 {
		if err := s.stored(); err != nil {
			return err
		}
		s.free()
	}
	return nil
}

// edges is the number of edges of shard i on this side.
func (s *sideBuilder) edges(i int) uint32 {
	if s.dir == shard.Out {
		return s.shards[i].Out
	}
	return s.shards[i].In
}

// sortGroup fills nbr, start and end, and gives the weights that go with nbr: a
// radix sort of edges by neighbour, but for the out side, where they come in
// that order, and then a counting sort by vertex.
func (s *sorter) sortGroup(ctx context.Context, g *group) ([]float32, error) {
	defer func() { g.parts = nil }()
	vertices := int(g.last-g.first) + 1
	s.start = slices.Grow(s.start[:0], vertices+1)[:vertices+1]
	clear(s.start)
	digits, width := 0, uint(0)
	if s.dir == shard.In {
		digits, width = radixDigits(s.n)
	}
	n := 0
	for _, part := range g.parts {
		k, err := s.load(ctx, part, g, n, digits, width)
		if err != nil {
			return nil, err
		}
		for d := range digits {
			from, to, w, x := s.keys, s.keyBuf, s.weights, s.wBuf
			if d%2 == 1 {
				from, to, w, x = to, from, x, w
			}
			pass(from[n:n+k], to[n:n+k], window(w, n, k), window(x, n, k), &s.counts[d], uint(d)*width, width)
		}
		n += k
	}
	sum := uint32(0)
	for v, c := range s.start { // start[v+1] counts v's edges so far
		sum += c
		s.start[v] = sum
	}
	s.end = append(s.end[:0], s.start[:vertices]...)
	keys, out, weights, moved := s.keys[:n], s.keyBuf, s.weights, s.wBuf
	if digits%2 == 1 {
		keys, out, weights, moved = s.keyBuf[:n], s.keys, moved, weights
	}
	s.nbr = asWords(out)[:n]
	s.place(keys, window(weights, 0, n), moved)
	return moved, nil
}

// window is the part of weights that goes with edges [n, n+k); nil without
// weights.
func window(weights []float32, n, k int) []float32 {
	if weights == nil {
		return nil
	}
	return weights[n : n+k]
}

// load makes keys of the records of blocks that are of the group, from keys[n]
// on, and gives how many there are: the vertex within the group, then its
// neighbour. It counts the edges of each vertex, and the digits of neighbours.
func (s *sorter) load(ctx context.Context, blocks []*block, g *group, n, digits int, width uint) (int, error) {
	record, m, weighted := recordWords(s.weighted), s.numbers, s.weighted
	span, mask, keys, start := g.last-g.first, uint32(1)<<width-1, s.keys, s.start[1:]
	for d := range digits {
		clear(s.counts[d][:])
	}
	from := n
	err := s.spill.each(ctx, blocks, func(b []uint32) error {
		for i := 0; i+record <= len(b); i += record {
			v := m.dense(b[i+1]) - g.first
			if v > span { // of the group beside this one
				continue
			}
			u := m.dense(b[i])
			start[v]++
			if digits > 0 {
				s.counts[0][u&mask&(1<<maxDigit-1)]++
				if digits > 1 {
					s.counts[1][u>>width&mask&(1<<maxDigit-1)]++
				}
				if digits > 2 {
					s.counts[2][u>>(2*width)&mask&(1<<maxDigit-1)]++
				}
			}
			keys[n] = uint64(v)<<32 | uint64(u)
			if weighted {
				s.weights[n] = math.Float32frombits(b[i+2])
			}
			n++
		}
		return nil
	})
	return n - from, err
}

// place puts edges, which come in the order of neighbours, at their vertices; of
// parallel ones only the lightest, where they are to be dropped.
func (s *sorter) place(keys []uint64, weights, moved []float32) {
	nbr, end := s.nbr, s.end
	for i, k := range keys {
		u, at := uint32(k), &end[k>>32]
		p := *at
		if s.dedup && p > s.start[k>>32] && nbr[p-1] == u {
			s.dropped.Add(1)
			if weights != nil {
				moved[p-1] = min(moved[p-1], weights[i])
			}
			continue
		}
		nbr[p] = u
		if weights != nil {
			moved[p] = weights[i]
		}
		*at = p + 1
	}
}

// store writes shard i of a group that begins with the vertex first.
func (s *sorter) store(i int, first uint32, weights []float32) error {
	info := &s.shards[i]
	base := info.First - first
	start, end := s.start[base:][:info.Vertices], s.end[base:][:info.Vertices]
	edges := uint32(0)
	for v := range end {
		edges += end[v] - start[v]
	}
	at := s.at
	s.at = 1 - at
	if err := s.wait(at); err != nil {
		return err
	}
	weighted := s.weighted && !s.packs()
	blob := s.blobs[at][:rows.Size(info.Vertices, edges, weighted)]
	side := rows.Layout(blob, s.dir, uint32(i), info.First, info.Vertices, edges, weighted)
	if s.weighted && !weighted {
		side.Weight = s.shardWeights[:edges]
	}
	k := uint32(0)
	for v := range end {
		side.Off[v] = k
		list := s.nbr[start[v]:end[v]]
		last := uint32(0)
		for _, u := range list {
			if u < last {
				return fmt.Errorf("import: shard %d (%s side) came out of order; this is a fault of garaph, please report it", i, s.dir)
			}
			last = u
			side.Nbr[k] = u
			k++
		}
		if s.weighted {
			w := side.Weight[k-uint32(len(list)) : k]
			copy(w, weights[start[v]:end[v]])
			sortWeights(list, w)
		}
	}
	side.Off[info.Vertices] = k
	done := make(chan error, 1)
	s.storing[at] = done
	if s.packs() {
		if err := s.pack(i, at, side, done); err != nil {
			return err
		}
		return s.collectTwins(side)
	}
	s.seal(side)
	go func() { done <- s.out.PutShard(i, side) }()
	return s.collectTwins(side)
}

// pack stores what is packed of shard i: the side, its rows, or both.
func (s *sorter) pack(i, at int, side *rows.Side, done chan error) (err error) {
	defer func() {
		if err != nil {
			close(done)
			err = fmt.Errorf("import: pack shard %d (%s side): %w", i, s.dir, err)
		}
	}()
	_, room := s.packedBytes(side.Vertices(), side.Edges())
	buffer, size := s.packed[at], int64(0)
	var packedRows, in shard.Side
	if room > 0 {
		list := *side
		list.Weight = nil
		if s.mirror {
			list.Dir = shard.Out
		}
		x, err := s.rowPacker.Side(&list, false, buffer[:room])
		if err != nil {
			return err
		}
		packedRows, size = x, int64(len(x.Blob()))
	}
	if s.packsIn() {
		if err := s.packer.Side(side, s.weighted); err != nil {
			return err
		}
		if size+s.packer.Size() > int64(len(buffer)) {
			return fmt.Errorf("%d edges take %d bytes; this is a fault of garaph, please report it", side.Edges(), s.packer.Size())
		}
		blob := buffer[size:][:s.packer.Size()]
		s.packer.Write(blob)
		x, err := packed.Decode(blob)
		if err != nil {
			return err
		}
		s.note(i, x)
		in = x
	}
	if packedRows != nil {
		s.noteRows(i, packedRows)
	}
	go func() {
		var err error
		if in != nil {
			err = s.out.PutShard(i, in)
		}
		if err == nil && packedRows != nil {
			err = s.putRows(i, packedRows)
		}
		done <- err
	}()
	return nil
}

// noteRows enters rows of shard i into the catalogue, and putRows stores them.
func (s *sorter) noteRows(i int, side shard.Side) {
	if !s.inRows {
		s.note(i, side)
		return
	}
	s.shards[i].RowsSum = side.Header().Checksum
	s.bytes.Add(int64(len(side.Blob())))
}

func (s *sorter) putRows(i int, side shard.Side) error {
	if s.inRows {
		return s.out.PutInRows(i, side)
	}
	return s.out.PutShard(i, side)
}

// seal completes the blob of a side of rows.
func (s *sorter) seal(side *rows.Side) {
	rows.Seal(side.Blob())
	s.note(int(side.Index), side)
}

// note enters a side of shard i into the catalogue.
func (s *sorter) note(i int, side shard.Side) {
	info, h := &s.shards[i], side.Header()
	if h.Dir == shard.Out {
		info.Out, info.OutSum = h.Edges, h.Checksum
	} else {
		info.In, info.InSum = h.Edges, h.Checksum
	}
	s.bytes.Add(int64(len(side.Blob())))
}

// collectTwins hands the edges of a side to its twin.
func (s *sorter) collectTwins(side *rows.Side) error {
	if s.twins == nil {
		return nil
	}
	for v := range side.Vertices() {
		if err := s.twins.addRun(side.First+uint32(v), side.Row(v, nil), s.twin); err != nil {
			return err
		}
	}
	return nil
}
