package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/internal/results"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitTimeLimit   = 124 // as timeout has it
	exitInterrupted = 130 // as shells have it for SIGINT
	exitPipe        = 141 // and for SIGPIPE, which ends most commands whose reader has gone
)

// errTimeLimit is the error at the end of --time-limit.
var errTimeLimit = errors.New("--time-limit is over")

// errReported is the error of a command that another process has reported.
var errReported = errors.New("reported already")

// Usagef returns an error of the command line: garaph then exits with code 2 and points to the
// help.
func Usagef(format string, args ...any) error {
	return flags.Usagef(format, args...)
}

// stopped is the error of a job that was cancelled.
type stopped struct {
	what  string
	cause error
}

func (e *stopped) Error() string { return e.what }
func (e *stopped) Unwrap() error { return e.cause }

// exitCode reports on standard error how the command ended, in one line, and returns its exit code.
func (a *app) exitCode(cmd *cobra.Command, err error, interrupted bool) int {
	var usage flags.UsageError
	var noFile results.PathError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, output.ErrPipe):
		return exitPipe
	case errors.Is(err, errReported):
		return exitFailed
	case interrupted:
		a.complain(exitInterrupted, "interrupted: %s", show.OneLine(err))
		return exitInterrupted
	case errors.Is(err, errTimeLimit):
		a.complain(exitTimeLimit, "%s", show.OneLine(err))
		return exitTimeLimit
	case !a.began && !errors.Is(err, output.ErrOutput) || errors.As(err, &usage) || errors.As(err, &noFile):
		a.complain(exitUsage, "%s\nSee `%s --help`.", show.OneLine(err), cmd.CommandPath())
		return exitUsage
	case errors.Is(err, unix.EPIPE): // of the pipe that --output names
		a.complain(exitPipe, "%s", show.OneLine(err))
		return exitPipe
	default:
		a.complain(exitFailed, "%s", show.OneLine(err))
		a.showStack(err)
		return exitFailed
	}
}

// showStack shows where a vertex program panicked.
func (a *app) showStack(err error) {
	var p *panics.Error
	switch {
	case !errors.As(err, &p):
	case a.console.Verbose:
		_, _ = a.console.Write(p.Stack) // there is no other place to report it
	default:
		a.console.Summary("--verbose shows the whole stack.")
	}
}

// complain reports how the command failed.
func (a *app) complain(exit int, format string, args ...any) {
	a.console.Complain(a.name+": "+fmt.Sprintf(format, args...), exit)
}

// unknownWord returns the error of a word that is none of the commands under cmd, which are kinds of kind.
func unknownWord(cmd *cobra.Command, kind, word string) error {
	cmd.SuggestionsMinimumDistance = 2 // as cobra has it for the root
	if like := cmd.SuggestionsFor(word); len(like) > 0 {
		return Usagef("unknown %s %q: did you mean %s?", kind, word, strings.Join(like, " or "))
	}
	return Usagef("unknown %s %q", kind, word)
}
