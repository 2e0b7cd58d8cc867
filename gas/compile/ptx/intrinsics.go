package ptx

import (
	"math"

	"github.com/garaph/garaph/gas/compiled"
)

// intrinsics are the functions that a device has, or has few instructions for.
var intrinsics map[string]func(e *emitter, a []operand) operand

func init() {
	intrinsics = map[string]func(e *emitter, a []operand) operand{
		"math.Abs":      simple(compiled.Float64, "abs.f64"),
		"math.Floor":    simple(compiled.Float64, "cvt.rmi.f64.f64"),
		"math.Ceil":     simple(compiled.Float64, "cvt.rpi.f64.f64"),
		"math.Trunc":    simple(compiled.Float64, "cvt.rzi.f64.f64"),
		"math.FMA":      simple(compiled.Float64, "fma.rn.f64"),
		"math.Copysign": func(e *emitter, a []operand) operand { return e.op(compiled.Float64, "copysign.f64", a[1], a[0]) },
		"math.Min":      func(e *emitter, a []operand) operand { return e.mathExtreme("min", a, math.Inf(-1)) },
		"math.Max":      func(e *emitter, a []operand) operand { return e.mathExtreme("max", a, math.Inf(1)) },
		"math.Sqrt":     func(e *emitter, a []operand) operand { return e.device("Sqrt", a...) },
		"math.Exp":      func(e *emitter, a []operand) operand { return e.device("Exp", a...) },
		"math.Log":      func(e *emitter, a []operand) operand { return e.device("Log", a...) },
		"math.Tanh":     func(e *emitter, a []operand) operand { return e.device("Tanh", a...) },
		"math.NaN":      func(*emitter, []operand) operand { return nan(compiled.Float64) },
		"math.Inf":      inf,
		"math.IsInf":    isInf,
		"math.IsNaN":    func(e *emitter, a []operand) operand { return e.boolean(e.test("nan.f64", a[0], a[0])) },
		"math.Signbit": func(e *emitter, a []operand) operand {
			return e.boolean(e.test("lt.s64", e.op(compiled.Int64, "mov.b64", a[0]), zero(compiled.Int64)))
		},

		"math.Float32bits":     simple(compiled.Uint32, "mov.b32"),
		"math.Float32frombits": simple(compiled.Float32, "mov.b32"),
		"math.Float64bits":     simple(compiled.Uint64, "mov.b64"),
		"math.Float64frombits": simple(compiled.Float64, "mov.b64"),

		"math/bits.LeadingZeros32":  bitCount("clz.b32", false),
		"math/bits.LeadingZeros64":  bitCount("clz.b64", false),
		"math/bits.TrailingZeros32": bitCount("clz.b32", true),
		"math/bits.TrailingZeros64": bitCount("clz.b64", true),
		"math/bits.OnesCount32":     bitCount("popc.b32", false),
		"math/bits.OnesCount64":     bitCount("popc.b64", false),
		"math/bits.Reverse32":       simple(compiled.Uint32, "brev.b32"),
		"math/bits.Reverse64":       simple(compiled.Uint64, "brev.b64"),

		devicePath + ".reciprocal":     simple(compiled.Float64, "rcp.approx.ftz.f64"),
		devicePath + ".reciprocalSqrt": simple(compiled.Float64, "rsqrt.approx.ftz.f64"),
	}
}

// simple is a function that is one instruction.
func simple(k compiled.Kind, op string) func(*emitter, []operand) operand {
	return func(e *emitter, a []operand) operand { return e.op(k, op, a...) }
}

// bitCount counts in 32 bits and returns an int.
func bitCount(op string, reversed bool) func(*emitter, []operand) operand {
	return func(e *emitter, a []operand) operand {
		if reversed {
			a = []operand{e.op(a[0].kind, "brev."+untyped(a[0].kind), a[0])}
		}
		return e.op(compiled.Int64, "cvt.u64.u32", e.op(compiled.Uint32, op, a[0]))
	}
}

// mathExtreme is math.Min or math.Max: unlike the builtins, they prefer the
// infinity to NaN.
func (e *emitter) mathExtreme(name string, a []operand, infinity float64) operand {
	r := e.extreme(name, a[0], a[1])
	limit := floatOf(compiled.Float64, infinity)
	for _, x := range a {
		r = e.pick(e.test("eq.f64", x, limit), limit, r)
	}
	return r
}

// inf is math.Inf: positive for sign ≥ 0.
func inf(e *emitter, a []operand) operand {
	positive, negative := floatOf(compiled.Float64, math.Inf(1)), floatOf(compiled.Float64, math.Inf(-1))
	switch {
	case isRegisterOrInput(a[0]):
		return e.pick(e.test("ge.s64", a[0], zero(compiled.Int64)), positive, negative)
	case a[0].text[0] == '-' || len(a[0].text) > 2 && a[0].text[:3] == "0x8":
		return negative
	default:
		return positive
	}
}

// isInf is math.IsInf: of either sign for sign = 0.
func isInf(e *emitter, a []operand) operand {
	positive := e.boolean(e.test("eq.f64", a[0], floatOf(compiled.Float64, math.Inf(1))))
	negative := e.boolean(e.test("eq.f64", a[0], floatOf(compiled.Float64, math.Inf(-1))))
	notNegative := e.boolean(e.test("ge.s64", e.op(compiled.Int64, "mov.b64", a[1]), zero(compiled.Int64)))
	notPositive := e.boolean(e.test("le.s64", e.op(compiled.Int64, "mov.b64", a[1]), zero(compiled.Int64)))
	return e.op(compiled.Bool, "or.b32", e.op(compiled.Bool, "and.b32", positive, notNegative),
		e.op(compiled.Bool, "and.b32", negative, notPositive))
}
