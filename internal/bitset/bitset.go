// Package bitset has dense bit sets of vertices that many goroutines may add
// to. Bits are in roaring's word order, so that a set becomes a roaring bitmap
// without copying.
package bitset

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// Words returns the number of words for n bits, a whole number of roaring
// containers (2¹⁶ bits) so that aliasing is safe.
func Words(n uint32) int { return int((uint64(n)+65535)/65536) * 1024 }

// Set is a bit set, in words of 64 bits.
type Set []uint64

// Has reports bit i.
func (s Set) Has(i uint32) bool { return s[i>>6]>>(i&63)&1 != 0 }

// Add sets bit i, atomically.
func (s Set) Add(i uint32) {
	w, m := &s[i>>6], uint64(1)<<(i&63)
	if atomic.LoadUint64(w)&m == 0 {
		atomic.OrUint64(w, m)
	}
}

// Insert sets bit i, atomically, and reports whether it was clear.
func (s Set) Insert(i uint32) bool {
	m := uint64(1) << (i & 63)
	return atomic.OrUint64(&s[i>>6], m)&m == 0
}

// Remove clears bit i, atomically.
func (s Set) Remove(i uint32) { atomic.AndUint64(&s[i>>6], ^(uint64(1) << (i & 63))) }

// Or sets the bits of mask in word w, atomically.
func (s Set) Or(w uint32, mask uint64) {
	if mask != 0 {
		atomic.OrUint64(&s[w], mask)
	}
}

// AppendPart appends the words of s with the bits in [from, to) to list. Other goroutines may add and remove bits.
func (s Set) AppendPart(list Set, from, to uint32) Set {
	for w := from >> 6; uint64(w)<<6 < uint64(to); w++ {
		list = append(list, atomic.LoadUint64(&s[w]))
	}
	return list
}

// clearWords is the number of words one goroutine clears: half a MiB, which is in other
// processors' caches.
const clearWords = 1 << 16

// Clear empties the set, a large one on several goroutines.
func (s Set) Clear() {
	if len(s) <= clearWords {
		clear(s)
		return
	}
	var running sync.WaitGroup
	for part := range slices.Chunk(s, max(clearWords, (len(s)+7)/8)) {
		running.Go(func() { clear(part) })
	}
	running.Wait()
}

// Any reports whether a bit in [from, to) is set.
func (s Set) Any(from, to uint32) bool {
	_, ok := s.Next(from, to)
	return ok
}

// Next returns the first set bit in [from, to).
func (s Set) Next(from, to uint32) (uint32, bool) {
	if from >= to {
		return 0, false
	}
	w := from >> 6
	word := s[w] &^ (1<<(from&63) - 1)
	for word == 0 {
		w++
		if uint64(w)<<6 >= uint64(to) {
			return 0, false
		}
		word = s[w]
	}
	i := w<<6 + uint32(bits.TrailingZeros64(word))
	return i, i < to
}

// NextNow is Next while other goroutines add and remove bits.
func (s Set) NextNow(from, to uint32) (uint32, bool) {
	for w := from >> 6; uint64(w)<<6 < uint64(to); w++ {
		word := atomic.LoadUint64(&s[w])
		if w == from>>6 {
			word &^= 1<<(from&63) - 1
		}
		if word != 0 {
			i := w<<6 + uint32(bits.TrailingZeros64(word))
			return i, i < to
		}
	}
	return 0, false
}

// RankWords is the number of words that share an entry of ranks.
const RankWords = 8

// Ranks sets ranks[i] to the number of bits before word RankWords·i, and returns the number of all bits.
func (s Set) Ranks(ranks []uint32) (n int) {
	for i, w := range s {
		if i%RankWords == 0 {
			ranks[i/RankWords] = uint32(n)
		}
		n += bits.OnesCount64(w)
	}
	return n
}

// Rank returns the number of bits before bit i, given the result of [Set.Ranks].
func (s Set) Rank(ranks []uint32, i uint32) int {
	w := int(i >> 6)
	n := int(ranks[w/RankWords]) + bits.OnesCount64(s[w]&(1<<(i&63)-1))
	for _, word := range s[w&^(RankWords-1) : w] {
		n += bits.OnesCount64(word)
	}
	return n
}

// Count returns the number of bits in [from, to).
func (s Set) Count(from, to uint32) int {
	n := 0
	for i := from; i < to; {
		word := s[i>>6] &^ (1<<(i&63) - 1)
		end := min((uint64(i)|63)+1, uint64(to))
		if rest := end & 63; rest != 0 {
			word &= 1<<rest - 1
		}
		n += bits.OnesCount64(word)
		i = uint32(end)
	}
	return n
}
