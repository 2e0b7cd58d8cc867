package garaph

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrInUse is the error of closing a graph or a result while a call that uses it is in progress.
var ErrInUse = errors.New("it is in use; close it after the last call has returned")

// errNoValues is the error of a result that was closed or whose run failed.
var errNoValues = errors.New("the result has no values: it is closed, or its run failed")

// uses keeps something open while calls use it. Uses may nest: close never waits for them, but fails.
type uses struct {
	mu     sync.RWMutex // read-locked by each use
	closed bool
}

// begin begins a use and reports whether there can be one; end ends it.
func (u *uses) begin() bool {
	u.mu.RLock()
	if u.closed {
		u.mu.RUnlock()
		return false
	}
	return true
}

func (u *uses) end() { u.mu.RUnlock() }

// close calls free once, unless there are uses.
func (u *uses) close(free func() error) error {
	if !u.mu.TryLock() {
		return ErrInUse
	}
	defer u.mu.Unlock()
	if u.closed {
		return nil
	}
	u.closed = true
	return free()
}

// begin keeps the graph open until [Graph.end].
func (g *Graph) begin() error {
	if !g.uses.begin() {
		return fmt.Errorf("graph %s: %w", g.store.Name(), ErrClosed)
	}
	return nil
}

// end ends a use of the graph under a context. After a cancellation the error is, for errors.Is, both the
// context's and its cause, whichever of them ended the work.
func (g *Graph) end(ctx context.Context, err *error) {
	g.uses.end()
	ofContext(ctx, err)
}

func ofContext(ctx context.Context, err *error) {
	why, cause := ctx.Err(), context.Cause(ctx)
	if *err == nil || why == nil {
		return
	}
	switch is, has := errors.Is(*err, why), errors.Is(*err, cause); {
	case is && !has:
		*err = fmt.Errorf("%w: %w", *err, cause)
	case has && !is:
		*err = fmt.Errorf("%w: %w", why, *err)
	}
}

// beginReading keeps the values, and the graph that has their ids, until [Result.endReading].
func (r *Result) beginReading() error {
	if r.table == nil || !r.uses.begin() {
		return errNoValues
	}
	err := r.graph.begin()
	if err != nil {
		r.uses.end()
	}
	return err
}

func (r *Result) endReading() {
	r.graph.uses.end()
	r.uses.end()
}
