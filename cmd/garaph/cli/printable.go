package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable escapes control characters and broken UTF-8, of names that may come
// from foreign graphs, as Go does in strings: \x1b, \t.
func printable(text string) string {
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

// printableLines writes log lines, which come one at a time, printable if they are text.
type printableLines struct {
	w    io.Writer
	json bool
}

func (p printableLines) Write(b []byte) (int, error) {
	line := string(b)
	if !p.json {
		line = printable(strings.TrimSuffix(line, "\n")) + "\n"
	}
	if _, err := io.WriteString(p.w, line); err != nil {
		return 0, err
	}
	return len(b), nil
}

// idOnLine returns an id for a line of text: printable on a terminal, and where it has a line end,
// which would make two lines of one.
func idOnLine(id string, tty bool) string {
	if tty || strings.ContainsAny(id, "\n\r") {
		return printable(id)
	}
	return id
}
