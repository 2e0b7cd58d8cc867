package results

import "fmt"

// tsvLayout is id, tab, value, as the edge lists of SNAP are written: no
// header and no quoting. An id that would break its line is refused, since a
// reader could not know.
func tsvLayout() layout {
	return layout{between: "\t", after: "\n", text: appendTSV}
}

func appendTSV(dst []byte, s string) ([]byte, error) {
	for i := range len(s) {
		if c := s[i]; c == '\t' || c == '\n' || c == '\r' {
			return dst, fmt.Errorf("the vertex id %q contains a tab or a line end, which tsv cannot express; write csv, ndjson or parquet", s)
		}
	}
	return append(dst, s...), nil
}
