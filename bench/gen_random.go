package bench

import "math/bits"

// gamma is the step of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
const gamma = 0x9e3779b97f4a7c15

// mix returns the output function of SplitMix64, a bijection of 64 bits.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// stream is a sequence of random numbers with random access:
// number i is mix(stream + i·gamma). Every edge has numbers of its own, so that
// edges come out the same in whatever order and by however many threads they
// are made.
type stream uint64

// Purposes of streams, which must not share numbers.
const (
	forEdges = iota + 1
	forWeights
	forIDs
)

func newStream(seed, purpose uint64) stream {
	return stream(mix(mix(seed+gamma) + purpose*gamma))
}

// from returns the state of the stream in front of number i: the next numbers are
// mix(state), mix(state+gamma), ….
func (s stream) from(i uint64) uint64 { return uint64(s) + i*gamma }

// below maps a random number to 0 … n-1, by the high half of a product
// (Lemire, "Fast Random Integer Generation in an Interval", 2019). Without
// rejection, chances differ by n/2⁶⁴ of themselves at most.
func below(random, n uint64) uint64 {
	high, _ := bits.Mul64(random, n)
	return high
}

// scramble is a random bijection of the numbers of a width in bits: rounds of
// multiplication by an odd number, which carries low bits up, and of an
// xor-shift, which carries high bits down.
type scramble struct {
	bits int
	odd  [3]uint64
}

func newScramble(seed uint64, bits int) scramble {
	s := scramble{bits: bits}
	state := newStream(seed, forIDs).from(0)
	for i := range s.odd {
		s.odd[i] = mix(state+uint64(i)*gamma) | 1
	}
	return s
}

func (s *scramble) of(x uint64) uint64 {
	mask := uint64(1)<<s.bits - 1
	shift := uint(s.bits+1) / 2
	x ^= s.odd[0] >> (64 - s.bits) // so that 0 moves, too
	for _, odd := range s.odd {
		x = x * odd & mask
		x ^= x >> shift
	}
	return x
}

// aliasCells is the number of cells of an aliasTable.
const (
	aliasBits  = 2 * levelsPerStep
	aliasCells = 1 << aliasBits
)

// aliasTable chooses among outcomes with given chances by one look-up (Walker's
// alias method, as Vose, 1991, builds it). Of a random 32-bit number the low
// bits are a cell, and the others decide between the cell's two outcomes.
type aliasTable [aliasCells]struct {
	limit         uint32 // first below it, second from it on
	first, second uint16
}

// newAliasTable takes the outcomes and their chances, which sum to 1; their
// number is a divisor of aliasCells.
func newAliasTable(outcomes []uint16, chances []float64) *aliasTable {
	const one = 1 << (32 - aliasBits)
	n := len(chances)
	share := make([]float64, n) // in units of a cell; what is above 1 fills other cells
	second := make([]int, n)
	var small, large []int
	for i, p := range chances {
		share[i] = p * float64(n)
		second[i] = i
		if share[i] < 1 {
			small = append(small, i)
		} else {
			large = append(large, i)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		second[s] = l
		share[l] -= 1 - share[s]
		if share[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	t := new(aliasTable)
	for i := range t {
		k := i % n
		t[i].limit = uint32(min(share[k], 1) * one)
		t[i].first, t[i].second = outcomes[k], outcomes[second[k]]
	}
	return t
}

// pick has no branch, which would be mispredicted half of the time.
func (t *aliasTable) pick(random uint32) uint64 {
	s := t[random%aliasCells]
	below := uint16((int32(random>>aliasBits) - int32(s.limit)) >> 31) // all ones or zero
	return uint64(s.second ^ (s.first^s.second)&below)
}
