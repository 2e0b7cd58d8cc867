package read

import (
	"context"
	"io"

	cols "github.com/garaph/garaph/internal/columns"
)

// Padding is the number of zero bytes that follow the data of a block, so that eight
// bytes can be loaded anywhere in it. A zero byte ends a number and is neither
// separator nor newline, so the loops never run past the data.
const Padding = 32

// Block is a part of an input that one goroutine parses: whole lines, or
// whole records. Its bytes are followed by Padding zero bytes.
type Block struct {
	seq  int64 // its number among all blocks of all inputs, in their order
	Plan *Plan // the input it is from
	Data []byte
	At   int64 // binary formats: the offset of data in the input

	// In .sg files: data begins with the neighbours of vertex, of which passed
	// are in earlier blocks.
	Vertex int64
	Passed int64

	// In formats of columns: rows to read, in place of data; release is called when they were.
	Rows    any
	Release func()
}

// Padded returns the block with its padding.
func (b *Block) Padded() []byte { return b.Data[:len(b.Data)+Padding] }

// Pool bounds and recycles the block buffers: a goroutine that reads takes
// one and waits while all are being parsed.
type Pool struct {
	free chan []byte // a nil buffer is one that was not made yet
	size int
}

// newBlockPool makes a pool of n buffers of size bytes each and the padding.
func newBlockPool(n, size int) *Pool {
	p := &Pool{free: make(chan []byte, n), size: size}
	for range n {
		p.free <- nil
	}
	return p
}

// Get takes a buffer; its length is without the padding.
func (p *Pool) Get(ctx context.Context) ([]byte, error) {
	select {
	case buf := <-p.free:
		if buf == nil {
			buf = make([]byte, p.size+Padding)
		}
		return buf[:p.size], nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// put returns a buffer. One that was grown for a long line is let go.
func (p *Pool) put(buf []byte) {
	if cap(buf) != p.size+Padding {
		buf = nil
	}
	p.free <- buf
}

// Feed is the reading side: it cuts one input after the other into blocks
// and hands them out in order.
type Feed struct {
	Ctx     context.Context
	Pool    *Pool
	out     chan<- *Block
	next    int64 // seq of the next block
	stopped func() bool
	moved   func() // called after each block: progress

	Progress *Progress
	Memory   *cols.Memory // of the rows that are being read
}

// Emit numbers b, whose data starts a buffer of the pool, and hands it out.
func (f *Feed) Emit(b *Block) error {
	if len(b.Data) == 0 {
		f.Pool.put(b.Data)
		return nil
	}
	if f.stopped() {
		return errStopped
	}
	clear(b.Padded()[len(b.Data):])
	return f.hand(b)
}

// EmitRows numbers b, which has no data, and hands it out.
func (f *Feed) EmitRows(b *Block) error {
	if f.stopped() {
		b.Release()
		return errStopped
	}
	return f.hand(b)
}

func (f *Feed) hand(b *Block) error {
	b.seq = f.next
	f.next++
	select {
	case f.out <- b:
		f.moved()
		return nil
	case <-f.Ctx.Done():
		if b.Release != nil {
			b.Release()
		}
		return context.Cause(f.Ctx)
	}
}

// Going reports progress, and returns an error if reading is to stop.
func (f *Feed) Going() error {
	if f.Ctx.Err() != nil {
		return context.Cause(f.Ctx)
	}
	if f.stopped() {
		return errStopped
	}
	f.moved()
	return nil
}

// Skip passes over n bytes of r.
func (f *Feed) Skip(r io.Reader, n int64) error {
	_, err := io.CopyN(skipped{f}, r, n)
	return err
}

// skipped takes bytes that are passed over.
type skipped struct{ f *Feed }

func (s skipped) Write(b []byte) (int, error) { return len(b), s.f.Going() }

// Full reads until buf is full, or else until the input ends (io.EOF) or
// fails, and returns how many bytes it got.
func Full(r io.Reader, buf []byte) (int, error) {
	n, err := io.ReadFull(r, buf)
	if err == io.ErrUnexpectedEOF && n < len(buf) {
		err = io.EOF
	}
	return n, err
}
