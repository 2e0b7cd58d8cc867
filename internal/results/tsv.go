package results

import (
	"fmt"
	"slices"
)

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
