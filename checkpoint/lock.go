package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/beneath"
)

const (
	lockHead  = "garaph job, locked by process "
	lockLimit = 100 // more than a LOCK has
)

// lockJob takes the lock of a job's folder. The error is [ErrRunning] where another process has it,
// and [ErrGone] where the folder was removed meanwhile.
func lockJob(at *beneath.Folder) (*os.File, error) {
	f, err := at.OpenFile(lockFile, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, fmt.Errorf("cannot be locked: %w", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	for range 3 { // a process that lists jobs holds locks for a moment
		if !errors.Is(err, unix.EWOULDBLOCK) {
			break
		}
		time.Sleep(20 * time.Millisecond)
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		err = runningIn(at)
	case err != nil:
		err = fmt.Errorf("cannot be locked: %w", err)
	default:
		err = holds(f, at.Path("."))
	}
	if err != nil {
		_ = f.Close() // not locked
		return nil, err
	}
	_, _ = f.WriteAt(fmt.Appendf(nil, "%s%10d\n", lockHead, os.Getpid()), 0) // for messages of others
	return f, nil
}

// holds reports [ErrGone] when the lock is not that of the folder at path any
// more: the graph was moved or replaced, and there may be a job of another
// process in its place.
func holds(lock *os.File, path string) error {
	mine, err := lock.Stat()
	if err != nil {
		return err
	}
	there, err := os.Lstat(filepath.Join(path, lockFile))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(mine, there) {
		return fmt.Errorf("%w: %s", ErrGone, path)
	}
	return err
}

// runningIn returns [ErrRunning] with the process that the lock in a job's folder
// names.
func runningIn(at *beneath.Folder) error {
	b, _ := at.ReadFile(lockFile, lockLimit) // for the message
	process, ours := strings.CutPrefix(string(b), lockHead)
	if process = strings.TrimSpace(process); !ours || process == "" || strings.Trim(process, "0123456789") != "" {
		return fmt.Errorf("%w; wait for it to end, or interrupt it", ErrRunning)
	}
	return fmt.Errorf("%w (process %s); wait for it to end, or interrupt it", ErrRunning, process)
}

func isLocked(at *beneath.Folder) (bool, error) {
	f, err := at.Open(lockFile)
	if err != nil {
		return false, err
	}
	defer f.Close() // and with it the lock
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK), nil
}
