package results

import (
	"slices"
	"strings"
)

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
