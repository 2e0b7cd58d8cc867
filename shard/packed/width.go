package packed

import "unsafe"

// Width is a width of deltas as a type, the length of the array in bits, so that
// Go makes code of its own with constant shifts for each.
type Width interface {
	W0 | W1 | W2 | W3 | W4 | W5 | W6 | W7 | W8 | W9 | W10 | W11 | W12 | W13 | W14 | W15 | W16 | W20 | W24 | W32
}

// The widths of the format. More than 16 bits are for shards with few edges, where
// a bit more than needed costs little.
type (
	W0  = [0]byte
	W1  = [1]byte
	W2  = [2]byte
	W3  = [3]byte
	W4  = [4]byte
	W5  = [5]byte
	W6  = [6]byte
	W7  = [7]byte
	W8  = [8]byte
	W9  = [9]byte
	W10 = [10]byte
	W11 = [11]byte
	W12 = [12]byte
	W13 = [13]byte
	W14 = [14]byte
	W15 = [15]byte
	W16 = [16]byte
	W20 = [20]byte
	W24 = [24]byte
	W32 = [32]byte
)

// MaxWidth is the largest width.
const MaxWidth = 32

const widths = 1<<17 - 1 | 1<<20 | 1<<24 | 1<<32

// allowed reports whether the format has a width.
func allowed(w int) bool { return uint64(widths)>>w&1 != 0 }

// atLeast is the smallest width of the format that is not below w, at most 32.
func atLeast(w int) int {
	for !allowed(w) {
		w++
	}
	return w
}

// load reads 8 bytes, of which the side has proved that they lie in its blob.
func load(p unsafe.Pointer, at uint) uint64 { return *(*uint64)(unsafe.Add(p, at)) }
