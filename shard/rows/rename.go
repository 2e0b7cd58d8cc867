package rows

import (
	"slices"

	"github.com/garaph/garaph/shard"
)

// Renamed returns row v with other names of neighbours, ascending, and its weights if there are any. Parallel edges
// keep their order.
func (s *Side) Renamed(v int, names []uint32) (nbr []uint32, weights shard.Plane) {
	row, from := s.Row(v, nil), int(s.Off[v])
	was := s.Plane().Slice(from, from+len(row))
	nbr = make([]uint32, len(row))
	switch {
	case was.Wide != nil:
		weights.Wide = make([]float64, len(row))
	case was.Narrow != nil:
		weights.Narrow = make([]float32, len(row))
	}
	Rename(row, was, names, nbr, weights)
	return nbr, weights
}

// Rename puts other names of the neighbours in a row into nbr, ascending, and its weights, if there are any, into
// weights. Parallel edges keep their order.
func Rename(row []uint32, was shard.Plane, names, nbr []uint32, weights shard.Plane) {
	if was.None() {
		for i, u := range row {
			nbr[i] = names[u]
		}
		slices.Sort(nbr)
		return
	}
	keys := make([]uint64, len(row))
	for i, u := range row {
		keys[i] = uint64(names[u])<<32 | uint64(i)
	}
	slices.Sort(keys)
	for i, k := range keys {
		nbr[i] = uint32(k >> 32)
		if was.Wide != nil {
			weights.Wide[i] = was.Wide[uint32(k)]
		} else {
			weights.Narrow[i] = was.Narrow[uint32(k)]
		}
	}
}
