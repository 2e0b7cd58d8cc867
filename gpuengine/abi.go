package gpuengine

import (
	"unsafe"

	"github.com/garaph/garaph/gpuengine/device"
)

// The structs that host and kernels share, in the layout of C: the templates in
// package kernels declare the same. A chunk is a run of one side's edges whose
// destinations lie in a small window, so that one block can hold its
// accumulators in shared memory; the first and the last destination may have
// edges in other chunks as well. The sources and destinations of a shard begin at
// multiples of 16 and of 32 bytes, so that edge e of it has an address that tells e mod 16.
type (
	// chunk is 48 bytes.
	chunk struct {
		Nbr    device.Pointer // const uint32_t *: sources, of the edges from Edge on
		Weight device.Pointer // const float *: their weights, or 0
		Dst    device.Pointer // const uint16_t *: their destinations, less First
		Edges  uint32         // how many
		First  uint32         // vertex of window position 0
		Count  uint32         // vertices of the window
		Copies uint32         // replicated gather: log2 of the copies of each accumulator
		Head   uint32         // 1: the first vertex has edges in other chunks too
		Tail   uint32         // 1: the last one
	}

	// expandArgs: Dst[e] of a chunk becomes the position, in its window, of the
	// vertex to which edge e belongs; one block for each chunk.
	expandArgs struct {
		Chunks device.Pointer // const chunk *
		Ranges device.Pointer // const expandRange *: for each chunk
	}
	// expandRange is where a chunk's edges lie in its shard.
	expandRange struct {
		Off  device.Pointer // const uint32_t *: offsets of the window's vertices, Count+1 of them
		Edge uint32         // number, in the shard's side, of the chunk's first edge
		_    uint32
	}

	// pullArgs: Acc[v] = Sum(Acc[v], Gather along the chunk's edges); one block
	// for each chunk. Kernels pull_replicated and pull_segmented.
	pullArgs struct {
		Chunks     device.Pointer // const chunk *
		Values     device.Pointer // const V *: of all vertices
		Acc        device.Pointer // A *: of all vertices, at a stride of kernels.SlotBytes
		Parameters device.Pointer // the program's fields
		Fault      device.Pointer // uint32_t *
	}

	// applyArgs: Next[v] = Apply(v, Values[v], Acc[v]) and Acc[v] = Zero for First
	// ≤ v < First+Count; threads go over the vertices in strides of the whole
	// grid. A settled vertex is not applied, it keeps its value: Next[v] =
	// Values[v].
	applyArgs struct {
		Acc        device.Pointer
		Values     device.Pointer // const V *
		Next       device.Pointer // V *; Values itself in async mode
		In, Out    device.Pointer // const uint32_t *: degrees by vertex; 0 when no method reads them
		Degree     device.Pointer // const uint32_t *: edges along which a vertex notifies, by vertex
		Parameters device.Pointer
		Active     device.Pointer // uint32_t *: bits by vertex, ored
		Totals     device.Pointer // totals *: of all blocks, added to
		Sums       device.Pointer // double *: Σ Aggregate, one for each block; 0 without the ability
		Fault      device.Pointer
		Iteration  int64
		Aggregate  float64
		First      uint32
		Count      uint32
		N          uint32
		_          uint32
	}

	// totals counts what apply did.
	totals struct {
		Activated uint64
		Degrees   uint64
		Applied   uint64
	}

	// gatherArgs: nothing but the values of the sources, Width bytes each, is
	// gathered; the ceiling of every pull.
	gatherArgs struct {
		Nbr    device.Pointer
		Values device.Pointer
		Sink   device.Pointer
		Edges  uint64 // a multiple of 16
		Width  uint64
	}

	// zeroArgs: Acc[v] = Zero for all N vertices.
	zeroArgs struct {
		Acc        device.Pointer
		Parameters device.Pointer
		Fault      device.Pointer
		N          uint32
		_          uint32
	}
)

// bytesOf is the memory of an argument struct, for [Stream.Launch].
func bytesOf[T any](args *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(args)), unsafe.Sizeof(*args))
}
