// Package badgerdb makes errors of what a full or failing disk does to Badger,
// which writes and reads through mapped files, in goroutines of its own, and refuses
// files over which it would end the process.
package badgerdb

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/sigbus"
)

// ErrFault is a page of a mapped file that the disk could not provide.
var ErrFault = sigbus.ErrFault

// Full is what err says of a full disk, in a few words; nil when it is another
// error. Badger keeps no more of its causes than their text.
func Full(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrFault):
		return ErrFault
	case strings.Contains(err.Error(), unix.ENOSPC.Error()) || strings.Contains(err.Error(), unix.EDQUOT.Error()):
		return err
	}
	return nil
}

// errLocked is how Badger's lock of a folder fails.
var errLocked = errors.New("another process has a lock on its folder db; wait for that to end")

// Guard calls f, which reads from a database. A page that cannot be read is one
// of zeros for f, which checks what it reads: its error has [ErrFault] for the
// reason then. A panic of Badger's ends as an error that is damaged.
func Guard(damaged error, f func() error) error {
	g := sigbus.Hold()
	err := recovered(f)
	fault := g.Release()
	var p panicked
	switch {
	case errors.As(err, &p):
		err = fmt.Errorf("%w: %w", damaged, err)
	case err != nil && strings.Contains(err.Error(), "Cannot acquire directory lock"):
		err = errLocked
	}
	if err != nil && fault != nil && !errors.Is(err, ErrFault) {
		err = fmt.Errorf("%w (%w)", err, fault)
	}
	return err
}

// panicked is a panic of Badger's.
type panicked struct{ value any }

func (p panicked) Error() string {
	if err := p.Unwrap(); err != nil {
		return err.Error()
	}
	return fmt.Sprint(p.value)
}

// Unwrap returns the value of the panic, if that is an error. A page that could not
// be had is [ErrFault], and not the nil pointer that Go calls it.
func (p panicked) Unwrap() error {
	if _, fault := p.value.(interface{ Addr() uintptr }); fault {
		return ErrFault
	}
	err, _ := p.value.(error)
	return err
}

// recovered calls f, and makes an error of a panic.
func recovered(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // where no guard replaces pages
	defer func() {
		if r := recover(); r != nil {
			err = panicked{r}
		}
	}()
	return f()
}

// flushLog is a logger of Badger's, which tries for ever to write a table of
// keys that it cannot write while Close waits for it. The first failure ends the
// goroutine that tries: nothing but its end is waited for.
type flushLog struct{ failed atomic.Pointer[error] }

func (l *flushLog) Errorf(format string, args ...any) {
	if strings.HasPrefix(format, "error flushing memtable to disk") {
		err := fmt.Errorf("its keys cannot be written: %w", args[0].(error))
		l.failed.Store(&err)
		runtime.Goexit()
	}
}
func (*flushLog) Warningf(string, ...any) {}
func (*flushLog) Infof(string, ...any)    {}
func (*flushLog) Debugf(string, ...any)   {}

// err is the first failure.
func (l *flushLog) err() error {
	if failed := l.failed.Load(); failed != nil {
		return *failed
	}
	return nil
}
