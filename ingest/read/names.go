package read

import (
	"path/filepath"
	"strings"
)

// Extension returns the ending of a name below .gz, .zst and .bz2, in lower case.
func Extension(name string) string {
	ext := strings.ToLower(filepath.Ext(name))
	switch ext {
	case ".gz", ".gzip", ".zst", ".zstd", ".bz2":
		return strings.ToLower(filepath.Ext(strings.TrimSuffix(name, filepath.Ext(name))))
	}
	return ext
}

// Stem returns a name without .v or .e and without an ending of compression.
func Stem(name string) string {
	ext := Extension(name)
	for strings.ToLower(filepath.Ext(name)) != ext {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	return strings.TrimSuffix(name, filepath.Ext(name))
}
