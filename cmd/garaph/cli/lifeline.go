package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/results"
)

// lifeline is a pipe that the calling program holds open while it wants the result. At its
// end, which comes with the death of that program too, the job ends in order, as after SIGTERM.
type lifeline struct {
	fd   *int // 0 if there is none
	file *os.File
	cut  func() // ends the job
}

func newLifeline(ctx context.Context) (context.Context, *lifeline) {
	ctx, cut := context.WithCancel(ctx)
	return ctx, &lifeline{cut: cut}
}

func (l *lifeline) declare(fs *pflag.FlagSet) {
	l.fd = fs.Int("lifeline-fd", 0, "the file descriptor of a pipe; when it is closed, the job ends as after SIGTERM")
}

// open begins to wait for its end.
func (l *lifeline) open() error {
	fd := *l.fd
	if fd == 0 {
		return nil
	}
	if err := results.CheckInherited(fd, unix.O_WRONLY, "reading"); err != nil {
		return Usagef("--lifeline-fd %d: %w", fd, err)
	}
	if err := unix.SetNonblock(fd, true); err != nil { // so that close ends a read
		return fmt.Errorf("--lifeline-fd %d: %w", fd, err)
	}
	l.file = os.NewFile(uintptr(fd), "lifeline")
	go func() {
		if _, err := io.Copy(io.Discard, l.file); err == nil { // an error comes from close
			l.cut()
		}
	}()
	return nil
}

func (l *lifeline) close() {
	if l.file != nil {
		_ = l.file.Close() // only read
	}
}
