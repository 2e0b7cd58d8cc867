package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// An envelope carries the blobs that are not shards: 32 bytes of header, then
// the payload. docs/format-store.md draws it.
const (
	envelopeBytes   = 32
	envelopeVersion = 1
)

var (
	envelopeMagic = [8]byte{'G', 'A', 'R', 'A', 'P', 'H', 'B', 'L'}
	castagnoli    = crc32.MakeTable(crc32.Castagnoli)
)

// seal puts a payload of the given kind into an envelope.
func seal(kind uint32, payload []byte) []byte {
	b := make([]byte, envelopeBytes, envelopeBytes+len(payload))
	copy(b, envelopeMagic[:])
	le := binary.LittleEndian
	le.PutUint32(b[8:], envelopeVersion)
	le.PutUint32(b[12:], kind)
	le.PutUint64(b[16:], uint64(len(payload)))
	le.PutUint32(b[24:], crc32.Checksum(payload, castagnoli))
	le.PutUint32(b[28:], crc32.Checksum(b[:28], castagnoli))
	return append(b, payload...)
}

// unseal checks an envelope and returns the payload, a window into b.
func unseal(kind uint32, b []byte) ([]byte, error) {
	le := binary.LittleEndian
	switch {
	case len(b) < envelopeBytes:
		return nil, fmt.Errorf("%w: %d bytes are too few for a header", ErrDamaged, len(b))
	case [8]byte(b[:8]) != envelopeMagic:
		return nil, fmt.Errorf("%w: it begins with %q", ErrDamaged, b[:8])
	case crc32.Checksum(b[:28], castagnoli) != le.Uint32(b[28:]):
		return nil, fmt.Errorf("%w: checksum mismatch in the header", ErrDamaged)
	case le.Uint32(b[8:]) != envelopeVersion:
		return nil, fmt.Errorf("%w: version %d, this program reads version %d", ErrDamaged, le.Uint32(b[8:]), envelopeVersion)
	case le.Uint32(b[12:]) != kind || le.Uint64(b[16:]) != uint64(len(b)-envelopeBytes):
		return nil, fmt.Errorf("%w: kind %d of %d bytes, expected kind %d of %d bytes", ErrDamaged,
			le.Uint32(b[12:]), le.Uint64(b[16:]), kind, len(b)-envelopeBytes)
	}
	payload := b[envelopeBytes:]
	if crc32.Checksum(payload, castagnoli) != le.Uint32(b[24:]) {
		return nil, fmt.Errorf("%w: checksum mismatch in the payload", ErrDamaged)
	}
	return payload, nil
}
