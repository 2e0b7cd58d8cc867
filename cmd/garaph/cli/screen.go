package cli

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/vbauerster/mpb/v8"
	"golang.org/x/sys/unix"
)

// screen is the right to draw bars on a terminal. The processes of a pipe, as of
// `garaph generate … | garaph import -`, share one, and each moves the cursor by what it
// has drawn itself. So one at a time draws, as long as it holds a lock of the terminal;
// the system frees that of a process that was killed.
type screen struct {
	lock *os.File // nil: it could not be locked, and nobody can tell
}

// takeScreen is nil when another process draws on the terminal.
func takeScreen(terminal *os.File) *screen {
	// A lock belongs to what was opened, which the shell has shared out.
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", terminal.Fd()), unix.O_WRONLY|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &screen{}
	}
	f := os.NewFile(uintptr(fd), terminal.Name())
	switch err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); {
	case err == nil:
		return &screen{f}
	case errors.Is(err, unix.EWOULDBLOCK):
		_ = f.Close()
		return nil
	}
	_ = f.Close()
	return &screen{}
}

func (s *screen) leave() {
	if s.lock != nil {
		_ = s.lock.Close() // nothing was written
	}
}

// openBars reports whether this process may draw, whose lock is held.
func (c *console) openBars() bool {
	if c.bars != nil {
		return true
	}
	if f, ok := c.w.(*os.File); ok {
		if c.screen = takeScreen(f); c.screen == nil {
			return false
		}
	}
	c.bars = mpb.New(mpb.WithOutput(c.w), mpb.WithRefreshRate(150*time.Millisecond))
	return true
}

// amid puts lines above the bar of another process, if there is one: into its place, with
// an empty line below, which it takes for its bar.
func (c *console) amid(lines []byte) []byte {
	f, ok := c.w.(*os.File)
	if !ok || !c.tty {
		return lines
	}
	if free := takeScreen(f); free != nil {
		free.leave()
		return lines
	}
	return fmt.Appendf(nil, "\x1b[1A\x1b[J%s\n", lines)
}
