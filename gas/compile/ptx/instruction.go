package ptx

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/garaph/garaph/gas/compiled"
)

// instruction writes one instruction of the subset.
func (x *frame) instruction(i ssa.Instruction) {
	e := x.e
	switch i := i.(type) {
	case *ssa.DebugRef, *ssa.Phi, *ssa.RunDefers, *ssa.MakeInterface:
	case *ssa.Jump:
		x.edge(i.Block().Succs[0], predecessor(i.Block(), 0))
	case *ssa.If:
		otherwise := e.label()
		p := e.test("eq.s32", x.scalar(i.Cond), zero(compiled.Int32))
		e.jumpIf(p, otherwise)
		x.edge(i.Block().Succs[0], predecessor(i.Block(), 0))
		e.place(otherwise)
		x.edge(i.Block().Succs[1], predecessor(i.Block(), 1))
	case *ssa.Return:
		if x.single == nil {
			for k, r := range i.Results {
				e.assign(x.results[k], x.value(r))
			}
		}
		e.jump(x.end)
	case *ssa.Panic:
		e.fault(compiled.Panicked)
	case *ssa.Store:
		x.store(i)
	case ssa.Value:
		x.values[i] = x.computed(i)
	default:
		e.refuse(i, fmt.Sprintf("a %T", i), "another construct")
	}
}

// computed writes the instruction that computes v.
func (x *frame) computed(v ssa.Value) value {
	e := x.e
	switch v := v.(type) {
	case *ssa.Alloc:
		return x.alloc(v)
	case *ssa.FieldAddr:
		return value{place: x.value(v.X).place.field(v.X.Type().Underlying().(*types.Pointer).Elem(), v.Field)}
	case *ssa.IndexAddr:
		array := v.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
		return value{place: x.element(x.value(v.X).place, array, v.Index)}
	case *ssa.Field:
		p := (&place{leaves: x.value(v.X).leaves}).field(v.X.Type(), v.Field)
		return value{leaves: p.leaves}
	case *ssa.Index:
		array := v.X.Type().Underlying().(*types.Array)
		p := x.element(&place{leaves: x.value(v.X).leaves}, array, v.Index)
		return e.load(p)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return e.load(x.value(v.X).place)
		}
		return value{leaves: []operand{e.unary(v.Op, x.scalar(v.X))}}
	case *ssa.BinOp:
		return value{leaves: []operand{x.binary(v)}}
	case *ssa.Convert:
		return value{leaves: []operand{e.convert(x.scalar(v.X), kindOf(v.Type()))}}
	case *ssa.ChangeType:
		return x.value(v.X)
	case *ssa.Extract:
		return x.value(v.Tuple).tuple[v.Index]
	case *ssa.Call:
		return x.call(v)
	}
	instruction, _ := v.(ssa.Instruction)
	e.refuse(instruction, fmt.Sprintf("a %T", v), "another construct")
	return e.variable(v.Type())
}
