// Package scratch has the folders of temporary graphs: each is removed by its owner, or by
// the next process that makes one where the owner was killed. Temporary files have no name.
package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/beneath"
)

// prefix begins the names of the folders of temporary graphs, and
// mark with its text stands in each: a folder without it is not garaph's.
const (
	prefix   = "garaph-job-"
	mark     = "GARAPH-TEMPORARY"
	markText = "garaph, temporary graph of a run; may be removed\n"
)

// Dir is the folder of a temporary graph. Its owner holds a lock on the
// folder, which the kernel releases with the process: a folder without one was
// left by a run that was killed (see [RemoveKilled]).
type Dir struct {
	path string
	lock *os.File // the folder
}

// New makes a folder in parent; "" is the system's for temporary files.
func New(parent string) (*Dir, error) {
	for {
		path, err := os.MkdirTemp(parent, prefix)
		if err != nil {
			return nil, err
		}
		lock, err := lockDir(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.EWOULDBLOCK):
			continue // another process saw it before it was locked, and removed it
		case err != nil:
			return nil, errors.Join(err, os.Remove(path))
		}
		d := &Dir{path, lock}
		if err := os.WriteFile(filepath.Join(path, mark), []byte(markText), 0o666); err != nil {
			return nil, errors.Join(err, d.Remove())
		}
		return d, nil
	}
}

// File makes an empty file without a name in parent; "" is the system's folder for temporary files. The system
// removes the file when it is closed, by its owner or by the end of the process.
func File(parent string) (*os.File, error) {
	f, err := os.CreateTemp(parent, "garaph-scratch-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Graph returns where the graph is to be.
func (d *Dir) Graph() string { return filepath.Join(d.path, "graph") }

// lockDir locks a folder, if it is still there then.
func lockDir(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
		_, err = os.Lstat(path) // names are never used again
	}
	if err != nil {
		_ = f.Close() // only locked
		return nil, err
	}
	return f, nil
}

// Remove removes the folder and its content, its mark last: the rest of a
// removal that was killed is known as ours.
func (d *Dir) Remove() error {
	entries, err := os.ReadDir(d.path)
	for _, e := range entries {
		if e.Name() != mark {
			err = errors.Join(err, os.RemoveAll(filepath.Join(d.path, e.Name())))
		}
	}
	if err == nil {
		err = os.RemoveAll(d.path)
	}
	return errors.Join(err, d.lock.Close())
}

// RemoveKilled removes the temporary graphs in parent of the user's runs that
// were killed. removed is called with each, or with why it cannot be removed, if it is not nil.
func RemoveKilled(parent string, removed func(path string, err error)) {
	if parent == "" {
		parent = os.TempDir()
	}
	entries, _ := os.ReadDir(parent) // New meets the error
	for _, e := range entries {
		digits, ours := strings.CutPrefix(e.Name(), prefix)
		if !ours || digits == "" || !e.IsDir() || strings.Trim(digits, "0123456789") != "" || !isMine(e) {
			continue
		}
		path := filepath.Join(parent, e.Name())
		lock, err := lockDir(path)
		if err != nil {
			continue // its owner lives, or another process removes it
		}
		if !marked(path) {
			_ = os.Remove(path) // where it is empty: its owner was killed at once
			_ = lock.Close()
			continue
		}
		if err = (&Dir{path, lock}).Remove(); removed != nil {
			removed(path, err)
		}
	}
}

// marked reports whether a folder has the mark of a temporary graph.
func marked(path string) bool {
	folder, err := beneath.Open(path)
	if err != nil {
		return false
	}
	defer folder.Close()
	text, err := folder.ReadFile(mark, int64(len(markText)))
	return err == nil && string(text) == markText
}

// isMine reports whether a file belongs to the user of the process.
func isMine(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && int(info.Sys().(*syscall.Stat_t).Uid) == os.Getuid()
}
