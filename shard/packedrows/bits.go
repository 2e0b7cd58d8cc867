package packedrows

import "unsafe"

// load reads 8 bytes.
func load(p unsafe.Pointer, at uint) uint64 { return *(*uint64)(unsafe.Add(p, at)) }

// unpack adds up 8 gaps of w bits to neighbours, behind the one before them, and
// returns the last.
func unpack(to *[group]uint32, p unsafe.Pointer, w uint, last uint32) uint32 {
	mask := uint32(1<<w - 1)
	switch {
	case w <= 8:
		last = unpack4((*[4]uint32)(to[:4]), load(p, 0), w, mask, last)
		last = unpack4((*[4]uint32)(to[4:]), load(p, 0)>>(4*w&63), w, mask, last)
	case w <= 16:
		last = unpack4((*[4]uint32)(to[:4]), load(p, 0), w, mask, last)
		last = unpack4((*[4]uint32)(to[4:]), load(p, w/2)>>(4*w&7), w, mask, last)
	case w <= 28:
		for i := uint(0); i < group; i += 2 {
			x := load(p, i*w/8) >> (i * w % 8)
			to[i] = last + uint32(x)&mask
			last = to[i] + uint32(x>>w)&mask
			to[i+1] = last
		}
	default:
		for i := range uint(group) {
			last += gap(p, w, i)
			to[i] = last
		}
	}
	return last
}

// unpack4 takes 4 gaps from the low end of x.
func unpack4(to *[4]uint32, x uint64, w uint, mask, last uint32) uint32 {
	a := last + uint32(x)&mask
	b := a + uint32(x>>(w&63))&mask
	c := b + uint32(x>>(2*w&63))&mask
	d := c + uint32(x>>(3*w&63))&mask
	to[0], to[1], to[2], to[3] = a, b, c, d
	return d
}

// gap returns the i-th gap of w bits.
func gap(p unsafe.Pointer, w, i uint) uint32 {
	return uint32(load(p, i*w/8)>>(i*w%8)) & uint32(1<<w-1)
}

// total adds up 8 gaps of w bits, those of a word in lanes of twice their width.
func total(p unsafe.Pointer, w uint) (sum uint64) {
	switch {
	case w <= 8:
		x, mask := load(p, 0), lanes[w]
		x = x&mask + x>>w&mask
		x = x&(1<<(2*w)-1) + x>>(2*w)&(1<<(2*w)-1) + x>>(4*w)&(1<<(2*w)-1) + x>>(6*w&63)&(1<<(2*w)-1)
		return x
	case w <= 16:
		mask := lanes[w]
		x, y := load(p, 0), load(p, w/2)>>(4*w&7)
		x = x&mask + x>>w&mask + y&mask + y>>w&mask
		return x&(1<<(2*w)-1) + x>>(2*w&63)
	}
	for i := range uint(group) {
		sum += uint64(gap(p, w, i))
	}
	return sum
}

// lanes has ones in every second lane of w bits, of 8 lanes up to a width of 8, and of 4
// above.
var lanes = func() (masks [17]uint64) {
	for w := range uint(17) {
		n := uint(8)
		if w > 8 {
			n = 4
		}
		for i := uint(0); i < n; i += 2 {
			masks[w] |= (1<<w - 1) << (i * w)
		}
	}
	return masks
}()
