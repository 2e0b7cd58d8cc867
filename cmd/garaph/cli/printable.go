package cli

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// printableLines is the writer of a log, whose lines come one at a time, through
// printable.
type printableLines struct{ w io.Writer }

func (p printableLines) Write(b []byte) (int, error) {
	line := bytes.TrimSuffix(b, []byte("\n"))
	if _, err := io.WriteString(p.w, printable(string(line))+"\n"); err != nil {
		return 0, err
	}
	return len(b), nil
}

// idOnLine is an id as a line of text has it: as it is, but printable on a terminal, and where it has a line end,
// which would make two lines of one.
func idOnLine(id string, tty bool) string {
	if tty || strings.ContainsAny(id, "\n\r") {
		return printable(id)
	}
	return id
}

// printableJSON escapes in JSON what printable escapes in text.
func printableJSON(b []byte) []byte {
	var out []byte
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r < utf8.RuneSelf || strconv.IsPrint(r):
			out = append(out, b[:n]...)
		case r > 0xffff:
			out = append(out, surrogates(r)...)
		default:
			out = append(out, escape16(r)...)
		}
		b = b[n:]
	}
	return out
}

func surrogates(r rune) string {
	r -= 0x10000
	return escape16(0xd800+r>>10) + escape16(0xdc00+r&0x3ff)
}

func escape16(r rune) string {
	hex := strconv.FormatInt(int64(r), 16)
	return `\u` + strings.Repeat("0", 4-len(hex)) + hex
}
