package ptx

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/garaph/garaph/gas/compiled"
)

// call writes a call: of a builtin, of a function of the device, or the body of a
// function.
func (x *frame) call(c *ssa.Call) value {
	e, common := x.e, c.Common()
	args := make([]value, len(common.Args))
	for i, a := range common.Args {
		args[i] = x.value(a)
	}
	if b, ok := common.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "min", "max":
			least := args[0].leaves[0]
			for _, a := range args[1:] {
				least = e.extreme(b.Name(), least, a.leaves[0])
			}
			return value{leaves: []operand{least}}
		case "len", "cap":
			t := common.Args[0].Type().Underlying()
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem().Underlying()
			}
			return value{leaves: []operand{integerOf(compiled.Int64, uint64(t.(*types.Array).Len()))}}
		default: // ssa:wrapnilchk
			return args[0]
		}
	}
	f := common.StaticCallee()
	if write, ok := intrinsics[intrinsicName(f)]; ok {
		scalars := make([]operand, len(args))
		for i, a := range args {
			scalars[i] = a.leaves[0]
		}
		return value{leaves: []operand{write(e, scalars)}}
	}
	return e.inline(f, args)
}

// device writes the body of a function of devicemath.
func (e *emitter) device(name string, args ...operand) operand {
	pkg, err := device()
	if err != nil {
		panic(deviceError{err})
	}
	values := make([]value, len(args))
	for i, a := range args {
		values[i] = value{leaves: []operand{a}}
	}
	return e.inline(pkg.Func(name), values).leaves[0]
}

// deviceError is an error in garaph itself.
type deviceError struct{ err error }

// extreme is the builtin min or max. That of PTX knows that -0 is below 0, but
// prefers numbers to NaN.
func (e *emitter) extreme(name string, a, b operand) operand {
	k := a.kind
	r := e.op(k, name+"."+suffix(k), a, b)
	if !float(k) {
		return r
	}
	return e.pick(e.test("nan."+suffix(k), a, b), nan(k), r)
}

func nan(k compiled.Kind) operand {
	if k == compiled.Float32 {
		return operand{"0f7FC00000", k}
	}
	return operand{"0d7FF8000000000001", k}
}

func intrinsicName(f *ssa.Function) string {
	if f.Object() == nil || f.Object().Pkg() == nil || f.Signature.Recv() != nil {
		return ""
	}
	return f.Object().Pkg().Path() + "." + f.Name()
}
