package community

import (
	"context"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/kernels"
)

// batch is some queries on a device.
type batch struct {
	*gpu
	queries  []*DeviceQuery
	problems []*onDevice
	list     []kernels.CommunityProblem
	bests    []kernels.CommunityBest
	layout   kernels.CommunityLayout
	members  uint32 // of a community at most
	blocks   int
	args     kernels.CommunityProcessArgs
	spilled  spill
	visited  int64
	open     []bool // by query: it is not proved
}

// onDevice is a problem that a device has, reduced and under new ids.
type onDevice struct {
	whole *Problem
	query int
	kept  []uint32 // by new id, the id in the whole problem
}

// search searches some queries, which the device has room for.
func (g *gpu) search(ctx context.Context, queries []*DeviceQuery) error {
	b := &batch{gpu: g, queries: queries, open: make([]bool, len(queries))}
	of := map[*Problem]uint32{}
	for i, q := range queries {
		for p := range problemsOf(q) {
			of[p] = uint32(len(b.problems))
			b.problems = append(b.problems, &onDevice{whole: p, query: i})
			b.members = max(b.members, uint32(p.High))
		}
	}
	err := b.prepare()
	if err == nil && b.layout.Words > 0 {
		err = b.allocate()
	}
	if err == nil && b.layout.Words > 0 {
		b.begin(of)
		if err = b.rounds(ctx); err == nil {
			err = b.end()
		}
	}
	if err == nil {
		for i, q := range queries {
			if q.Searched = true; !b.open[i] {
				q.Open = nil
			}
		}
		err = g.FreeAll()
	}
	return err // after an error, closing the memory frees what the stream may still use
}

// prepare copies the graphs of the problems to the device, which reduces them and makes rows of
// bits of the rest.
func (b *batch) prepare() error {
	graphs, err := b.graphs()
	if err != nil {
		return err
	}
	for _, q := range b.queries {
		b.bests = append(b.bests, kernels.CommunityBest{Next: uint32(q.Best.K() + 1)})
	}
	a := &b.args
	if a.Problems, err = b.Alloc("the problems", int64(len(hostmem.AsBytes(b.list)))); err == nil {
		a.Bests, err = b.Alloc("the best communities", int64(len(hostmem.AsBytes(b.bests))))
	}
	if err == nil {
		err = algorithms.ToDevice(b.DeviceMemory, a.Problems, b.list)
	}
	if err == nil {
		err = algorithms.ToDevice(b.DeviceMemory, a.Bests, b.bests)
	}
	if err == nil {
		err = b.kernels.Reduce(b.Stream, len(b.list), &kernels.CommunityReduceArgs{Problems: a.Problems, Bests: a.Bests})
	}
	if err == nil {
		err = algorithms.ToHost(b.DeviceMemory, b.list, a.Problems)
	}
	if err == nil {
		err = b.compress()
	}
	if err == nil {
		err = b.Free(graphs)
	}
	return err
}

// graphs copies the graphs of the problems, and has room for marks.
func (b *batch) graphs() (device.Pointer, error) {
	words := 0
	for _, p := range b.problems {
		words += 2*p.whole.N + 1 + len(p.whole.Neighbours)
	}
	graphs, err := b.Alloc("the graphs of the queries", 4*int64(words))
	if err != nil {
		return 0, err
	}
	at := graphs
	for _, p := range b.problems {
		mark := at + device.Pointer(4*(p.whole.N+1))
		nbr := mark + device.Pointer(4*p.whole.N)
		b.list = append(b.list, kernels.CommunityProblem{
			Off: at, Mark: mark, Nbr: nbr, N: uint32(p.whole.N), Query: p.whole.Query,
			Low: uint32(p.whole.Low), High: uint32(p.whole.High), Best: uint32(p.query),
		})
		if err := algorithms.ToDevice(b.DeviceMemory, at, p.whole.Offsets); err != nil {
			return 0, err
		}
		if err := algorithms.ToDevice(b.DeviceMemory, nbr, p.whole.Neighbours); err != nil {
			return 0, err
		}
		at = nbr + device.Pointer(4*len(p.whole.Neighbours))
	}
	return graphs, nil
}

// compress makes new ids and rows, and reads back which vertices were kept.
func (b *batch) compress() error {
	kept, rows := 0, 0
	for i := range b.list {
		p := &b.list[i]
		p.Words = (p.Left + 63) / 64
		kept += int(p.Left)
		rows += int(p.Left) * int(p.Words)
		b.layout.Words, b.layout.Vertices = max(b.layout.Words, p.Words), max(b.layout.Vertices, (p.Left+1)&^1)
	}
	if kept == 0 {
		return nil
	}
	ids, err := b.Alloc("the ids of the vertices", 4*int64(kept))
	if err != nil {
		return err
	}
	bits, err := b.Alloc("the rows of the vertices", 8*int64(rows))
	if err != nil {
		return err
	}
	to, row := ids, bits
	for i := range b.list {
		p := &b.list[i]
		p.Kept, p.Rows = to, row
		to, row = to+device.Pointer(4*p.Left), row+device.Pointer(8*int64(p.Left)*int64(p.Words))
	}
	if err = algorithms.ToDevice(b.DeviceMemory, b.args.Problems, b.list); err == nil {
		err = b.kernels.Compress(b.Stream, len(b.list), &kernels.CommunityCompressArgs{Problems: b.args.Problems})
	}
	all := make([]uint32, kept)
	if err == nil {
		err = algorithms.ToHost(b.DeviceMemory, all, ids)
	}
	for i, p := range b.problems {
		n := b.list[i].Left
		p.kept, all = all[:n:n], all[n:]
	}
	return err
}

// allocate allocates what rounds need: scratch for as many warps as the device has at once, if
// that leaves half of the memory for tasks, and tasks in the rest.
func (b *batch) allocate() error {
	l, a := &b.layout, &b.args
	l.Levels, l.Local = b.members+1, min(localVertices, l.Vertices/2)
	var err error
	if b.blocks, err = b.kernels.Blocks(b.Device, *l, b.members); err != nil {
		return err
	}
	warp := 8*l.ScratchWords() + 4
	b.blocks = max(1, min(b.blocks, int(b.Left()/2/(warp*kernels.CommunityPerBlock))))
	warps := int64(b.blocks * kernels.CommunityPerBlock)
	for _, x := range []struct {
		to    *device.Pointer
		what  string
		bytes int64
	}{
		{&a.Members, "the members of communities", 4 * int64(b.members) * int64(len(b.bests))},
		{&a.Nodes, "counts", 8 * int64(len(b.bests))},
		{&a.Round, "counts", int64(len(hostmem.AsBytes([]kernels.CommunityRound{{}})))},
		{&a.Open, "counts", 4 * warps},
		{&a.Scratch, "the levels of a warp", 8 * l.ScratchWords() * warps},
	} {
		if *x.to, err = b.Alloc(x.what, x.bytes); err != nil {
			return err
		}
	}
	task := 8 * int64(l.TaskWords())
	capacity := max(1, min(poolBytes, b.Left()-device.Alignment)/task)
	if b.o.capacity > 0 {
		capacity = min(capacity, b.o.capacity)
	}
	if a.Pool, err = b.Alloc("the tasks", capacity*task); err != nil {
		return err
	}
	a.Capacity, a.Layout, a.WarpWords, a.MostMembers = uint64(capacity), *l, l.ScratchWords(), b.members
	b.spilled = spill{words: l.TaskWords(), limit: b.o.Host}
	return b.Stream.Fill(a.Nodes, 0, 8*int64(len(b.bests)))
}

// begin makes tasks of the open nodes, for the device.
func (b *batch) begin(of map[*Problem]uint32) {
	task := make([]uint64, b.spilled.words)
	for _, q := range b.queries {
		for _, o := range q.Open {
			i := of[o.Problem]
			if p := &b.list[i]; p.Left > 0 {
				if translate(task, o.Task, b.problems[i], i, int(p.Words)) {
					b.spilled.push(task)
				}
			}
		}
	}
}

// translate writes the task of a device that a task of the whole problem is there. It reports
// whether C is there.
func translate(to []uint64, t Task, p *onDevice, number uint32, words int) bool {
	clear(to)
	last, size := absent, 0
	for id, v := range p.kept {
		bit := uint64(1) << (id % 64)
		switch {
		case t.C()[v/64]>>(v%64)&1 != 0:
			to[1+id/64] |= bit
			last = uint32(id) // distances are looked at from any vertex of C
			size++
		case t.R()[v/64]>>(v%64)&1 != 0:
			to[1+words+id/64] |= bit
		}
	}
	to[0] = uint64(last)<<32 | uint64(number)
	return size == popcount(t.C())
}
