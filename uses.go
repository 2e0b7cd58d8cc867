package garaph

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/garaph/garaph/gas"
)

// uses counts who is using what may be closed meanwhile, from another goroutine or by those who use it, in a callback
// or amid a loop. Nothing is used any more once it is closed, and nobody waits: the last use to end frees it, or close
// where there is none.
type uses struct {
	mu     sync.Mutex // guards the rest
	n      int
	closed bool
	free   func() error // not nil: the last use to end calls it
}

// begin begins a use, which end ends; false: it is closed.
func (u *uses) begin() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.closed {
		u.n++
	}
	return !u.closed
}

// end ends a use, and adds to its error that of freeing what was closed.
func (u *uses) end(err *error) {
	u.mu.Lock()
	u.n--
	var free func() error
	if u.n == 0 {
		free, u.free = u.free, nil
	}
	u.mu.Unlock()
	if free == nil { // the lock is not held: free may take a while
		return
	}
	if failed := free(); failed != nil {
		*err = errors.Join(*err, failed)
	}
}

// close closes it, and has it freed once. The error is nil where that is left to a use.
func (u *uses) close(free func() error) error {
	u.mu.Lock()
	first, used := !u.closed, u.n > 0
	u.closed = true
	if first && used {
		u.free = free
	}
	u.mu.Unlock()
	if !first || used {
		return nil
	}
	return free()
}

func (u *uses) isClosed() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.closed
}

// errNoGraph is the error of a *Graph that is nil, and of the zero Graph.
var errNoGraph = errors.New("the *garaph.Graph is nil or the zero value: garaph.Open, FromEdges, FromWeighted and FromSlice make graphs")

// missing reports a graph that nothing has made.
func (g *Graph) missing() bool { return g == nil || g.store == nil }

// errNoContext is the error of a nil context.
var errNoContext = errors.New("the context is nil: take context.Background()")

// errNoProgram is the error of a nil program.
var errNoProgram = errors.New("the program is nil: package programs has some")

// errNoWriter is the error of a nil writer.
var errNoWriter = errors.New("the io.Writer is nil: take io.Discard to write nowhere")

// beginUse keeps the files of the graph, and its memory, until [Graph.endUse]; the error is [ErrClosed], or that of a graph
// that nothing has made.
func (g *Graph) beginUse() error {
	if g.missing() {
		return errNoGraph
	}
	if !g.uses.begin() {
		return fmt.Errorf("graph %s: %w", g.store.Name(), ErrClosed)
	}
	return nil
}

// beginUseIn is beginUse for what ends with a context, which must not be nil.
func (g *Graph) beginUseIn(ctx context.Context) error {
	if ctx == nil {
		return errNoContext
	}
	return g.beginUse()
}

func (g *Graph) endUse(err *error) { g.uses.end(err) }

// errNoValues is the error of a result that was closed, also while its values were read.
var errNoValues = errors.New("the result has no values any more: it is closed, or its run failed; read them before Close")

// readable reports a result whose values are not in memory.
func (r *Result) readable() error {
	if r == nil || r.table == nil || r.uses.isClosed() {
		return errNoValues
	}
	return nil
}

// beginReading keeps the values, and the graph that has their ids, until [Result.endReading].
func (r *Result) beginReading() error {
	if r == nil || r.table == nil || !r.uses.begin() {
		return errNoValues
	}
	err := r.graph.beginUse()
	if err != nil {
		r.uses.end(&err)
	}
	return err
}

func (r *Result) endReading(err *error) {
	r.graph.endUse(err)
	r.uses.end(err)
}

// valuesOf yields the values of vertices in [from, to), some at a time.
type valuesOf[V any] = func(from, to uint32, yield func(vs []gas.Vertex, values []V) error) error

// untilClosed ends the values with an error when the result is closed while they are read.
func untilClosed[V any](u *uses, values valuesOf[V]) valuesOf[V] {
	return func(from, to uint32, yield func([]gas.Vertex, []V) error) error {
		return values(from, to, func(vs []gas.Vertex, some []V) error {
			if u.isClosed() {
				return errNoValues
			}
			return yield(vs, some)
		})
	}
}

// ofContext is an error after a cancellation: for errors.Is it is the context's, and its cause too, whichever of
// them ended the work. Another error stays.
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
