package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/beneath"
)

// takePlace ends a Commit: the graph takes the place of an older one. No job
// begins over that meanwhile, and none is running: what came there since Create
// is not ours to remove.
func (w *Writer) takePlace() error {
	lock, err := lockGraph(w.target, unix.LOCK_EX)
	if err != nil {
		return errors.Join(w.failed(err), w.Abort())
	}
	if err = checkTarget(w.target, w.force); err == nil {
		if err = replace(w.dir, w.target); err != nil {
			err = w.failed(err)
		}
	}
	_ = lock.Close() // it may be nil
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	w.finish()
	return nil
}

// lockGraph takes the lock that jobs share while they begin, and an import has
// alone while its graph takes the place of this one: that of the marker. The file
// is nil where no graph is, or no lock can be.
func lockGraph(path string, how int) (*os.File, error) {
	f, err := beneath.Open(path)
	if err != nil {
		return nil, nil // no graph is there
	}
	defer f.Close()
	marker, err := f.Open(markerFile)
	if err != nil {
		return nil, nil // no graph is there
	}
	for begin := time.Now(); errors.Is(flock(marker, how), unix.EWOULDBLOCK); time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > maxOpening {
			_ = marker.Close() // only read
			return nil, fmt.Errorf("%w, or jobs begin over it: it was locked for %v; run the command again", ErrBusy, maxOpening)
		}
	}
	return marker, nil
}

// InPlace calls f while no import replaces the graph. The error is [ErrReplaced]
// when that has happened before, or when the folder was moved under f.
func (s *Store) InPlace(f func() error) error {
	lock, err := lockGraph(s.folder.dir, unix.LOCK_SH)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	if !s.folder.replaced() {
		err = f()
		if err == nil || !s.folder.replaced() {
			return err
		}
	}
	return fmt.Errorf("%w, moved or removed since it was opened; run the command again", ErrReplaced)
}

// replace puts the folder dir in the place of target. What stood there, if
// anything did, has the name dir afterwards. After an error both are as they
// were.
func replace(dir, target string) error {
	for _, d := range []string{filepath.Join(dir, dbDir), dir} {
		if err := syncDir(d); err != nil {
			return err
		}
	}
	err := exchange(dir, target)
	if !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) &&
		!errors.Is(err, unix.EOPNOTSUPP) {
		return err
	}
	// Nothing stands there, or the file system cannot exchange.
	old := asideOf(target)
	err = os.Rename(target, old)
	moved := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err = os.Rename(dir, target)
	switch {
	case err != nil && moved:
		err = errors.Join(err, os.Rename(old, target))
	case moved:
		_ = os.Rename(old, dir) // else it is removed under this name
	}
	return err
}

// exchange makes two folders change places at once. Tests put in file systems
// that cannot.
var exchange = func(a, b string) error {
	if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
		return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	return nil
}

// aside ends the name of a graph that is being replaced where folders cannot be
// exchanged. A killed import may leave it as the only one.
const aside = "old"

func asideOf(path string) string { return filepath.Join(filepath.Dir(path), buildPrefix(path)+aside) }

// finish ends a Commit when the graph is in its place: nothing makes that fail
// any more.
func (w *Writer) finish() {
	warn := func(what string, err error) {
		if err != nil && w.Warn != nil {
			w.Warn(fmt.Sprintf("import to %s: the new graph is in its place, but %s: %v", w.target, what, err))
		}
	}
	if err := syncDir(filepath.Dir(w.target)); err != nil {
		warn("a power failure may undo that", err) // and that stays, therefore
	} else {
		err := errors.Join(removeFolder(w.dir), removeFolder(asideOf(w.target)))
		warn("the old one could not be removed; the next import to this path tries again", err)
	}
	warn("what has the name of a killed import could not be removed", w.stale)
	warn("the lock for imports is left behind", w.unlock())
}

// removeStale removes the files that killed imports to path left, as far as it can: the
// rest only takes room. An older graph that one had moved aside goes back, if
// nothing has come in its place: the error is that it could not.
func removeStale(path string) (stale, err error) {
	old := asideOf(path)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && hasMarker(old) {
		if err := os.Rename(old, path); err != nil {
			return nil, fmt.Errorf("put back the graph that a killed import replaced: %w", err)
		}
	}
	parent := filepath.Dir(path)
	entries, err := os.ReadDir(parent)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() && isBuild(e.Name(), buildPrefix(path)) {
			stale = errors.Join(stale, removeFolder(filepath.Join(parent, e.Name())))
		}
	}
	return stale, nil
}

func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
