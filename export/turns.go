package export

import (
	"context"
	"io"
	"sync"
)

// bufferBytes is the size of the text that a goroutine collects before it writes.
const bufferBytes = 256 << 10

// turns orders the writes of goroutines by the vertices of their text.
// The goroutine with the lowest vertex never waits.
type turns struct {
	w io.Writer

	mu     sync.Mutex // guards the rest
	passed *sync.Cond // next or failed has changed
	next   uint32     // the vertex with which the block begins whose turn it is
	failed error
}

func newTurns(w io.Writer) *turns {
	t := &turns{w: w}
	t.passed = sync.NewCond(&t.mu)
	return t
}

// begin starts again at a vertex. Until end is called, the end of ctx ends all waiting.
func (t *turns) begin(ctx context.Context, first uint32) (end func() bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next, t.failed = first, nil
	return context.AfterFunc(ctx, func() { t.fail(ctx.Err()) })
}

// write waits for the turn of a block and writes some of it.
func (t *turns) write(first uint32, b []byte) error {
	return t.turn(first, func() error {
		if len(b) == 0 {
			return nil
		}
		_, err := t.w.Write(b)
		return err
	})
}

// turn waits for the turn of a block and calls do, if not nil. Calls do not overlap.
func (t *turns) turn(first uint32, do func() error) error {
	t.mu.Lock()
	for t.next != first && t.failed == nil {
		t.passed.Wait()
	}
	err := t.failed
	t.mu.Unlock()
	if err != nil || do == nil {
		return err
	}
	return do()
}

// done gives the turn to the block that begins at a vertex.
func (t *turns) done(next uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next = next
	t.passed.Broadcast()
}

// fail ends all waiting.
func (t *turns) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed == nil {
		t.failed = err
	}
	t.passed.Broadcast()
}
