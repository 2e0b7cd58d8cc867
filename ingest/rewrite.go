package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/dustin/go-humanize"
	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packedrows"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/shard/rowweights"
	"github.com/garaph/garaph/store"
)

// upgrade is one Upgrade.
type upgrade struct {
	opt  UpgradeOptions
	plan memoryPlan
	old  *store.Store
	out  *store.Writer

	total int64 // bytes of the old graph, and how many are done
	done  atomic.Int64
}

// rewrite does the upgrade and commits it.
func (u *upgrade) rewrite(ctx context.Context) (Report, error) {
	cat := *u.old.Catalogue()
	shards := slices.Clone(cat.Shards)
	mirror := cat.Symmetric && cat.Layout != store.Packed // a packed graph has both sides
	in := sideStore{
		dir: shard.In, out: u.out, weighted: cat.Weighted, layout: store.Packed, mirror: mirror, inRows: (u.opt.Rows || cat.InRows) && !cat.Symmetric,
		shards: shards,
	}
	out := sideStore{dir: shard.Out, out: u.out, weighted: cat.Weighted, layout: store.Packed, shards: shards}
	steps := []func() error{func() error { return u.side(ctx, &in) }}
	read := []shard.Direction{shard.In} // in each
	switch {
	case mirror:
	case cat.Weighted && cat.Layout != store.Packed:
		steps = append(steps, func() error { return u.transpose(ctx, &out) })
		read = append(read, shard.In)
	default:
		steps = append(steps, func() error { return u.side(ctx, &out) })
		read = append(read, shard.Out)
		if cat.RowWeights {
			read = append(read, shard.OutWeights)
		}
	}
	if err := errors.Join(u.copyIDs(ctx), u.old.CopyPythonIDs(u.out)); err != nil {
		return Report{}, err
	}
	if err := u.out.CheckSpace(in.storeBytes()); err != nil {
		return Report{}, err
	}
	for _, dir := range read {
		for i := range shards {
			u.total += cat.Bytes(dir, i)
		}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return Report{}, err
		}
	}
	now := &store.Catalogue{
		Vertices: cat.Vertices, Edges: cat.Edges, Weighted: cat.Weighted, Symmetric: cat.Symmetric, Mirrored: cat.Mirrored && !in.inRows, Layout: store.Packed, InRows: in.inRows, RowWeights: cat.Weighted,
		PythonIDs: cat.PythonIDs, Shards: shards, Source: cat.Source, Created: cat.Created,
	}
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	err := u.out.Commit(now)
	return Report{Vertices: cat.Vertices, Edges: cat.Edges, Weighted: cat.Weighted, Symmetric: cat.Symmetric, Bytes: u.out.DiskBytes()}, err
}

// copyIDs writes the ids of the old graph.
func (u *upgrade) copyIDs(ctx context.Context) error {
	c := u.old.Catalogue()
	from, to := u.old.IDs(), u.out.IDs(c.IDs.Kind, c.IDs.Base)
	for v := uint32(0); c.IDs.Kind != store.IDBase && v < c.Vertices; {
		b, err := from.Block(v)
		if err != nil {
			return err
		}
		for _, x := range b.Ints {
			err = errors.Join(err, to.AppendInt(uint64(x)))
		}
		for _, x := range b.Uints {
			err = errors.Join(err, to.AppendInt(x))
		}
		for _, x := range b.Strings {
			err = errors.Join(err, to.AppendString([]byte(x)))
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		v += uint32(b.Len())
	}
	return to.Finish()
}

// side rewrites one side of all shards: giants one after the other, the others by as many
// goroutines as the memory is enough for.
func (u *upgrade) side(ctx context.Context, s *sideStore) error {
	var most shardSizes
	var giants, others []int
	for i := range s.shards {
		if s.isGiant(i) && u.old.Catalogue().Bytes(s.dir, i) == rows.Size(1, s.edges(i), s.weighted) {
			giants = append(giants, i)
		} else {
			others, most = append(others, i), most.with(s.sizes(&group{from: i, to: i + 1}))
			most.rows = max(most.rows, rows.Size(s.shards[i].Vertices, s.edges(i), s.weighted)) // as they are read, or unpacked
		}
	}
	for _, i := range giants {
		if err := u.giant(ctx, s, i); err != nil {
			return err
		}
	}
	if len(others) == 0 {
		return nil
	}
	room := u.plan.total - processBytes
	each := (&shardWriter{sideStore: s}).need(most)
	if each > room {
		return u.tooSmall(each, most.edges, s.dir)
	}
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range min(int64(u.plan.asked), room/each, int64(len(others))) {
		g.Go(func() error {
			x := shardWriter{sideStore: s}
			defer func() {
				_ = x.stored() // after an error: the blobs are in use until then
				x.free()
			}()
			if err := x.grow(most); err != nil {
				return err
			}
			for k := next.Add(1) - 1; k < int64(len(others)); k = next.Add(1) - 1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := u.shard(&x, others[k]); err != nil {
					return err
				}
			}
			return x.stored()
		})
	}
	return g.Wait()
}

// transpose makes the out side of the edges of the in sides, for out sides had no weights.
func (u *upgrade) transpose(ctx context.Context, s *sideStore) (err error) {
	var largest int64
	var edges uint32
	for i, x := range s.shards {
		largest, edges = max(largest, u.old.Catalogue().Bytes(shard.In, i)), max(edges, x.In)
	}
	if largest > u.plan.sort {
		return u.tooSmall(u.plan.leastFor(largest)-processBytes, edges, shard.In)
	}
	spill, err := newSpill(u.plan.dir, u.plan.blocks, u.plan.space)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, spill.close()) }()
	n := u.old.Catalogue().Vertices
	in := &sideBuilder{spill: spill, twin: newGrouping(cutGroups(s.shards, func(s *store.ShardInfo) uint32 { return s.Out }, 1))}
	in.twin.weighted = true
	g, collecting := errgroup.WithContext(ctx)
	runs := max(1, min(u.plan.sorters, int(u.plan.sort/largest), len(s.shards)))
	for i := range runs { // in the order of vertices, as sorting wants it
		x := &sorter{sideBuilder: in, twins: spill.groupWriter(in.twin.groups, true)}
		in.writers = append(in.writers, x.twins)
		g.Go(func() error { return u.collect(collecting, x, i*len(s.shards)/runs, (i+1)*len(s.shards)/runs, largest) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	out := &sideBuilder{
		sideStore: sideStore{dir: s.dir, out: s.out, weighted: s.weighted, layout: s.layout, shards: s.shards},
		spill:     spill, groups: in.collect(), numbers: &numbering{n: n}, n: n, sorted: func(uint64) {},
	}
	err = out.run(ctx, u.plan)
	return err
}

// collect reads the in sides of the shards [from, to), the largest of which has so many
// bytes, and hands their edges to the out side.
func (u *upgrade) collect(ctx context.Context, x *sorter, from, to int, largest int64) error {
	buffer, err := hostmem.Bytes(largest)
	if err != nil {
		return err
	}
	defer hostmem.FreeBytes(buffer)
	for i := from; i < to; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		side, err := u.read(shard.In, i, buffer)
		if err == nil {
			err = x.collectTwins(rows.Of(side))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// with is the larger one of each size.
func (s shardSizes) with(x shardSizes) shardSizes {
	return shardSizes{max(s.rows, x.rows), max(s.packed, x.packed), max(s.edges, x.edges)}
}

// shard reads a side of shard i and stores it packed.
func (u *upgrade) shard(x *shardWriter, i int) error {
	at := x.at
	x.at = 1 - at
	if err := x.wait(at); err != nil {
		return err
	}
	if u.old.Catalogue().Layout == store.Packed {
		return u.addRows(x, i, at)
	}
	side, err := u.read(x.dir, i, x.blobs[at])
	if err != nil {
		return err
	}
	x.storing[at] = make(chan error, 1)
	return x.pack(i, at, rows.Of(side), x.storing[at])
}

// addRows stores a side of shard i of a packed graph as it is, and beside it rows of
// in-edges, if there shall be any.
func (u *upgrade) addRows(x *shardWriter, i, at int) error {
	in, room, _ := x.packedBytes(x.shards[i].Vertices, x.edges(i))
	buffer := x.packed[at]
	side, err := u.read(x.dir, i, buffer[:cmp.Or(in, room)])
	if err != nil {
		return err
	}
	x.note(i, side)
	buffer = after(buffer, side)
	var inRows shard.Side
	var weights *rowweights.Side
	switch {
	case x.inRows:
		list := u.plain(side, x.blobs[at])
		if inRows, err = packedrows.Pack(list, buffer); err != nil {
			return fmt.Errorf("pack rows of shard %d (%s side): %w", i, x.dir, err)
		}
		x.noteRows(i, inRows)
		if x.packsWeights() {
			weights = x.weights.Side(inRows.Header(), list.Off, list.Weight, after(buffer, inRows))
		}
	case x.packsWeights():
		stored, err := u.read(shard.OutWeights, i, buffer)
		if err != nil {
			return err
		}
		weights = stored.(*rowweights.Side)
	}
	x.storing[at] = make(chan error, 1)
	go func(done chan error) {
		err := x.out.PutShard(i, side)
		if err == nil && inRows != nil {
			err = x.putRows(i, inRows)
		}
		if err == nil && weights != nil {
			err = x.putWeights(i, weights)
		}
		done <- err
	}(x.storing[at])
	return nil
}

// plain is an in side as rows, in a buffer where it is packed: the store has looked at it.
func (u *upgrade) plain(side shard.Side, buffer []byte) *rows.Side {
	if list, ok := side.(*rows.Side); ok {
		return list
	}
	h := side.Header()
	return rows.Unpack(side.(rows.Unpacker), buffer[:rows.Size(h.Vertices, h.Edges, h.Weighted)], h.Weighted)
}

// giant stores a side of shard i, a vertex with more edges than a shard has otherwise.
func (u *upgrade) giant(ctx context.Context, s *sideStore, i int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	need := rows.Size(1, s.edges(i), s.weighted)
	if s.packsWeights() {
		need += rowweights.MostBytes(1, s.edges(i))
	}
	if need > u.plan.total-processBytes {
		return u.tooSmall(need, s.edges(i), s.dir)
	}
	blob, err := hostmem.Bytes(need)
	if err != nil {
		return err
	}
	defer hostmem.FreeBytes(blob)
	side, err := u.read(s.dir, i, blob)
	if err != nil {
		return err
	}
	list, ok := side.(*rows.Side)
	if !ok {
		return fmt.Errorf("graph %s: shard %d (%s side): %w: a vertex of so many edges has rows", u.old.Name(), i, s.dir, store.ErrDamaged)
	}
	weights, err := s.giantWeights(list.Edges())
	if err != nil {
		return err
	}
	defer hostmem.FreeBytes(weights)
	return s.putGiant(list, new(rowweights.Packer), weights)
}

// read reads a side of shard i of the old graph into a buffer that has the size for it.
func (u *upgrade) read(dir shard.Direction, i int, buffer []byte) (shard.Side, error) {
	n := u.old.Catalogue().Bytes(dir, i)
	if n > int64(len(buffer)) {
		return nil, fmt.Errorf("graph %s: shard %d (%s side): %w: %d bytes are more than its edges take", u.old.Name(), i, dir, store.ErrDamaged, n)
	}
	side, err := u.old.StreamShard(dir, i, buffer[:n], shard.Side.CheckValues)
	if err != nil {
		return nil, err
	}
	if done := u.done.Add(n); u.opt.Progress != nil {
		u.opt.Progress(Progress{Rewriting, done, u.total})
	}
	return side, nil
}

// tooSmall is the error of a shard that takes more memory than there is.
func (u *upgrade) tooSmall(need int64, edges uint32, dir shard.Direction) error {
	return fmt.Errorf("%w: a shard has %s %s-edges, which take %s to rewrite; --memory %dMiB is enough",
		ErrMemory, humanize.Comma(int64(edges)), dir, humanize.IBytes(uint64(need)), (processBytes+max(u.plan.least, need)+1<<20-1)>>20)
}
