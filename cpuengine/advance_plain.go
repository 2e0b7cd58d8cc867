package cpuengine

import (
	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/shard/packedrows"
)

// plainReader reads plain rows.
type plainReader struct {
	rows *frontier.Rows
	rest [heldVertices]uint16 // of a list, vertices whose first neighbours are not in the set
}

// firstEdges is the number of edges of each vertex that Find looks at in passes over all vertices, while one in eight
// finds a member of the set.
const firstEdges = 6

// Rows returns all rows.
func (r *plainReader) Rows(list []uint32) (*frontier.Rows, []uint32, error) { return r.rows, list, nil }

// Find implements rowReader. The first neighbours of all vertices are looked up one after another, without
// branches, which the processor could not guess, so that it loads many rows at once.
func (r *plainReader) Find(begin uint32, list []uint16, set []uint64, nbr []uint32) (
	found []uint16, looked int, err error) {
	off, k, edge := r.rows.Off[begin:], 0, uint64(0)
	for _, v := range list {
		list[k] = v
		if off[v] < off[v+1] {
			k++
		}
	}
	list = list[:k]
	rest := list
	for last := 2 * k; edge < firstEdges && r.rows.Arcs == nil && len(rest) < last-last/8; edge++ {
		last = len(rest)
		looked += last
		rest = r.rest[:lookup(r.rows.Nbr, off, rest, r.rest[:], edge, set, nbr)]
	}
	for _, v := range rest {
		from, to := off[v]+edge, off[v+1]
		at := r.next(min(from, to), to, set)
		looked += int(min(at+1, to)) - int(from) // negative for a row that ended before
		if nbr[v] = packedrows.None; at < to {
			nbr[v] = r.rows.To(at)
		}
	}
	k = 0
	for _, v := range list {
		list[k] = v
		if nbr[v] != packedrows.None {
			k++
		}
	}
	return list[:k], looked, nil
}

// next returns the place of the first edge in [from, to) that leads to a member of a set, or to.
func (r *plainReader) next(from, to uint64, set bitset.Set) uint64 {
	if r.rows.Arcs == nil {
		return from + uint64(next(r.rows.Nbr[from:to], set))
	}
	for from < to && !set.Has(r.rows.Arcs[from].To) {
		from++
	}
	return from
}

// lookup puts into left the vertices of a list whose neighbours at the given edge, or the last one, are not in a set,
// and returns their number. Neighbours are in nbr by vertex.
func lookup(to []uint32, off []uint64, list, left []uint16, edge uint64, set bitset.Set, nbr []uint32) (n int) {
	for _, v := range list {
		u := to[min(off[v]+edge, off[int(v)+1]-1)]
		nbr[v], left[n] = u, v
		n += int(^set[u>>6] >> (u & 63) & 1)
	}
	return n
}

// next returns the place of the first vertex in a row that is in a set, or the end of the row.
// It is a function of its own so that this loop has the processor's registers for itself.
//
//go:noinline
func next(row []uint32, set bitset.Set) int {
	for k, u := range row {
		if set.Has(u) {
			return k
		}
	}
	return len(row)
}
