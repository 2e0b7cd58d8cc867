package cli

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/internal/builtins"
)

// parentsFlag declares --parents.
func parentsFlag(fs *pflag.FlagSet) {
	fs.Bool("parents", false, "find the vertex before on a shortest path, too: the smallest of the nearer ones")
}

// bindPaths is [bindBuiltin] of a program of shortest paths, whose parents may be wanted.
func bindPaths(build func(Env) (any, error)) Runner {
	without := bindBuiltin(build)
	return func(ctx context.Context, e Env) (*garaph.Result, error) {
		if wanted := e.Flags.Lookup("parents"); wanted == nil || !wanted.Changed || wanted.Value.String() != "true" {
			return without(ctx, e)
		}
		p, err := build(e)
		if err != nil {
			return nil, err
		}
		return e.beside(0, func(o garaph.RunOptions) (*garaph.Result, error) {
			return builtins.RunWithParents(ctx, e.Graph, p, o, e.Progress)
		})
	}
}
