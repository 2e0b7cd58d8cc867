package store

import (
	"errors"
	"fmt"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
)

// Sides of shards are read with everything in them, or bare: without the weights behind
// everything else ([Catalogue.Bare]), which are not checked then.

// A Check checks the values of a side of a graph with a number of vertices, beyond its checksums:
// [shard.Side.CheckValues], or the part of it that other code omits. It is nil if a side with the same checksum was
// checked before.
type Check func(side shard.Side, vertices uint32) error

// ReadShard reads a shard's blob into dst, which must have the size that
// [Catalogue.Bytes] gives and 4-byte alignment, and decodes it. An error names
// graph, shard and side.
func (s *Store) ReadShard(dir shard.Direction, i int, dst []byte) (shard.Side, error) {
	return s.LoadShard(dir, i, dst, shard.Side.CheckValues)
}

// LoadShard is [Store.ReadShard] with a check.
func (s *Store) LoadShard(dir shard.Direction, i int, dst []byte, check Check) (shard.Side, error) {
	return s.load(dir, i, dst, false, false, check)
}

// StreamShard is [Store.LoadShard] for shards that are read again and again
// because they don't stay in memory. What the system's page cache has of one comes
// from there. The rest is read past the cache, which a graph larger than memory
// would only churn, where the system can do that and dst begins at a multiple of
// 4 KiB.
func (s *Store) StreamShard(dir shard.Direction, i int, dst []byte, check Check) (shard.Side, error) {
	return s.load(dir, i, dst, false, true, check)
}

// LoadBare is [Store.LoadShard] without weights. Of dst, which has [Catalogue.BareBytes] at
// least, the side takes what it needs.
func (s *Store) LoadBare(dir shard.Direction, i int, dst []byte, check Check) (shard.Side, error) {
	return s.load(dir, i, dst, true, false, check)
}

// StreamBare is [Store.StreamShard] without weights.
func (s *Store) StreamBare(dir shard.Direction, i int, dst []byte, check Check) (shard.Side, error) {
	return s.load(dir, i, dst, true, true, check)
}

func (s *Store) load(dir shard.Direction, i int, dst []byte, bare, stream bool, check Check) (shard.Side, error) {
	e, err := s.extent(dir, i, bare)
	if err == nil && bare && e.Bytes < int64(len(dst)) {
		dst = dst[:e.Bytes:e.Bytes]
	}
	if err == nil && !(stream && s.payload.readStreamed(e, dst)) {
		err = s.payload.read(e, dst)
	}
	if err != nil {
		return nil, s.ShardError(dir, i, err)
	}
	return s.decode(dir, i, dst, bare, check)
}

// side finds a shard's blob: its place, and its checksum.
func (s *Store) side(dir shard.Direction, i int) (Extent, uint32) {
	e, is := s.cat.Blob(dir, i), s.cat.Stored(dir)
	switch is {
	case shard.In:
		return e, s.cat.Shards[i].InSum
	case shard.Out:
		return e, s.cat.Shards[i].OutSum
	}
	return e, s.cat.Shards[i].beside[is-shard.InRows].sum
}

// extent returns where a side lies.
func (s *Store) extent(dir shard.Direction, i int, bare bool) (Extent, error) {
	e, _ := s.side(dir, i)
	if !bare {
		return e, nil
	}
	var head [shard.HeaderBytes]byte
	err := s.payload.read(Extent{e.Off, shard.HeaderBytes}, head[:])
	if err == nil {
		e.Bytes, err = packed.BareBytes(head[:], e.Bytes)
	}
	return e, err
}

// decode decodes the blob of a shard and compares it with the catalogue: it must be
// this very shard.
func (s *Store) decode(dir shard.Direction, i int, blob []byte, bare bool, check Check) (side shard.Side, err error) {
	h, err := shard.DecodeHeader(blob)
	if err == nil {
		err = s.Matches(dir, i, h)
	}
	switch {
	case err != nil:
	case bare:
		side, err = packed.DecodeBare(blob)
	default:
		side, err = shard.Decode(blob)
	}
	if err == nil && check != nil {
		err = check(side, s.cat.Vertices)
	}
	if err != nil {
		return nil, s.ShardError(dir, i, err)
	}
	return side, nil
}

// ReadPart reads a part of a shard's blob into dst, from byte at on, without checks. The caller reports errors with
// [Store.ShardError].
func (s *Store) ReadPart(dir shard.Direction, i int, at int64, dst []byte) error {
	e, _ := s.side(dir, i)
	if n := int64(len(dst)); at < 0 || at > e.Bytes || n > e.Bytes-at {
		return s.ShardError(dir, i, fmt.Errorf("%w: %d bytes at %d of %d", ErrDamaged, n, at, e.Bytes))
	}
	if err := s.payload.read(Extent{e.Off + at, int64(len(dst))}, dst); err != nil {
		return s.ShardError(dir, i, err)
	}
	return nil
}

// Prefetch starts reading a shard's blob from disk.
func (s *Store) Prefetch(dir shard.Direction, i int) {
	s.PrefetchPart(dir, i, s.cat.Bytes(dir, i))
}

// PrefetchPart starts reading the first n bytes of one.
func (s *Store) PrefetchPart(dir shard.Direction, i int, n int64) {
	e, _ := s.side(dir, i)
	s.payload.prefetch(Extent{e.Off, min(n, e.Bytes)})
}

// Matches compares the header of a side with the catalogue.
func (s *Store) Matches(dir shard.Direction, i int, h shard.Header) error {
	info, edges, is := s.cat.Shards[i], s.cat.SideEdges(dir, i), s.cat.Stored(dir)
	said, weighted := shard.In, is >= shard.OutWeights || is == shard.In && s.cat.Weighted
	if is == shard.Out || is == shard.OutWeights {
		said = shard.Out
	}
	if _, want := s.side(dir, i); h.Checksum != want || h.Index != uint32(i) || h.First != info.First || h.Vertices != info.Vertices {
		return fmt.Errorf("%w: it is shard %d with checksum %08x, the catalogue expects %08x", ErrDamaged, h.Index, h.Checksum, want)
	}
	if want := s.cat.Encoding(is); h.Version != want && (h.Version != rows.Version || h.Vertices > 1 || is >= shard.OutWeights) {
		return fmt.Errorf("%w: its encoding is version %d, this build has version %d there", ErrDamaged, h.Version, want)
	}
	if h.Dir != said || h.Edges != edges || shard.WeightBytes(weighted, s.cat.Wide) != h.WeightBytes() {
		return fmt.Errorf("%w: it is an %s side of %d edges, the catalogue expects an %s side of %d (with weights: %v)", ErrDamaged, h.Dir, h.Edges, said, edges, weighted)
	}
	return nil
}

// ShardError returns the error of a damaged side of a shard: it names them and says what to do.
func (s *Store) ShardError(dir shard.Direction, i int, err error) error {
	if closed := s.CheckOpen(); closed != nil {
		return closed
	}
	if !errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return s.repairable(fmt.Errorf("graph %s: shard %d (%s side): %w", s.name, i, dir, err))
}

// repairable reports what to do with a damaged graph.
func (s *Store) repairable(err error) error {
	if !errors.Is(err, ErrDamaged) {
		return err
	}
	return fmt.Errorf("%w; `garaph verify %s` lists all damage, a new import repairs it", err, s.name)
}
