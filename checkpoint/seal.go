package checkpoint

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/garaph/garaph/internal/beneath"
)

// sealFile stands in an epoch's folder: what it is, and size and checksum of
// every file of Badger's, which is not trusted with damage. Its last line has
// its own checksum. The file of values is not in it: chunks have its checksums.
const (
	sealFile = "EPOCH"
	sealHead = "garaph epoch, version 3\n"
	// oldHead is that of epochs whose closing record has the policy's fields among its
	// own: decodeCommit reads both.
	oldHead = "garaph epoch, version 2\n"

	sealLimit     = 64 << 10 // more than an EPOCH file has
	databaseLimit = 1 << 30  // more than the database of an epoch has
)

func sealLine(name string, size int64, sum uint32) string {
	return fmt.Sprintf("%08x %d %s\n", sum, size, name)
}

// sealText completes the lines of the files.
func sealText(head, lines string) string {
	text := head + lines
	return fmt.Sprintf("%s%08x %d %s\n", text, crc32.Checksum([]byte(text), castagnoli), len(text), sealFile)
}

// checkSeal compares all files of an epoch with its EPOCH file.
func checkSeal(epoch *beneath.Folder) error {
	b, err := epoch.ReadFile(sealFile, sealLimit)
	if err != nil {
		return fmt.Errorf("%w: its %s file cannot be read: %w", ErrDamaged, sealFile, err)
	}
	text := string(b)
	head := sealHead
	if strings.HasPrefix(text, oldHead) {
		head = oldHead
	}
	rest, ours := strings.CutPrefix(text, head)
	if !ours {
		return fmt.Errorf("%w: its %s file begins with %.60q, expected %q", ErrDamaged, sealFile, text, sealHead)
	}
	var lines strings.Builder
	var names []string
	for line := range strings.Lines(rest) {
		var sum uint32
		var size int64
		var name string
		if _, err := fmt.Sscanf(line, "%x %d %s\n", &sum, &size, &name); err != nil || name != filepath.Base(name) {
			return fmt.Errorf("%w: its %s file has a line %.60q", ErrDamaged, sealFile, line)
		}
		if name == sealFile {
			break
		}
		lines.WriteString(line)
		names = append(names, name)
	}
	if sealText(head, lines.String()) != text {
		return fmt.Errorf("%w: its %s file does not match its own checksum", ErrDamaged, sealFile)
	}
	return checkFiles(epoch, lines.String(), names)
}

// checkFiles compares the files in Badger's folder with the lines about them.
func checkFiles(epoch *beneath.Folder, lines string, names []string) error {
	entries, err := epoch.ReadDir(dbDir)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	for _, e := range entries {
		if e.Name() != discardFile && !slices.Contains(names, e.Name()) {
			return fmt.Errorf("%w: %q was not written with it", ErrDamaged, e.Name())
		}
	}
	is, room := "", int64(databaseLimit)
	for _, name := range names {
		size, sum, err := sumFile(epoch, filepath.Join(dbDir, name), room)
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%w: %q is missing", ErrDamaged, name)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		room -= size
		is += sealLine(name, size, sum)
		if !strings.HasPrefix(lines, is) {
			return fmt.Errorf("%w: size or checksum of %q is another", ErrDamaged, name)
		}
	}
	return nil
}

// sumFile returns the size and the checksum of a file, whose size is compared with
// a limit before it is read.
func sumFile(epoch *beneath.Folder, name string, limit int64) (size int64, sum uint32, err error) {
	f, err := epoch.Open(name)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	if info.Size() > limit {
		return 0, 0, fmt.Errorf("%q has %d bytes, expected %d at most", name, info.Size(), limit)
	}
	return sumOf(f)
}
