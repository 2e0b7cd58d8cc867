package checkpoint

import (
	"errors"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strings"

	"github.com/garaph/garaph/internal/beneath"
)

// sealFile stands in an epoch's folder: what it is, and size and checksum of
// every file of Badger's, which must not open damaged ones: it would end the process. Its
// last line has its own checksum. The file of values is not in it: chunks have its checksums.
const (
	sealFile = "EPOCH"
	sealHead = "garaph epoch, version 1\n"

	sealLimit     = 64 << 10 // more than an EPOCH file has
	databaseLimit = 1 << 30  // more than the database of an epoch has
)

// sealText returns the text of an epoch's EPOCH file. sum returns the size and the checksum of a
// file in a folder.
func sealText(at *beneath.Folder, folder string, sum func(path string) (int64, uint32, error)) (string, error) {
	entries, err := at.ReadDir(folder)
	if err != nil {
		return "", err
	}
	text := sealHead
	for _, e := range entries {
		if e.Name() == discardFile { // Badger makes it by opening
			continue
		}
		size, crc, err := sum(filepath.Join(folder, e.Name()))
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf("%08x %d %s\n", crc, size, e.Name())
	}
	return fmt.Sprintf("%s%08x %d %s\n", text, crc32.Checksum([]byte(text), castagnoli), len(text), sealFile), nil
}

// checkSeal compares the files of an epoch with its EPOCH file.
func checkSeal(epoch *beneath.Folder) error {
	b, err := epoch.ReadFile(sealFile, sealLimit)
	if err != nil {
		return fmt.Errorf("%w: its %s file cannot be read: %w", ErrDamaged, sealFile, err)
	}
	if head, _, _ := strings.Cut(string(b), "\n"); head+"\n" != sealHead {
		return fmt.Errorf("%w: its %s file begins with %.60q, expected %q", ErrDamaged, sealFile, head, sealHead)
	}
	room := int64(databaseLimit)
	text, err := sealText(epoch, dbDir, func(path string) (int64, uint32, error) {
		f, err := epoch.Open(path)
		if err != nil {
			return 0, 0, err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return 0, 0, err
		}
		if room -= info.Size(); room < 0 {
			return 0, 0, errors.New("its database is too large")
		}
		return sumOf(f)
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if text != string(b) {
		return fmt.Errorf("%w: the files in %s do not match its %s file", ErrDamaged, dbDir, sealFile)
	}
	return nil
}
