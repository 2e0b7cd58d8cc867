package page

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/store"
)

// SharedRows are plain rows that the jobs over an open graph share: the first one that needs them loads them.
type SharedRows struct {
	whole WholeRows
	store *store.Store

	mu    sync.Mutex // guards the rest, and is held while rows are loaded
	rows  *frontier.Rows
	users int
}

// Shared returns the shared rows, in memory of package hostmem, which may not be loaded yet.
func (w WholeRows) Shared(s *store.Store) (*SharedRows, error) {
	key := fmt.Sprint("rows", w.Weighted)
	for _, dir := range w.Sides {
		key += fmt.Sprint(w.stored(s.Catalogue(), dir), w.transposed(s.Catalogue()))
	}
	x, err := s.Keep(key, func() (io.Closer, error) { return &SharedRows{whole: w, store: s}, nil })
	if err != nil {
		return nil, err
	}
	return x.(*SharedRows), nil
}

// Loaded reports whether the rows are in memory.
func (x *SharedRows) Loaded() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.rows != nil
}

// Acquire returns the rows and the number of bytes that it read. It loads them unless they are there. Release ends
// their use.
func (x *SharedRows) Acquire(ctx context.Context, threads int) (r *frontier.Rows, read int64, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.rows == nil {
		w := x.whole
		w.Threads = threads
		if x.rows, err = w.Load(ctx, x.store); err != nil {
			return nil, 0, err
		}
		read = w.Reads(x.store.Catalogue())
	}
	x.users++
	return x.rows, read, nil
}

// Release ends a use of the rows. If keep is set, they stay in memory for later ones.
func (x *SharedRows) Release(keep bool) {
	x.mu.Lock()
	x.users--
	x.mu.Unlock()
	if !keep {
		x.Shed()
	}
}

// Shed frees the rows unless they are in use.
func (x *SharedRows) Shed() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.users == 0 {
		_ = x.whole.Free(x.rows) // plain memory, whose return does not fail
		x.rows = nil
	}
}

// Close frees the rows.
func (x *SharedRows) Close() error {
	x.users = 0 // no job is left
	x.Shed()
	return nil
}
