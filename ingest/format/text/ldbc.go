package text

import (
	"os"

	"github.com/garaph/garaph/ingest/read"
)

// LDBC Graphalytics graphs are two text files, x.v with a vertex id per line
// and x.e with "u v [weight]". Vertices without edges are only in x.v.

// Beside returns the file of vertices that is read with a file of edges in the format [LDBC]; "" if there is none.
func Beside(edges string) string {
	if read.Extension(edges) != ".e" {
		return ""
	}
	for _, packed := range []string{"", ".gz", ".zst", ".bz2"} {
		name := read.Stem(edges) + ".v" + packed
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}
