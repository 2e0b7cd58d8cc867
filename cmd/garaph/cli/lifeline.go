package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/results"
)

// lifeline is a pipe that a program holds open as long as it wants what the command
// does: at its end, which comes with the death of the program too, the job ends in
// order, as after SIGTERM. What comes through it is not looked at.
type lifeline struct {
	fd   *int // 0: none
	file *os.File
	cut  func() // ends the job
}

// declare declares its flag.
func (l *lifeline) declare(fs *pflag.FlagSet) {
	value := 0
	parse := func(s string) (int, error) {
		fd, err := strconv.Atoi(s)
		if err != nil || fd < 3 {
			return 0, errDescriptor
		}
		return fd, results.CheckInherited(fd, unix.O_WRONLY, "reading")
	}
	show := func(fd int) string {
		if fd == 0 {
			return ""
		}
		return strconv.Itoa(fd)
	}
	fs.Var(&checked[int]{&value, "N", parse, show, ""}, "lifeline-fd", "the file descriptor of a pipe at whose end the job ends in order, as after SIGTERM")
	l.fd = &value
}

// open begins to wait for its end.
func (l *lifeline) open() error {
	if *l.fd == 0 {
		return nil
	}
	if err := unix.SetNonblock(*l.fd, true); err != nil { // of a descriptor that blocks, no read can be ended
		return fmt.Errorf("--lifeline-fd %d: %w", *l.fd, err)
	}
	l.file = os.NewFile(uintptr(*l.fd), "lifeline")
	go func(f *os.File) {
		if _, err := io.Copy(io.Discard, f); err == nil { // other errors are of close, or of what is no pipe
			l.cut()
		}
	}(l.file)
	return nil
}

// close ends the waiting.
func (l *lifeline) close() {
	if l.file != nil {
		_ = l.file.Close() // only read
	}
}

// newLifeline returns a context that ends with ctx and with the lifeline.
func newLifeline(ctx context.Context) (context.Context, *lifeline) {
	ctx, cut := context.WithCancel(ctx)
	return ctx, &lifeline{cut: cut}
}
