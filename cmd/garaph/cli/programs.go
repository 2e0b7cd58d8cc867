package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) programsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "programs",
		Short: "List the programs that can be run",
		Long: `List the programs that can be run, and how: through loops that garaph compile
wrote, or through generic ones, which are several times slower; and whether there
is PTX of them, for NVIDIA GPUs. An algorithm, which is not a vertex program, has neither: -.`,
		Args: exactly("no argument", 0),
	}
	asJSON := cmd.Flags().Bool("json", false, "print what there is to know of each, its flags too, as one JSON object")
	cmd.RunE = a.job(func(cmd *cobra.Command, _ []string) error {
		if *asJSON {
			return json.NewEncoder(a.stdout).Encode(a.programsReport(cmd.InheritedFlags()))
		}
		table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintf(table, "program\tloops\tPTX\tcomputes\tflags\n") // errors are kept until Flush
		for _, p := range a.programs {
			loops, ptx := "-", "-"
			if !p.Algorithm {
				loops, ptx = form(p.Value)
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", p.Name, loops, ptx, p.Short, strings.Join(p.flags(), " "))
		}
		return table.Flush()
	})
	return cmd
}

// flags lists the program's own flags.
func (p Program) flags() []string {
	var list []string
	fs := pflag.NewFlagSet(p.Name, pflag.ContinueOnError)
	p.Setup(fs)
	fs.VisitAll(func(f *pflag.Flag) { list = append(list, "--"+f.Name) })
	return list
}
