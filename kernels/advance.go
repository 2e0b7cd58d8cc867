package kernels

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
)

// Policy is the way in which the rows of a frontier are divided among threads.
type Policy uint32

// Policies.
const (
	AutoAdvance Policy = iota // LBLight while the frontier is small, else LB
	ByThread                  // a thread per vertex
	TWC                       // a row for a thread, a warp or a block, by its length (Merrill et al., PPoPP 2012)
	LB                        // equally many edges per block, found by a scan of degrees (Davidson et al., IPDPS 2014)
	LBLight                   // equally many vertices per block, whose edges its threads share
	AllEdges                  // as LB, over the rows of all vertices
	Lonestar                  // as TWC and LBLight, and the longest rows over all blocks (Pai and Pingali, OOPSLA 2016)
)

// Filter is the way in which a vertex that changed several times in an iteration is kept from
// entering the next frontier as often. All but ExactFilter may let duplicates pass, which are
// harmless for monotone programs.
type Filter uint32

// The filters: those of Gunrock's culling (Wang et al., PPoPP 2016).
const (
	ExactFilter   Filter = iota // compare-and-swap of the vertex's state
	NoFilter                    //
	BitmaskFilter               // a mask that is written without atomics
	WarpFilter                  // among the threads of a warp
	HistoryFilter               // by what a block has appended lately
	LabelFilter                 // the vertex's last iteration, written without atomics
)

// Direction is whether a frontier pushes, or vertices look for it.
type Direction uint32

// Directions.
const (
	Either Direction = iota
	Push
	Seek
)

// AdvanceRows holds the rows of all vertices. Edges up to Resident are on the device, and all are
// in host memory.
type AdvanceRows struct {
	Off      device.Pointer // const uint64_t *: by vertex; if 0, there are none
	Near     device.Pointer // uint32_t, or uint32_t and float where they have weights
	Far      device.Pointer
	Resident uint64
}

// AdvanceArgs holds the arguments of kernel advance, which iterates from the frontier Bits[0] until
// it is empty or a limit of Levels or Nanoseconds is reached. Values change in place. The layout is
// that of the struct in advance.cu.
type AdvanceArgs struct {
	AdvanceGraph
	AdvanceSets
	AdvanceLevels
	AdvanceWays
}

// AdvanceGraph holds the vertices, edges and values that the kernel reads.
type AdvanceGraph struct {
	Out, In    AdvanceRows // along which vertices push, and look for others
	Values     device.Pointer
	Degree     device.Pointer // const uint32_t *: the lengths of Out's rows
	DIn, DOut  device.Pointer // const uint32_t *: degrees of vertices; 0 when no method reads them
	IDs        device.Pointer // const uint32_t *: ids of vertices; 0 where they are the places, or not read
	Parameters device.Pointer
}

// AdvanceSets holds the kernel's sets of vertices, and what it leaves.
type AdvanceSets struct {
	Queue  [2]device.Pointer // uint32_t *: for N vertices each
	Bits   [2]device.Pointer // uint32_t *: by vertex
	Rest   device.Pointer    // uint32_t *: for N vertices
	Prefix device.Pointer    // uint64_t *: for N vertices
	Later  device.Pointer    // uint32_t *: bits by vertex; with Width alone
	Labels device.Pointer    // uint32_t *: by vertex, zero; for filters that need them
	State  device.Pointer    // AdvanceState *
	Fault  device.Pointer    // uint32_t *
}

// AdvanceLevels holds the parameters of a run of levels: the first iteration, how many there may be, and limits.
type AdvanceLevels struct {
	Iteration   int64
	Aggregate   float64
	Width       float64 // of the priorities that are done at once; if 0, they are not used
	Unseen      uint64  // edges of vertices that were not active yet
	Nanoseconds uint64
	Small       uint64  // edges of a small frontier
	fraction    uint64  // 2⁶⁴ over the number of blocks
	Most        uint64  // edges of a frontier: it ends before one with more
	Limit       float64 // vertices with lower priorities are done first; if -Inf, it is yet to be found
	N           uint32
	Levels      uint32
}

// AdvanceWays selects how an iteration is done.
type AdvanceWays struct {
	Policy    Policy
	Filter    Filter
	Direction Direction
	Weighted  uint32 // 1: edges have weights
	Append    uint32 // 1: the filter is fused into the advance
	PushShare uint32 // more than 1/PushShare of the unseen edges are sought
	SeekShare uint32 // fewer than 1/SeekShare of the vertices push again
	_         uint32
}

// AdvanceResults holds the results of a launch.
type AdvanceResults struct {
	Active, Degrees uint64 // of the last frontier
	Edges, Vertices uint64 // looked at, and done
	Unseen          uint64
	Levels          uint32
	Sought          uint32 // of these, in which vertices looked for the frontier
	Current         uint32 // the last frontier is Bits[Current]
	_               uint32
	Widest          uint64  // the most edges of a frontier, also of one with more than Most
	Limit           float64 // with priorities, of the last frontier
}

// AdvanceState begins with the results. Its first AdvanceHead bytes are zero before a
// launch.
type AdvanceState struct {
	AdvanceResults
	_    [3][4]uint64 // counts of blocks in a phase
	part [2][2][mostBlocks]uint64
	_    [2][mostReady][16]byte // rows of queued vertices
}

const (
	mostBlocks     = 4096
	mostReady      = 1 << 16
	advanceThreads = 384
)

// AdvanceHead is the size of the part of the state that must be zero before a launch.
const AdvanceHead = int64(unsafe.Offsetof(AdvanceState{}.part))

// NeedsLabels reports whether a filter that is fused into the advance reads labels.
func (f Filter) NeedsLabels() bool {
	return f == ExactFilter || f == BitmaskFilter || f == LabelFilter
}

// CanAdvance returns an error that says why the kernel cannot run a program, or nil if it can.
func CanAdvance(f compiled.Fragments) error {
	bytes := 0
	for _, l := range f.Value.Leaves {
		bytes += l.Kind.Size()
	}
	if n := f.Value.Size; n != 4 && n != 8 || bytes != n {
		return errors.New("its values are not 4 or 8 bytes without padding")
	}
	if slices.ContainsFunc(f.Gather.Inputs, func(name string) bool { return strings.HasPrefix(name, "dst.") }) {
		return errors.New("its Gather reads dst")
	}
	return nil
}

// Advance is kernel advance.
type Advance struct {
	f      device.Function
	blocks int
}

// LoadAdvance assembles and loads the kernel for a program.
func LoadAdvance[V, A any](d device.Device, p gas.Program[V, A], f compiled.Fragments) (k Advance, err error) {
	if err = CanAdvance(f); err != nil {
		return k, fmt.Errorf("program %T: %w", p, err)
	}
	k.f, err = load(d, "advance", f, guarded(newEmulator(p, f).advance,
		func(a *AdvanceArgs) device.Pointer { return a.Fault }))
	if err == nil {
		k.blocks, err = k.f.Together(advanceThreads, 0)
	}
	k.blocks = min(k.blocks, mostBlocks)
	return k, err
}

// Launch queues the kernel, on all of the device.
func (k Advance) Launch(s device.Stream, a *AdvanceArgs) error {
	a.fraction = math.MaxUint64 / uint64(k.blocks)
	return k.f.LaunchTogether(s, k.blocks, advanceThreads, 0, bytesOf(a))
}
