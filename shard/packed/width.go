package packed

import "unsafe"

// Width is a width of deltas as a type, the length of the array in bits, so that
// Go makes code of its own with constant shifts for each.
type Width interface {
	W0 | W1 | W2 | W3 | W4 | W5 | W6 | W7 | W8 | W9 | W10 | W12 | W14 | W16 | W20 | W24 | W32
}

// The widths of the format: where they are large, a bit more costs little.
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
	W12 = [12]byte
	W14 = [14]byte
	W16 = [16]byte
	W20 = [20]byte
	W24 = [24]byte
	W32 = [32]byte
)

// MaxWidth is the largest width.
const MaxWidth = 32

const widths = 1<<11 - 1 | 1<<12 | 1<<14 | 1<<16 | 1<<20 | 1<<24 | 1<<32

// allowed reports whether the format has a width.
func allowed(w int) bool { return uint64(widths)>>w&1 != 0 }

// atLeast returns the smallest width of the format that is not below w, at most 32.
func atLeast(w int) int {
	for !allowed(w) {
		w++
	}
	return w
}

// Destination is a width of destinations as a type.
type Destination interface{ D14 | D16 }

// The widths of destinations.
type (
	D14 = [14]byte
	D16 = [16]byte
)

// Bits returns the number of bits that a type stands for.
func Bits[T Width | Destination]() uint {
	var t T
	return uint(len(t))
}

// Group is 8 slots, whose deltas have w bits and whose destinations have d. The
// side that it comes from has proved that it lies in its blob.
type Group struct{ at unsafe.Pointer }

// Delta returns the distance of the source of slot i from the one before.
func (g Group) Delta(w, i uint) uint32 {
	return uint32(load(g.at, i*w/8)>>(i*w%8)) & (1<<w - 1)
}

// Slot returns the destination of slot i.
func (g Group) Slot(w, d, i uint) uint16 {
	return uint16(load(g.at, w+i*d/8)>>(i*d%8)) & (1<<d - 1)
}

// Next returns the next group.
func (g Group) Next(w, d uint) Group { return Group{unsafe.Add(g.at, w+d)} }

// load reads 8 bytes.
func load(p unsafe.Pointer, at uint) uint64 { return *(*uint64)(unsafe.Add(p, at)) }

// AllWidths lists the widths of deltas.
func AllWidths() (list []int) {
	for w := range MaxWidth + 1 {
		if allowed(w) {
			list = append(list, w)
		}
	}
	return list
}
