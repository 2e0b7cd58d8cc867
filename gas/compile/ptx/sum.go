package ptx

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/garaph/garaph/gas/compiled"
)

// sumOp recognises a Sum that memory can do by itself: one operator or builtin
// on its two arguments.
func sumOp(f *ssa.Function, t types.Type) compiled.SumOp {
	kinds := kindsOf(t)
	if len(kinds) != 1 || kindOf(t) == invalid {
		return compiled.SumOther
	}
	a, b := f.Params[len(f.Params)-2], f.Params[len(f.Params)-1]
	if narrow(kinds[0]) {
		return compiled.SumOther
	}
	switch len(f.Blocks) {
	case 1:
		result := returned(f.Blocks[0])
		if call, ok := result.(*ssa.Call); ok && !isBuiltin(call) {
			g := call.Common().StaticCallee()
			args := call.Common().Args
			if n := len(args); g != nil && len(g.Blocks) > 0 && n >= 2 && n == len(g.Params) &&
				pair(args[n-2], args[n-1], a, b) {
				return sumOp(g, t)
			}
			return compiled.SumOther
		}
		return operation(result, a, b, kinds[0])
	case 3:
		for _, block := range f.Blocks[1:] {
			if phi, ok := returned(block).(*ssa.Phi); ok {
				return shortCircuit(phi, a, b, kinds[0])
			}
		}
	}
	return compiled.SumOther
}

func isBuiltin(c *ssa.Call) bool {
	_, ok := c.Common().Value.(*ssa.Builtin)
	return ok
}

// returned is the only result of a block that ends with a return.
func returned(b *ssa.BasicBlock) ssa.Value {
	r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
	if !ok || len(r.Results) != 1 {
		return nil
	}
	return r.Results[0]
}

func pair(x, y, a, b ssa.Value) bool { return x == a && y == b || x == b && y == a }

func operation(v, a, b ssa.Value, k compiled.Kind) compiled.SumOp {
	switch v := v.(type) {
	case *ssa.BinOp:
		if pair(v.X, v.Y, a, b) {
			return map[token.Token]compiled.SumOp{token.ADD: compiled.SumAdd, token.OR: compiled.SumOr,
				token.AND: compiled.SumAnd}[v.Op]
		}
	case *ssa.Call:
		name := v.Common().Value.Name()
		if isBuiltin(v) && len(v.Common().Args) == 2 && pair(v.Common().Args[0], v.Common().Args[1], a, b) {
			return map[string]compiled.SumOp{"min": compiled.SumMin, "max": compiled.SumMax}[name]
		}
	case *ssa.Phi: // a || b, a && b
		return shortCircuit(v, a, b, k)
	}
	return compiled.SumOther
}

// shortCircuit recognises the phi of a || b and a && b.
func shortCircuit(phi *ssa.Phi, a, b ssa.Value, k compiled.Kind) compiled.SumOp {
	first := phi.Parent().Blocks[0]
	test, ok := first.Instrs[len(first.Instrs)-1].(*ssa.If)
	if !ok || k != compiled.Bool || len(phi.Edges) != 2 || len(first.Instrs) != 1 {
		return compiled.SumOther
	}
	for i, e := range phi.Edges {
		if phi.Block().Preds[i] != first || !pair(test.Cond, phi.Edges[1-i], a, b) {
			continue
		}
		if isConstant(e, "true") && first.Succs[0] == phi.Block() {
			return compiled.SumOr
		}
		if isConstant(e, "false") && first.Succs[1] == phi.Block() {
			return compiled.SumAnd
		}
	}
	return compiled.SumOther
}

func isConstant(v ssa.Value, text string) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.String() == text
}
