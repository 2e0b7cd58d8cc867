package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/internal/beneath"
)

// makeBuild makes the folder in which a graph is built, with the marker that says
// so, and in it that of Badger, which would make one for this user alone.
func makeBuild(path string) (string, error) {
	for {
		dir := filepath.Join(filepath.Dir(path), fmt.Sprint(buildPrefix(path), rand.Uint32()))
		err := os.Mkdir(dir, 0o777)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err == nil {
			err = writeSynced(filepath.Join(dir, markerFile), buildMarker)
		}
		if err == nil {
			err = os.Mkdir(filepath.Join(dir, dbDir), 0o777)
		}
		return dir, err
	}
}

// share lets those read Badger's files who may look into their folder: some are
// made for this user alone.
func share(db string) error {
	info, err := os.Stat(db)
	if err != nil {
		return err
	}
	readers := info.Mode().Perm() & 0o666
	entries, err := os.ReadDir(db)
	for _, e := range entries {
		file, fileErr := e.Info()
		if fileErr == nil && file.Mode().Perm()&readers != readers {
			fileErr = os.Chmod(filepath.Join(db, e.Name()), readers)
		}
		err = errors.Join(err, fileErr)
	}
	return err
}

func checkTarget(path string, force bool) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("import to %s: %w", path, err)
	case info.Mode()&os.ModeSymlink != 0:
		to, _ := os.Readlink(path) // for the message
		return fmt.Errorf("import to %s: %w as a symbolic link to %q; name what it leads to, or remove the link", path,
			ErrExists, to)
	case !info.IsDir():
		return fmt.Errorf("import to %s: %w and is not a graph; choose another name", path, ErrExists)
	}
	if err := checkMarker(path); err != nil {
		if entries, err := os.ReadDir(path); err == nil && len(entries) == 0 {
			return nil // an empty folder is replaced
		}
		if errors.Is(err, beneath.ErrKind) {
			return fmt.Errorf("import to %s: %w: %w", path, ErrExists, err)
		}
		return fmt.Errorf("import to %s: %w and is not a graph; choose another name", path, ErrExists)
	}
	if !force {
		return fmt.Errorf("%s %w", path, ErrGraphExists)
	}
	foreign, err := foreignFile(path)
	if err != nil {
		return fmt.Errorf("import to %s: %w", path, err)
	}
	if foreign != "" {
		return fmt.Errorf(
			"import to %s: %w and holds %s, which is no part of a graph and would be lost; move it away, or choose another name",
			path, ErrExists, foreign,
		)
	}
	if err := checkpoint.Idle(filepath.Join(path, JobsDir)); err != nil {
		return fmt.Errorf("graph %s cannot be replaced: %w; wait for it to end or interrupt it", path, err)
	}
	return nil
}

func buildPrefix(path string) string { return "." + filepath.Base(path) + ".importing-" }

// isBuild reports whether a name is one under which a graph with this prefix is
// built: digits follow it. A graph may itself be called NAME.importing-….
func isBuild(name, prefix string) bool {
	end, ok := strings.CutPrefix(name, prefix)
	return ok && (end == aside || end != "" && strings.Trim(end, "0123456789") == "")
}

// lockBuilds takes the lock that imports to one path share. The kernel releases
// it with the process.
func lockBuilds(path string) (*os.File, error) {
	name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
	for {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o666)
		if errors.Is(err, unix.EROFS) || errors.Is(err, os.ErrPermission) {
			return nil, fmt.Errorf(
				"import to %s: the folder %s is not writable; choose another one or change its permissions: %w", path,
				filepath.Dir(path), pathCause(err),
			)
		}
		if err != nil {
			return nil, fmt.Errorf("import to %s: %w", path, err)
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			_ = f.Close()
			if !errors.Is(err, unix.EWOULDBLOCK) {
				return nil, fmt.Errorf("import to %s: lock %s: %w", path, name, err)
			}
			return nil, fmt.Errorf("import to %s: %w; wait for it to end", path, ErrBusy)
		}
		mine, err := f.Stat()
		if err == nil && (!mine.Mode().IsRegular() || mine.Size() > 0) {
			_ = f.Close() // nothing was written
			return nil, fmt.Errorf(
				"import to %s: %s has the name of the lock for imports, and is none; move it away, or choose another name", path,
				name,
			)
		}
		if there, thereErr := os.Stat(name); err == nil && thereErr == nil && os.SameFile(mine, there) {
			return f, nil
		}
		_ = f.Close() // its last holder removed it in between: lock the new one
	}
}
