package parquetread

import (
	"encoding/binary"
	"fmt"
)

// hybrid decodes the mixture of runs and bit-packed values in which levels and
// indexes of dictionaries are written: len(dst) values of width bits.
func hybrid(dst []uint32, src []byte, width uint) error {
	if width > 32 {
		return fmt.Errorf("%w: values of %d bits, where 32 are the most", ErrDamaged, width)
	}
	for len(dst) > 0 {
		head, n := binary.Uvarint(src)
		if n <= 0 {
			return fmt.Errorf("%w: %d values are missing", ErrDamaged, len(dst))
		}
		src = src[n:]
		if head&1 == 0 {
			size := int(width+7) / 8
			if len(src) < size {
				return fmt.Errorf("%w: a run ends early", ErrDamaged)
			}
			value := uint32(0)
			for i := size - 1; i >= 0; i-- {
				value = value<<8 | uint32(src[i])
			}
			src = src[size:]
			k := min(head>>1, uint64(len(dst)))
			run := dst[:k]
			for i := range run {
				run[i] = value
			}
			dst = dst[k:]
			continue
		}
		groups := min(head>>1, uint64(len(dst)+7)/8) // those behind are padding, at most
		k := min(int(groups)*8, len(dst))
		bytes := (k*int(width) + 7) / 8
		if len(src) < bytes {
			return fmt.Errorf("%w: packed values end early", ErrDamaged)
		}
		unpackBits(dst[:k], src, width)
		src = src[min(len(src), int(groups)*int(width)):]
		dst = dst[k:]
	}
	return nil
}

// unpackBits reads values of width bits, lowest bits first. src has all of them.
func unpackBits(dst []uint32, src []byte, width uint) {
	mask := uint64(1)<<width - 1
	bit, i := uint(0), 0
	for ; i < len(dst) && int(bit>>3)+8 <= len(src); i++ {
		dst[i] = uint32(binary.LittleEndian.Uint64(src[bit>>3:]) >> (bit & 7) & mask)
		bit += width
	}
	for ; i < len(dst); i++ {
		var word [8]byte
		if at := int(bit >> 3); at < len(src) {
			copy(word[:], src[at:])
		}
		dst[i] = uint32(binary.LittleEndian.Uint64(word[:]) >> (bit & 7) & mask)
		bit += width
	}
}
