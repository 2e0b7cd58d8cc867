package checkpoint

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// disk is what the writing of an epoch needs of the operating system and of
// Badger, so that tests can record the steps and make each of them fail.
type disk interface {
	makeFolder(path string) error
	// createDB makes a database for so many keys, and bytes in its log, in a
	// folder that is not there yet.
	createDB(folder string, keys int, bytes int64) (database, error)
	// createValues makes a file, with room for so many bytes.
	createValues(path string, bytes int64) (valuesFile, error)
	// sumSynced brings a file to the disk and gives its size and checksum.
	sumSynced(path string) (size int64, sum uint32, err error)
	writeSynced(path, text string) error
	syncFolder(path string) error
	rename(from, to string) error
	remove(path string) error
	// free is the number of bytes that may still be written.
	free(path string) (int64, error)
}

// database takes the records of an epoch. put may be called from several
// goroutines; the value is the caller's again when it returns.
type database interface {
	put(key, value []byte) error
	sync() error
	close() error
}

// valuesFile takes the values of an epoch, from several goroutines.
type valuesFile interface {
	write(b []byte, at int64) error
	sync() error
	close() error
}

type osDisk struct{}

func (osDisk) makeFolder(path string) error { return os.Mkdir(path, 0o777) }
func (osDisk) rename(from, to string) error { return os.Rename(from, to) }
func (osDisk) remove(path string) error     { return os.RemoveAll(path) }

func (osDisk) createDB(folder string, keys int, bytes int64) (database, error) {
	return createBadger(folder, keys, bytes)
}

func (osDisk) createValues(path string, bytes int64) (valuesFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	if err := reserve(f, bytes); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return osFile{f}, nil
}

type osFile struct{ f *os.File }

func (o osFile) write(b []byte, at int64) error {
	_, err := o.f.WriteAt(b, at)
	return err
}

func (o osFile) sync() error  { return o.f.Sync() }
func (o osFile) close() error { return o.f.Close() }

// reserve sets blocks aside for n bytes of a file. Where the file system cannot,
// the check of free space has to do.
func reserve(f *os.File, n int64) error {
	err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, n)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return nil
	}
	return err
}

func (osDisk) sumSynced(path string) (int64, uint32, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	size, sum, err := sumOf(f)
	return size, sum, errors.Join(err, f.Sync(), f.Close())
}

// checkRegular refuses what is no regular file: to open a FIFO would wait for a
// writer, and a device may do anything.
func checkRegular(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	return err
}

// openRegular opens a regular file to read it.
func openRegular(path string) (*os.File, error) {
	if err := checkRegular(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// readRegular reads a regular file.
func readRegular(path string) ([]byte, error) {
	if err := checkRegular(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// sumFile gives the size and the checksum of a file.
func sumFile(path string) (size int64, sum uint32, err error) {
	f, err := openRegular(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	return sumOf(f)
}

func sumOf(f *os.File) (int64, uint32, error) {
	h := crc32.New(castagnoli)
	size, err := io.CopyBuffer(h, io.LimitReader(f, 1<<62), make([]byte, 32<<10))
	return size, h.Sum32(), err
}

func (osDisk) writeSynced(path, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

func (osDisk) syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil // a file system that cannot sync folders
	}
	return errors.Join(err, d.Close())
}

func (osDisk) free(path string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", filepath.Dir(path), err)
	}
	return int64(st.Bavail) * st.Bsize, nil
}
