package cli

import (
	"bytes"
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

func crcOf(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }
