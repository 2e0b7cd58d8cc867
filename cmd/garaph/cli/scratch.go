package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/beneath"
)

// scratchPrefix begins the names of the folders of temporary graphs, and
// scratchFile with its text stands in each: a folder without it is not garaph's.
const (
	scratchPrefix = "garaph-job-"
	scratchFile   = "GARAPH-TEMPORARY"
	scratchText   = "garaph, temporary graph of a run; may be removed\n"
)

// scratchDir is the folder of a temporary graph. Its owner holds a lock on the
// folder, which the kernel releases with the process: a folder without one was
// left by a run that was killed (see removeKilled).
type scratchDir struct {
	path string
	lock *os.File // the folder
}

// newScratchDir makes a folder in parent; "" is the system's for temporary files.
func newScratchDir(parent string) (*scratchDir, error) {
	for {
		path, err := os.MkdirTemp(parent, scratchPrefix)
		if err != nil {
			return nil, err
		}
		lock, err := lockDir(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errors.Join(err, os.Remove(path))
		}
		if err == nil {
			d := &scratchDir{path, lock}
			if err := os.WriteFile(filepath.Join(path, scratchFile), []byte(scratchText), 0o666); err != nil {
				return nil, errors.Join(err, d.remove())
			}
			return d, nil
		}
		// Another process saw it before it was locked, and removed it.
	}
}

// lockDir locks a folder, if it is still there then.
func lockDir(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		var locked, there os.FileInfo
		if locked, err = f.Stat(); err == nil {
			there, err = os.Lstat(path)
		}
		if err == nil && !os.SameFile(locked, there) {
			err = fs.ErrNotExist
		}
	}
	if err != nil {
		_ = f.Close() // only locked
		return nil, err
	}
	return f, nil
}

// remove removes the folder and what is in it, its mark last: what is left of a
// removal that was killed is known as ours.
func (d *scratchDir) remove() error {
	entries, err := os.ReadDir(d.path)
	for _, e := range entries {
		if e.Name() != scratchFile {
			err = errors.Join(err, os.RemoveAll(filepath.Join(d.path, e.Name())))
		}
	}
	if err == nil {
		err = os.RemoveAll(d.path)
	}
	return errors.Join(err, d.lock.Close())
}

// removeKilled removes the temporary graphs in parent of the user's runs that
// were killed. It reports what it cannot remove.
func removeKilled(parent string, log *zap.Logger) {
	if parent == "" {
		parent = os.TempDir()
	}
	entries, err := os.ReadDir(parent)
	if err != nil {
		return // to be met again when a folder is made there
	}
	for _, e := range entries {
		digits, ours := strings.CutPrefix(e.Name(), scratchPrefix)
		if !ours || digits == "" || !e.IsDir() || strings.Trim(digits, "0123456789") != "" || !isMine(e) {
			continue
		}
		path := filepath.Join(parent, e.Name())
		lock, err := lockDir(path)
		if err != nil {
			continue // its owner lives, or someone else removes it
		}
		if !isScratch(path) {
			_ = os.Remove(path) // where it is empty: its owner was killed at once
			_ = lock.Close()
			continue
		}
		if err := (&scratchDir{path, lock}).remove(); err != nil {
			log.Warn(fmt.Sprintf("the temporary graph of a run that was killed cannot be removed: %v", err))
			continue
		}
		log.Info(fmt.Sprintf("removed %s, the temporary graph of a run that was killed", path))
	}
}

// isScratch reports whether a folder has the mark of a temporary graph.
func isScratch(path string) bool {
	folder, err := beneath.Open(path)
	if err != nil {
		return false
	}
	defer folder.Close()
	text, err := folder.ReadFile(scratchFile, int64(len(scratchText)))
	return err == nil && string(text) == scratchText
}

// isMine reports whether a file belongs to the user of the process.
func isMine(e fs.DirEntry) bool {
	info, err := e.Info()
	if err != nil {
		return false
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid()
}
