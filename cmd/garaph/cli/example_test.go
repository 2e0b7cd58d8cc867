package cli_test

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/cmd/garaph/cli"
	"github.com/garaph/garaph/gas"
)

// InLinks counts the in-edges of a vertex, up to Limit.
type InLinks struct{ Limit uint32 }

func (p InLinks) Init(gas.Vertex) (uint32, bool)                       { return 0, true }
func (p InLinks) Zero() uint32                                         { return 0 }
func (p InLinks) Gather(uint32, gas.Edge, uint32) uint32               { return 1 }
func (p InLinks) Sum(a, b uint32) uint32                               { return a + b }
func (p InLinks) Apply(_ gas.Vertex, _, acc uint32, _ gas.Step) uint32 { return min(acc, p.Limit) }
func (p InLinks) Activate(_ gas.Vertex, old, new uint32) bool          { return old != new }

// A program with a flag. In a main function, [cli.Main] takes the place of
// [cli.Run].
func ExampleBind() {
	links := cli.Program{
		Name: "links", Short: "number of in-edges, up to a limit",
		Setup: func(flags *pflag.FlagSet) cli.Runner {
			limit := flags.Uint32("limit", 100, "what is counted at most")
			return cli.Bind(func(cli.Env) (gas.Program[uint32, uint32], error) {
				return InLinks{*limit}, nil
			})
		},
	}
	args := []string{"run", "links", "-", "--limit", "2", "--top", "2"}
	edges := strings.NewReader("1 9\n2 9\n3 9\n1 3\n")
	cli.Run(context.Background(), args, edges, os.Stdout, io.Discard, links)
	// Output:
	// rank  id  links (largest first)
	// 1     9   2
	// 2     3   1
}
