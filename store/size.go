package store

import (
	"io/fs"
	"path/filepath"
	"syscall"
)

// count adds up the bytes of the graph's files on the disk.
func (w *Writer) count() error {
	return filepath.WalkDir(w.dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		w.bytes += info.Sys().(*syscall.Stat_t).Blocks * 512
		return nil
	})
}

// DiskBytes returns the bytes of the graph's files on the disk, after a Commit, like
// [Store.DiskBytes].
func (w *Writer) DiskBytes() int64 { return w.bytes }
