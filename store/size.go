package store

import (
	"io/fs"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
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
		if s, ok := info.Sys().(*syscall.Stat_t); ok {
			w.bytes += s.Blocks * 512
		}
		return nil
	})
}

// DiskBytes is what the files of the graph take on the disk, after a Commit; as
// [Store.DiskBytes].
func (w *Writer) DiskBytes() int64 { return w.bytes }

// noInodes reports whether a disk has room for bytes, perhaps, but for no more files.
func noInodes(folder string) bool {
	var st unix.Statfs_t
	return unix.Statfs(folder, &st) == nil && st.Files > 0 && st.Ffree == 0
}
