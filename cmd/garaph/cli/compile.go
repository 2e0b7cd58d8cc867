package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// Compiler writes the loops of the programs of packages. It is a parameter so that only command
// garaph-compile links Go's type checker.
type Compiler func(CompileOptions) (CompileReport, error)

// CompileOptions selects what is compiled.
type CompileOptions struct {
	Packages, Types []string // no types: all
	Check           bool     // write nothing, and fail if something would be written
}

// CompileReport lists the work done, by file, except for the names of programs.
type CompileReport struct {
	Programs, Written, Removed, Same []string
	Notes                            []string // for the user, a line each
}

// CompileMain runs `garaph compile` with the arguments of the process, and exits.
func CompileMain(c Compiler) {
	mainOf(&app{compiler: c}, append([]string{"compile"}, os.Args[1:]...), nil)
}

// compilerPackage is the command with the compiler.
const compilerPackage = modulePath + "/cmd/garaph-compile"

func compileCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compile [PACKAGE...] [flags]",
		Short: "Write the loops of vertex programs, for go generate",
		Long: `Write the loops of vertex programs, for go generate.

For every vertex program of the packages (default .), garaph compile writes a
file beside its source, bfs_garaph.go for a type BFS, with the loops of the
engine in which the Go compiler inlines the program's methods. Without such a
file a program runs as well, several times slower. Put the files under version
control. It needs the go command, with which it runs the compiler of the version of garaph
that the module uses: ` + compilerPackage + `.`,
		Example: `  //go:generate go tool garaph-compile
  garaph compile --type Katz,HITS ./centrality
  garaph compile --check ./...                 # in CI`,
	}
	var o CompileOptions
	cmd.Flags().StringSliceVar(&o.Types, "type", nil, "`TYPES` to compile, separated by commas (default all programs)")
	cmd.Flags().BoolVar(&o.Check, "check", false, "write nothing, and fail if something would be written")
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		o.Packages = args
		if len(args) == 0 {
			o.Packages = []string{"."}
		}
		if a.compiler == nil {
			return a.runCompiler(cmd, o)
		}
		return a.compile(o)
	})
	return cmd
}

func (a *app) compile(o CompileOptions) error {
	r, err := a.compiler(o)
	for _, note := range r.Notes {
		a.console.Summary(note)
	}
	if err != nil {
		return err
	}
	for _, path := range r.Written {
		a.console.Summary("wrote " + path)
	}
	for _, path := range r.Removed {
		a.console.Summary("removed " + path + ", whose program is no longer there")
	}
	if a.console.Verbose {
		a.console.Summary(fmt.Sprintf("%d programs, %d files written, %d as they were: %s",
			len(r.Programs), len(r.Written), len(r.Same), strings.Join(r.Programs, ", ")))
	}
	return nil
}

// runCompiler runs the compiler through the go command. The compiler reports its errors itself.
func (a *app) runCompiler(cmd *cobra.Command, o CompileOptions) error {
	args := []string{"run", compilerPackage}
	if o.Check {
		args = append(args, "--check")
	}
	for _, t := range o.Types {
		args = append(args, "--type", t)
	}
	for _, name := range []string{"quiet", "verbose"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			args = append(args, "--"+name+"="+f.Value.String())
		}
	}
	c := exec.CommandContext(cmd.Context(), "go", append(append(args, "--"), o.Packages...)...)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGINT) }
	c.Stdin, c.Stdout, c.Stderr = a.stdin, a.stdout, a.console
	building := time.AfterFunc(2*time.Second, func() {
		a.console.Log.Info("the go command builds the compiler of vertex programs, which takes a minute or two " +
			"the first time")
	})
	err := c.Run()
	building.Stop()
	if errors.As(err, new(*exec.ExitError)) && cmd.Context().Err() == nil {
		return errReported
	}
	return err
}
