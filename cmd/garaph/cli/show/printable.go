package show

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable escapes control characters and broken UTF-8, of names that may come
// from foreign graphs, as Go does in strings: \x1b, \t.
func Printable(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch _, size := utf8.DecodeRuneInString(text[i:]); {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// ID returns an id for a line of text: printable on a terminal, and where it has a line end,
// which would make two lines of one.
func ID(id string, tty bool) string {
	if tty || strings.ContainsAny(id, "\n\r") {
		return Printable(id)
	}
	return id
}

// MaxLine is the length at which an error is cut: it may quote a received file.
const MaxLine = 16 << 10

// OneLine puts joined errors into one printable line.
func OneLine(err error) string {
	text := err.Error()
	if len(text) > MaxLine {
		text = fmt.Sprintf("%s … (%d bytes more)", text[:MaxLine], len(text)-MaxLine)
	}
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return Printable(strings.Join(lines, "; "))
}
