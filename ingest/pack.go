package ingest

import (
	"cmp"
	"fmt"
	"sync/atomic"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// sideStore is where the shards of one side go, and how they are stored.
type sideStore struct {
	dir      shard.Direction
	out      *store.Writer
	weighted bool
	layout   store.Layout
	mirror   bool // the out side is stored with the in side
	shards   []store.ShardInfo
	bytes    atomic.Int64 // stored
}

// shardWriter writes shards from the sorted groups of one goroutine. It fills one
// blob while the other is being stored.
type shardWriter struct {
	*sideStore
	blobs   [2][]byte
	packed  [2][]byte // likewise, for packed sides
	packer  packed.Packer
	storing [2]chan error // from whom the other is; nil when it is free
	at      int           // the one to fill
	loose   []float32     // weights of the shard that is being packed
}

// shardSizes are the most bytes of a shard's blob of rows and of its packed one,
// and the most edges.
type shardSizes struct {
	rows, packed int64
	edges        uint32
}

// sizes are those of the shards of a group.
func (s *sideStore) sizes(g *group) (most shardSizes) {
	for i := g.from; i < g.to; i++ {
		most.rows = max(most.rows, rows.Size(s.shards[i].Vertices, s.edges(i), s.weighted))
		most.edges = max(most.edges, s.edges(i))
	}
	if s.packs() {
		most.packed = packed.MostBytes(most.edges, s.weighted)
	}
	return most
}

// edgeBytes is the memory that sorting takes for an edge: keys twice, weights
// twice.
func (s *sideStore) edgeBytes() int64 {
	if s.weighted {
		return 2*8 + 2*4
	}
	return 2 * 8
}

// need is the memory for shards of those sizes.
func (s *shardWriter) need(most shardSizes) int64 {
	need := 2 * (most.rows + most.packed)
	if s.packs() {
		need += int64(most.edges) * s.edgeBytes()
		if s.weighted {
			need += int64(most.edges) * 4
		}
	}
	return need
}

// fits reports whether the buffers are long enough.
func (s *shardWriter) fits(most shardSizes) bool {
	return int64(len(s.blobs[0])) >= most.rows && int64(len(s.packed[0])) >= most.packed &&
		(!s.packs() || !s.weighted || len(s.loose) >= int(most.edges))
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
	if s.weighted {
		s.loose, err = hostmem.Slice[float32](int(most.edges))
	}
	return err
}

func (s *shardWriter) free() {
	for i := range s.blobs {
		hostmem.FreeBytes(s.blobs[i])
		hostmem.FreeBytes(s.packed[i])
	}
	hostmem.Free(s.loose)
	s.packer, s.loose, s.blobs, s.packed = packed.Packer{}, nil, [2][]byte{}, [2][]byte{}
}

// edges is the number of edges of shard i on this side.
func (s *sideStore) edges(i int) uint32 {
	if s.dir == shard.Out {
		return s.shards[i].Out
	}
	return s.shards[i].In
}

// packs reports whether the side is packed.
func (s *sideStore) packs() bool { return s.layout == store.Packed && s.dir == shard.In }

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
	at := s.at
	s.at = 1 - at
	if err := s.wait(at); err != nil {
		return nil, err
	}
	dir := s.dir
	if s.packs() && s.mirror {
		dir = shard.Out // it is stored as that too
	}
	weighted := s.weighted && !s.packs()
	blob := s.blobs[at][:rows.Size(info.Vertices, edges, weighted)]
	side := rows.Layout(blob, dir, uint32(i), info.First, info.Vertices, edges, weighted)
	if s.weighted && !weighted {
		side.Weight = s.loose[:edges]
	}
	k := uint32(0)
	for v := range end {
		side.Off[v] = k
		list := g.nbr[start[v]:end[v]]
		last := uint32(0)
		for _, u := range list {
			if u < last {
				return nil, fmt.Errorf("import: shard %d (%s side) came out of order; this is a fault of garaph, please report it", i, s.dir)
			}
			last = u
			side.Nbr[k] = u
			k++
		}
		if s.weighted {
			w := side.Weight[k-uint32(len(list)) : k]
			copy(w, g.weights[start[v]:end[v]])
			sortWeights(list, w)
		}
	}
	side.Off[info.Vertices] = k
	done := make(chan error, 1)
	s.storing[at] = done
	if s.packs() {
		return side, s.pack(i, at, side, done)
	}
	s.seal(side)
	go func() { done <- s.out.PutShard(i, side) }()
	return side, nil
}

// pack stores the in side of shard i packed, and its rows if they are the out side.
func (s *shardWriter) pack(i, at int, side *rows.Side, done chan error) error {
	in := *side
	in.Dir = shard.In
	err := s.packer.Side(&in, s.weighted)
	if err == nil && s.packer.Size() > int64(len(s.packed[at])) {
		err = fmt.Errorf("%d edges take %d bytes; this is a fault of garaph, please report it", side.Edges(), s.packer.Size())
	}
	if err != nil {
		close(done)
		return fmt.Errorf("import: pack shard %d: %w", i, err)
	}
	blob := s.packed[at][:s.packer.Size()]
	info := &s.shards[i]
	info.In, info.InSum = side.Edges(), s.packer.Write(blob)
	s.bytes.Add(int64(len(blob)))
	if s.mirror {
		side.Weight = nil
		s.seal(side)
	}
	go func() {
		x, err := packed.Decode(blob)
		if err == nil {
			err = s.out.PutShard(i, x)
		}
		if err == nil && s.mirror {
			err = s.out.PutShard(i, side)
		}
		done <- err
	}()
	return nil
}

// seal completes the blob of a side of rows, and notes what is in it.
func (s *shardWriter) seal(side *rows.Side) {
	info := &s.shards[side.Index]
	if sum := rows.Seal(side.Blob()); side.Dir == shard.Out {
		info.Out, info.OutSum = side.Edges(), sum
	} else {
		info.In, info.InSum = side.Edges(), sum
	}
	s.bytes.Add(int64(len(side.Blob())))
}
