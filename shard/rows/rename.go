package rows

import (
	"slices"

	"github.com/garaph/garaph/shard"
)

// Renamed returns row v with other names of neighbours, ascending, and its weights if there are any. Parallel edges
// keep their order.
func (s *Side) Renamed(v int, names []uint32) (nbr []uint32, weights shard.Plane) {
	row, was := s.Row(v, nil), s.Plane()
	nbr = make([]uint32, len(row))
	if was.Narrow == nil && was.Wide == nil {
		for i, u := range row {
			nbr[i] = names[u]
		}
		slices.Sort(nbr)
		return nbr, was
	}
	keys := make([]uint64, len(row))
	for i, u := range row {
		keys[i] = uint64(names[u])<<32 | uint64(i)
	}
	slices.Sort(keys)
	was = was.Slice(int(s.Off[v]), int(s.Off[v])+len(row))
	if was.Wide != nil {
		weights.Wide = make([]float64, len(row))
	} else {
		weights.Narrow = make([]float32, len(row))
	}
	for i, k := range keys {
		nbr[i] = uint32(k >> 32)
		if was.Wide != nil {
			weights.Wide[i] = was.Wide[uint32(k)]
		} else {
			weights.Narrow[i] = was.Narrow[uint32(k)]
		}
	}
	return nbr, weights
}
