package ingest

import "slices"

// maxDigit bounds the buckets of a pass, so that their ends stay in the cache.
const maxDigit = 12

// sortKeys sorts keys of the given number of significant bits, with their
// weights where there are any, by least significant digits first. The result
// lies in keys and weights or in the buffers, which must be as long.
func sortKeys(keys, keyBuf []uint64, weights, weightBuf []float32, bits int) ([]uint64, []float32) {
	if len(keys) == 0 {
		return keys, weights
	}
	digits := max(1, (bits+maxDigit-1)/maxDigit)
	width := uint((bits + digits - 1) / digits)
	mask := uint64(1)<<width - 1
	counts := make([][1 << maxDigit]uint32, digits)
	for _, k := range keys {
		for d := range counts {
			counts[d][k&mask&(1<<maxDigit-1)]++
			k >>= width
		}
	}
	for d := range counts {
		shift, at := uint(d)*width, &counts[d]
		if at[keys[0]>>shift&mask&(1<<maxDigit-1)] == uint32(len(keys)) {
			continue // all the same
		}
		sum := uint32(0)
		for i, n := range at {
			at[i], sum = sum, sum+n
		}
		keyBuf = keyBuf[:len(keys)]
		if len(weights) == 0 {
			for _, k := range keys {
				p := &at[k>>shift&mask&(1<<maxDigit-1)]
				keyBuf[*p] = k
				*p++
			}
		} else {
			weightBuf = weightBuf[:len(keys)]
			for i, k := range keys {
				p := &at[k>>shift&mask&(1<<maxDigit-1)]
				keyBuf[*p], weightBuf[*p] = k, weights[i]
				*p++
			}
		}
		keys, keyBuf = keyBuf, keys
		weights, weightBuf = weightBuf, weights
	}
	return keys, weights
}

// sortWeights brings the weights of parallel edges, which are equal keys next
// to each other, into ascending order: the order of the input must not matter.
func sortWeights(keys []uint64, weights []float32) {
	for i := 0; i < len(weights); {
		j := i + 1
		for j < len(keys) && keys[j] == keys[i] {
			j++
		}
		if j-i > 1 {
			slices.Sort(weights[i:j])
		}
		i = j
	}
}

// dedup keeps the first of equal keys and gives how many there are then.
func dedup(keys []uint64, weights []float32) int {
	n := 0
	for i, k := range keys {
		if n > 0 && keys[n-1] == k {
			continue
		}
		keys[n] = k
		if len(weights) > 0 {
			weights[n] = weights[i]
		}
		n++
	}
	return n
}

// sortByVertex sorts keys by the vertex in the bits from low on, and keeps the
// order of those with the same one.
func sortByVertex(keys, keyBuf []uint64, low, vertices int) []uint64 {
	at := make([]uint32, vertices)
	for _, k := range keys {
		at[k>>low]++
	}
	sum := uint32(0)
	for i, n := range at {
		at[i], sum = sum, sum+n
	}
	keyBuf = keyBuf[:len(keys)]
	for _, k := range keys {
		p := &at[k>>low]
		keyBuf[*p] = k
		*p++
	}
	return keyBuf
}
