package store

import "github.com/garaph/garaph/shard"

// Placed reports whether StreamShard reads the shard past the page cache.
func (s *Store) Placed(dir shard.Direction, i int) bool { return s.placeOf(dir, i).file != nil }

// CloseDB takes Badger away, so that only what was placed can still be read.
func (s *Store) CloseDB() error { return s.db.Close() }
