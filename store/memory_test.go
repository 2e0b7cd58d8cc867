package store_test

import (
	"errors"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// TestDirectoryWithinMemory checks that a graph of very many shards is refused before they are
// read, where the process may not have the memory for them.
func TestDirectoryWithinMemory(t *testing.T) {
	path := filepath.Join(memoryDir(t), "g")
	write(t, path, random(1, 20_000, 100), teststore.Options{ShardVertices: 1})
	limit := debug.SetMemoryLimit(46 << 20)
	s, err := store.Open(path)
	debug.SetMemoryLimit(limit)
	if !errors.Is(err, store.ErrMemory) || s != nil {
		t.Errorf("within 46 MiB: %v", err)
	}
	if got := len(open(t, path).Catalogue().Shards); got != 20_000 {
		t.Errorf("%d shards", got)
	}
}
