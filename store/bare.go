package store

import (
	"fmt"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
)

// Sides that are [Catalogue.Bare], for programs that read no weights: these are not read, and so
// not checked.

// LoadBare is [Store.LoadShard] without weights. Of dst, which has [Catalogue.BareBytes] at
// least, the side takes what it needs.
func (s *Store) LoadBare(dir shard.Direction, i int, dst []byte, check Check) (shard.Side, error) {
	e, err := s.bare(dir, i, int64(len(dst)))
	if err == nil {
		dst = dst[:e.Bytes:e.Bytes]
		err = s.payload.read(e, dst)
	}
	if err != nil {
		return nil, s.ShardError(dir, i, err)
	}
	return s.decodeBare(dir, i, dst, check)
}

// StreamBare is [Store.StreamShard] without weights.
func (s *Store) StreamBare(dir shard.Direction, i int, dst []byte, check Check) (shard.Side, error) {
	e, err := s.bare(dir, i, int64(len(dst)))
	if err != nil || !s.payload.readStreamed(e, dst[:e.Bytes:e.Bytes]) {
		return s.LoadBare(dir, i, dst, check) // meets the error again, or not
	}
	return s.decodeBare(dir, i, dst[:e.Bytes:e.Bytes], check)
}

// ViewBare is [Store.ViewShard] without weights.
func (s *Store) ViewBare(dir shard.Direction, i int) (shard.Side, error) {
	e, err := s.bare(dir, i, s.cat.BareBytes(dir, i))
	if err != nil {
		return nil, s.ShardError(dir, i, err)
	}
	return s.view(e, func(blob []byte) (shard.Side, error) { return s.decodeBare(dir, i, blob, shard.Side.CheckValues) })
}

// bare is the part of a blob without weights, which has room bytes at most.
func (s *Store) bare(dir shard.Direction, i int, room int64) (Extent, error) {
	e, _ := s.side(dir, i)
	if !s.cat.Bare(dir, i) {
		return e, fmt.Errorf("%w: its weights do not lie apart", ErrDamaged)
	}
	var head [shard.HeaderBytes]byte
	if err := s.payload.read(Extent{e.Off, shard.HeaderBytes}, head[:]); err != nil {
		return e, err
	}
	n, err := packed.BareBytes(head[:], e.Bytes)
	if err == nil && n > room {
		err = fmt.Errorf("%w: %d bytes without weights, at most %d expected", ErrDamaged, n, room)
	}
	return Extent{e.Off, n}, err
}

// decodeBare is decode without weights.
func (s *Store) decodeBare(dir shard.Direction, i int, blob []byte, check Check) (shard.Side, error) {
	h, err := shard.DecodeHeader(blob)
	if err == nil {
		err = s.Matches(dir, i, h)
	}
	var side *packed.Side
	if err == nil {
		side, err = packed.DecodeBare(blob)
	}
	if err == nil && check != nil {
		err = check(side, s.cat.Vertices)
	}
	if err != nil {
		return nil, s.ShardError(dir, i, err)
	}
	return side, nil
}
