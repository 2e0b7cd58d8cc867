package build

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/shard/rowweights"
)

// neighbourBytes is the size of a neighbour.
const neighbourBytes = 16

// isGiant reports whether a group is a single vertex with more edges than a
// shard has otherwise. Such a shard is sorted where it will be stored, in a
// third of the memory that others take.
func isGiant(g *group) bool { return g.first == g.last && g.edges > maxShardEdges }

// giant sorts and stores such a group.
func (s *sorter) giant(ctx context.Context, g *group) (err error) {
	if err := s.writer.stored(); err != nil {
		return err
	}
	s.free()
	blobBytes := rows.Size(1, uint32(g.edges), s.weight)
	need := 4 * blobBytes // with the weights of rows
	if s.weight > 0 {
		need += neighbourBytes * int64(g.edges)
	}
	if need > s.plan.sort {
		return fmt.Errorf("import: %w: a vertex has %s %s-edges, which take %s to sort and store; --memory %dMiB is enough",
			ErrMemory, humanize.Comma(int64(g.edges)), s.dir, humanize.IBytes(uint64(need)), (s.plan.leastFor(need)+1<<20-1)>>20)
	}
	if err := s.hold(ctx, need); err != nil {
		return err
	}
	defer s.free()
	blob, err := hostmem.Bytes(blobBytes)
	if err != nil {
		return err
	}
	defer hostmem.FreeBytes(blob)
	layout := func(edges int) *rows.Side {
		return rows.Layout(blob[:rows.Size(1, uint32(edges), s.weight)], s.dir, uint32(g.from), g.first, 1,
			uint32(edges), s.weight)
	}
	var edges []neighbour
	if s.weight > 0 {
		if edges, err = hostmem.Slice[neighbour](int(g.edges)); err != nil {
			return err
		}
		defer hostmem.Free(edges)
	}
	n, err := s.neighbours(ctx, g, layout(int(g.edges)).Nbr, edges)
	if err != nil {
		return err
	}
	side := layout(n)
	side.Off[0], side.Off[1] = 0, uint32(n)
	for i, e := range edges[:min(n, len(edges))] {
		side.Nbr[i] = e.to
		if side.Wide != nil {
			side.Wide[i] = e.weight
		} else {
			side.Weight[i] = float32(e.weight)
		}
	}
	weights, err := s.giantWeights(side.Edges())
	if err == nil {
		err = s.putGiant(side, &s.writer.weights, weights)
	}
	hostmem.FreeBytes(weights)
	if err != nil {
		return err
	}
	s.sorted(g.edges)
	return s.collectTwins(side)
}

// giantWeights takes memory for the weights of a giant's rows, where they are packed.
func (s *sideStore) giantWeights(edges uint32) ([]byte, error) {
	if !s.packsWeights() {
		return nil, nil
	}
	return hostmem.Bytes(rowweights.MostBytes(1, edges, s.weight))
}

// putGiant stores the side of a giant, which is rows in every layout; packed ones have no
// weights, which are packed in the buffer. Such rows stand in the blob afterwards.
func (s *sideStore) putGiant(side *rows.Side, p *rowweights.Packer, buffer []byte) error {
	i, n := int(side.Index), side.Edges()
	if !s.packs() || s.dir == shard.In {
		s.seal(side)
		if err := s.out.PutShard(i, side); err != nil {
			return err
		}
		if s.packs() {
			s.back.noteGiant(i, side)
		}
	}
	if !s.packsRows() {
		return nil
	}
	dir := s.dir
	if s.mirror {
		dir = shard.Out
	}
	list := rows.Layout(side.Blob()[:rows.Size(1, n, 0)], dir, side.Index, side.First, 1, n, 0)
	list.Off[0], list.Off[1] = 0, n
	rows.Seal(list.Blob())
	s.noteRows(i, list)
	if err := s.putRows(i, list); err != nil || !s.packsWeights() {
		return err
	}
	return s.putWeights(i, p.Side(list.Header(), side.Off, side.Plane(), s.weight, buffer))
}

// neighbours sorts a giant's neighbours into list or, with weights, into edges, and returns how many there are.
func (s *sorter) neighbours(ctx context.Context, g *group, list []uint32, edges []neighbour) (int, error) {
	n, err := s.loadNeighbours(ctx, g, list, edges)
	if err != nil {
		return 0, err
	}
	if s.weight > 0 {
		slices.SortFunc(edges[:n], func(a, b neighbour) int {
			return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.weight, b.weight))
		})
	} else if s.dir == shard.In { // on the out side they come in order
		slices.Sort(list[:n])
	}
	switch {
	case !s.parallel.joins():
	case s.weight > 0:
		n, err = s.parallel.joinSorted(edges[:n], s.weight, &s.rows.rounded)
	default:
		n = len(slices.Compact(list[:n]))
	}
	s.dropped.Add(g.edges - uint64(n))
	return n, err
}

// loadNeighbours fills list or, with weights, edges with what comes of a giant.
func (s *sorter) loadNeighbours(ctx context.Context, g *group, list []uint32, edges []neighbour) (n int, err error) {
	defer func() { g.parts = nil }()
	if s.readsBack() {
		err = s.eachBack(ctx, g, func(first uint32, nbr []uint32, dst []uint16) error {
			if n+len(nbr) > len(list) {
				return s.uncounted(g.from)
			}
			for i := range nbr {
				list[n] = first + uint32(dst[i])
				n++
			}
			return nil
		})
	}
	record := recordWords(s.weight)
	for i := 0; i < len(g.parts) && err == nil; i++ {
		err = s.spill.eachUnpacked(ctx, g.parts[i], func(b []uint32) error {
			for ; len(b) >= record; b = b[record:] {
				switch {
				case s.numbers.dense(b[1]) != g.first: // of the group beside this one
					continue
				case n == int(g.edges):
					return s.uncounted(g.from)
				case s.weight > 0:
					edges[n] = neighbour{weightOf(b[:record]), s.numbers.dense(b[0])}
				default:
					list[n] = s.numbers.dense(b[0])
				}
				n++
			}
			return nil
		})
	}
	return n, err
}
