package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpCommand is cobra's, but for an error where a command is unknown.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "help about any command", SilenceUsage: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return Usagef("unknown command %q of %s", rest[0], of.CommandPath())
			}
			return of.Help()
		},
	}
}

// help prints the help of a command. A word before --help that is no command is an
// error. Cobra takes none from here: helped has it.
func (a *app) help(cmd *cobra.Command, _ []string) {
	if words := cmd.Flags().Args(); expectsCommand(cmd) && len(words) > 0 {
		a.helped = unknownWord(cmd, words[0])
		return
	}
	text := strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short)) + "\n\n" + usageText(cmd)
	_, a.helped = io.WriteString(cmd.OutOrStdout(), text)
}

// usage prints how a command is used.
func usage(cmd *cobra.Command) error {
	_, err := io.WriteString(cmd.OutOrStdout(), usageText(cmd))
	return err
}

// usageText is how a command is used: its line, examples, the commands under it
// and its flags by group.
func usageText(cmd *cobra.Command) string {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if cmd.HasAvailableSubCommands() && !cmd.HasParent() {
		fmt.Fprintf(&b, "  %s COMMAND\n", cmd.CommandPath())
	} else {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	writeCommands(&b, cmd)
	writeFlags(&b, cmd)
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nRun `%s %s --help` for more.\n", cmd.CommandPath(), strings.ToUpper(childOf(cmd)))
	}
	return b.String()
}

func writeCommands(b *strings.Builder, cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	kind := childOf(cmd)
	fmt.Fprintf(b, "\n%s%ss:\n", strings.ToUpper(kind[:1]), kind[1:])
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			fmt.Fprintf(b, "  %-*s  %s\n", cmd.NamePadding(), c.Name(), c.Short)
		}
	}
}

// writeFlags lists the flags of cmd, its own groups first.
func writeFlags(b *strings.Builder, cmd *cobra.Command) {
	groups := map[string]*pflag.FlagSet{}
	var titles []string
	add := func(f *pflag.Flag) {
		if hidden(cmd, f.Name) {
			return
		}
		title := "Flags"
		if t := f.Annotations[flagGroup]; len(t) > 0 {
			title = t[0]
		}
		g := groups[title]
		if g == nil {
			g = pflag.NewFlagSet(title, pflag.ContinueOnError)
			g.SortFlags = false
			groups[title], titles = g, append(titles, title)
		}
		g.AddFlag(f)
	}
	cmd.LocalFlags().SortFlags = false
	cmd.InheritedFlags().SortFlags = false
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	titles = lastOf(titles, "Flags")
	for _, title := range titles {
		if text := flagUsages(groups[title], columnsOf(cmd)); text != "" {
			fmt.Fprintf(b, "\n%s:\n%s", title, text)
		}
	}
}

// lastOf moves one of the words to the end.
func lastOf(words []string, last string) []string {
	var out []string
	for _, w := range words {
		if w != last {
			out = append(out, w)
		}
	}
	return append(out, last)
}
