package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/term"
)

// ErrPipe is the error of standard output without a reader.
var ErrPipe = errors.New("standard output was closed")

// ErrOutput is the error of standard output that cannot be written, as on a full disk.
var ErrOutput = errors.New("write to standard output")

// Stdout is standard output. An error is ErrPipe if its reader has gone, and ErrOutput otherwise.
type Stdout struct{ w io.Writer }

// NewStdout returns the standard output w.
func NewStdout(w io.Writer) *Stdout { return &Stdout{w} }

// TTY reports whether it is a terminal.
func (o *Stdout) TTY() bool {
	f, ok := o.w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (o *Stdout) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		return n, ErrPipe
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrOutput, err)
	}
	return n, err
}
