package ingest

import (
	"context"
	"io"

	cols "github.com/garaph/garaph/internal/columns"
)

// blockPad is how many zero bytes follow the data of a block, so that eight
// bytes can be loaded anywhere in it. A zero byte ends a number and is neither
// separator nor newline, so the loops never run past the data.
const blockPad = 32

// readBlock is a part of an input that one goroutine parses: whole lines, or
// whole records. Its bytes are followed by blockPad zero bytes.
type readBlock struct {
	seq  int64      // its number among all blocks of all inputs, in their order
	plan *inputPlan // the input it is from
	data []byte
	at   int64 // binary formats: the offset of data in the input

	// In .sg files: data begins with the neighbours of vertex, of which passed
	// are in earlier blocks.
	vertex int64
	passed int64

	// In formats of columns: rows to read, in place of data; release is called when they were.
	rows    any
	release func()
}

// padded is the block with its padding.
func (b *readBlock) padded() []byte { return b.data[:len(b.data)+blockPad] }

// blockPool bounds and recycles the block buffers: a goroutine that reads takes
// one and waits while all are being parsed.
type blockPool struct {
	free chan []byte // a nil buffer is one that was not made yet
	size int
}

// newBlockPool makes a pool of n buffers of size bytes each and the padding.
func newBlockPool(n, size int) *blockPool {
	p := &blockPool{free: make(chan []byte, n), size: size}
	for range n {
		p.free <- nil
	}
	return p
}

// get takes a buffer; its length is without the padding.
func (p *blockPool) get(ctx context.Context) ([]byte, error) {
	select {
	case buf := <-p.free:
		if buf == nil {
			buf = make([]byte, p.size+blockPad)
		}
		return buf[:p.size], nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// put returns a buffer. One that was grown for a long line is let go.
func (p *blockPool) put(buf []byte) {
	if cap(buf) != p.size+blockPad {
		buf = nil
	}
	p.free <- buf
}

// blockFeed is the reading side: it cuts one input after the other into blocks
// and hands them out in order.
type blockFeed struct {
	ctx     context.Context
	pool    *blockPool
	out     chan<- *readBlock
	next    int64 // seq of the next block
	stopped func() bool
	moved   func() // called after each block: progress

	progress *readProgress
	memory   *cols.Memory // of the rows that are being read
}

// emit numbers b, whose data starts a buffer of the pool, and hands it out.
func (f *blockFeed) emit(b *readBlock) error {
	if len(b.data) == 0 {
		f.pool.put(b.data)
		return nil
	}
	if f.stopped() {
		return errStopped
	}
	clear(b.padded()[len(b.data):])
	return f.hand(b)
}

// emitRows numbers b, which has no data, and hands it out.
func (f *blockFeed) emitRows(b *readBlock) error {
	if f.stopped() {
		b.release()
		return errStopped
	}
	return f.hand(b)
}

func (f *blockFeed) hand(b *readBlock) error {
	b.seq = f.next
	f.next++
	select {
	case f.out <- b:
		f.moved()
		return nil
	case <-f.ctx.Done():
		if b.release != nil {
			b.release()
		}
		return context.Cause(f.ctx)
	}
}

// discarded takes what is passed over, and ends when reading is to stop.
type discarded struct{ f *blockFeed }

func (d discarded) Write(b []byte) (int, error) {
	if d.f.ctx.Err() != nil {
		return 0, context.Cause(d.f.ctx)
	}
	if d.f.stopped() {
		return 0, errStopped
	}
	d.f.moved()
	return len(b), nil
}

// maxEmptyReads is how often a reader may return nothing without an error.
const maxEmptyReads = 100

// readFull reads until buf is full, or else until the input ends (io.EOF) or
// fails, and returns how many bytes it got.
func readFull(r io.Reader, buf []byte) (int, error) {
	n, empty := 0, 0
	for n < len(buf) {
		m, err := r.Read(buf[n:])
		n += m
		if err != nil && n < len(buf) {
			return n, err
		}
		if empty++; m > 0 {
			empty = 0
		} else if empty == maxEmptyReads {
			return n, io.ErrNoProgress
		}
	}
	return n, nil
}
