package export

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/ingest/format/text"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// MostParts is the largest number of parts.
const MostParts = 10_000

// Parts divides the edges of a graph among files: by vertices, so that each has about as many edges.
type Parts struct {
	N int // the most files; one file has all edges of a vertex
	// Create makes one more file, and calls write for its content. A file without edges is to be removed again.
	Create func(write func(io.Writer) (edges uint64, err error)) error
}

// WriteParts writes the edges of a graph to several files, as [Write] does to one.
func WriteParts(ctx context.Context, s *store.Store, parts Parts, o Options) (Report, error) {
	o.Format = cmp.Or(o.Format, text.Text)
	if !HasParts(o.Format) {
		return Report{}, fmt.Errorf("export of graph %s: a file as %s is a whole graph and not a part; write one file, or "+
			"choose another format, such as parquet", s.Name(), o.Format)
	}
	if parts.N < 1 || parts.N > MostParts {
		return Report{}, fmt.Errorf("export of graph %s: %d parts; choose 1 to %d", s.Name(), parts.N, MostParts)
	}
	return writeWith(ctx, s, o, func(x *writer) error {
		cuts, err := x.cuts(parts.N)
		if err != nil {
			return err
		}
		return x.visit(ctx, func(e *algorithms.Env) error {
			for i := range len(cuts) - 1 {
				err := parts.Create(func(w io.Writer) (uint64, error) {
					before := x.edges.Load()
					err := x.writePart(ctx, e, w, cuts[i], cuts[i+1])
					return x.edges.Load() - before, err
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// writePart writes the header and the edges of the vertices in [from, to).
func (x *writer) writePart(ctx context.Context, e *algorithms.Env, w io.Writer, from, to uint32) error {
	if HasColumns(x.o.Format) {
		return x.writeColumns(ctx, e, w, from, to)
	}
	x.out = newTurns(w)
	if err := x.writeHeader(w, 0); err != nil {
		return err
	}
	return x.windows(ctx, e, from, to)
}

// cuts returns the vertices between which parts are, the first and the last among them. Vertices
// are counted by the edges in their rows; of an undirected graph about half of these are written,
// by the first vertices more than by the last.
func (x *writer) cuts(parts int) ([]uint32, error) {
	cuts := []uint32{0}
	seen, v := uint64(0), uint32(0)
	each := max(1, x.cat.Edges/uint64(parts)+min(1, x.cat.Edges%uint64(parts)))
	for i := range x.cat.Shards {
		degrees, err := x.store.Degrees(x.degreesOf(), i)
		if err != nil {
			return nil, err
		}
		for _, d := range degrees {
			if v++; d == 0 {
				continue
			}
			seen += uint64(d)
			if seen >= each && len(cuts) < parts && v < math.MaxUint32 {
				cuts, seen = append(cuts, v), 0
			}
		}
	}
	if last := len(cuts) - 1; last > 0 && seen == 0 { // behind the last cut are vertices without edges
		cuts = cuts[:last]
	}
	return append(cuts, x.cat.Vertices), nil
}

// degreesOf returns the side with the degrees of the rows that are read.
func (x *writer) degreesOf() shard.Direction {
	if x.cat.Symmetric {
		return shard.Out
	}
	return x.dir
}

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
