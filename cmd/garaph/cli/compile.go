package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/garaph/garaph/gas/compile"
)

func (a *app) compileCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compile [PACKAGE...] [flags]",
		Short: "Write the loops of vertex programs, for go generate",
		Long: `Write the loops of vertex programs, for go generate.

For every vertex program of the packages (default .), garaph compile writes a
file beside its source, bfs_garaph.go for a type BFS, with the loops of the
engine in which the Go compiler inlines the program's methods. Without such a
file a program runs as well, several times slower. Put the files under version
control. It needs the go command.`,
		Example: `  //go:generate go run github.com/garaph/garaph/cmd/garaph compile
  garaph compile --type Katz,HITS ./centrality
  garaph compile --check ./...                 # in CI`,
	}
	types := cmd.Flags().StringSlice("type", nil, "`TYPES` to compile, separated by commas (default all programs)")
	check := cmd.Flags().Bool("check", false, "write nothing, and fail if something would be written")
	cmd.RunE = a.job(func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			args = []string{"."}
		}
		r, err := compile.Compile(compile.Options{Dir: ".", Packages: args, Types: *types, Check: *check})
		for _, note := range r.Notes {
			a.console.summary(note)
		}
		if err != nil {
			return err
		}
		for _, path := range r.Written {
			a.console.summary("wrote " + path)
		}
		for _, path := range r.Removed {
			a.console.summary("removed " + path + ", whose program is no longer there")
		}
		if a.console.verbose {
			a.console.summary(fmt.Sprintf("%d programs, %d files written, %d as they were: %s",
				len(r.Programs), len(r.Written), len(r.Same), strings.Join(r.Programs, ", ")))
		}
		return nil
	})
	return cmd
}
