package bench

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
)

// edgeMaker knows every edge of a graph by its number.
type edgeMaker interface {
	// fill sets src and dst, which are equally long, to the edges from number
	// first on. It is called from many goroutines at once.
	fill(first uint64, src, dst []uint64)
}

// Sizes in edges: of the unit of work and writing, and of what is made and
// encoded at once, which stays in a core's nearest cache.
const (
	edgesPerBlock = 64 << 10
	edgesPerFill  = 1 << 10
)

// Generate writes a graph to w as a stream: memory is a few megabytes per
// thread, whatever the size. The same options but Threads give the same bytes,
// on any machine. Progress, unless nil, is called after each block with the
// number of edges written so far. When ctx ends, Generate stops between two
// blocks and returns its cause.
func Generate(ctx context.Context, w io.Writer, o GenOptions, progress func(edges uint64)) error {
	o = o.withDefaults()
	vertices, edges, err := o.Size()
	if err != nil {
		return err
	}
	g := blockMaker{encode: encoderOf(o.Format), weighted: o.Weights, weights: newStream(o.Seed, forWeights), edges: edges}
	switch o.Kind {
	case RMAT:
		g.maker = newRMAT(o)
	case Uniform:
		g.maker = uniform{newStream(o.Seed, forEdges), vertices}
	case Grid:
		g.maker = grid{o.Rows, o.Cols}
	}
	if o.Format == Text {
		if _, err := io.WriteString(w, o.describe(vertices, edges)); err != nil {
			return fmt.Errorf("cannot write the generated graph: %w", err)
		}
	}
	threads := o.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return g.stream(ctx, w, threads, progress)
}

// blockMaker makes blocks of edges as bytes.
type blockMaker struct {
	maker    edgeMaker
	encode   appendEdges
	weighted bool
	weights  stream
	edges    uint64
}

// stream makes blocks on several goroutines and writes them in order. Thread i
// makes every block whose number is i modulo threads, into two buffers that go
// back and forth between it and the writer.
func (g *blockMaker) stream(ctx context.Context, w io.Writer, threads int, progress func(edges uint64)) error {
	blocks := (g.edges-1)/edgesPerBlock + 1
	threads = int(min(uint64(threads), blocks))

	ctx, cancel := context.WithCancel(ctx)
	var working sync.WaitGroup
	defer working.Wait()
	defer cancel()

	type lane struct{ full, free chan []byte }
	lanes := make([]lane, threads)
	for i := range lanes {
		l := lane{make(chan []byte, 2), make(chan []byte, 2)}
		l.free <- nil
		l.free <- nil
		lanes[i] = l
		working.Go(func() {
			buffers := new(scratch)
			for b := uint64(i); b < blocks; b += uint64(threads) {
				var buf []byte
				select {
				case buf = <-l.free:
				case <-ctx.Done():
					return
				}
				l.full <- g.block(buf[:0], b, buffers) // never blocks: it has room for both buffers
			}
		})
	}

	for b := range blocks {
		l := lanes[b%uint64(threads)]
		var buf []byte
		select {
		case buf = <-l.full:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, err := w.Write(buf); err != nil {
			return fmt.Errorf("cannot write the generated graph: %w", err)
		}
		l.free <- buf
		if progress != nil {
			progress(min((b+1)*edgesPerBlock, g.edges))
		}
	}
	return nil
}

// scratch is the memory in which a thread makes edges.
type scratch struct {
	src, dst [edgesPerFill]uint64
	weights  [edgesPerFill]uint8
}

// block appends block b to dst.
func (g *blockMaker) block(dst []byte, b uint64, c *scratch) []byte {
	end := min((b+1)*edgesPerBlock, g.edges)
	for first := b * edgesPerBlock; first < end; first += edgesPerFill {
		n := int(min(edgesPerFill, end-first))
		g.maker.fill(first, c.src[:n], c.dst[:n])
		var weights []uint8
		if g.weighted {
			weights = c.weights[:n]
			for i := range weights {
				weights[i] = uint8(1 + below(mix(g.weights.from(first+uint64(i))), 255))
			}
		}
		dst = g.encode(dst, c.src[:n], c.dst[:n], weights)
	}
	return dst
}
