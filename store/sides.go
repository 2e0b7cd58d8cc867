package store

import (
	"errors"
	"fmt"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/packedrows"
)

// A Check checks the values of a side of a graph with a number of vertices, beyond its checksums:
// [shard.Side.CheckValues], or the part of it that other code omits. It is nil if a side with the same checksum was
// checked before.
type Check func(side shard.Side, vertices uint32) error

// ReadShard reads a shard's blob into dst, which must have the size that
// [Catalogue.Bytes] gives and 4-byte alignment, and decodes it. An error names
// graph, shard and side.
func (s *Store) ReadShard(dir shard.Direction, i int, dst []byte) (shard.Side, error) {
	return s.Read(dir, i, dst, Reading{Check: shard.Side.CheckValues})
}

// Reading is how a side is read.
type Reading struct {
	// Bare leaves out the weights at the end ([Catalogue.Bare]), which are not checked then.
	// The side needs a buffer of at most [Catalogue.BareBytes].
	Bare bool
	// Direct reads past the system's page cache, where the system can do that and the buffer begins at a
	// multiple of 4 KiB.
	Direct bool
	// Check is an additional check. If nil, the side was read with all checks before, and checksums are enough: they
	// are those of the catalogue.
	Check Check
}

// Read is [Store.ReadShard] in another way.
func (s *Store) Read(dir shard.Direction, i int, dst []byte, o Reading) (shard.Side, error) {
	e, err := s.extent(dir, i, o.Bare)
	if err == nil && o.Bare && e.Bytes < int64(len(dst)) {
		dst = dst[:e.Bytes:e.Bytes]
	}
	if err == nil && !(o.Direct && s.payload.readDirect(e, dst)) {
		err = s.payload.read(e, dst)
	}
	if err != nil {
		return nil, s.ShardError(dir, i, err)
	}
	return s.decode(dir, i, dst, o.Bare, o.Check)
}

// extent returns where a side lies.
func (s *Store) extent(dir shard.Direction, i int, bare bool) (Extent, error) {
	e, _ := s.cat.side(dir, i)
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
		err = s.cat.Matches(dir, i, h)
	}
	switch {
	case err != nil:
	case bare:
		side, err = packed.DecodeBare(blob)
	case check == nil && h.Version == packedrows.Version:
		side, err = packedrows.Open(blob)
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

// ReadPart reads a part of a shard's blob into dst, from byte at on, without checks: past the system's page cache if
// direct is set, where that is possible as in [Reading]. The caller reports errors with [Store.ShardError].
func (s *Store) ReadPart(dir shard.Direction, i int, at int64, dst []byte, direct bool) error {
	e, _ := s.cat.side(dir, i)
	if n := int64(len(dst)); at < 0 || at > e.Bytes || n > e.Bytes-at {
		return s.ShardError(dir, i, fmt.Errorf("%w: %d bytes at %d of %d", ErrDamaged, n, at, e.Bytes))
	}
	part := Extent{e.Off + at, int64(len(dst))}
	if direct && s.payload.readDirect(part, dst) {
		return nil
	}
	if err := s.payload.read(part, dst); err != nil {
		return s.ShardError(dir, i, err)
	}
	return nil
}

// Prefetch starts reading the first n bytes of a shard's blob from disk.
func (s *Store) Prefetch(dir shard.Direction, i int, n int64) {
	e, _ := s.cat.side(dir, i)
	s.payload.prefetch(Extent{e.Off, min(n, e.Bytes)})
}

// ShardError returns the error of a damaged side of a shard: it names them and a remedy.
func (s *Store) ShardError(dir shard.Direction, i int, err error) error {
	if closed := s.CheckOpen(); closed != nil {
		return closed
	}
	if !errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return s.repairable(fmt.Errorf("graph %s: shard %d (%s side): %w", s.name, i, dir, err))
}

// repairable adds a remedy to the error of a damaged graph.
func (s *Store) repairable(err error) error {
	if !errors.Is(err, ErrDamaged) {
		return err
	}
	return fmt.Errorf("%w; `garaph verify %s` lists all damage, a new import repairs it", err, s.name)
}
