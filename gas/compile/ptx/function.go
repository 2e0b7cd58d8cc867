package ptx

import (
	"go/constant"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/garaph/garaph/gas/compiled"
)

// frame is one inlined call of a function.
type frame struct {
	e       *emitter
	f       *ssa.Function
	values  map[ssa.Value]value
	labels  map[*ssa.BasicBlock]string
	results []value // registers of the results, when several returns set them
	single  *ssa.Return
	end     string
}

// inline writes the body of a function in the place of a call.
func (e *emitter) inline(f *ssa.Function, args []value) value {
	x := &frame{e: e, f: f, values: map[ssa.Value]value{}, labels: map[*ssa.BasicBlock]string{}, end: e.label()}
	for i, p := range f.Params {
		x.values[p] = args[i]
	}
	blocks := reversePostorder(f) // jumps go back in loops only
	var returns []*ssa.Return
	for _, b := range blocks {
		x.labels[b] = e.label()
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Phi:
				x.values[i] = e.variable(i.Type())
			case *ssa.Return:
				returns = append(returns, i)
			}
		}
	}
	if len(returns) == 1 {
		x.single = returns[0]
	} else {
		for v := range f.Signature.Results().Variables() {
			x.results = append(x.results, e.variable(v.Type()))
		}
	}
	for _, b := range blocks {
		e.place(x.labels[b])
		for _, i := range b.Instrs {
			x.instruction(i)
		}
	}
	e.place(x.end)
	results := x.results
	if x.single != nil {
		results = nil
		for _, r := range x.single.Results {
			results = append(results, x.value(r))
		}
	}
	if len(results) == 1 {
		return results[0]
	}
	return value{tuple: results}
}

// variable allocates registers for the leaves of a type.
func (e *emitter) variable(t types.Type) value {
	var v value
	for _, k := range kindsOf(t) {
		if k == invalid {
			v.leaves = append(v.leaves, operand{})
			continue
		}
		v.leaves = append(v.leaves, e.register(k))
	}
	return v
}

// assign copies a value into registers.
func (e *emitter) assign(dst, src value) {
	for i, d := range dst.leaves {
		e.move(d, src.leaves[i])
	}
}

// value returns the operand of an SSA value: a computed one, or a constant.
func (x *frame) value(v ssa.Value) value {
	if c, ok := v.(*ssa.Const); ok {
		return constantOf(c)
	}
	return x.values[v]
}

func (x *frame) scalar(v ssa.Value) operand { return x.value(v).leaves[0] }

func constantOf(c *ssa.Const) value {
	if c.Value == nil { // the zero value of an array or struct
		var v value
		for _, k := range kindsOf(c.Type()) {
			v.leaves = append(v.leaves, zero(k))
		}
		return v
	}
	return value{leaves: []operand{immediate(kindOf(c.Type()), c.Value)}}
}

func immediate(k compiled.Kind, v constant.Value) operand {
	switch {
	case k == compiled.Bool:
		if constant.BoolVal(v) {
			return operand{"1", k}
		}
		return operand{"0", k}
	case k == compiled.Float32:
		f, _ := constant.Float32Val(constant.ToFloat(v))
		return floatOf(k, float64(f))
	case k == compiled.Float64:
		f, _ := constant.Float64Val(constant.ToFloat(v))
		return floatOf(k, f)
	case signed(k):
		i, _ := constant.Int64Val(constant.ToInt(v))
		return integerOf(k, uint64(i))
	default:
		u, _ := constant.Uint64Val(constant.ToInt(v))
		return integerOf(k, u)
	}
}

// edge writes the assignments of phis on the way from a block's predecessor, by its
// number, all of them at once as SSA means them, and the jump.
func (x *frame) edge(to *ssa.BasicBlock, which int) {
	var phis []*ssa.Phi
	var sources []value
	for _, i := range to.Instrs {
		phi, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		phis = append(phis, phi)
		sources = append(sources, x.value(phi.Edges[which]))
	}
	if len(phis) > 1 { // a phi may read another one
		for i, s := range sources {
			sources[i] = x.e.copied(s)
		}
	}
	for i, phi := range phis {
		x.e.assign(x.values[phi], sources[i])
	}
	x.e.jump(x.labels[to])
}

// copied returns a value in registers of its own.
func (e *emitter) copied(v value) value {
	out := value{leaves: make([]operand, len(v.leaves))}
	for i, s := range v.leaves {
		if s.kind != invalid {
			out.leaves[i] = e.register(s.kind)
			e.move(out.leaves[i], s)
		}
	}
	return out
}

// predecessor is which edge into to the n-th successor of from is.
func predecessor(from *ssa.BasicBlock, n int) int {
	to, same := from.Succs[n], 0
	for i := range n {
		if from.Succs[i] == to {
			same++
		}
	}
	for i, p := range to.Preds {
		if p == from {
			if same == 0 {
				return i
			}
			same--
		}
	}
	return -1
}

// reversePostorder lists the blocks of a function that can be reached. Only loops lead from a block to an earlier one.
func reversePostorder(f *ssa.Function) []*ssa.BasicBlock {
	var post []*ssa.BasicBlock
	seen := map[*ssa.BasicBlock]bool{}
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		seen[b] = true
		for _, s := range b.Succs {
			if !seen[s] {
				visit(s)
			}
		}
		post = append(post, b)
	}
	visit(f.Blocks[0])
	slices.Reverse(post)
	return post
}
