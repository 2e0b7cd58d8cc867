package frontier

import (
	"errors"
	"fmt"
)

// ErrFull is a frontier without room for what joins it.
var ErrFull = errors.New("the frontier is full")

// A Frontier is a list of vertices, or of edges by their positions in [Rows], for operators. What
// joins it waits in a [Lane] for each goroutine, and is appended to one list. Its order is
// not determined, and what joins twice is there twice: the function of an operator says what
// joins. A list that is not cleared between operators keeps them all, so that where each
// member joins once, one list has room for all iterations.
type Frontier[T ID] struct {
	queue *Queue[T]
	lanes []*Lane[T] // by worker
	begun int64      // members before the operator that runs
}

// New makes an empty frontier for a number of goroutines, in memory for all that it will
// hold, which remains the caller's.
func New[T ID](memory []T, threads int) *Frontier[T] {
	f := &Frontier[T]{queue: NewQueue(memory), lanes: make([]*Lane[T], threads)}
	for i := range f.lanes {
		f.lanes[i] = &Lane[T]{queue: f.queue, buffer: make([]T, 0, collected)}
	}
	return f
}

// List returns the members. It is valid until [Frontier.Clear].
func (f *Frontier[T]) List() []T { return f.queue.List() }

// Clear removes all members.
func (f *Frontier[T]) Clear() { f.queue.Clear() }

// Add adds members, while no operator runs.
func (f *Frontier[T]) Add(members ...T) error {
	f.begin()
	for _, x := range members {
		f.lanes[0].Add(x)
	}
	return f.end(nil)
}

// begin is before an operator that adds to the frontier.
func (f *Frontier[T]) begin() { f.begun = f.queue.n.Load() }

// end is after it: the members are in the list, or if it failed, those that the frontier had are.
func (f *Frontier[T]) end(err error) error {
	for _, l := range f.lanes {
		if err == nil {
			l.flush()
			err = l.err
		}
		l.buffer, l.err = l.buffer[:0], nil
	}
	if err != nil {
		f.queue.n.Store(f.begun)
	}
	return err
}

// Lane is one goroutine's queue of what joins a frontier.
type Lane[T ID] struct {
	queue  *Queue[T]
	buffer []T
	err    error // of a flush
}

// Add adds a member.
func (l *Lane[T]) Add(x T) {
	if len(l.buffer) == cap(l.buffer) {
		l.flush()
	}
	l.buffer = append(l.buffer, x)
}

func (l *Lane[T]) flush() {
	if !l.queue.put(l.buffer) {
		l.err = fmt.Errorf("%w: it has room for %d members", ErrFull, len(l.queue.list))
	}
	l.buffer = l.buffer[:0]
}
