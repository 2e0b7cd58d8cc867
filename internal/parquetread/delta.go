package parquetread

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// delta decodes DELTA_BINARY_PACKED: len(dst) integers, as differences less the least
// one of their block, in miniblocks of a width each. It returns what follows them.
func delta(dst []uint64, src []byte) ([]byte, error) {
	var head [3]uint64 // values of a block, miniblocks of it, values
	for i := range head {
		x, n := binary.Uvarint(src)
		if n <= 0 {
			return nil, fmt.Errorf("%w: its deltas end within their head", ErrDamaged)
		}
		head[i], src = x, src[n:]
	}
	first, n := binary.Varint(src)
	if n <= 0 {
		return nil, fmt.Errorf("%w: its deltas end within their head", ErrDamaged)
	}
	src = src[n:]
	block, minis := head[0], head[1]
	if block == 0 || block > 1<<20 || minis == 0 || minis > block || block/minis%32 != 0 || block%minis != 0 {
		return nil, fmt.Errorf("%w: blocks of %d deltas in %d parts", ErrDamaged, block, minis)
	}
	if head[2] != uint64(len(dst)) {
		return nil, fmt.Errorf("%w: %d deltas for %d values", ErrDamaged, head[2], len(dst))
	}
	if len(dst) == 0 {
		return src, nil
	}
	last := uint64(first)
	dst[0] = last
	dst = dst[1:]
	for len(dst) > 0 {
		least, n := binary.Varint(src)
		if n <= 0 || uint64(len(src)-n) < minis {
			return nil, fmt.Errorf("%w: %d deltas are missing", ErrDamaged, len(dst))
		}
		widths := src[n : n+int(minis)]
		src = src[n+int(minis):]
		for _, width := range widths {
			if len(dst) == 0 {
				break // the widths of what is not there are any
			}
			if width > 64 {
				return nil, fmt.Errorf("%w: deltas of %d bits", ErrDamaged, width)
			}
			k := min(int(block/minis), len(dst))
			if len(src) < (k*int(width)+7)/8 {
				return nil, fmt.Errorf("%w: %d deltas are missing", ErrDamaged, len(dst))
			}
			last = addDeltas(dst[:k], src, uint(width), uint64(least), last)
			src = src[min(len(src), int(block/minis)*int(width)/8):]
			dst = dst[k:]
		}
	}
	return src, nil
}

// addDeltas reads one miniblock, and returns its last value.
func addDeltas(dst []uint64, src []byte, width uint, least, last uint64) uint64 {
	if width == 0 {
		for i := range dst {
			last += least
			dst[i] = last
		}
		return last
	}
	mask := ^uint64(0) >> (64 - width)
	bit, i := uint(0), 0
	if width <= 56 {
		for ; i < len(dst) && int(bit>>3)+8 <= len(src); i++ {
			last += least + binary.LittleEndian.Uint64(src[bit>>3:])>>(bit&7)&mask
			dst[i] = last
			bit += width
		}
	}
	for ; i < len(dst); i++ {
		var word [16]byte
		if at := int(bit >> 3); at < len(src) {
			copy(word[:], src[at:])
		}
		low, high := binary.LittleEndian.Uint64(word[:]), binary.LittleEndian.Uint64(word[8:])
		x := low >> (bit & 7)
		if shift := bit & 7; shift > 0 {
			x |= high << (64 - shift)
		}
		last += least + x&mask
		dst[i] = last
		bit += width
	}
	return last
}

// signExtend makes 64 bits of the lowest 32, where deltas of 32 bits wrapped around.
func signExtend(dst []uint64, signed bool) {
	for i, x := range dst {
		if signed {
			dst[i] = uint64(int64(int32(x)))
		} else {
			dst[i] = uint64(uint32(x))
		}
	}
}

// addLength is the sum of lengths, no more than most.
func addLength(sum, n, most uint64) (uint64, error) {
	total, carry := bits.Add64(sum, n, 0)
	if carry != 0 || total > most {
		return 0, fmt.Errorf("%w: strings of more than the %d bytes that there are", ErrDamaged, most)
	}
	return total, nil
}
