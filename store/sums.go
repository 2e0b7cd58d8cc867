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
// to them ends the process in a goroutine of Badger's or is not distinguished from other
// errors: tables, manifest, key registry, and the first bytes of the value logs.
// What the logs hold has checksums of its own.
var summed = []string{"*.sst", "MANIFEST", "KEYREGISTRY", "*.vlog"}

const logHead = 20 // bytes in front of the entries of a value log

// sums returns a line "checksum name" for each of the summed files of a closed
// store.
func sums(dir string) (string, error) {
	var lines strings.Builder
	for _, pattern := range summed {
		names, err := matching(dir, pattern)
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

// matching returns the paths of the files in dir whose names match a pattern, in
// the order of the names. The path of dir is no pattern, whatever is in it.
func matching(dir, pattern string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		if ok, err := filepath.Match(pattern, e.Name()); err != nil {
			return nil, err
		} else if ok {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list, nil
}

// openRegular opens a file that is a regular one, or a link to one: to open a FIFO
// would wait for a writer.
func openRegular(name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	return os.Open(name)
}

func sumFile(name string) (uint32, error) {
	f, err := openRegular(name)
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

// marker is what the file of this name says: a line with the version, then lines of
// checksums.
type marker struct {
	text    string
	version int
}

// markerLine is the first line of the marker of a version.
func markerLine(version int) string { return fmt.Sprintf("garaph graph, store version %d\n", version) }

// sealMarker ends the text of a marker with a line that has its own checksum.
func sealMarker(text string) string {
	return fmt.Sprintf("%s%08x %s\n", text, crc32.Checksum([]byte(text), castagnoli), markerFile)
}

// Checksums says what the marker of a graph vouches for.
type Checksums uint8

// What a marker may hold. Graphs of store version 1 may have less than all.
const (
	NoChecksums       Checksums = iota // nothing: damage to Badger's own files may go unnoticed
	UnsealedChecksums                  // a list without a checksum of its own: lines may be missing
	SealedChecksums                    // all
)

// check compares the files in dir with the lines of checksums.
func (m marker) check(dir string) (Checksums, error) {
	first := markerLine(m.version)
	lines := m.text[len(first):]
	has := NoChecksums
	for line := range strings.Lines(lines) {
		if has == SealedChecksums {
			return has, fmt.Errorf("%w: the %s file goes on behind its checksum: %.60q", ErrDamaged, markerFile, line)
		}
		has = UnsealedChecksums
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		want, err := strconv.ParseUint(sum, 16, 32)
		if err != nil || name != filepath.Base(name) || !strings.HasSuffix(line, "\n") {
			return has, fmt.Errorf("%w: the %s file has a line %.60q", ErrDamaged, markerFile, line)
		}
		var got uint32
		if name == markerFile {
			has = SealedChecksums
			text, _, _ := strings.Cut(lines, line)
			got = crc32.Checksum([]byte(first+text), castagnoli)
		} else if got, err = sumFile(filepath.Join(dir, name)); errors.Is(err, os.ErrNotExist) {
			return has, fmt.Errorf("%w: %s is missing", ErrDamaged, name)
		} else if err != nil {
			return has, err
		}
		if got != uint32(want) {
			return has, fmt.Errorf("%w: checksum mismatch in %s: stored %08x, computed %08x", ErrDamaged, name, want, got)
		}
	}
	if m.version > 1 && has != SealedChecksums {
		return has, fmt.Errorf("%w: the %s file ends before its checksum", ErrDamaged, markerFile)
	}
	if has == SealedChecksums && strings.Count(lines, "\n") == 1 {
		has = NoChecksums // an earlier build took the folder's name for a pattern, and found no file
	}
	return has, nil
}
