package read

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"sync"
	"sync/atomic"

	cols "github.com/garaph/garaph/internal/columns"
)

// Body reads the edges behind the header of one input. It is a streamBody, or a
// rowFeeder. parse runs in many goroutines, a block at a time.
type Body interface {
	Parse(b *Block, w *Parser) error
}

// streamBody is read from its beginning to its end. feed runs in the goroutine that reads, and
// cuts the input into blocks.
type streamBody interface {
	Feed(f *Feed, plan *Plan, r io.Reader) error
}

// rowFeeder is a body that cuts its input into tasks by itself, in place of blocks.
type rowFeeder interface {
	FeedRows(f *Feed, plan *Plan) error
}

// inputFinish is an optional method of a body: it is called when everything was
// parsed without an error, and looks at the input as a whole.
type inputFinish interface {
	Finish(plan *Plan) error
}

// readPipeline reads all inputs: the caller's goroutine cuts blocks, the
// workers' parse them and call the sink.
//
// Of several errors the first in the order of the inputs is reported, whatever
// the goroutines do: blocks are handed out in order, so when one is bad, those
// before it are parsed to the end and those behind it are passed over.
type readPipeline struct {
	plans  []*Plan
	schema Schema
	opts   Options

	blocks  chan *Block
	pool    *Pool
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

// Parser is the state of one parse goroutine.
type Parser struct {
	pipeline *readPipeline
	Batch    *Batch
	Edge     Edge
	Lines    int64 // lines parsed of the current block
	Scratch  any   // memory of the parse method from block to block

	badLines int64
	firstBad placedError
}

// run reads all inputs into the sink and closes its workers when all is well.
func (p *readPipeline) run(ctx context.Context, sink Sink, progress *Progress) (Stats, error) {
	threads := p.opts.Threads
	p.pool = newBlockPool(threads+3, p.opts.BlockBytes)
	p.memory = cols.NewMemory(p.opts.RowBytes)
	p.blocks = make(chan *Block, 1)
	p.verdict = make(chan struct{})
	p.badSeq.Store(noBlock)
	p.first.seq = noBlock

	workers := make([]*Parser, threads)
	p.parsing.Add(threads)
	p.closing.Add(threads)
	for i := range workers {
		workers[i] = &Parser{pipeline: p, Batch: NewBatch(sink.Worker(), p.schema)}
		go p.work(ctx, workers[i])
	}
	p.feedAll(ctx, progress)
	close(p.blocks)
	p.parsing.Wait()

	err := p.locate(p.first).err
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = cmp.Or(p.checkSigns(workers), p.checkCounts())
	}
	p.good = err == nil
	close(p.verdict)
	p.closing.Wait()
	if err == nil {
		err = p.first.err
	}
	stats := Stats{Unsigned: p.unsigned}
	for _, w := range workers {
		stats.Entries += w.Batch.Entries
		stats.BadLines += w.badLines
	}
	if err == nil {
		p.warnBadLines(workers, stats.BadLines)
		p.warnRounded(workers)
	}
	return stats, err
}

// feedAll cuts one input after the other into blocks.
func (p *readPipeline) feedAll(ctx context.Context, progress *Progress) {
	f := &Feed{
		Ctx: ctx, Pool: p.pool, out: p.blocks, moved: progress.Report,
		stopped: func() bool { return p.badSeq.Load() != noBlock }, Progress: progress, Memory: p.memory,
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
	progress.Report()
}

func (p *readPipeline) feedOne(f *Feed, plan *Plan, progress *Progress) error {
	if body, ok := plan.Body.(rowFeeder); ok {
		return body.FeedRows(f, plan)
	}
	body := plan.Body.(streamBody) // it is one or the other
	s, err := plan.Input.body(f.Ctx, progress)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := f.Skip(s, plan.SkipBytes); err != nil {
		return err
	}
	return body.Feed(f, plan, s)
}

// work is one parse goroutine.
func (p *readPipeline) work(ctx context.Context, w *Parser) {
	defer p.closing.Done()
	for b := range p.blocks {
		if ctx.Err() == nil && b.seq <= p.badSeq.Load() {
			p.parseBlock(b, w)
		}
		if b.Release != nil {
			b.Release()
		} else {
			p.pool.put(b.Data)
		}
	}
	if ctx.Err() == nil && p.badSeq.Load() == noBlock {
		if err := w.Batch.Flush(); err != nil {
			p.fail(placedError{seq: noBlock - 1, err: err})
		}
	}
	p.parsing.Done()
	<-p.verdict
	if !p.good {
		return
	}
	if err := w.Batch.Sink.Close(); err != nil {
		p.fail(placedError{seq: noBlock - 1, err: err})
	}
}

func (p *readPipeline) parseBlock(b *Block, w *Parser) {
	w.Lines = 0
	before := w.Batch.Entries + int64(w.Batch.N)
	if err := b.Plan.Body.Parse(b, w); err != nil {
		p.fail(placedError{b.seq, b.Plan, err})
		return
	}
	b.Plan.entries.Add(w.Batch.Entries + int64(w.Batch.N) - before)
	p.mu.Lock()
	for int64(len(p.lines)) <= b.seq {
		p.lines = append(p.lines, 0)
	}
	p.lines[b.seq] = w.Lines
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
