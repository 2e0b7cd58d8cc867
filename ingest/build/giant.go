package build

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/shard/rowweights"
)

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
	need += 2 * int64(s.weight) * int64(g.edges)
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
		return rows.Layout(blob[:rows.Size(1, uint32(edges), s.weight)], s.dir, uint32(g.from), g.first, 1, uint32(edges), s.weight)
	}
	var keys []uint64 // neighbour and weight, which orders as its bits do
	var wide []wideEdge
	switch s.weight {
	case 4:
		keys, err = hostmem.Slice[uint64](int(g.edges))
	case 8:
		wide, err = hostmem.Slice[wideEdge](int(g.edges))
	}
	if err != nil {
		return err
	}
	defer hostmem.Free(keys)
	defer hostmem.Free(wide)
	n, err := s.neighbours(ctx, g, layout(int(g.edges)).Nbr, keys, wide)
	if err != nil {
		return err
	}
	side := layout(n)
	side.Off[0], side.Off[1] = 0, uint32(n)
	for i, k := range keys[:min(n, len(keys))] {
		side.Nbr[i], side.Weight[i] = uint32(k>>32), math.Float32frombits(uint32(k))
	}
	for i, e := range wide[:min(n, len(wide))] {
		side.Nbr[i], side.Wide[i] = e.to, e.weight
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

// neighbours sorts a giant's neighbours into list or, with weights, into keys
// or wide, and gives how many edges it has.
func (s *sorter) neighbours(ctx context.Context, g *group, list []uint32, keys []uint64, wide []wideEdge) (int, error) {
	defer func() { g.parts = nil }()
	n, record := 0, recordWords(s.weight)
	if s.readsBack() {
		err := s.eachBack(ctx, g, func(first uint32, nbr []uint32, dst []uint16) error {
			if n+len(nbr) > len(list) {
				return s.uncounted(g.from)
			}
			for i := range nbr {
				list[n] = first + uint32(dst[i])
				n++
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	for _, part := range g.parts {
		err := s.spill.eachUnpacked(ctx, part, func(b []uint32) error {
			for i := 0; i+record <= len(b); i += record {
				switch {
				case s.numbers.dense(b[i+1]) != g.first: // of the group beside this one
					continue
				case n == int(g.edges):
					return s.uncounted(g.from)
				case s.weight == 8:
					wide[n] = wideEdge{weightOf(b[i : i+4]), s.numbers.dense(b[i])}
				case s.weight == 4:
					keys[n] = uint64(s.numbers.dense(b[i]))<<32 | uint64(b[i+2])
				default:
					list[n] = s.numbers.dense(b[i])
				}
				n++
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	switch {
	case s.weight == 8:
		slices.SortFunc(wide[:n], func(a, b wideEdge) int {
			return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.weight, b.weight))
		})
		if s.parallel.joins() {
			var err error
			if n, err = s.parallel.joinWide(wide[:n], &s.rows.rounded); err != nil {
				return 0, err
			}
		}
	case s.weight == 4:
		slices.Sort(keys[:n])
		if s.parallel.joins() {
			var err error
			if n, err = s.parallel.joinSorted(keys[:n], &s.rows.rounded); err != nil {
				return 0, err
			}
		}
	default:
		if s.dir == shard.In { // on the out side they come in order
			slices.Sort(list[:n])
		}
		if s.parallel.joins() {
			n = len(slices.Compact(list[:n]))
		}
	}
	s.dropped.Add(g.edges - uint64(n))
	return n, nil
}
