package kernels

import (
	"errors"
	"fmt"

	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
)

// CommunityProblem is a graph in which the communities of one query vertex are searched. Sets of
// vertices, and rows, are bit sets: vertex v is bit v%64 of word v/64.
type CommunityProblem struct {
	Off, Nbr         device.Pointer // const uint32_t *: N+1 of them; rows, without loops
	Mark             device.Pointer // uint32_t *: N of them, with any content
	Kept             device.Pointer // uint32_t *: Left of them; compress writes the old ids, ascending
	Rows             device.Pointer // uint64_t *: Left times Words of them; compress writes them
	N, Left          uint32         // vertices; reduce writes Left
	Words            uint32         // of a set of Left vertices
	Query, Low, High uint32         // the query vertex, by its old id, and the bounds of the size
	Best             uint32         // which CommunityBest it improves
	_                uint32
}

// CommunityBest is the best community found so far for a query.
type CommunityBest struct {
	Next    uint32 // its minimum degree and 1; if 0, there is none
	Lock    uint32 // 0
	Size    uint32 // how many members it has; if 0, the device has not found it
	Problem uint32 // whose old ids the members are
}

// CommunityRound is the state that the warps of a round share. It is zero before the launch.
type CommunityRound struct {
	Taken uint32 // tasks that were taken, or more: then all were
	Idle  uint32
	Open  uint64 // nodes that warps leave
	Nodes uint64 // that were visited
}

// CommunityLayout describes the scratch memory of a warp.
type CommunityLayout struct {
	Words, Levels uint32 // words of a set; nodes from a task to where the warp is
	Local         uint32 // vertices that a part of a problem has at most for new ids
	Vertices      uint32 // vertices of a problem, an even number
}

// What community.cuh has, too: words of a warp's scratch.
const (
	communitySets       = 5 // in shared memory
	communityExpandSets = 4
	communitySpaces     = 24
	communitySpaceWords = 3
	communityLevelWords = 2
	communityHeadWords  = 2
)

// ScratchWords returns the number of 64-bit words of a warp's scratch memory.
func (l CommunityLayout) ScratchWords() int64 {
	return l.partsAt() + l.parts()
}

func (l CommunityLayout) levels() int64 {
	return communityHeadWords + communitySpaces*communitySpaceWords
}

// levelWords are those of a level: its sets, and the list of C ∪ R with the counts, half a word
// each.
func (l CommunityLayout) levelWords() int64 {
	return communityLevelWords + 3*int64(l.Words) + int64(l.Vertices)
}

// partsAt is behind the levels and three lists.
func (l CommunityLayout) partsAt() int64 {
	return l.levels() + int64(l.Levels)*l.levelWords() + int64(l.Vertices)/2*3
}

// parts is for the ids and rows of parts, each of which has at most half the vertices of the
// one before.
func (l CommunityLayout) parts() (words int64) {
	for n := int64(l.Local); ; n /= 2 {
		words += (n+1)/2 + n*((n+63)/64)
		if n <= 64 {
			return words
		}
	}
}

// TaskWords returns the length of a task. Word 0 holds the problem and, in the high half, the
// vertex chosen last, or all ones; then come C and R, each with as many words as the problem has.
func (l CommunityLayout) TaskWords() int { return 1 + 2*int(l.Words) }

// CommunityReduceArgs holds the arguments of the initial reduction; a block for each problem.
type CommunityReduceArgs struct {
	Problems device.Pointer // CommunityProblem *
	Bests    device.Pointer // const CommunityBest *
}

// CommunityCompressArgs holds the arguments of kernel compress, which makes new ids and rows; a
// block for each problem.
type CommunityCompressArgs struct {
	Problems device.Pointer // const CommunityProblem *
}

// CommunityProcessArgs holds the arguments of a round.
type CommunityProcessArgs struct {
	CommunityArrays
	WarpWords   int64  // Layout.ScratchWords()
	Nanoseconds uint64 // that the round takes
	CommunityTasks
	Layout      CommunityLayout
	MostMembers uint32
	Least, Most uint32 // nodes that a warp visits before it looks for idle warps, and at most
	Hungry      uint32 // idle warps that end the round
}

// CommunityArrays holds the arrays that the warps of a round read and write.
type CommunityArrays struct {
	Problems device.Pointer // const CommunityProblem *
	Bests    device.Pointer // CommunityBest *
	Members  device.Pointer // uint32_t *: MostMembers for each best
	Pool     device.Pointer // const uint64_t *: Capacity tasks, a ring
	Scratch  device.Pointer // uint64_t *: ScratchWords for each warp
	Open     device.Pointer // uint32_t *: by warp, how many nodes it leaves
	Nodes    device.Pointer // uint64_t *: by best, how many were visited; they are added
	Round    device.Pointer // CommunityRound *
}

// CommunityTasks describes the tasks in the ring Pool.
type CommunityTasks struct {
	Bottom   uint64 // the slot of the first
	Tasks    uint64 // how many there are
	Capacity uint64
}

// CommunityExpandArgs holds the arguments of kernel expand, which turns the nodes First to
// First+Room-1 that the warps of a round leave into tasks, from slot To on.
type CommunityExpandArgs struct {
	Problems     device.Pointer // const CommunityProblem *
	Scratch      device.Pointer // const uint64_t *
	Open         device.Pointer // const uint32_t *
	Pool         device.Pointer // uint64_t *
	WarpWords    int64
	First, Room  uint64
	To, Capacity uint64
	Layout       CommunityLayout
}

// The threads of blocks, which the templates have, too.
const (
	communityBlock    = 1024 // of reduce and compress
	communityThreads  = 128  // of process and expand
	CommunityPerBlock = communityThreads / 32
)

// Community holds the kernels of community search: initial reduction, compress, process, expand.
type Community struct {
	reduce, compress, process, expand device.Function
}

// LoadCommunity loads the kernels. An emulated device refuses them, as they have no emulation.
func LoadCommunity(d device.Device) (*Community, error) {
	k := &Community{}
	for name, to := range map[string]*device.Function{
		"community_reduce": &k.reduce, "community_compress": &k.compress, "community_process": &k.process,
		"community_expand": &k.expand,
	} {
		var err error
		if *to, err = load(d, name, compiled.Fragments{}, nil); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// processShared is how much shared memory a block of process takes.
func processShared(l CommunityLayout, mostMembers uint32) int {
	return CommunityPerBlock * 8 * (communitySets*int(l.Words) + 3*int(mostMembers+2))
}

// ErrShared is returned if the sets of a search do not fit into the shared memory of a block.
var ErrShared = errors.New("too large for the shared memory of a block")

// Blocks returns the number of blocks of process that run at once, with CommunityPerBlock warps
// each.
func (k *Community) Blocks(d device.Device, l CommunityLayout, mostMembers uint32) (int, error) {
	shared := processShared(l, mostMembers)
	if most := d.Info().SharedBlock; shared > most {
		return 0, fmt.Errorf("sets of %d words take %d bytes, and a block has %d: %w", l.Words, shared, most, ErrShared)
	}
	return k.process.Together(communityThreads, shared)
}

// Reduce queues the initial reduction of problems.
func (k *Community) Reduce(s device.Stream, problems int, a *CommunityReduceArgs) error {
	return k.reduce.Launch(s, problems, communityBlock, 0, bytesOf(a))
}

// Compress queues kernel compress.
func (k *Community) Compress(s device.Stream, problems int, a *CommunityCompressArgs) error {
	return k.compress.Launch(s, problems, communityBlock, 0, bytesOf(a))
}

// Process queues a round.
func (k *Community) Process(s device.Stream, blocks int, a *CommunityProcessArgs) error {
	return k.process.Launch(s, blocks, communityThreads, processShared(a.Layout, a.MostMembers), bytesOf(a))
}

// Expand queues kernel expand.
func (k *Community) Expand(s device.Stream, blocks int, a *CommunityExpandArgs) error {
	return k.expand.Launch(s, blocks, communityThreads, CommunityPerBlock*8*communityExpandSets*int(a.Layout.Words),
		bytesOf(a))
}
