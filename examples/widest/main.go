// Command widest is garaph with a program that has a flag: the complete example
// of docs/vertex-programs.md.
//
//	go run ./examples/widest run widest roads.csv --source mill --top 10
package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph/cmd/garaph/cli"
	"github.com/garaph/garaph/gas"
)

func main() { cli.Main(widest()) }

// widest is the program as the command line has it.
func widest() cli.Program {
	return cli.Program{
		Name: "widest", Short: "width of the widest path from a source",
		Value: Widest{},
		Setup: func(flags *pflag.FlagSet) cli.Runner {
			flags.String("source", "", "`ID` of the vertex to begin at (required)")
			_ = cobra.MarkFlagRequired(flags, "source") // fails for a flag that is not there
			return cli.Bind(func(e cli.Env) (gas.Program[float32, float32], error) {
				v, err := e.Vertex("source")
				return Widest{v}, err
			})
		},
	}
}
