package beneath

import (
	"iter"
	"os"
	"strings"
)

// Above returns the folders in which a file lies, or would, from the innermost to
// the root. The system finds them, and not their names, which links and mounts
// may give others: the paths end in as many "..".
func Above(path string) iter.Seq2[string, os.FileInfo] {
	return func(yield func(string, os.FileInfo) bool) {
		dir := path[:strings.LastIndexByte(path, '/')+1] + "."
		info, err := os.Stat(dir)
		for err == nil && yield(dir, info) {
			dir += "/.."
			var above os.FileInfo
			if above, err = os.Stat(dir); err == nil && os.SameFile(info, above) {
				return
			}
			info = above
		}
	}
}
