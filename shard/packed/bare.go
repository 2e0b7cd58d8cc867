package packed

import (
	"encoding/binary"
	"fmt"

	"github.com/garaph/garaph/shard"
)

// A blob without its weights is its beginning: they are its last section, and have a checksum
// of their own. What loops read behind the data are then bytes of the weights.

// BareBytes returns the size of that beginning, of a blob of all bytes that begins
// with the header.
func BareBytes(head []byte, all int64) (int64, error) {
	h, err := layout(head)
	if err != nil {
		return 0, err
	}
	if want := h.Size(); all != want {
		return 0, fmt.Errorf("%w: %d bytes, the header promises %d", shard.ErrInvalid, all, want)
	}
	b := h.bare()
	return b.Size(), nil
}

// LeastWeights returns the least size of the weights of some edges in a blob: a code of one
// byte for each slot.
func LeastWeights(edges uint32) int64 {
	return (int64(edges) + BlockSlots - 1) &^ (BlockSlots - 1)
}

// DecodeBare is [Decode] of a blob's beginning, of as many bytes as [BareBytes] says: as if there
// were no weights. These are not checked.
func DecodeBare(blob []byte) (*Side, error) {
	h, err := layout(blob)
	if err != nil {
		return nil, err
	}
	h = h.bare()
	if want := h.Size(); int64(len(blob)) != want {
		return nil, fmt.Errorf("%w: %d bytes without weights, the header promises %d", shard.ErrInvalid, len(blob), want)
	}
	return h.open(blob, 2)
}

// bare returns the layout without weights.
func (h Layout) bare() Layout {
	h.Weighted, h.Wide, h.Coding, h.Entries = false, false, Floats, 0
	return h
}

// open checks the first sections, and gives the side.
func (h *Layout) open(blob []byte, sections int) (*Side, error) {
	at := int64(shard.HeaderBytes)
	parts := h.parts(blob)
	for i, section := range parts[:sections] {
		name := [...]string{"heads", "data", "weights"}[i]
		if err := shard.CheckSection(section, binary.LittleEndian.Uint32(blob[32+4*i:]), name, at); err != nil {
			return nil, err
		}
		at += int64(len(section))
	}
	s := h.windows(blob)
	return s, s.checkHeads()
}
