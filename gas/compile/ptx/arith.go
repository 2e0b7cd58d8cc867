package ptx

import (
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/garaph/garaph/gas/compiled"
)

var comparisons = map[token.Token]string{
	token.EQL: "eq", token.NEQ: "ne", token.LSS: "lt", token.LEQ: "le", token.GTR: "gt", token.GEQ: "ge",
}

func (e *emitter) unary(op token.Token, a operand) operand {
	switch op {
	case token.NOT:
		return e.op(compiled.Bool, "xor.b32", a, integerOf(compiled.Uint32, 1))
	case token.XOR:
		return e.wrapped(e.op(a.kind, "not."+untyped(a.kind), a))
	default: // SUB
		if float(a.kind) {
			return e.op(a.kind, "neg."+suffix(a.kind), a)
		}
		return e.wrapped(e.op(a.kind, "neg."+signedSuffix(a.kind), a))
	}
}

// signedSuffix is the type of instructions that treat signed and unsigned
// integers alike.
func signedSuffix(k compiled.Kind) string {
	if width(k) == 64 {
		return "s64"
	}
	return "s32"
}

// wrapped extends the low bits of integers below 32 bits again.
func (e *emitter) wrapped(a operand) operand {
	if !narrow(a.kind) {
		return a
	}
	bits := uint64(8 * a.kind.Size())
	if !signed(a.kind) {
		return e.op(a.kind, "and.b32", a, integerOf(compiled.Uint32, 1<<bits-1))
	}
	up := e.op(a.kind, "shl.b32", a, integerOf(compiled.Uint32, 32-bits))
	return e.op(a.kind, "shr.s32", up, integerOf(compiled.Uint32, 32-bits))
}

// binary writes an operation on two operands.
func (x *frame) binary(v *ssa.BinOp) operand {
	e := x.e
	if _, ok := comparisons[v.Op]; ok {
		return e.compare(v.Op, x.value(v.X), x.value(v.Y), v.X.Type())
	}
	a, b := x.scalar(v.X), x.scalar(v.Y)
	k := a.kind
	switch v.Op {
	case token.SHL, token.SHR:
		return e.shift(v.Op, a, b)
	case token.AND:
		return e.op(k, "and."+untyped(k), a, b)
	case token.OR:
		return e.op(k, "or."+untyped(k), a, b)
	case token.XOR:
		return e.op(k, "xor."+untyped(k), a, b)
	case token.AND_NOT:
		return e.op(k, "and."+untyped(k), a, e.op(k, "not."+untyped(k), b))
	case token.QUO, token.REM:
		return e.divide(v.Op, a, b)
	}
	// Rounded one by one: without .rn, ptxas would fuse a multiplication and an
	// addition.
	name := map[token.Token]string{token.ADD: "add", token.SUB: "sub", token.MUL: "mul"}[v.Op]
	switch {
	case float(k):
		return e.op(k, name+".rn."+suffix(k), a, b)
	case v.Op == token.MUL:
		return e.wrapped(e.op(k, "mul.lo."+signedSuffix(k), a, b))
	default:
		return e.wrapped(e.op(k, name+"."+signedSuffix(k), a, b))
	}
}

// compare compares scalars, or arrays and structs for equality, leaf by leaf.
func (e *emitter) compare(op token.Token, a, b value, t types.Type) operand {
	if len(a.leaves) == 1 && kindOf(t) != invalid {
		return e.compared(op, a.leaves[0], b.leaves[0])
	}
	equal := operand{"1", compiled.Bool}
	counted := compared(t)
	for i := range a.leaves {
		if counted[i] {
			equal = e.op(compiled.Bool, "and.b32", equal, e.compared(token.EQL, a.leaves[i], b.leaves[i]))
		}
	}
	if op == token.NEQ {
		return e.unary(token.NOT, equal)
	}
	return equal
}

func (e *emitter) compared(op token.Token, a, b operand) operand {
	name := comparisons[op]
	if float(a.kind) && op == token.NEQ {
		name = "neu" // also where one is NaN
	}
	return e.boolean(e.test(name+"."+suffix(a.kind), a, b))
}

// compared reports which leaves == looks at: not at fields called _.
func compared(t types.Type) (list []bool) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for field := range u.Fields() {
			if field.Name() == "_" {
				list = append(list, make([]bool, leafCount(field.Type()))...)
			} else {
				list = append(list, compared(field.Type())...)
			}
		}
	case *types.Array:
		for range u.Len() {
			list = append(list, compared(u.Elem())...)
		}
	default:
		list = []bool{true}
	}
	return list
}

// shift clamps the distance to 32 bits; PTX itself clamps it to the width, as
// Go does.
func (e *emitter) shift(op token.Token, a, distance operand) operand {
	if signed(distance.kind) && isRegisterOrInput(distance) {
		e.faultIf(e.test("lt."+suffix(distance.kind), distance, zero(distance.kind)), compiled.NegativeShift)
	}
	if n, err := strconv.ParseUint(distance.text, 0, 64); err == nil {
		distance = integerOf(compiled.Uint32, min(n, 64))
	}
	if width(distance.kind) == 64 {
		distance = e.op(compiled.Uint64, "min.u64", distance, integerOf(compiled.Uint64, 64))
		distance = e.op(compiled.Uint32, "cvt.u32.u64", distance)
	}
	if op == token.SHL {
		return e.wrapped(e.op(a.kind, "shl."+untyped(a.kind), a, distance))
	}
	return e.op(a.kind, "shr."+suffix(a.kind), a, distance)
}

func isRegisterOrInput(a operand) bool { return isRegister(a.text) || isPlaceholder(a.text) }

// divide emits / or %. Divisions of floats and of 64-bit integers come from
// devicemath: ptxas would make calls of PTX's.
func (e *emitter) divide(op token.Token, a, b operand) operand {
	k := a.kind
	if float(k) {
		return e.device(map[compiled.Kind]string{compiled.Float32: "Div32", compiled.Float64: "Div64"}[k], a, b)
	}
	if isRegisterOrInput(b) {
		e.faultIf(e.test("eq."+suffix(k), b, zero(k)), compiled.DivisionByZero)
	} else if b.text == "0" { // of an inlined call
		e.fault(compiled.DivisionByZero)
		return zero(k)
	}
	name := map[token.Token]string{token.QUO: "Div", token.REM: "Rem"}[op]
	switch {
	case k == compiled.Int64:
		return e.device(name+"S64", a, b)
	case k == compiled.Uint64:
		return e.device(name+"U64", a, b)
	}
	name = map[token.Token]string{token.QUO: "div.", token.REM: "rem."}[op]
	if !signed(k) {
		return e.op(k, name+"u32", a, b)
	}
	// The least integer by -1 has no quotient in PTX; in Go it is itself.
	minus := e.test("eq.s32", b, integerOf(compiled.Int32, 1<<32-1))
	quotient := e.op(k, name+"s32", a, e.pick(minus, integerOf(k, 1), b))
	if op == token.REM {
		return quotient
	}
	return e.wrapped(e.pick(minus, e.op(k, "neg.s32", a), quotient))
}
