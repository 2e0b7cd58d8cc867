package bench

import "math/bits"

// gamma is the step of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
const gamma = 0x9e3779b97f4a7c15

// mix is the output function of SplitMix64, a bijection of 64 bits.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// stream is a sequence of random numbers of which any one can be had at once:
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
