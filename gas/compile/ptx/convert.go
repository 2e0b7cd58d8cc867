package ptx

import "github.com/garaph/garaph/gas/compiled"

// convert converts between numbers as Go does on amd64, also where the language
// leaves the result open: a float that has no integer of 64 (or, for signed
// integers, 32) bits becomes the least one, which is then cut to the width.
func (e *emitter) convert(a operand, to compiled.Kind) operand {
	from := a.kind
	switch {
	case from == to:
		return a
	case float(from) && float(to):
		if to == compiled.Float32 {
			return e.op(to, "cvt.rn.f32.f64", a)
		}
		return e.op(to, "cvt.f64.f32", a)
	case float(to):
		return e.op(to, "cvt.rn."+suffix(to)+"."+suffix(from), a)
	case float(from):
		return e.truncate(a, to)
	}
	switch {
	case width(from) == width(to):
	case width(to) == 64:
		wide := suffix(from)[:1] + "64"
		return e.op(to, "cvt."+wide+"."+suffix(from), a)
	default:
		a = e.op(to, "cvt.u32.u64", a)
	}
	a.kind = to
	if narrow(to) && (from.Size() > to.Size() || signed(from) != signed(to)) {
		return e.wrapped(a)
	}
	return a
}

// truncate converts a float to an integer.
func (e *emitter) truncate(a operand, to compiled.Kind) operand {
	switch {
	case to == compiled.Int64:
		return e.within(a, compiled.Int64, 0x1p63)
	case to == compiled.Uint32:
		return e.convert(e.within(a, compiled.Int64, 0x1p63), compiled.Uint32)
	case to == compiled.Uint64:
		// From 2⁶³ on, the difference to it, and the top bit.
		low := e.within(a, compiled.Int64, 0x1p63)
		above := e.within(e.op(a.kind, "sub.rn."+suffix(a.kind), a, floatOf(a.kind, 0x1p63)), compiled.Int64, 0x1p63)
		high := e.op(compiled.Uint64, "or.b64", above, integerOf(compiled.Uint64, 1<<63))
		small := e.test("lt."+suffix(a.kind), a, floatOf(a.kind, 0x1p63))
		low.kind = compiled.Uint64
		return e.pick(small, low, high)
	default:
		n := e.within(a, compiled.Int32, 0x1p31)
		n.kind = to
		return e.wrapped(n)
	}
}

// within truncates towards zero where -limit ≤ a < limit, and returns the least
// integer elsewhere.
func (e *emitter) within(a operand, to compiled.Kind, limit float64) operand {
	f := suffix(a.kind)
	n := e.op(to, "cvt.rzi."+suffix(to)+"."+f, a)
	least := integerOf(to, 1<<63)
	if to == compiled.Int32 {
		least = integerOf(to, 1<<31)
	}
	n = e.pick(e.test("ge."+f, a, floatOf(a.kind, -limit)), n, least)
	return e.pick(e.test("lt."+f, a, floatOf(a.kind, limit)), n, least)
}
