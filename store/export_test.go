package store

import (
	"os"

	"github.com/garaph/garaph/shard"
)

// Placed reports whether StreamShard reads the shard past the page cache.
func (s *Store) Placed(dir shard.Direction, i int) bool { return s.placeOf(dir, i).file != nil }

// CloseDB takes Badger away, so that only what was placed can still be read.
func (s *Store) CloseDB() error { return s.db.Close() }

// ReadPast reads part of a file that is open past the page cache, as StreamShard
// does.
func ReadPast(f *os.File, at int64, dst []byte) bool { return place{f, at}.read(dst) }

// SetExchange puts in what changes the places of two folders, and gives what
// puts it back.
func SetExchange(f func(a, b string) error) (back func()) {
	was := exchange
	exchange = f
	return func() { exchange = was }
}
