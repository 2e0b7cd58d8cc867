package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/beneath"
)

// disk has the operations of the file system by which an epoch is written, so that tests can record the steps and make
// each of them fail. Paths are relative to the folder of the job.
type disk interface {
	makeFolder(path string) error
	// createValues makes a file, with room for its bytes.
	createValues(path string, bytes int64) (chunkFile, error)
	writeSynced(path, text string) error
	syncFolder(path string) error
	rename(from, to string) error
	remove(path string) error
	// free is the number of bytes that may still be written.
	free() (int64, error)
}

// chunkFile takes the chunks of an epoch, from several goroutines.
type chunkFile interface {
	io.WriterAt
	io.Closer
	Sync() error
}

// osDisk is the disk of the folder of a job.
type osDisk struct{ at *beneath.Folder }

func (d osDisk) makeFolder(path string) error { return d.at.Mkdir(path, 0o777) }
func (d osDisk) rename(from, to string) error { return d.at.Rename(from, to) }

func (d osDisk) remove(path string) error { return d.at.RemoveAll(path) }

func (d osDisk) createValues(path string, bytes int64) (chunkFile, error) {
	f, err := d.at.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	if err := reserve(f, bytes); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// reserve sets blocks aside for n bytes of a file. Where the file system cannot,
// the check of free space has to do.
func reserve(f *os.File, n int64) error {
	err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, n)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return nil
	}
	return err
}

func (d osDisk) writeSynced(path, text string) error {
	f, err := d.at.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

func (d osDisk) syncFolder(path string) error { return d.at.Sync(path) }

func (d osDisk) free() (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(d.at.Path("."), &st); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", d.at.Path("."), err)
	}
	return int64(st.Bavail) * st.Bsize, nil
}
