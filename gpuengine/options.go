package gpuengine

import (
	"cmp"
	"time"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/page"
)

// Gather is the way in which a block sums what its threads gather.
type Gather string

// Ways to gather.
const (
	GatherAuto       Gather = "auto"       // segmented, which was faster wherever it was measured
	GatherReplicated Gather = "replicated" // a thread per edge, copies of each accumulator (Garaph, section 4.3)
	GatherSegmented  Gather = "segmented"  // 16 consecutive edges per thread, folded in registers
)

// Options configures an [Engine].
type Options struct {
	Memory  int64 // bytes of device memory; 0, or more than that: all that is free, but for a small reserve
	Streams int   // that overlap, at most MaxStreams; if 0, 4, or 2 where edges are streamed
	Gather  Gather
	Async   bool
	Bare    bool       // pages come without weights: [page.Options.Bare]
	Trace   func(Span) // if nil, no trace
	// Began is what the times of spans count from; zero: Start.
	Began time.Time
	// Shared is the number of bytes of shared memory the accumulators of a block may
	// take; if 0, 48 KiB, and on packed sides all that a block can have.
	Shared int
	// ChunkEdges is the number of edges a block gathers; if 0, 2¹⁵, and 768 blocks of packed
	// sides.
	ChunkEdges int

	// Own are the shards of which as many stay on the device as fit, from the first one on; if
	// nil, all. With Beyond, shards outside Own are streamed to it as well.
	Own    *page.Span
	Beyond bool

	packed packedLimits
}

// MaxStreams is the most streams that an engine may have.
const MaxStreams = 64

const (
	// residentStreams overlap where all edges stay on the device, streamedStreams where
	// some are streamed: an H200's link carried 95 % of what it can with 2, and 88 % with
	// 4, which wait for more events of each other.
	residentStreams   = 4
	streamedStreams   = 2
	defaultShared     = 48 << 10
	defaultChunkEdges = 1 << 15
	// maxReserve bounds the free memory left for kernels, streams and other programs.
	maxReserve = 512 << 20
)

// MemoryLimit returns the device memory for a job that asks for the given bytes. If asked is 0, it
// is as much as possible.
func MemoryLimit(info device.Info, asked int64) int64 {
	most := info.Free - min(info.Free/32, maxReserve)
	if asked == 0 {
		return most
	}
	return min(asked, most)
}

func (o *Options) complete(info device.Info) {
	o.Gather = cmp.Or(o.Gather, GatherAuto)
	o.Streams = min(o.Streams, MaxStreams)
	o.Memory = MemoryLimit(info, o.Memory)
	o.packed = packedLimits{blocks: defaultBlocks, shared: info.SharedBlock}
	if o.Shared == 0 {
		o.Shared = defaultShared
	} else {
		o.packed.shared = min(o.Shared, info.SharedBlock)
	}
	o.Shared = min(o.Shared, info.SharedBlock)
	if o.ChunkEdges == 0 {
		o.ChunkEdges = defaultChunkEdges
	} else {
		o.packed.blocks = max(1, o.ChunkEdges/kernels.BlockSlots)
	}
	o.ChunkEdges = max(o.ChunkEdges, 2*grain) &^ (grain - 1)
}
