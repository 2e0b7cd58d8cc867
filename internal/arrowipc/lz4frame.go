package arrowipc

import (
	"encoding/binary"
	"errors"

	"github.com/pierrec/lz4/v4"
)

// The LZ4 frame format (https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md), as far
// as buffers have it. The reader of package lz4 sums what blocks unpack to, where the
// format sums the blocks themselves, and refuses good frames of Polars; here sums are passed over.
const (
	lz4Magic = 0x184d2204

	lz4ContentSize = 1 << 3
	lz4BlockSum    = 1 << 4
	lz4Independent = 1 << 5

	lz4Stored = 1 << 31 // of a block's size: it is not compressed
	lz4Window = 64 << 10
)

var errFrame = errors.New("no LZ4 frame, or one that ends early")

// unpackFrame unpacks a frame into all of dst.
func unpackFrame(dst, src []byte) error {
	if len(src) < 7 || binary.LittleEndian.Uint32(src) != lz4Magic || src[4]>>6 != 1 {
		return errFrame
	}
	flags, at := src[4], 7
	if flags&lz4ContentSize != 0 {
		at += 8
	}
	if flags&1 != 0 {
		return errors.New("an LZ4 frame with a dictionary")
	}
	for done := 0; ; {
		if len(src)-at < 4 {
			return errFrame
		}
		size := binary.LittleEndian.Uint32(src[at:])
		at += 4
		if size == 0 {
			if done < len(dst) {
				return errFrame
			}
			return nil
		}
		n := int(size &^ lz4Stored)
		if n > len(src)-at {
			return errFrame
		}
		block := src[at : at+n]
		if size&lz4Stored != 0 {
			if n > len(dst)-done {
				return errFrame
			}
			done += copy(dst[done:], block)
		} else {
			before := dst[max(0, done-lz4Window):done]
			if flags&lz4Independent != 0 {
				before = nil
			}
			k, err := lz4.UncompressBlockWithDict(block, dst[done:], before)
			if err != nil {
				return err
			}
			done += k
		}
		if at += n; flags&lz4BlockSum != 0 {
			at += 4
		}
	}
}
