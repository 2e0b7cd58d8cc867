// Command garaph-compile writes the loops of vertex programs, for go generate: it
// is what `garaph compile` runs.
package main

import (
	"github.com/garaph/garaph/cmd/garaph/cli"
	"github.com/garaph/garaph/gas/compile"
)

func main() {
	cli.CompileMain(func(o cli.CompileOptions) (cli.CompileReport, error) {
		r, err := compile.Compile(compile.Options{Dir: ".", Packages: o.Packages, Types: o.Types, Check: o.Check})
		return cli.CompileReport{Programs: r.Programs, Written: r.Written, Removed: r.Removed, Same: r.Same, Notes: r.Notes},
			err
	})
}
