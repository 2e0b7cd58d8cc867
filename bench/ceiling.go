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
	// edgesPerTask is few enough that all goroutines end together, and that a 32-bit float counts
	// them exactly, as it does the edges of sidesPerTask packed sides.
	edgesPerTask = 1 << 16
	sidesPerTask = 4
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

// edges are in-edges of a graph in memory, as its shards have them: the sources in the order of
// destinations, or packed blocks.
type edges struct {
	blob   []byte
	tasks  [][]uint32
	packed []together
	count  uint64
	slots  uint64 // edges, and dummies of packed blocks
	shards int    // that they are from
}

// together is packed sides that are read together, by runs of their blocks.
type together struct {
	sides []*packed.Side
	runs  []packed.Run
}

// loadEdges reads the in-sides of all shards, or about limit bytes evenly from all over the graph.
// free returns the memory.
func loadEdges(ctx context.Context, g *garaph.Graph, threads int, limit int64) (*edges, error) {
	c := g.Catalogue()
	step := int(max(1, (sideBytes(c, shard.In)-1)/limit+1))
	ends := []int64{0}
	for i := 0; i < len(c.Shards); i += step {
		ends = append(ends, ends[len(ends)-1]+c.Bytes(shard.In, i))
	}
	e := &edges{shards: len(ends) - 1}
	var err error
	if e.blob, err = hostmem.Bytes(ends[e.shards]); err != nil {
		return nil, fmt.Errorf("measure gather-only: %w", err)
	}
	sides := make([]shard.Side, e.shards)
	err = parallel(threads, e.shards, func(k int) (err error) {
		sides[k], err = g.Store().ReadShard(shard.In, k*step, e.blob[ends[k]:ends[k+1]:ends[k+1]])
		return errors.Join(err, ctx.Err())
	})
	var blocks []*packed.Side
	for _, side := range sides {
		switch x := side.(type) {
		case *packed.Side:
			blocks = append(blocks, x)
		case *rows.Side:
			e.count, e.slots = e.count+uint64(len(x.Nbr)), e.slots+uint64(len(x.Nbr))
			e.tasks = slices.AppendSeq(e.tasks, slices.Chunk(x.Nbr, edgesPerTask))
		}
	}
	for some := range slices.Chunk(blocks, sidesPerTask) {
		e.addPacked(some)
	}
	if err != nil {
		e.free()
	}
	return e, err
}

// addPacked makes a task of sides.
func (e *edges) addPacked(sides []*packed.Side) {
	for _, s := range sides {
		e.count += uint64(s.Layout.Edges)
		e.slots += uint64(s.Layout.Blocks) * packed.BlockSlots
	}
	e.packed = append(e.packed, together{sides, slices.Collect(packed.Windows(sides))})
}

func (e *edges) free() { hostmem.FreeBytes(e.blob) }

// gatherSpeed returns the gather-only ceiling in edges per second, with values of type F for n
// vertices. All values are 1, so that the sum over all slots is their number.
func gatherSpeed[F float32 | float64](ctx context.Context, e *edges, n uint32, threads int) (float64, error) {
	values, err := hostmem.Slice[F](int(n))
	if err != nil {
		return 0, fmt.Errorf("measure gather-only: %w", err)
	}
	defer hostmem.Free(values)
	for i := range values {
		values[i] = 1
	}
	sums := make([]float64, len(e.tasks)+len(e.packed))
	v, err := speed(ctx, float64(e.count), func() error {
		return parallel(threads, len(sums), func(i int) error {
			if k := i - len(e.tasks); k >= 0 {
				sums[i] = float64(gatherPacked(values, e.packed[k]))
			} else {
				sums[i] = float64(gatherOnly(values, e.tasks[i]))
			}
			return nil
		})
	})
	sum := 0.0
	for _, s := range sums {
		sum += s
	}
	if err == nil && sum != float64(e.slots) {
		err = fmt.Errorf("measure gather-only: the values of %d sources, each 1, sum to %v", e.slots, sum)
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

// gathered is the state of gatherPacked: sums that don't wait for each other, and the
// destinations, so that they are decoded.
type gathered[F float32 | float64] struct {
	sums [packed.GroupSlots]F
	to   uint16
}

// gatherPacked decodes blocks and sums the values of the sources: a fold without accumulators.
func gatherPacked[F float32 | float64](values []F, t together) (sum F) {
	var all gathered[F]
	gathers := [2]gathers[F]{gathersOf[packed.D14, F](), gathersOf[packed.D16, F]()}
	var b packed.Blocks
	for _, r := range t.runs {
		for b.Reset(t.sides[r.Side], r.From, r.To); b.Next(); {
			gathers[b.Wide()][b.Width()](&all, &b, values)
		}
	}
	for _, s := range all.sums {
		sum += s
	}
	return sum
}

func gatherBlock[W packed.Width, D packed.Destination, F float32 | float64](all *gathered[F], b *packed.Blocks,
	values []F) {
	w, d := packed.Bits[W](), packed.Bits[D]()
	g, u := b.Block()
	s0, s1, s2, s3 := all.sums[0], all.sums[1], all.sums[2], all.sums[3]
	s4, s5, s6, s7 := all.sums[4], all.sums[5], all.sums[6], all.sums[7]
	to := all.to
	for range packed.Groups {
		u += g.Delta(w, 0)
		s0, to = s0+values[u], to^g.Slot(w, d, 0)
		u += g.Delta(w, 1)
		s1, to = s1+values[u], to^g.Slot(w, d, 1)
		u += g.Delta(w, 2)
		s2, to = s2+values[u], to^g.Slot(w, d, 2)
		u += g.Delta(w, 3)
		s3, to = s3+values[u], to^g.Slot(w, d, 3)
		u += g.Delta(w, 4)
		s4, to = s4+values[u], to^g.Slot(w, d, 4)
		u += g.Delta(w, 5)
		s5, to = s5+values[u], to^g.Slot(w, d, 5)
		u += g.Delta(w, 6)
		s6, to = s6+values[u], to^g.Slot(w, d, 6)
		u += g.Delta(w, 7)
		s7, to = s7+values[u], to^g.Slot(w, d, 7)
		g = g.Next(w, d)
	}
	all.sums, all.to = [...]F{s0, s1, s2, s3, s4, s5, s6, s7}, to
}

// gathers holds the code for each width of sources.
type gathers[F float32 | float64] [packed.MaxWidth + 1]func(*gathered[F], *packed.Blocks, []F)

func gathersOf[D packed.Destination, F float32 | float64]() gathers[F] {
	return gathers[F]{
		0: gatherBlock[packed.W0, D, F], 1: gatherBlock[packed.W1, D, F], 2: gatherBlock[packed.W2, D, F],
		3: gatherBlock[packed.W3, D, F], 4: gatherBlock[packed.W4, D, F], 5: gatherBlock[packed.W5, D, F],
		6: gatherBlock[packed.W6, D, F], 7: gatherBlock[packed.W7, D, F], 8: gatherBlock[packed.W8, D, F],
		9: gatherBlock[packed.W9, D, F], 10: gatherBlock[packed.W10, D, F], 12: gatherBlock[packed.W12, D, F],
		14: gatherBlock[packed.W14, D, F], 16: gatherBlock[packed.W16, D, F], 20: gatherBlock[packed.W20, D, F],
		24: gatherBlock[packed.W24, D, F],
		32: gatherBlock[packed.W32, D, F],
	}
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
