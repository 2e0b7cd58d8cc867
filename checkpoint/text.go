package checkpoint

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/garaph/garaph/internal/beneath"
)

// A sealed text is a head, a line of JSON, and a line with the checksum of both and the name of the file.

// sealText returns the sealed text of v.
func sealText(name, head string, v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	text := head + string(b) + "\n"
	return fmt.Sprintf("%s%08x %s\n", text, crc32.Checksum([]byte(text), castagnoli), name), nil
}

// readText reads a file with the sealed text of v, of at most limit bytes. An error is [ErrDamaged], or [ErrVersion]
// for another head.
func readText(at *beneath.Folder, name, head string, limit int64, v any) error {
	b, err := at.ReadFile(name, limit)
	if err != nil {
		return fmt.Errorf("%w: its %s file cannot be read: %w", ErrDamaged, name, err)
	}
	text := string(b)
	end := strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n') + 1
	if text[end:] != fmt.Sprintf("%08x %s\n", crc32.Checksum(b[:end], castagnoli), name) {
		return fmt.Errorf("%w: its %s file does not match its checksum", ErrDamaged, name)
	}
	line, ours := strings.CutPrefix(text[:end], head)
	if !ours {
		return fmt.Errorf("%w: resume it with that, or run it again", ErrVersion)
	}
	if err := json.Unmarshal([]byte(line), v); err != nil {
		return fmt.Errorf("%w: its %s file: %s", ErrDamaged, name, printable(err.Error()))
	}
	return nil
}
