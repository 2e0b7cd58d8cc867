package cli

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sumAgain puts right the checksums that cover a file of the graph, and reports
// whether there are any.
func (c *hostileCase) sumAgain(rel string) bool {
	dir, base := filepath.Split(rel)
	switch {
	case base == "JOB":
		b, err := readSmall(c.path(rel))
		if err != nil {
			return false
		}
		c.another = true
		return os.WriteFile(c.path(rel), sealJob(splitJob(b)), 0o666) == nil
	case base == "EPOCH":
		b, err := readSmall(c.path(rel))
		if err != nil {
			return false
		}
		lines := strings.SplitAfter(string(b), "\n")
		if len(lines) > 2 {
			lines = lines[:len(lines)-2]
		}
		c.another = true
		return os.WriteFile(c.path(rel), sealEpoch(strings.Join(lines, "")), 0o666) == nil
	case filepath.Base(dir) == "db":
		c.another = true
		return sumEpoch(filepath.Dir(c.path(dir))) == nil
	}
	return false
}

// splitJob returns the head of a job's record and the line of JSON.
func splitJob(b []byte) (head, line []byte) {
	if bytes.HasPrefix(b, []byte("garaph job, version")) {
		at := bytes.IndexByte(b, '\n') + 1
		head, b = b[:at:at], b[at:]
	}
	line, _, _ = bytes.Cut(b, []byte("\n"))
	return head, line
}

func sealJob(head, line []byte) []byte {
	text := slices.Concat(head, line, []byte("\n"))
	return fmt.Appendf(text, "%08x JOB\n", crcOf(text))
}

func sealEpoch(text string) []byte {
	return fmt.Appendf(nil, "%s%08x %d EPOCH\n", text, crc32.Checksum([]byte(text), castagnoli), len(text))
}

// sumEpoch writes the checksums of the files in an epoch's database.
func sumEpoch(folder string) error {
	b, err := readSmall(filepath.Join(folder, "EPOCH"))
	if err != nil {
		return err
	}
	head, _, _ := strings.Cut(string(b), "\n")
	text := head + "\n"
	entries, err := os.ReadDir(filepath.Join(folder, "db"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if b, err := readSmall(filepath.Join(folder, "db", e.Name())); err == nil && e.Name() != "DISCARD" {
			text += fmt.Sprintf("%08x %d %s\n", crc32.Checksum(b, castagnoli), len(b), e.Name())
		}
	}
	return os.WriteFile(filepath.Join(folder, "EPOCH"), sealEpoch(text), 0o666)
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
