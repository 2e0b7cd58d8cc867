package gpuengine

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/store"
)

const (
	// minSlot is the least buffer for streamed edges: a few hundred of them.
	minSlot = 16 << 10
	// maxSlotBytes is enough for the full bandwidth of the link, with room for the
	// destinations of 32 MiB of edges.
	maxSlotBytes = 52 << 20
	// descriptorBytes is what a chunk takes beside its edges.
	descriptorBytes = max(chunkBytes+int64(unsafe.Sizeof(kernels.ExpandRange{})), packedBytes)
	chunkBytes      = int64(unsafe.Sizeof(kernels.Chunk{}))
	packedBytes     = int64(unsafe.Sizeof(kernels.PackedChunk{}))
	// headBytes of the results of an iteration lie before the sums.
	headBytes = int64(unsafe.Sizeof(kernels.Totals{})) + 8
)

// The arrays on the device. Those that a job does not need are 0; one that is
// the same as another has its address.
const (
	values = iota
	nextValues
	accumulators
	degree
	inDegree
	outDegree
	vertexIDs
	active // bits
	results
	parameterBlock
	arrayCount
)

// plan divides the device's memory: the arrays over vertices first; then all
// shards, if they fit; otherwise a ring of slots, and as many shards as fit
// beside it.
type plan struct {
	cat         *store.Catalogue
	sides       []shard.Direction
	packed      bool // in sides are, in pages
	bare        bool // they come without weights
	fragments   compiled.Fragments
	value       int // bytes of one
	accumulator int // bytes from one to the next
	async       bool
	sums        bool // the program has an aggregate
	degrees     degrees
	sizes       [arrayCount]int64 // bytes of the arrays
	sumAt       []int32           // by shard: the number of its first block's sum
	streams     int
	kept        kept
	ring        ring
}

// degrees describes how the device gets the degrees of vertices.
type degrees struct {
	needIn, needOut bool // arrays of their own
	sameIn, sameOut bool // in- or out-degrees are those by which vertices notify
}

// kept describes the shards that stay on the device.
type kept struct {
	page.Span
	arena  int64 // bytes for them
	lists  int64 // bytes at most for the lists of their chunks
	checks int64 // bytes for what is found in packed sides
	least  int64 // bytes of a buffer that any side of them fits into
	limits limits
}

// ring is the memory through which the other shards are streamed.
type ring struct {
	slots  int
	bytes  int64 // of a slot
	limits limits
}

// degreesOf returns which degree arrays the device needs besides the one for notifying.
func degreesOf(cat *store.Catalogue, f compiled.Fragments, d gas.Direction) degrees {
	g := degrees{sameIn: cat.Symmetric || d == gas.Out, sameOut: cat.Symmetric || d == gas.In}
	in, out := f.ReadsDegrees()
	g.needIn, g.needOut = in && !g.sameIn, out && !g.sameOut
	return g
}

// sidesOf returns the sides of shards that a program gathers from.
func sidesOf(cat *store.Catalogue, d gas.Direction) []shard.Direction {
	switch {
	case cat.Symmetric || d == gas.In:
		return []shard.Direction{shard.In}
	case d == gas.Out:
		return []shard.Direction{shard.Out}
	default:
		return []shard.Direction{shard.In, shard.Out}
	}
}

// arraySizes returns the sizes of the arrays in bytes.
func (p *plan) arraySizes(f compiled.Fragments) [arrayCount]int64 {
	n := int64(p.cat.Vertices)
	s := [arrayCount]int64{
		values: n * int64(f.Value.Size), accumulators: n * int64(p.accumulator), degree: 4 * n,
		active: 8 * int64(bitset.Words(p.cat.Vertices)), results: headBytes, parameterBlock: int64(max(f.Parameters.Size, 1)),
	}
	if !p.async {
		s[nextValues] = s[values]
	}
	if p.degrees.needIn {
		s[inDegree] = 4 * n
	}
	if p.degrees.needOut {
		s[outDegree] = 4 * n
	}
	if f.ReadsIDs() {
		s[vertexIDs] = p.cat.OrderBytes()
	}
	if p.sums {
		s[results] += 8 * int64(p.sumAt[len(p.sumAt)-1])
	}
	return s
}

// newPlan returns a plan within a budget. If that is too small, the error is a [NeedError].
func newPlan(cat *store.Catalogue, f compiled.Fragments, d gas.Direction, o Options) (*plan, error) {
	p := &plan{
		cat: cat, sides: sidesOf(cat, d), fragments: f, value: f.Value.Size, accumulator: kernels.SlotBytes(f.Accumulator),
		async: o.Async, bare: o.Bare, sums: f.Aggregate.Text != "",
		degrees: degreesOf(cat, f, d), sumAt: make([]int32, 1, len(cat.Shards)+1),
	}
	p.packed = cat.Encoding(shard.In) == packed.Version && slices.Contains(p.sides, shard.In) &&
		f.Accumulator.Size <= maxPackedAccumulator
	for _, s := range cat.Shards {
		p.sumAt = append(p.sumAt, p.sumAt[len(p.sumAt)-1]+int32(kernels.Blocks(uint32(s.Vertices))))
	}
	p.sizes = p.arraySizes(f)
	arrays := int64(0)
	for _, n := range p.sizes {
		arrays += aligned(n)
	}
	if o.packed.window = o.packed.shared/p.accumulator - 1; p.packed && o.packed.window < 1 {
		return nil, fmt.Errorf("program %s over a packed graph: %w: the accumulator of a vertex does not fit into the "+
			"shared memory of the GPU; import the graph with --layout csc",
			f.Program, ErrUnfit)
	}
	p.kept.limits = limits{edges: o.ChunkEdges, window: max(1, o.Shared/p.accumulator), packed: o.packed}
	rest := o.Memory - arrays
	own := page.Span{To: len(cat.Shards)}
	all := p.keep(own, math.MaxInt64)
	least := aligned(max(minSlot, p.kept.least))
	if o.Own != nil {
		own = *o.Own
		all = p.keep(own, math.MaxInt64)
	}
	if o.Beyond {
		all = math.MaxInt64
	}
	if rest < min(all, least) {
		return nil, &NeedError{Budget: o.Memory, Arrays: arrays, Ring: min(all, least), All: all}
	}
	if all <= rest {
		p.streams = cmp.Or(o.Streams, residentStreams)
		return p, nil
	}
	wanted := int64(cmp.Or(o.Streams, streamedStreams))
	size := max(min(rest/2/wanted, maxSlotBytes)&^(device.Alignment-1), least)
	p.streams = int(min(wanted, rest/size))
	p.keep(own, rest-int64(p.streams)*size)
	// A chunk takes at most three quarters of a slot for edges and one for the
	// offsets of its window.
	perEdge := int64(4 + 2 + cat.WeightBytes())
	p.ring = ring{slots: p.streams, bytes: size, limits: limits{
		edges:  int(min(int64(p.kept.limits.edges), (size*3/4-device.Alignment)/perEdge&^(grain-1))),
		window: int(min(int64(p.kept.limits.window), (size/4-device.Alignment)/4)),
		packed: p.kept.limits.packed,
	}}
	return p, nil
}

// keep lets the first of some shards stay, as far as rest bytes go, and returns how many
// they take. Beside its edges and descriptors, a shard has these once more in
// the lists of units.
func (p *plan) keep(own page.Span, rest int64) int64 {
	k := kept{Span: page.Span{From: own.From, To: own.From}, limits: p.kept.limits}
	for i := own.From; i < own.To; i++ {
		var n need
		for _, dir := range p.sides {
			n.add(p.needOf(dir, i, k.limits))
		}
		more := k
		more.To, more.arena, more.lists, more.least = i+1, k.arena+n.room(), k.lists+n.lists, max(k.least, n.least)
		if p.packed && p.cat.SideEdges(shard.In, i) > 0 {
			more.checks += resultBytes
		}
		if more.bytes() > rest {
			break
		}
		k = more
	}
	p.kept = k
	return k.bytes()
}

// bytes returns the memory of the kept shards.
func (k *kept) bytes() int64 { return listed(k.lists) + aligned(k.arena) + aligned(k.checks) }

// interval returns the vertices of the shards [from, to).
func (p *plan) interval(from, to int) interval {
	if from == to {
		return interval{}
	}
	last := &p.cat.Shards[to-1]
	return interval{p.cat.Shards[from].First, last.First + uint32(last.Vertices)}
}

// interval is the vertices [from, to).
type interval struct{ from, to uint32 }

// listed returns the memory of lists of chunks, one allocation for each key.
func listed(n int64) int64 {
	if n == 0 {
		return 0
	}
	return aligned(n) + (keys-1)*device.Alignment
}

// aligned returns the size of an allocation of n bytes.
func aligned(n int64) int64 { return (n + device.Alignment - 1) &^ (device.Alignment - 1) }
