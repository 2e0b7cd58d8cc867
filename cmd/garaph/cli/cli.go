// Package cli is the command line of garaph. A main function with vertex
// programs of its own gets all of it:
//
//	func main() {
//		cli.Main(cli.New("katz", "Katz centrality", katz.Program{Alpha: 0.1}))
//	}
//
// Its program then stands beside the built-in ones: `run katz GRAPH`. A program
// with flags fills in a [Program] and [Bind]s its type to them, as the example of
// Bind does. What is not a vertex program (package algorithms) is offered by
// [NewAlgorithm] and [BindAlgorithm].
//
// Results go to standard output, everything else to standard error. The exit
// code is 0, 1 after a failed job, 2 after a wrong command line, 130 after an
// orderly interruption, and 141 when whoever read the output has gone.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/garaph/garaph"
)

// sameSignal is for how long after the first signal another one is taken for the
// same: timeout sends it to the process, and then to its group.
const sameSignal = 300 * time.Millisecond

// Main runs the command line of the process and exits. The first SIGINT, SIGTERM or
// SIGHUP ends a job in order, a second one kills the process. Under nohup, SIGHUP does
// nothing.
func Main(programs ...Program) { mainOf(&app{exec: execute}, os.Args[1:], programs) }

func mainOf(a *app, args []string, programs []Program) {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	signal.Ignore(syscall.SIGPIPE) // a write to a closed pipe is an error like any other
	context.AfterFunc(ctx, func() { time.AfterFunc(sameSignal, stop) })
	a.ends = true
	os.Exit(run(ctx, a, args, os.Stdin, os.Stdout, os.Stderr, programs))
}

// endings are the signals that end a job.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// Run runs one command line and returns its exit code. The programs are offered
// beside the built-in ones and take the place of those whose names they have.
// While it runs, the limits of the Go collector are those of --memory. It does
// not hand over to a process with CUDA, as [Main] does.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, programs ...Program) int {
	return run(ctx, &app{}, args, stdin, stdout, stderr, programs)
}

func run(ctx context.Context, a *app, args []string, stdin io.Reader, stdout, stderr io.Writer, programs []Program) int {
	a.name, a.args, a.stdin, a.stdout, a.console = nameOf(programs), args, stdin, &output{w: stdout}, newConsole(stderr)
	defer a.console.close()
	defer func() { a.console.metrics.close() }()
	ctx, a.lifeline = newLifeline(ctx)
	defer a.lifeline.close()
	a.own = map[string]bool{}
	for _, p := range programs {
		a.own[p.Name] = true
	}
	all, err := merge(builtin, programs)
	if err != nil {
		a.complain(exitFailed, "%v", err)
		return exitFailed
	}
	a.programs = all
	root := a.root()
	root.SetArgs(append([]string{}, args...)) // cobra takes nil for the arguments of the process
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = a.helped
	}
	if a.stdout.lost() {
		a.console.log.Warn("standard output is closed, or discards what it gets: what was written to it is lost; see --output")
	}
	return a.exitCode(cmd, err, ctx.Err() != nil, a.began)
}

// app is one run of the command line.
type app struct {
	name     string // of the command
	programs []Program
	stdin    io.Reader
	stdout   *output
	console  *console
	lifeline *lifeline
	began    bool  // the command line was accepted
	helped   error // why no help was printed that was asked for

	args []string
	own  map[string]bool // names of the user's programs
	// exec replaces the process; nil: it must not be replaced.
	exec     func(path string, args, env []string) error
	ends     bool        // the process ends with the command
	compiler Compiler    // nil: garaph compile asks the go command for it
	resumed  *garaph.Job // that `garaph resume` continues
}

// Command is the tree of commands with their flags and texts, for man pages and
// completions. It is not to be executed.
func Command() *cobra.Command {
	a := &app{name: "garaph", stdout: &output{w: io.Discard}, console: newConsole(io.Discard), lifeline: &lifeline{}, programs: builtin}
	return a.root()
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   a.name,
		Short: "Process graphs that are larger than memory on one machine",
		Long: `garaph processes graphs that are larger than memory on one machine.

Edge lists are imported once into a graph, a folder, and programs run over it.
A program can also run over edge lists directly.`,
		Example: `  garaph import edges.txt.gz web.graph
  garaph run pagerank web.graph --top 20
  go mod graph | garaph run bfs - --source example.com/app`,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true, SilenceUsage: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if version, _ := cmd.Flags().GetBool("version"); version {
				return a.printVersion()
			}
			if len(args) > 0 {
				return unknownWord(cmd, args[0])
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if err := cutSize(cmd, args); err != nil {
				return err
			}
			if err := a.console.open(); err != nil {
				a.began = !errors.As(err, new(usageError)) // what else is wrong is no matter of the command line
				return err
			}
			return a.lifeline.open()
		},
	}
	root.SuggestionsMinimumDistance = 2
	root.Flags().Bool("version", false, "print the version") // not cobra's, whose template takes much of a binary
	root.SetOut(a.stdout)
	root.SetErr(a.console)
	root.SetUsageFunc(usage)
	root.SetHelpFunc(a.help)
	root.SetFlagErrorFunc(flagError)
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "engine" { // as older versions called it
			name = "method"
		}
		return pflag.NormalizedName(name)
	})
	a.console.declare(root.PersistentFlags())
	a.lifeline.declare(root.PersistentFlags())
	completeEnums(root)
	a.addCommands(root)
	root.SetHelpCommand(helpCommand())
	a.nameTexts(root)
	return root
}

func (a *app) addCommands(root *cobra.Command) {
	for _, command := range []func() *cobra.Command{
		a.importCommand, a.exportCommand, a.subgraphCommand, a.pathCommand, a.neighborsCommand, a.runCommand, a.communityCommand, a.resumeCommand, a.jobsCommand, a.infoCommand, a.verifyCommand, a.programsCommand, a.devicesCommand, a.benchCommand, a.generateCommand, a.newCommand, a.compileCommand, a.versionCommand,
	} {
		cmd := command()
		for _, c := range append(cmd.Commands(), cmd) {
			c.Flags().SortFlags = false
		}
		root.AddCommand(cmd)
	}
}

// job is the RunE of a command: once it is called, the command line was
// understood.
func (a *app) job(f func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.began = true
		return f(cmd, args)
	}
}

// exactly asks for as many arguments as names, and names them when they are not
// there.
func exactly(names string, n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			if err := cutSize(cmd, args); err != nil {
				return err
			}
			return Usagef("expected %s, got %s", names, arguments(len(args)))
		}
		return nil
	}
}

func arguments(n int) string {
	switch n {
	case 0:
		return "none"
	case 1:
		return "1 argument"
	default:
		return fmt.Sprintf("%d arguments", n)
	}
}

// output is standard output; a reader that has gone is errPipe, and any other failure
// errOutput.
type output struct {
	w     io.Writer
	wrote bool
}

// lost reports whether something was written to a standard output that was closed when
// the process began. The Go runtime opens the null device in its place, for reading and
// writing; some programs start others with the same, to discard what they write.
func (o *output) lost() bool {
	f, ok := o.w.(*os.File)
	if !ok || !o.wrote {
		return false
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	info, statErr := f.Stat()
	null, nullErr := os.Stat(os.DevNull)
	return err == nil && statErr == nil && nullErr == nil && flags&unix.O_ACCMODE == unix.O_RDWR && os.SameFile(info, null)
}

// tty reports whether it is a terminal.
func (o *output) tty() bool {
	f, ok := o.w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	o.wrote = true
	if errors.Is(err, syscall.EPIPE) {
		return n, errPipe
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", errOutput, err)
	}
	return n, err
}
