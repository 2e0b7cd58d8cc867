package results

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/decimal"
)

// layout describes a text format: the separators around the columns of a row,
// and how strings, special numbers and nulls are written.
type layout struct {
	header  string
	before  string                                     // the id
	between []string                                   // before the value of each column
	after   string                                     // the row
	quote   string                                     // around inf and nan
	text    func(dst []byte, s string) ([]byte, error) // appends a string id
	null    string
	plain   bool // a number that is null is written as it is
}

// textBuffer is the size in bytes at which rows go to the writer: large enough
// to make a system call cheap, small enough to stay in a core's cache.
const textBuffer = 256 << 10

func writeText(w io.Writer, t Table, l layout) error {
	e := rowEncoder{layout: l, ids: t.IDKind(), columns: t.Columns()}
	return writeRows(w, t, []byte(l.header), e.rows)
}

type rowEncoder struct {
	layout
	ids     IDKind
	columns []Column
}

// rows is an [encodeRows].
func (e *rowEncoder) rows(dst []byte, b *Batch, from, to int) ([]byte, error) {
	var err error
	for i := from; i < to && err == nil; i++ {
		dst, err = e.row(dst, b, i)
	}
	return dst, err
}

func (e *rowEncoder) row(dst []byte, b *Batch, i int) ([]byte, error) {
	dst = append(dst, e.before...)
	dst, err := e.id(dst, &b.IDs, i)
	for j := 0; j < len(e.columns) && err == nil; j++ {
		dst = append(dst, e.between[j]...)
		dst, err = e.value(dst, &b.Columns[j], e.columns[j].Kind, i)
	}
	return append(dst, e.after...), err
}

func (e *rowEncoder) value(dst []byte, v *Values, kind ValueKind, i int) ([]byte, error) {
	if v.isNull(i) && !(e.plain && kind != VertexID) {
		return append(dst, e.null...), nil
	}
	switch kind {
	case Float32:
		return e.float32(dst, v.F32[i]), nil
	case Float64:
		return e.float64(dst, v.F64[i]), nil
	case Int64:
		if v.I64[i] == gas.Unreached && v.isNull(i) {
			return e.special(dst, "inf"), nil
		}
		return strconv.AppendInt(dst, v.I64[i], 10), nil
	default:
		return e.id(dst, &v.V, i)
	}
}

func (e *rowEncoder) id(dst []byte, c *IDs, i int) ([]byte, error) {
	switch e.ids {
	case IDInt:
		return strconv.AppendInt(dst, c.Ints[i], 10), nil
	case IDUint:
		return strconv.AppendUint(dst, c.Uints[i], 10), nil
	default:
		return e.text(dst, c.Strings[i])
	}
}

func (e *rowEncoder) float32(dst []byte, f float32) []byte {
	if f-f == 0 { // finite
		return decimal.Append(dst, float64(f), 32)
	}
	return e.special(dst, specialName(float64(f)))
}

func (e *rowEncoder) float64(dst []byte, f float64) []byte {
	if f-f == 0 {
		return decimal.Append(dst, f, 64)
	}
	return e.special(dst, specialName(f))
}

func (e *rowEncoder) special(dst []byte, name string) []byte {
	dst = append(dst, e.quote...)
	dst = append(dst, name...)
	return append(dst, e.quote...)
}

func specialName(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	default:
		return "nan"
	}
}

// csvLayout returns the layout of RFC 4180 with a header line, and LF at the end of lines, as
// most readers and writers have it. A null is an empty cell; an empty name has quotes.
func csvLayout(id string, columns []Column) layout {
	header, _ := appendCSV(nil, id)
	for _, c := range columns {
		header, _ = appendCSV(append(header, ','), c.Name)
	}
	return layout{
		header: string(header) + "\n", between: slices.Repeat([]string{","}, len(columns)), after: "\n", text: appendCSV,
	}
}

// appendCSV quotes where a reader would not get s back otherwise: separators,
// quotes, line ends, spaces at the ends, which some readers trim, and text that
// begins like a comment in other tables and in edge lists.
func appendCSV(dst []byte, s string) ([]byte, error) {
	if !strings.ContainsAny(s, ",\"\r\n") && strings.Trim(s, " \t") == s && s != "" && s[0] != '#' && s[0] != '%' {
		return append(dst, s...), nil
	}
	dst = append(dst, '"')
	for {
		before, after, found := strings.Cut(s, `"`)
		dst = append(dst, before...)
		if !found {
			return append(dst, '"'), nil
		}
		dst = append(dst, `""`...)
		s = after
	}
}

// tsvLayout returns the layout id, tab, value, as the edge lists of SNAP are written: no
// header and no quoting. An id that would break its line is refused, since a
// reader could not know. A null is the number that the program has there, such as inf, so
// that every cell of a column of numbers is one; for a vertex it is an empty cell.
func tsvLayout(columns []Column) layout {
	return layout{between: slices.Repeat([]string{"\t"}, len(columns)), after: "\n", text: appendTSV, plain: true}
}

func appendTSV(dst []byte, s string) ([]byte, error) {
	for i := range len(s) {
		if c := s[i]; c == '\t' || c == '\n' || c == '\r' {
			return dst, fmt.Errorf(
				"the vertex id %q contains a tab or a line end, which tsv cannot express; write csv, ndjson or parquet", s,
			)
		}
	}
	return append(dst, s...), nil
}

// ndjsonLayout returns the layout of one JSON object a line. JSON (RFC 8259) has no infinity and
// no NaN: they are the strings "inf", "-inf" and "nan". Integers are numbers
// even beyond 2⁵³, where readers that know only doubles lose digits.
func ndjsonLayout(id string, columns []Column) layout {
	key, _ := appendJSON(nil, id)
	l := layout{before: "{" + string(key) + ":", after: "}\n", quote: `"`, text: appendJSON, null: "null"}
	for _, c := range columns {
		key, _ := appendJSON(nil, c.Name)
		l.between = append(l.between, ","+string(key)+":")
	}
	return l
}

const hex = "0123456789abcdef"

// appendJSON appends s as a JSON string. JSON is UTF-8: each byte that is not
// becomes U+FFFD, as encoding/json has it.
func appendJSON(dst []byte, s string) ([]byte, error) {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if r, n := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		switch {
		case c >= utf8.RuneSelf:
			dst = append(dst, `\ufffd`...)
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"'), nil
}
