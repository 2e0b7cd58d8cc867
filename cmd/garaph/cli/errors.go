package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/internal/results"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130 // as shells have it for SIGINT
	exitPipe        = 141 // and for SIGPIPE, which ends most commands whose reader has gone
)

// errPipe: whoever reads our standard output has gone.
var errPipe = errors.New("standard output was closed")

// errReported: a process that did the work has said what is wrong.
var errReported = errors.New("reported already")

// errOutput: standard output takes no more, for its disk is full or it fails.
var errOutput = errors.New("write to standard output")

// usageError is a command line that asks for what is not there.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usagef makes an error that says the command line is wrong: garaph ends with
// exit code 2 and points to the help.
func Usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// stopped says what a cancellation ended.
type stopped struct {
	what  string
	cause error
}

func (e *stopped) Error() string { return e.what }
func (e *stopped) Unwrap() error { return e.cause }

// exitCode says on standard error how the command ended, in one line, and returns
// its exit code. began reports that the command line was accepted.
func (a *app) exitCode(cmd *cobra.Command, err error, interrupted, began bool) int {
	var usage usageError
	var noFile results.PathError
	err = nameFileSize(nameAddresses(cmd, err))
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errPipe):
		return exitPipe
	case errors.Is(err, errReported):
		return exitFailed
	case interrupted:
		a.complain(exitInterrupted, "interrupted: %s", oneLine(err))
		return exitInterrupted
	case !began && !errors.Is(err, errOutput) || errors.As(err, &usage) || errors.As(err, &noFile) || beneathProcess(cmd, err):
		a.complain(exitUsage, "%s\nSee `%s --help`.", oneLine(err), cmd.CommandPath())
		return exitUsage
	case errors.Is(err, unix.EPIPE): // whoever reads the pipe that --output names
		a.complain(exitPipe, "%s", oneLine(err))
		return exitPipe
	default:
		a.complain(exitFailed, "%s", oneLine(err))
		a.showStack(err)
		return exitFailed
	}
}

// nameAddresses says of a budget that was too little that it follows from the limit of addresses, where it does.
func nameAddresses(cmd *cobra.Command, err error) error {
	if !errors.Is(err, hostmem.ErrBudget) {
		return err
	}
	f, limit := cmd.Flags().Lookup("memory"), hostmem.AddressLimit()
	if f == nil || f.Changed || limit == 0 {
		return err
	}
	return fmt.Errorf("%w; without --memory, the budget follows from the %d MiB of addresses that the process may have (ulimit -v): raise that, or give --memory", err, limit>>20)
}

// nameFileSize says of a file that became too large for the process that there is such a limit. Badger keeps
// the text of its causes alone.
func nameFileSize(err error) error {
	var limit unix.Rlimit
	if err == nil || !strings.Contains(err.Error(), unix.EFBIG.Error()) || unix.Getrlimit(unix.RLIMIT_FSIZE, &limit) != nil || limit.Cur > math.MaxInt64 {
		return err
	}
	return fmt.Errorf("%w; a file of this process may have %s (ulimit -f): raise that", err, humanize.IBytes(limit.Cur))
}

// beneathProcess reports that memory was too little because the budget that was asked for is one that
// no job can have.
func beneathProcess(cmd *cobra.Command, err error) bool {
	if !errors.Is(err, hostmem.ErrBudget) {
		return false
	}
	f := cmd.Flags().Lookup("memory")
	if f == nil || !f.Changed {
		return false
	}
	n, err := parseSize(f.Value.String())
	return err == nil && n <= hostmem.Process
}

// showStack shows where a vertex program panicked, for those who want to know
// more than the line of their own code.
func (a *app) showStack(err error) {
	var p *panics.Error
	switch {
	case !errors.As(err, &p):
	case a.console.verbose:
		_, _ = a.console.Write(p.Stack) // there is no other place to report it
	default:
		a.console.summary("--verbose shows the whole stack.")
	}
}

// complain says how the command failed.
func (a *app) complain(exit int, format string, args ...any) {
	a.console.complain(a.name+": "+a.named(fmt.Sprintf(format, args...)), exit)
}

// maxLine is how much of an error is printed: it may quote what a received file has.
const maxLine = 16 << 10

// oneLine puts joined errors into one printable line.
func oneLine(err error) string {
	text := err.Error()
	if len(text) > maxLine {
		text = fmt.Sprintf("%s … (%d bytes more)", text[:maxLine], len(text)-maxLine)
	}
	return printable(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), "; "))
}

// runsItself marks a command that has others under it and does something without
// them.
const runsItself = "runs itself"

// expectsCommand reports whether the word behind a command is to be another one.
func expectsCommand(cmd *cobra.Command) bool {
	return cmd.HasSubCommands() && cmd.Annotations[runsItself] == ""
}

// flagError explains a flag that cannot be parsed. Where a command was expected
// and the word is none, that is the mistake, and not the flag behind it.
func flagError(cmd *cobra.Command, err error) error {
	if words := cmd.Flags().Args(); expectsCommand(cmd) && len(words) > 0 {
		return unknownWord(cmd, words[0])
	}
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) && wrong.GetFlag().Value.Type() == "bool" {
		return Usagef("--%s=%s: expected true or false, or --%[1]s alone", wrong.GetFlag().Name, wrong.GetValue())
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || expectsCommand(cmd) {
		return usageError{err}
	}
	if minus := unknown.GetSpecifiedShortnames(); minus != "" && strings.Trim(minus, ".0123456789") == "" {
		return Usagef("%w: put -- before arguments that begin with a minus, which are no flags then", err)
	}
	if like := similarFlags(cmd, unknown.GetSpecifiedName()); len(like) > 0 {
		return Usagef("%w: did you mean %s?", err, strings.Join(like, " or "))
	}
	var own []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && !f.Hidden {
			own = append(own, "--"+f.Name)
		}
	})
	flags := "no flags"
	if len(own) > 0 {
		flags = strings.Join(own, ", ")
	}
	if cmd.Parent().Annotations[childKind] != "" {
		flags += " beside the common ones"
	}
	for _, under := range cmd.Commands() {
		if under.IsAvailableCommand() {
			flags += fmt.Sprintf(", and there is `%s`", under.CommandPath())
		}
	}
	return Usagef("%w: %s has %s", err, cmd.Name(), flags)
}

// similarFlags are the flags of a command that a word is nearly the name of.
func similarFlags(cmd *cobra.Command, word string) []string {
	if len(word) < 2 { // of a letter, any short name is a few letters away
		return nil
	}
	names := &cobra.Command{SuggestionsMinimumDistance: 2} // cobra compares names of commands only
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	var like []string
	for _, name := range names.SuggestionsFor(word) {
		like = append(like, "--"+name)
	}
	return like
}

// childKind annotates a command with what the words after it are; "command"
// without it.
const childKind = "garaph_child"

func childOf(cmd *cobra.Command) string {
	if kind := cmd.Annotations[childKind]; kind != "" {
		return kind
	}
	return "command"
}

// unknownWord says that a word is no command, and what it may have been meant
// to be.
func unknownWord(cmd *cobra.Command, word string) error {
	kind := childOf(cmd)
	if err := cmp.Or(otherCommand(cmd, word), unknownProgram(cmd, word)); err != nil {
		return err
	}
	if like := spelledAlike(word, cmd.SuggestionsFor(word)); len(like) > 0 {
		return Usagef("unknown %s %q: did you mean %s?", kind, word, strings.Join(like, " or "))
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return Usagef("unknown %s %q: expected %s", kind, word, strings.Join(names, ", "))
}
