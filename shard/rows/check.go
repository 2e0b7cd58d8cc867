package rows

import (
	"fmt"

	"github.com/garaph/garaph/shard"
)

// CheckValues checks the conditions that engines rely on and checksums do not cover: that
// neighbours exist in a graph of n vertices, and that weights are finite and not
// negative. It is called when a blob is read for the first time, and takes about as long as
// the checksums, a quarter of a millisecond for 4 MiB (BenchmarkCheckValues).
func (s *Side) CheckValues(n uint32) error {
	if shard.Below(s.Nbr, n) {
		return s.Plane().Check()
	}
	for v := range s.Vertices() {
		for _, u := range s.Row(v, nil) {
			if u >= n {
				return fmt.Errorf("%w: vertex %d has neighbour %d, the graph has %d vertices", shard.ErrInvalid, int(s.First)+v,
					u, n)
			}
		}
	}
	return nil
}

// CheckOrder looks whether the neighbours of each vertex stand in order.
func (s *Side) CheckOrder() error {
	for v := range s.Vertices() {
		list := s.Row(v, nil)
		for i := 1; i < len(list); i++ {
			if list[i-1] > list[i] {
				return fmt.Errorf("%w: the neighbours of vertex %d are not in order", shard.ErrInvalid, int(s.First)+v)
			}
		}
	}
	return nil
}
