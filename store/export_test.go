package store

import "os"

// ReadDirect reads part of a file that is open past the page cache, as a streaming Read
// does.
func ReadDirect(f *os.File, at int64, dst []byte) bool {
	return (&payload{direct: f}).readDirect(Extent{at, int64(len(dst))}, dst)
}

// SetExchange puts in what changes the places of two folders, and returns what
// puts it back.
func SetExchange(f func(a, b string) error) (back func()) {
	was := exchange
	exchange = f
	return func() { exchange = was }
}
