package cli

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
)

// sumAgain puts right the checksums that cover a file of the graph, and reports
// whether there are any.
func (c *hostileCase) sumAgain(rel string) bool {
	if base := filepath.Base(rel); base == "JOB" || base == "EPOCH" {
		b, err := readSmall(c.path(rel))
		if err != nil {
			return false
		}
		c.another = true
		head, line := splitSealed(b)
		return os.WriteFile(c.path(rel), sealText(base, head, line), 0o666) == nil
	}
	return false
}

// splitSealed returns the head of a record and the line of JSON.
func splitSealed(b []byte) (head, line []byte) {
	if bytes.HasPrefix(b, []byte("garaph ")) {
		at := bytes.IndexByte(b, '\n') + 1
		head, b = b[:at:at], b[at:]
	}
	line, _, _ = bytes.Cut(b, []byte("\n"))
	return head, line
}

// sealText returns a record with its checksum.
func sealText(name string, head, line []byte) []byte {
	text := slices.Concat(head, line, []byte("\n"))
	return fmt.Appendf(text, "%08x %s\n", crcOf(text), name)
}

// sealEnvelope puts right the length and the checksums of an envelope.
func sealEnvelope(b []byte) []byte {
	le := binary.LittleEndian
	le.PutUint64(b[16:], uint64(len(b)-32))
	le.PutUint32(b[24:], crc32.Checksum(b[32:], castagnoli))
	le.PutUint32(b[28:], crc32.Checksum(b[:28], castagnoli))
	return b
}

// sealShard puts right the checksums of a shard's blob as far as its header says
// where its sections are.
func sealShard(b []byte) []byte {
	le := binary.LittleEndian
	for i, s := range shardSections(b) {
		if s[0] <= s[1] && s[1] <= len(b) {
			le.PutUint32(b[32+4*i:], crcOf(b[s[0]:s[1]]))
		}
	}
	le.PutUint32(b[60:], crcOf(b[:60]))
	return b
}

func crcOf(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }
