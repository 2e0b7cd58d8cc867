package build

import (
	"cmp"
	"fmt"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/packedrows"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/shard/rowweights"
	"github.com/garaph/garaph/store"
)

// sideStore stores the shards of one side.
type sideStore struct {
	dir    shard.Direction
	out    *store.Writer
	weight int // bytes of a weight while edges are sorted; 0 if there are none
	layout store.Layout
	mirror bool // the out side is stored with the in side
	inRows bool // rows of the in side are stored beside it
	shards []store.ShardInfo
	back   *readBack // has the edges of the other side; nil if there is none, or it gets them as they come
}

// shardWriter writes shards from the sorted groups of one goroutine. It fills one
// blob while the other is being stored.
type shardWriter struct {
	*sideStore
	blobs   [2][]byte
	packed  [2][]byte // of packed sides
	packer  packed.Packer
	weights rowweights.Packer
	storing [2]chan error // from whom the other is; nil when it is free
	at      int           // the one to fill
	loose   shard.Plane   // weights of the shard that is being packed
	degrees [2][]uint32   // of sides that are packed without rows
}

// shardSizes are the most bytes of a shard's blob of rows and of what is packed of it,
// and the most edges.
type shardSizes struct {
	rows, packed int64
	edges        uint32
}

// sizes returns the sizes of the shards of a group.
func (s *sideStore) sizes(g *group) (most shardSizes) {
	for i := g.from; i < g.to; i++ {
		most.rows = max(most.rows, rows.Size(s.shards[i].Vertices, s.edges(i), s.rowWeight(i)))
		most.edges = max(most.edges, s.edges(i))
		in, rows, weights := s.packedBytes(s.shards[i].Vertices, s.edges(i))
		most.packed = max(most.packed, in+rows+weights)
	}
	return most
}

// rowWeight returns the bytes of a weight in the rows of shard i, which are stored so, or packed.
func (s *sideStore) rowWeight(i int) int {
	if !s.packs() || s.isGiant(i) {
		return s.weight
	}
	return 0
}

// storeBytes returns the size of the shards of an in side and of what is stored with or after
// it, at most. Packed ones are smaller, but where there are few edges.
func (s *sideStore) storeBytes() (n int64) {
	add := func(vertices int, edges uint32, weight int, packed int64) {
		size := rows.Size(vertices, edges, weight)
		if s.packs() && edges < 1<<12 {
			size = max(size, packed)
		}
		n += store.StoredBytes(size, vertices, edges)
	}
	for i := range s.shards {
		x := &s.shards[i]
		add(x.Vertices, x.In, s.weight, packed.MostBytes(x.In, s.weight))
		weight := 0
		if s.packs() {
			weight = s.weight
		}
		if s.inRows {
			add(x.Vertices, x.In, weight, packedrows.MostBytes(x.Vertices, x.In)+rowweights.MostBytes(x.Vertices, x.In, weight))
		}
		if s.packs() || !s.mirror {
			add(x.Vertices, x.Out, weight,
				packedrows.MostBytes(x.Vertices, x.Out)+rowweights.MostBytes(x.Vertices, x.Out, weight))
		}
	}
	return n
}

// edgeBytes returns the memory that sorting takes for an edge: keys twice, weights
// twice.
func (s *sideStore) edgeBytes() int64 { return 2 * (8 + int64(s.weight)) }

// need returns the memory for shards of those sizes.
func (s *shardWriter) need(most shardSizes) int64 {
	need := 2 * (most.rows + most.packed)
	if s.packsIn() {
		need += int64(most.edges) * s.edgeBytes()
	}
	if s.packs() {
		need += int64(most.edges) * int64(s.weight)
	}
	return need
}

// fits reports whether the buffers are long enough.
func (s *shardWriter) fits(most shardSizes) bool {
	return int64(len(s.blobs[0])) >= most.rows && int64(len(s.packed[0])) >= most.packed &&
		(!s.packs() || s.weight == 0 || max(len(s.loose.Narrow), len(s.loose.Wide)) >= int(most.edges))
}

// grow allocates the buffers, after free.
func (s *shardWriter) grow(most shardSizes) (err error) {
	for i := range s.blobs {
		if s.blobs[i], err = hostmem.Bytes(most.rows); err != nil {
			return err
		}
	}
	if !s.packs() {
		return nil
	}
	for i := range s.packed {
		if s.packed[i], err = hostmem.Bytes(most.packed); err != nil {
			return err
		}
	}
	s.loose, err = makePlane(int(most.edges), s.weight)
	return err
}

func (s *shardWriter) free() {
	for i := range s.blobs {
		hostmem.FreeBytes(s.blobs[i])
		hostmem.FreeBytes(s.packed[i])
	}
	freePlane(s.loose)
	s.packer, s.weights, s.loose, s.blobs, s.packed = packed.Packer{}, rowweights.Packer{}, shard.Plane{},
		[2][]byte{}, [2][]byte{}
}

// edges returns the number of edges of shard i on this side.
func (s *sideStore) edges(i int) uint32 {
	if s.dir == shard.Out {
		return s.shards[i].Out
	}
	return s.shards[i].In
}

// isGiant reports whether shard i is a vertex with more edges than a shard has otherwise.
func (s *sideStore) isGiant(i int) bool {
	return s.shards[i].Vertices == 1 && uint64(s.edges(i)) > maxShardEdges
}

// packs reports whether the side is packed, or its rows are; packsIn, whether the side
// itself is.
func (s *sideStore) packs() bool   { return s.layout == store.Packed }
func (s *sideStore) packsIn() bool { return s.packs() && s.dir == shard.In }

// packsRows reports whether rows are packed, of out-edges or of in-edges.
func (s *sideStore) packsRows() bool {
	return s.packs() && (s.dir == shard.Out || s.mirror || s.inRows)
}

// packsWeights reports whether weights of packed rows are stored with them.
func (s *sideStore) packsWeights() bool { return s.weight > 0 && s.packsRows() }

// packedBytes returns the most bytes of the packed sides of a shard.
func (s *sideStore) packedBytes(vertices int, edges uint32) (in, rows, weights int64) {
	if s.packsIn() {
		in = packed.MostBytes(edges, s.weight)
	}
	if s.packsRows() {
		rows = packedrows.MostBytes(vertices, edges)
	}
	if s.packsWeights() {
		weights = rowweights.MostBytes(vertices, edges, s.weight)
	}
	return in, rows, weights
}

// stored waits until no blob is being stored.
func (s *shardWriter) stored() error {
	return cmp.Or(s.wait(0), s.wait(1)) // a full disk is said once
}

func (s *shardWriter) wait(i int) error {
	if s.storing[i] == nil {
		return nil
	}
	err := <-s.storing[i]
	s.storing[i] = nil
	return err
}

// store writes shard i of a sorted group, and returns its rows.
func (s *shardWriter) store(i int, g *groupRows) (*rows.Side, error) {
	info := &s.shards[i]
	base := info.First - g.first
	start, end := g.start[base:][:info.Vertices], g.end[base:][:info.Vertices]
	edges := uint32(0)
	for v := range end {
		edges += end[v] - start[v]
	}
	if edges > s.edges(i) {
		return nil, s.uncounted(i)
	}
	at := s.at
	s.at = 1 - at
	if err := s.wait(at); err != nil {
		return nil, err
	}
	giant := s.isGiant(i)
	weight := s.rowWeight(i)
	blob := s.blobs[at][:rows.Size(info.Vertices, edges, weight)]
	side := rows.Layout(blob, s.dir, uint32(i), info.First, info.Vertices, edges, weight)
	if weight < s.weight {
		loose := s.loose.Slice(0, int(edges))
		side.Weight, side.Wide = loose.Narrow, loose.Wide
	}
	if g.ordered {
		s.copyRows(side, g, base)
	} else { // no edge was dropped, so that they are contiguous
		side.Nbr = g.nbr[start[0]:end[len(end)-1]]
		for v := range end {
			side.Off[v] = start[v] - start[0]
		}
		side.Off[info.Vertices] = edges
	}
	if giant && s.packs() {
		return side, s.putGiant(side, &s.weights, s.packed[at])
	}
	done := make(chan error, 1)
	s.storing[at] = done
	if s.packs() {
		return side, s.pack(i, at, side, done)
	}
	s.seal(side)
	go func() { done <- s.out.PutShard(i, side) }()
	return side, nil
}

// copyRows fills a side with the rows of a sorted group, from its base-th vertex on.
func (s *shardWriter) copyRows(side *rows.Side, g *groupRows, base uint32) {
	start, end := g.start[base:][:side.Vertices()], g.end[base:][:side.Vertices()]
	k := uint32(0)
	for v := range end {
		side.Off[v] = k
		list := g.nbr[start[v]:end[v]]
		copy(side.Nbr[k:], list)
		k += uint32(len(list))
		if s.weight > 0 {
			w := side.Plane().Slice(int(k)-len(list), int(k))
			w.Copy(g.weights.Slice(int(start[v]), int(end[v])))
			if w.Wide != nil {
				sortWeights(list, w.Wide)
			} else {
				sortWeights(list, w.Narrow)
			}
		}
	}
	side.Off[side.Vertices()] = k
}

// pack stores what is packed of shard i: the side, its rows and their weights, or some of
// these.
func (s *shardWriter) pack(i, at int, side *rows.Side, done chan error) (err error) {
	defer func() {
		if err != nil {
			close(done)
			err = s.packError(i, err)
		}
	}()
	buffer := s.packed[at]
	var packedRows, in shard.Side
	var weights *rowweights.Side
	if s.packsRows() {
		list := *side
		if s.mirror {
			list.Dir = shard.Out
		}
		x, err := packedrows.Pack(&list, buffer)
		if err != nil {
			return err
		}
		packedRows, buffer = x, after(buffer, x)
		if s.packsWeights() {
			weights = s.weights.Side(x.Header(), side.Off, side.Plane(), s.weight, buffer)
			buffer = after(buffer, weights)
		}
	}
	if s.packsIn() {
		if err := s.packer.Side(side, s.weight); err != nil {
			return err
		}
		x, err := s.packIn(i, buffer)
		if err != nil {
			return err
		}
		in = withDegrees{x, side.Degrees} // which counts faster
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
		if err == nil && weights != nil {
			err = s.putWeights(i, weights)
		}
		done <- err
	}()
	return nil
}

func (s *sideStore) packError(i int, err error) error {
	return fmt.Errorf("import: pack shard %d (%s side): %w", i, s.dir, err)
}

// packIn writes the packed side of shard i to the beginning of a buffer.
func (s *shardWriter) packIn(i int, buffer []byte) (*packed.Side, error) {
	size := s.packer.Size()
	s.packer.Write(buffer[:size])
	x, err := packed.Decode(buffer[:size])
	if err != nil {
		return nil, err
	}
	s.note(i, x)
	s.back.note(i, x)
	return x, nil
}

// after returns the rest of a buffer behind a side at its beginning.
func after(buffer []byte, side shard.Side) []byte { return buffer[len(side.Blob()):] }

// noteRows enters rows of shard i into the catalogue, but in-rows, and putRows stores them.
func (s *sideStore) noteRows(i int, side shard.Side) {
	if !s.inRows {
		s.note(i, side)
	}
}

func (s *sideStore) putRows(i int, side shard.Side) error {
	if s.inRows {
		return s.out.PutBeside(shard.InRows, i, side)
	}
	return s.out.PutShard(i, side)
}

// putWeights stores the weights of rows of shard i.
func (s *sideStore) putWeights(i int, side *rowweights.Side) error {
	dir := shard.OutWeights
	if s.inRows {
		dir = shard.InWeights
	}
	return s.out.PutBeside(dir, i, side)
}

// seal completes the blob of a side of rows.
func (s *sideStore) seal(side *rows.Side) {
	rows.Seal(side.Blob())
	s.note(int(side.Index), side)
}

// note enters a side of shard i into the catalogue.
func (s *sideStore) note(i int, side shard.Side) {
	info, h := &s.shards[i], side.Header()
	if h.Dir == shard.Out {
		info.Out, info.OutSum = h.Edges, h.Checksum
	} else {
		info.In, info.InSum = h.Edges, h.Checksum
	}
}
