package loops

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/garaph/garaph/gas/compile/source"
)

// unchanged returns the operator in "if g > a, then Sum(a, g) is a" for programs
// whose Sum is min or max of numbers: most edges change nothing, and then a
// comparison that is easy to predict costs less than min itself, above all with
// floats, and spares the store of a scatter. Equal floats are left to Sum, as
// -0 is below 0.
func unchanged(p *source.Program) string {
	basic, ok := p.A.Underlying().(*types.Basic)
	sum := p.Methods["Sum"]
	if !ok || basic.Info()&types.IsNumeric == 0 || len(sum.Blocks) != 1 {
		return ""
	}
	instructions := sum.Blocks[0].Instrs
	end, ok := instructions[len(instructions)-1].(*ssa.Return)
	if !ok || len(end.Results) != 1 {
		return ""
	}
	call, ok := end.Results[0].(*ssa.Call)
	if !ok {
		return ""
	}
	f, ok := call.Call.Value.(*ssa.Builtin)
	if !ok || len(call.Call.Args) != 2 || len(sum.Params) != 3 {
		return ""
	}
	x, y, a, b := call.Call.Args[0], call.Call.Args[1], ssa.Value(sum.Params[1]), ssa.Value(sum.Params[2])
	if !(x == a && y == b || x == b && y == a) {
		return ""
	}
	operator := map[string]string{"min": ">", "max": "<"}[f.Name()]
	if operator != "" && basic.Info()&types.IsInteger != 0 {
		operator += "="
	}
	return operator
}
