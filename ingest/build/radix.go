package build

import (
	"math/bits"
	"slices"
	"unsafe"
)

const (
	// maxDigit bounds the buckets of a pass, so that their ends stay in the
	// cache; maxDigits of them hold any vertex.
	maxDigit  = 12
	maxDigits = 3
)

// radixDigits divides the bits of a vertex, of n, into digits of equal width.
func radixDigits(n uint32) (digits int, width uint) {
	all := max(1, bits.Len32(n-1))
	digits = (all + maxDigit - 1) / maxDigit
	return digits, uint(all+digits-1) / uint(digits)
}

// pass moves keys, with their weights where there are any, to their places by
// one digit, whose counts are known: keys with equal ones keep their order.
func pass[W float32 | float64](
	keys, to []uint64, weights, moved []W, counts *[1 << maxDigit]uint32, shift, width uint,
) {
	mask, sum := uint32(1)<<width-1, uint32(0)
	for i, n := range counts {
		counts[i], sum = sum, sum+n
	}
	if weights == nil {
		for _, k := range keys {
			p := &counts[uint32(k)>>shift&mask&(1<<maxDigit-1)]
			to[*p] = k
			*p++
		}
		return
	}
	for i, k := range keys {
		p := &counts[uint32(k)>>shift&mask&(1<<maxDigit-1)]
		to[*p], moved[*p] = k, weights[i]
		*p++
	}
}

// sortWeights brings the weights of parallel edges, which are equal neighbours
// next to each other, into ascending order: the order of the input must not
// matter.
func sortWeights[W float32 | float64](nbr []uint32, weights []W) {
	for i := 0; i < len(nbr); {
		j := i + 1
		for j < len(nbr) && nbr[j] == nbr[i] {
			j++
		}
		if j-i > 1 {
			slices.Sort(weights[i:j])
		}
		i = j
	}
}

// asWords returns the same memory as 32-bit words.
func asWords(keys []uint64) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(keys))), 2*len(keys))
}
