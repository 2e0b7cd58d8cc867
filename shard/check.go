package shard

import (
	"fmt"
	"math"
	"unsafe"
)

// CheckValues looks at what checksums cannot see and engines rely on: that
// neighbours exist in a graph of n vertices, and that weights are finite and not
// negative. It is called for every blob that is read, and takes about as long as
// the checksums, a quarter of a millisecond for 4 MiB (BenchmarkCheckValues).
func (s *Side) CheckValues(n uint32) error {
	if below(s.Nbr, n) && below(weightBits(s.Weight), math.Float32bits(float32(math.Inf(1)))) {
		return nil
	}
	for v := range s.Vertices() {
		for _, u := range s.Nbr[s.Off[v]:s.Off[v+1]] {
			if u >= n {
				return fmt.Errorf("%w: vertex %d has neighbour %d, the graph has %d vertices", ErrInvalid, int(s.First)+v, u, n)
			}
		}
	}
	for i, w := range s.Weight { // -0 is one that has come here
		if !(w >= 0) || math.IsInf(float64(w), 1) {
			return fmt.Errorf("%w: weight %v of edge %d is not a finite number ≥ 0", ErrInvalid, w, i)
		}
	}
	return nil
}

// CheckOrder looks whether the neighbours of each vertex stand in order.
func (s *Side) CheckOrder() error {
	for v := range s.Vertices() {
		list := s.Nbr[s.Off[v]:s.Off[v+1]]
		for i := 1; i < len(list); i++ {
			if list[i-1] > list[i] {
				return fmt.Errorf("%w: the neighbours of vertex %d are not in order", ErrInvalid, int(s.First)+v)
			}
		}
	}
	return nil
}

// below reports whether all numbers of a list are below n. Four maxima at once
// don't wait for each other.
func below(list []uint32, n uint32) bool {
	var a, b, c, d uint32
	i := 0
	for ; i+4 <= len(list); i += 4 {
		four := list[i : i+4 : i+4]
		a, b, c, d = max(a, four[0]), max(b, four[1]), max(c, four[2]), max(d, four[3])
	}
	for ; i < len(list); i++ {
		a = max(a, list[i])
	}
	return len(list) == 0 || max(a, b, c, d) < n
}

// weightBits reads weights as the integers that are in the same order where
// weights are not negative.
func weightBits(list []float32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}
