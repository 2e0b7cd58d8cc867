package ingest

import (
	"context"
	"errors"
	"io"
	"math"
	"sync"
	"sync/atomic"

	cols "github.com/garaph/garaph/internal/columns"
)

// inputBody reads what follows the header of one input. It is a streamBody, or a
// rowFeeder. parse runs in many goroutines, a block at a time.
type inputBody interface {
	parse(b *readBlock, w *parseWorker) error
}

// streamBody is read from its beginning to its end. feed runs in the goroutine that reads, and
// cuts the input into blocks.
type streamBody interface {
	feed(f *blockFeed, plan *inputPlan, r io.Reader) error
}

// rowFeeder is a body that cuts its input into tasks by itself, in place of blocks.
type rowFeeder interface {
	feedRows(f *blockFeed, plan *inputPlan) error
}

// inputFinish is what a body may have too: finish is called when everything was
// parsed without an error, and looks at the input as a whole.
type inputFinish interface {
	finish(plan *inputPlan) error
}

// readPipeline reads all inputs: the caller's goroutine cuts blocks, the
// workers' parse them and call the sink.
//
// Of several errors the first in the order of the inputs is reported, whatever
// the goroutines do: blocks are handed out in order, so when one is bad, those
// before it are parsed to the end and those behind it are passed over.
type readPipeline struct {
	plans  []*inputPlan
	schema Schema
	opts   ReadOptions

	blocks  chan *readBlock
	pool    *blockPool
	memory  *cols.Memory
	badSeq  atomic.Int64 // blocks behind this one need not be parsed
	parsing sync.WaitGroup
	closing sync.WaitGroup
	verdict chan struct{} // closed when good is set
	good    bool          // nothing failed: the sink's workers may be closed

	mu    sync.Mutex
	lines []int64     // guarded by mu: the number of lines of each block, for line numbers
	first placedError // guarded by mu: the first error so far

	unsigned bool // there is an id above MaxInt64
}

// noBlock is the seq of no block, behind all blocks.
const noBlock = math.MaxInt64

// parseWorker is the state of one parse goroutine.
type parseWorker struct {
	pipeline *readPipeline
	batch    *edgeBatch
	edge     lineEdge
	lines    int64 // lines parsed of the current block
	scratch  any   // memory of the parse method from block to block

	badLines int64
	firstBad placedError
	negative placedError // the first negative id, as the error it would be
	large    placedError // likewise the first above MaxInt64
}

// run reads all inputs into the sink and closes its workers when all is well.
func (p *readPipeline) run(ctx context.Context, sink Sink, progress *readProgress) (ReadStats, error) {
	threads := p.opts.Threads
	p.pool = newBlockPool(threads+3, p.opts.BlockBytes)
	p.memory = cols.NewMemory(p.opts.RowBytes)
	p.blocks = make(chan *readBlock, 1)
	p.verdict = make(chan struct{})
	p.badSeq.Store(noBlock)
	p.first.seq = noBlock

	workers := make([]*parseWorker, threads)
	p.parsing.Add(threads)
	p.closing.Add(threads)
	for i := range workers {
		workers[i] = &parseWorker{pipeline: p, batch: newEdgeBatch(sink.Worker(), p.schema)}
		go p.work(ctx, workers[i])
	}
	p.feedAll(ctx, progress)
	close(p.blocks)
	p.parsing.Wait()

	err := p.firstError(workers)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = p.checkCounts()
	}
	p.good = err == nil
	close(p.verdict)
	p.closing.Wait()
	if err == nil {
		err = p.first.err
	}
	stats := ReadStats{Inputs: len(p.plans), Bytes: progress.done, Unsigned: p.unsigned}
	for _, w := range workers {
		stats.Entries += w.batch.entries
		stats.BadLines += w.badLines
	}
	if err == nil {
		p.warnBadLines(workers, stats.BadLines)
		p.warnRounded(workers)
	}
	return stats, err
}

// feedAll cuts one input after the other into blocks.
func (p *readPipeline) feedAll(ctx context.Context, progress *readProgress) {
	f := &blockFeed{
		ctx: ctx, pool: p.pool, out: p.blocks, moved: progress.report,
		stopped: func() bool { return p.badSeq.Load() != noBlock }, progress: progress, memory: p.memory,
	}
	for _, plan := range p.plans {
		plan.firstSeq = f.next
		if err := p.feedOne(f, plan, progress); err != nil {
			if !errors.Is(err, errStopped) {
				p.fail(placedError{f.next, plan, err})
			}
			return
		}
	}
	progress.report()
}

func (p *readPipeline) feedOne(f *blockFeed, plan *inputPlan, progress *readProgress) error {
	if body, ok := plan.body.(rowFeeder); ok {
		return body.feedRows(f, plan)
	}
	body := plan.body.(streamBody) // it is one or the other
	s, err := plan.src.body(f.ctx, progress)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := io.CopyN(discarded{f}, s, plan.skipBytes); err != nil {
		return err
	}
	return body.feed(f, plan, s)
}

// work is one parse goroutine.
func (p *readPipeline) work(ctx context.Context, w *parseWorker) {
	defer p.closing.Done()
	for b := range p.blocks {
		if ctx.Err() == nil && b.seq <= p.badSeq.Load() {
			p.parseBlock(b, w)
		}
		if b.release != nil {
			b.release()
		} else {
			p.pool.put(b.data)
		}
	}
	if ctx.Err() == nil && p.badSeq.Load() == noBlock {
		if err := w.batch.flush(); err != nil {
			p.fail(placedError{seq: noBlock - 1, err: err})
		}
	}
	p.parsing.Done()
	<-p.verdict
	if !p.good {
		return
	}
	if err := w.batch.sink.Close(); err != nil {
		p.fail(placedError{seq: noBlock - 1, err: err})
	}
}

func (p *readPipeline) parseBlock(b *readBlock, w *parseWorker) {
	w.lines = 0
	before := w.batch.entries + int64(w.batch.n)
	if err := b.plan.body.parse(b, w); err != nil {
		p.fail(placedError{b.seq, b.plan, err})
		return
	}
	b.plan.entries.Add(w.batch.entries + int64(w.batch.n) - before)
	p.mu.Lock()
	for int64(len(p.lines)) <= b.seq {
		p.lines = append(p.lines, 0)
	}
	p.lines[b.seq] = w.lines
	p.mu.Unlock()
}

// fail notes an error; the first in the order of the inputs stays.
func (p *readPipeline) fail(e placedError) {
	p.mu.Lock()
	if e.seq < p.first.seq {
		p.first = e
	}
	p.mu.Unlock()
	p.stopAfter(e.seq)
}

// stopAfter makes the goroutines pass over the blocks behind seq.
func (p *readPipeline) stopAfter(seq int64) {
	for {
		old := p.badSeq.Load()
		if old <= seq || p.badSeq.CompareAndSwap(old, seq) {
			return
		}
	}
}
