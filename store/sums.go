package store

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// summed are Badger's files that Open must be able to rely on, because damage
// to them ends the process in a goroutine of Badger's or is not told from other
// errors: tables, manifest, key registry, and the first bytes of the value logs.
// What the logs hold has checksums of its own.
var summed = []string{"*.sst", "MANIFEST", "KEYREGISTRY", "*.vlog"}

const logHead = 20 // bytes in front of the entries of a value log

// sums gives a line "checksum name" for each of the summed files of a closed
// store.
func sums(dir string) (string, error) {
	var lines strings.Builder
	for _, pattern := range summed {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return "", err
		}
		for _, name := range names {
			sum, err := sumFile(name)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&lines, "%08x %s\n", sum, filepath.Base(name))
		}
	}
	return lines.String(), nil
}

func sumFile(name string) (uint32, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var r io.Reader = f
	if filepath.Ext(name) == ".vlog" {
		r = io.LimitReader(f, logHead)
	}
	h := crc32.New(castagnoli)
	_, err = io.Copy(h, r)
	return h.Sum32(), err
}

// checkSums holds the files in dir against what sums gave.
func checkSums(dir, lines string) error {
	for line := range strings.Lines(lines) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		want, err := strconv.ParseUint(sum, 16, 32)
		if err != nil || name != filepath.Base(name) {
			return fmt.Errorf("%w: the %s file has a line %q", ErrDamaged, markerFile, line)
		}
		got, err := sumFile(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%w: %s is missing", ErrDamaged, name)
		}
		if err != nil {
			return err
		}
		if got != uint32(want) {
			return fmt.Errorf("%w: checksum mismatch in %s: stored %08x, computed %08x", ErrDamaged, name, want, got)
		}
	}
	return nil
}
