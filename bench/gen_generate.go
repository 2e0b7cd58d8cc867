package bench

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"
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
	g := blockMaker{encode: appendRaw, weighted: o.Weights, weights: newStream(o.Seed, forWeights), edges: edges}
	switch o.Kind {
	case RMAT:
		g.maker = newRMAT(o)
	case Uniform:
		g.maker = uniform{newStream(o.Seed, forEdges), vertices}
	case Grid:
		g.maker = grid{o.Rows, o.Cols}
	}
	if o.Format == Text {
		g.encode = appendText
		if _, err := io.WriteString(w, o.describe(vertices, edges)); err != nil {
			return fmt.Errorf("cannot write the generated graph: %w", err)
		}
	}
	return g.stream(ctx, w, cmp.Or(o.Threads, runtime.GOMAXPROCS(0)), progress)
}

// A blockMaker generates blocks of edges as bytes.
type blockMaker struct {
	maker    edgeMaker
	encode   appendEdges
	weighted bool
	weights  stream
	edges    uint64
}

// stream generates blocks on several goroutines and writes them in order. A block in the queue is being
// made, by a goroutine of its own.
func (g *blockMaker) stream(ctx context.Context, w io.Writer, threads int, progress func(edges uint64)) error {
	ctx, cancel := context.WithCancel(ctx)
	var making sync.WaitGroup
	defer making.Wait()
	defer cancel()
	queue := make(chan chan *scratch, threads-1)
	pool := sync.Pool{New: func() any { return new(scratch) }}
	making.Go(func() {
		defer close(queue)
		for b := range (g.edges-1)/edgesPerBlock + 1 {
			made := make(chan *scratch, 1)
			select {
			case queue <- made:
			case <-ctx.Done():
				return
			}
			making.Go(func() {
				c := pool.Get().(*scratch)
				g.block(b, c)
				made <- c
			})
		}
	})
	written := uint64(0)
	for made := range queue {
		c := <-made
		if ctx.Err() != nil {
			break
		}
		if _, err := w.Write(c.block); err != nil {
			return fmt.Errorf("cannot write the generated graph: %w", err)
		}
		pool.Put(c)
		written = min(written+edgesPerBlock, g.edges)
		if progress != nil {
			progress(written)
		}
	}
	return context.Cause(ctx)
}

// scratch is the memory in which a block is made.
type scratch struct {
	block    []byte
	src, dst [edgesPerFill]uint64
	weights  [edgesPerFill]uint8
}

// block generates block b.
func (g *blockMaker) block(b uint64, c *scratch) {
	c.block = c.block[:0]
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
		c.block = g.encode(c.block, c.src[:n], c.dst[:n], weights)
	}
}

// appendEdges appends edges in one format to dst. weights is nil for unweighted edges.
type appendEdges func(dst []byte, src, end []uint64, weights []uint8) []byte

func appendText(dst []byte, src, end []uint64, weights []uint8) []byte {
	for i, u := range src {
		dst = strconv.AppendUint(dst, u, 10)
		dst = append(dst, '\t')
		dst = strconv.AppendUint(dst, end[i], 10)
		if weights != nil {
			dst = append(dst, '\t')
			dst = strconv.AppendUint(dst, uint64(weights[i]), 10)
		}
		dst = append(dst, '\n')
	}
	return dst
}

func appendRaw(dst []byte, src, end []uint64, weights []uint8) []byte {
	for i, u := range src {
		dst = binary.LittleEndian.AppendUint64(dst, u&math.MaxUint32|end[i]<<32)
		if weights != nil {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(weights[i])))
		}
	}
	return dst
}
