// Package show formats numbers, errors and ids for people and for JSON.
package show

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// Plural returns the plural of a word.
func Plural(word string) string {
	if stem, ok := strings.CutSuffix(word, "y"); ok {
		return stem + "ies"
	}
	return word + "s"
}

// Counted returns a number and the word for the things counted.
func Counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return humanize.Comma(n) + " " + many
}

// Iterations returns n and the word iterations.
func Iterations(n int) string { return Counted(int64(n), "iteration", "iterations") }

// Bytes returns a number of bytes, such as 1.5 GiB.
func Bytes(n int64) string { return humanize.IBytes(uint64(max(0, n))) }

// Count rounds a large number, such as 12.3 M.
func Count(x float64) string {
	if x < 1e4 {
		return humanize.Comma(int64(x))
	}
	unit := math.Pow(1000, math.Floor(math.Log10(x)/3))
	return humanize.SIWithDigits(x+unit/20, 1, "") // which cuts off
}

// PerSecond returns a rate. If d is 0, it is 0.
func PerSecond(n float64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return n / d.Seconds()
}

// Seconds returns a duration, such as 1.23 s or 5m10s.
func Seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.3g s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// A Number is a float in JSON. Infinity and NaN are null.
type Number float64

// MarshalJSON writes null for a number that JSON does not have.
func (x Number) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(x), 0) || math.IsNaN(float64(x)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

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
