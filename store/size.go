package store

import (
	"io/fs"
	"path/filepath"
	"syscall"
)

// count adds up what the files of the graph take on the disk.
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

// DiskBytes returns what the files of the graph take on the disk, after a Commit; as
// [Store.DiskBytes].
func (w *Writer) DiskBytes() int64 { return w.bytes }
