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
// code is 0, 1 after a failed job, 2 after a wrong command line, 124 at the end of
// --time-limit, 130 after an orderly interruption, and 141 if the reader of the
// output has gone.
package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/cmd/garaph/cli/console"
	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
)

// sameSignal is for how long after the first signal another one is taken for the
// same: timeout sends it to the process, and then to its group.
const sameSignal = 300 * time.Millisecond

// Main runs the command line of the process and exits. The first SIGINT, SIGTERM or
// SIGHUP ends a job in order, a second one kills the process. Under nohup, SIGHUP does
// nothing.
func Main(programs ...Program) { mainOf(&app{exec: syscall.Exec}, os.Args[1:], programs) }

func mainOf(a *app, args []string, programs []Program) {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	signal.Ignore(syscall.SIGPIPE) // a write to a closed pipe is an error like any other
	context.AfterFunc(ctx, func() { time.AfterFunc(sameSignal, stop) })
	a.ends = true
	os.Exit(run(ctx, a, args, os.Stdin, os.Stdout, os.Stderr, programs))
}

// endings returns the signals that end a job.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// Run runs one command line and returns its exit code. The programs are offered besides the
// built-in ones and replace those of the same name. While it runs, the limits of the Go collector
// follow --memory. Unlike [Main], it does not hand over to a process with CUDA.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, programs ...Program) int {
	return run(ctx, &app{}, args, stdin, stdout, stderr, programs)
}

func run(
	ctx context.Context, a *app, args []string, stdin io.Reader, stdout, stderr io.Writer, programs []Program,
) int {
	a.name, a.args, a.stdin, a.stdout, a.console = nameOf(programs), args, stdin, output.NewStdout(stdout),
		console.New(stderr, versionText())
	defer a.console.Close()
	defer a.console.Metrics.Close()
	ctx, a.lifeline = newLifeline(ctx)
	defer a.lifeline.close()
	a.own = map[string]bool{}
	for _, p := range programs {
		a.own[p.Name] = true
	}
	a.programs = merge(builtinPrograms(), programs)
	root := a.root()
	root.SetArgs(append([]string{}, args...)) // cobra takes nil for the arguments of the process
	var help bytes.Buffer                     // cobra ignores errors of writing it
	root.SetOut(&help)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = checkHelp(cmd)
	}
	if err == nil {
		_, err = help.WriteTo(a.stdout)
	}
	code := a.exitCode(cmd, err, ctx.Err() != nil)
	a.console.Metrics.Finish(code, a.console.Log)
	return code
}

// nameOf returns garaph, or the name of the executable where it has programs of its own.
func nameOf(programs []Program) string {
	if len(programs) == 0 || len(os.Args) == 0 {
		return "garaph"
	}
	return filepath.Base(os.Args[0])
}

// checkHelp refuses help for a command or a program that is not there, in place of which cobra
// shows the help of the command above it.
func checkHelp(cmd *cobra.Command) (err error) {
	root, words := cmd.Root(), cmd.Flags().Args()
	if cmd.Name() == "help" && cmd.Parent() == root {
		if cmd, words, err = root.Find(words); err != nil {
			return err
		}
	}
	if cmd.Name() == "run" && cmd.Parent() == root && len(words) > 0 { // programs are commands under it
		return unknownWord(cmd, "program", words[0])
	}
	return nil
}

// app is one run of the command line.
type app struct {
	name     string // of the command
	programs []Program
	stdin    io.Reader
	stdout   *output.Stdout
	console  *console.Console
	lifeline *lifeline
	began    bool // the command line was accepted

	args []string
	own  map[string]bool // names of the user's programs
	// exec replaces the process. If nil, it must not be replaced.
	exec     func(path string, args, env []string) error
	ends     bool        // the process ends with the command
	compiler Compiler    // if nil, garaph compile asks the go command for it
	resumed  *garaph.Job // continued by `garaph resume`
}

// Command returns the tree of commands with their flags and texts, for man pages and completions.
// It must not be executed.
func Command() *cobra.Command {
	a := &app{
		name: "garaph", stdout: output.NewStdout(io.Discard), console: console.New(io.Discard, versionText()),
		lifeline: &lifeline{}, programs: builtinPrograms(),
	}
	return a.root()
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   a.name,
		Short: "Process graphs that are larger than memory on one machine",
		Long: `garaph processes graphs that are larger than memory on one machine.

An import turns edge lists into a graph, which is a folder. Programs run over a graph,
or directly over edge lists.`,
		Example: `  garaph import edges.txt.gz web.graph
  garaph run pagerank web.graph --top 20
  go mod graph | garaph run bfs - --source example.com/app`,
		Version:       versionText(),
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			err := a.console.Open()
			if err == nil {
				err = a.lifeline.open()
			}
			a.began = err != nil // an error that is none of usage, such as an address in use
			return err
		},
	}
	root.SetErr(a.console)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ",
		fmt.Sprintf(".FlagUsagesWrapped %d ", helpColumns)))
	a.console.Declare(root.PersistentFlags())
	a.lifeline.declare(root.PersistentFlags())
	a.addCommands(root)
	return root
}

func (a *app) addCommands(root *cobra.Command) {
	for _, group := range []struct {
		title    string
		commands []func(*app) *cobra.Command
	}{
		{"Graphs:", []func(*app) *cobra.Command{
			importCommand, exportCommand, subgraphCommand, infoCommand, verifyCommand, generateCommand,
		}},
		{"Questions to a graph:", []func(*app) *cobra.Command{
			runCommand, communityCommand, pathCommand, neighborsCommand, resumeCommand, jobsCommand,
		}},
		{"Programs and machines:", []func(*app) *cobra.Command{
			programsCommand, newCommand, compileCommand, devicesCommand, benchCommand,
			graphalyticsCommand, gapCommand, versionCommand,
		}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, command := range group.commands {
			cmd := command(a)
			cmd.GroupID = group.title
			root.AddCommand(cmd)
		}
	}
	root.AddCommand(expertCommand(a))
	for _, cmd := range append(root.Commands(), root) {
		for _, c := range append(cmd.Commands(), cmd) {
			c.Flags().SortFlags, c.PersistentFlags().SortFlags = false, false
			completeEnums(c)
		}
	}
}

// job returns a RunE that notes that the command line was accepted.
func (a *app) job(f func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.began = true
		return f(cmd, args)
	}
}

// exactly returns a check for n arguments, which errors call names.
func exactly(names string, n int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return Usagef("expected %s, got %s", names, show.Counted(int64(len(args)), "argument", "arguments"))
		}
		return nil
	}
}
