package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpColumns is the width of the help of flags.
const helpColumns = 120

// usualFlags are the common flags in the help of a run. The help topic expert has the others.
var usualFlags = []string{
	"output", "output-format", "top", "json", "report", "iterations", "device", "threads", "memory", "checkpoint-every",
	"resume", "undirected", "verbose", "quiet", "help",
}

// showUsual hides the other common flags of run and of the programs below it in their help.
func showUsual(run *cobra.Command) {
	run.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		for _, fs := range []*pflag.FlagSet{run.PersistentFlags(), run.Root().PersistentFlags()} {
			fs.VisitAll(func(f *pflag.Flag) { f.Hidden = f.Hidden || !slices.Contains(usualFlags, f.Name) })
		}
		cmd.Root().HelpFunc()(cmd, args)
	})
}

// expertCommand returns the help topic with the flags of a run that its help leaves out.
func expertCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "expert", Short: "All other flags of run: how the work is done"}
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		run, imports, rest := newFlagSet(), newFlagSet(), newFlagSet()
		newRunFlags(run)
		newImportFlags(imports)
		run.AddFlagSet(cmd.Root().PersistentFlags())
		run.VisitAll(func(f *pflag.Flag) {
			if imports.Lookup(f.Name) == nil && !slices.Contains(usualFlags, f.Name) {
				rest.AddFlag(f)
			}
		})
		_, _ = fmt.Fprintf(cmd.OutOrStdout(),
			`Flags of %[1]s run that its help leaves out. Results do not depend on them, but for --mode.
Flags for edge files are those of %[1]s import.

%[2]s`, a.name, rest.FlagUsagesWrapped(helpColumns))
	})
	return cmd
}

// newFlagSet returns a set that keeps the order of its flags.
func newFlagSet() *pflag.FlagSet {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	return fs
}
