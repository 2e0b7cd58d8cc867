package cli

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/store"
)

// counting is an algorithm of a user's: it numbers the vertices.
type counting struct{ from int64 }

func (counting) Plan(g *store.Catalogue, _ int) algorithms.Plan {
	return algorithms.Plan{Arrays: []algorithms.Array{{Name: "the numbers", Bytes: 8 * int64(g.Vertices)}}}
}

func (c counting) Run(_ context.Context, e *algorithms.Env) ([]int64, error) {
	if c.from < 0 {
		panic("negative")
	}
	values, err := algorithms.Make[int64](e, int(e.Graph.Vertices))
	for v := range values {
		values[v] = c.from + int64(v)
	}
	return values, err
}

// countingMain offers counting with a flag.
func countingMain() {
	count := Program{
		Name: "count", Short: "a number for every vertex", Algorithm: true,
		Setup: func(fs *pflag.FlagSet) Runner {
			from := fs.Int64("from", 0, "the first number")
			return BindAlgorithm(func(Env) (algorithms.Algorithm[int64], error) { return counting{*from}, nil })
		},
	}
	Main(count)
}
