package results

import "unicode/utf8"

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
