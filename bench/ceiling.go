package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
)

// The ceilings.
const (
	gather4 = iota // gather-only with values of 4 bytes
	gather8        // of 8 bytes
	diskRead
	ceilings // how many there are
)

var ceilingNames = [ceilings]string{"gather-only, 4-byte values", "gather-only, 8-byte values", "sequential disk read"}

const (
	// leastPasses and leastTime are how often and how long a pass is repeated at least.
	leastPasses = 5
	leastTime   = 100 * time.Millisecond
	// gatherShare is the part of the machine's memory that the edges of gather-only may take.
	gatherShare = 4
	diskBytes   = 1 << 30
	// edgesPerTask is few enough that all goroutines end together, and that a 32-bit float counts them exactly.
	edgesPerTask = 1 << 16
)

// speed repeats a pass over an amount, after one that warms up, and returns the median of the
// speeds in units per second.
func speed(ctx context.Context, amount float64, pass func() error) (float64, error) {
	var speeds []float64
	begin := time.Now()
	for len(speeds) <= leastPasses || time.Since(begin) < leastTime {
		start := time.Now()
		if err := errors.Join(ctx.Err(), pass()); err != nil {
			return 0, err
		}
		speeds = append(speeds, amount/time.Since(start).Seconds())
	}
	return median(speeds[1:]), nil
}

// edges are the sources of a graph's in-edges in memory, in the order in which its shards have them.
type edges struct {
	sources []uint32
	shards  int // that they are from
}

// loadEdges reads the in-sides of all shards, or about limit bytes of sources evenly from all over the graph.
// free returns the memory.
func loadEdges(ctx context.Context, g *garaph.Graph, threads int, limit int64) (*edges, error) {
	c := g.Catalogue()
	step := int(max(1, (4*int64(c.Edges)-1)/limit+1))
	ends := []int64{0}
	for i := 0; i < len(c.Shards); i += step {
		ends = append(ends, ends[len(ends)-1]+int64(c.Shards[i].In))
	}
	e := &edges{shards: len(ends) - 1}
	var err error
	if e.sources, err = hostmem.Slice[uint32](int(ends[e.shards])); err != nil {
		return nil, fmt.Errorf("measure gather-only: %w", err)
	}
	err = parallel(threads, e.shards, func(k int) error {
		blob, err := hostmem.Bytes(c.Bytes(shard.In, k*step))
		if err != nil {
			return err
		}
		defer hostmem.FreeBytes(blob)
		side, err := g.Store().ReadShard(shard.In, k*step, blob)
		if err != nil {
			return err
		}
		to := e.sources[ends[k]:ends[k+1]]
		switch x := side.(type) {
		case *packed.Side:
			for some := range x.All() {
				to = to[copy(to, some.Nbr):]
			}
		case *rows.Side:
			copy(to, x.Nbr)
		}
		return ctx.Err()
	})
	if err != nil {
		e.free()
	}
	return e, err
}

func (e *edges) free() { hostmem.Free(e.sources) }

// gatherSpeed returns the gather-only ceiling in edges per second, with values of type F for n
// vertices. All values are 1, so that their sum is the number of edges.
func gatherSpeed[F float32 | float64](ctx context.Context, e *edges, n uint32, threads int) (float64, error) {
	values, err := hostmem.Slice[F](int(n))
	if err != nil {
		return 0, fmt.Errorf("measure gather-only: %w", err)
	}
	defer hostmem.Free(values)
	for i := range values {
		values[i] = 1
	}
	tasks := slices.Collect(slices.Chunk(e.sources, edgesPerTask))
	sums := make([]float64, len(tasks))
	v, err := speed(ctx, float64(len(e.sources)), func() error {
		return parallel(threads, len(tasks), func(i int) error {
			sums[i] = float64(gatherOnly(values, tasks[i]))
			return nil
		})
	})
	sum := 0.0
	for _, s := range sums {
		sum += s
	}
	if err == nil && sum != float64(len(e.sources)) {
		err = fmt.Errorf("measure gather-only: the values of %d sources, each 1, sum to %v", len(e.sources), sum)
	}
	return v, err
}

// gatherOnly sums the values of the sources. The eight sums don't wait for each other; fewer are
// slower, and without bounds checks it is not faster.
func gatherOnly[F float32 | float64](values []F, sources []uint32) F {
	var a, b, c, d, e, f, g, h F
	for len(sources) >= 8 {
		s := sources[:8:8]
		a += values[s[0]]
		b += values[s[1]]
		c += values[s[2]]
		d += values[s[3]]
		e += values[s[4]]
		f += values[s[5]]
		g += values[s[6]]
		h += values[s[7]]
		sources = sources[8:]
	}
	for _, s := range sources {
		a += values[s]
	}
	return a + b + c + d + e + f + g + h
}

// ceiling measures a ceiling. One that cannot be measured is NaN, and the reason is noted.
func (m *measurement) ceiling(ctx context.Context, ceiling int) error {
	m.doing("round %d of %d, %s", m.round+1, m.opt.Rounds, ceilingNames[ceiling])
	var v float64
	if ceiling == diskRead {
		read, err := m.graph.Store().SequentialRead(diskBytes, m.opt.Threads)
		if v = read; err != nil {
			m.report.note("the speed of the disk cannot be measured: %v", err)
			v = math.NaN()
		}
	} else { // edges are in memory for the time of the measurement only
		limit := hostmem.Total() / gatherShare
		if limit <= 0 {
			limit = math.MaxInt64
		}
		e, err := loadEdges(ctx, m.graph, m.opt.Threads, limit)
		if err != nil {
			return err
		}
		defer e.free()
		if all := len(m.graph.Catalogue().Shards); e.shards < all {
			m.report.note("gather-only is over %d of %d shards, about a quarter of the memory", e.shards, all)
		}
		gather := gatherSpeed[float32]
		if ceiling == gather8 {
			gather = gatherSpeed[float64]
		}
		if v, err = gather(ctx, e, m.graph.Catalogue().Vertices, m.opt.Threads); err != nil {
			return err
		}
	}
	m.speeds[ceiling] = append(m.speeds[ceiling], v)
	return ctx.Err()
}

// latest returns the ceiling as last measured.
func (m *measurement) latest(ceiling int) float64 {
	return m.speeds[ceiling][len(m.speeds[ceiling])-1]
}
