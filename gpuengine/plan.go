package gpuengine

import (
	"cmp"
	"math"
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

const (
	// minSlot is the least buffer for streamed edges: a few hundred of them.
	minSlot = 16 << 10
	// maxSlotBytes is enough for the full bandwidth of the link, with room for the
	// destinations of 32 MiB of edges.
	maxSlotBytes = 52 << 20
	// descriptorBytes is what a chunk takes beside its edges.
	descriptorBytes = int64(unsafe.Sizeof(kernels.Chunk{}) + unsafe.Sizeof(kernels.ExpandRange{}))
	// headBytes of the results of an iteration lie before the sums.
	headBytes = int64(unsafe.Sizeof(kernels.Totals{})) + 8
)

// plan divides the device's memory: the arrays over vertices first; then all
// shards, if they fit; otherwise a ring of slots, and as many shards as fit
// beside it. Shards [0, resident) stay on the device.
type plan struct {
	cat   *store.Catalogue
	sides []shard.Direction
	slot  int // bytes of an accumulator

	needIn, needOut     bool // arrays of their own
	degreeIn, degreeOut bool // in- or out-degrees are those by which vertices notify
	sync                bool
	sums                bool // the program has an aggregate

	arrays   int64
	streams  int
	resident int
	arena    int64 // bytes for the resident shards
	lists    int64 // bytes at most for the lists of their chunks
	slots    int
	slotSize int64
	kept     limits // of chunks in the arena
	streamed limits // of chunks in slots
	sumAt    []int32
}

// degrees says which arrays of degrees the device needs beside the one by which
// vertices notify.
func (p *plan) degrees(f gas.Fragments, d gas.Direction) {
	p.degreeIn = p.cat.Symmetric || d == gas.Out
	p.degreeOut = p.cat.Symmetric || d == gas.In
	p.needIn = !p.degreeIn && reads(f, "v.in")
	p.needOut = !p.degreeOut && reads(f, "v.out")
}

// arraySizes are the allocations over vertices, in the order of [arrays].
func (p *plan) arraySizes(f gas.Fragments) [arrayCount]int64 {
	n := int64(p.cat.Vertices)
	var s [arrayCount]int64
	s[values] = n * int64(f.Value.Size)
	if p.sync {
		s[nextValues] = s[values]
	}
	s[accumulators] = n * int64(p.slot)
	s[degree] = 4 * n
	if p.needIn {
		s[inDegree] = 4 * n
	}
	if p.needOut {
		s[outDegree] = 4 * n
	}
	s[active] = 8 * int64(bitset.Words(p.cat.Vertices))
	s[results] = headBytes
	if p.sums {
		s[results] += 8 * int64(p.sumAt[len(p.sumAt)-1])
	}
	s[parameterBlock] = int64(max(f.Parameters.Size, 1))
	return s
}

// newPlan plans for a budget, or says with a [NeedError] what is missing.
func newPlan(cat *store.Catalogue, f gas.Fragments, d gas.Direction, o Options) (*plan, error) {
	p := &plan{cat: cat, slot: kernels.SlotBytes(f.Accumulator), sync: !o.Async, sums: f.Aggregate.Text != ""}
	p.sides = []shard.Direction{shard.In}
	switch {
	case cat.Symmetric || d == gas.In:
	case d == gas.Out:
		p.sides = []shard.Direction{shard.Out}
	default:
		p.sides = []shard.Direction{shard.In, shard.Out}
	}
	p.degrees(f, d)
	p.sumAt = make([]int32, 1, len(cat.Shards)+1)
	for _, s := range cat.Shards {
		p.sumAt = append(p.sumAt, p.sumAt[len(p.sumAt)-1]+int32(kernels.Blocks(uint32(s.Vertices))))
	}
	for _, n := range p.arraySizes(f) {
		p.arrays += aligned(n)
	}
	p.kept = limits{edges: o.ChunkEdges, window: max(1, o.Shared/p.slot)}
	rest := o.Memory - p.arrays
	all := p.keep(math.MaxInt64)
	if rest < min(all, minSlot) {
		return nil, &NeedError{Budget: o.Memory, Arrays: p.arrays, Ring: min(all, minSlot)}
	}
	if all <= rest {
		p.streams = cmp.Or(o.Streams, residentStreams)
		return p, nil
	}
	wanted := int64(cmp.Or(o.Streams, streamedStreams))
	p.slotSize = min(max(rest/2/wanted, minSlot), maxSlotBytes) &^ (device.Alignment - 1)
	p.slots = int(min(wanted, rest/p.slotSize))
	p.streams = p.slots
	p.keep(rest - int64(p.slots)*p.slotSize)
	// A chunk takes at most three quarters of a slot for edges and one for the
	// offsets of its window.
	perEdge := int64(4 + 2)
	if cat.Weighted {
		perEdge += 4
	}
	p.streamed = p.kept
	p.streamed.edges = int(min(int64(p.kept.edges), (p.slotSize*3/4-device.Alignment)/perEdge&^(grain-1)))
	p.streamed.window = int(min(int64(p.kept.window), (p.slotSize/4-device.Alignment)/4))
	return p, nil
}

// keep lets the first shards stay, as far as rest bytes go, and tells how many
// they take. Beside its edges and descriptors, a shard has these once more in
// the lists of units.
func (p *plan) keep(rest int64) int64 {
	p.resident, p.arena, p.lists = 0, 0, 0
	for i := range p.cat.Shards {
		var edgeBytes, chunks int64
		for _, dir := range p.sides {
			vertices, edges, weighted := p.side(dir, i)
			edgeBytes += sideBytes(vertices, edges, weighted)
			chunks += p.kept.most(vertices, edges)
		}
		arena := p.arena + edgeBytes + chunks*descriptorBytes
		lists := p.lists + chunks*int64(unsafe.Sizeof(kernels.Chunk{}))
		if listed(lists)+aligned(arena) > rest {
			break
		}
		p.resident, p.arena, p.lists = i+1, arena, lists
	}
	return listed(p.lists) + aligned(p.arena)
}

// listed is what the lists of chunks take, one allocation for each key.
func listed(n int64) int64 {
	if n == 0 {
		return 0
	}
	return aligned(n) + (keys-1)*device.Alignment
}

func (p *plan) side(dir shard.Direction, i int) (vertices int, edges uint32, weighted bool) {
	s := &p.cat.Shards[i]
	if dir == shard.In || p.cat.Symmetric {
		return s.Vertices, s.In, p.cat.Weighted
	}
	return s.Vertices, s.Out, false
}

// aligned is what an allocation takes.
func aligned(n int64) int64 { return (n + device.Alignment - 1) &^ (device.Alignment - 1) }
