package ptx_test

import (
	"math"
	"math/bits"
	"strings"
)

// upper keeps the half of a float64 that the approximate instructions look at
// and give.
func upper(x uint64) uint64 { return x &^ (1<<32 - 1) }

var unaries = map[string]func(a uint64) uint64{
	"mov.b32": func(a uint64) uint64 { return a },
	"mov.b64": func(a uint64) uint64 { return a },
	"mov.f32": func(a uint64) uint64 { return a },
	"mov.f64": func(a uint64) uint64 { return a },

	"not.b32":  func(a uint64) uint64 { return uint64(^uint32(a)) },
	"not.b64":  func(a uint64) uint64 { return ^a },
	"neg.s32":  func(a uint64) uint64 { return uint64(-uint32(a)) },
	"neg.s64":  func(a uint64) uint64 { return -a },
	"neg.f32":  func(a uint64) uint64 { return a ^ 1<<31 },
	"neg.f64":  func(a uint64) uint64 { return a ^ 1<<63 },
	"abs.f64":  func(a uint64) uint64 { return a &^ (1 << 63) },
	"brev.b32": func(a uint64) uint64 { return uint64(bits.Reverse32(uint32(a))) },
	"brev.b64": bits.Reverse64,

	"rcp.approx.ftz.f64":   func(a uint64) uint64 { return upper(bits64(1 / float64Of(upper(a)))) },
	"rsqrt.approx.ftz.f64": func(a uint64) uint64 { return upper(bits64(1 / math.Sqrt(float64Of(upper(a))))) },
}

var binaries = map[string]func(a, b uint64) uint64{
	"add.s32":    func(a, b uint64) uint64 { return uint64(uint32(a) + uint32(b)) },
	"add.s64":    func(a, b uint64) uint64 { return a + b },
	"sub.s32":    func(a, b uint64) uint64 { return uint64(uint32(a) - uint32(b)) },
	"sub.s64":    func(a, b uint64) uint64 { return a - b },
	"mul.lo.s32": func(a, b uint64) uint64 { return uint64(uint32(a) * uint32(b)) },
	"mul.lo.s64": func(a, b uint64) uint64 { return a * b },

	"add.rn.f32": func(a, b uint64) uint64 { return bits32(float32Of(a) + float32Of(b)) },
	"add.rn.f64": func(a, b uint64) uint64 { return bits64(float64Of(a) + float64Of(b)) },
	"sub.rn.f32": func(a, b uint64) uint64 { return bits32(float32Of(a) - float32Of(b)) },
	"sub.rn.f64": func(a, b uint64) uint64 { return bits64(float64Of(a) - float64Of(b)) },
	"mul.rn.f32": func(a, b uint64) uint64 { return bits32(float32Of(a) * float32Of(b)) },
	"mul.rn.f64": func(a, b uint64) uint64 { return bits64(float64Of(a) * float64Of(b)) },

	"and.b32": func(a, b uint64) uint64 { return a & b },
	"and.b64": func(a, b uint64) uint64 { return a & b },
	"or.b32":  func(a, b uint64) uint64 { return a | b },
	"or.b64":  func(a, b uint64) uint64 { return a | b },
	"xor.b32": func(a, b uint64) uint64 { return a ^ b },
	"xor.b64": func(a, b uint64) uint64 { return a ^ b },

	// What divisions by 0, and of the least integer by -1, give is not said:
	// here it is something that no test expects.
	"div.u32": func(a, b uint64) uint64 { return divided(b == 0, func() uint64 { return a / b }) },
	"rem.u32": func(a, b uint64) uint64 { return divided(b == 0, func() uint64 { return a % b }) },
	"div.s32": func(a, b uint64) uint64 {
		return divided(b == 0 || a == 1<<31 && int32(b) == -1, func() uint64 { return uint64(uint32(int32(a) / int32(b))) })
	},
	"rem.s32": func(a, b uint64) uint64 {
		return divided(b == 0 || a == 1<<31 && int32(b) == -1, func() uint64 { return uint64(uint32(int32(a) % int32(b))) })
	},

	"min.u32": func(a, b uint64) uint64 { return min(a, b) },
	"min.u64": func(a, b uint64) uint64 { return min(a, b) },
	"max.u32": func(a, b uint64) uint64 { return max(a, b) },
	"max.u64": func(a, b uint64) uint64 { return max(a, b) },
	"min.s32": func(a, b uint64) uint64 { return uint64(uint32(min(int32(a), int32(b)))) },
	"max.s32": func(a, b uint64) uint64 { return uint64(uint32(max(int32(a), int32(b)))) },
	"min.s64": func(a, b uint64) uint64 { return uint64(min(int64(a), int64(b))) },
	"max.s64": func(a, b uint64) uint64 { return uint64(max(int64(a), int64(b))) },

	// A number wins over NaN, and -0 is below 0.
	"min.f32": func(a, b uint64) uint64 { return bits32(extreme32(float32Of(a), float32Of(b), false)) },
	"max.f32": func(a, b uint64) uint64 { return bits32(extreme32(float32Of(a), float32Of(b), true)) },
	"min.f64": func(a, b uint64) uint64 { return bits64(extreme64(float64Of(a), float64Of(b), false)) },
	"max.f64": func(a, b uint64) uint64 { return bits64(extreme64(float64Of(a), float64Of(b), true)) },

	// The sign of a on b.
	"copysign.f64": func(a, b uint64) uint64 { return b&^(1<<63) | a&(1<<63) },
}

func divided(undefined bool, f func() uint64) uint64 {
	if undefined {
		return 0xdeadbeef
	}
	return f()
}

func extreme32(a, b float32, most bool) float32 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	case most:
		return max(a, b)
	default:
		return min(a, b)
	}
}

func extreme64(a, b float64, most bool) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	case most:
		return max(a, b)
	default:
		return min(a, b)
	}
}

// comparison returns the test of setp.name.t, or nil.
func comparison(name, t string) func(a, b uint64) bool {
	switch t {
	case "u32", "u64":
		return ordered(name, func(a uint64) uint64 { return a }, false)
	case "s32":
		return ordered(name, func(a uint64) int32 { return int32(a) }, false)
	case "s64":
		return ordered(name, func(a uint64) int64 { return int64(a) }, false)
	case "f32":
		return ordered(name, float32Of, true)
	case "f64":
		return ordered(name, float64Of, true)
	}
	return nil
}

func ordered[T uint64 | int32 | int64 | float32 | float64](
	name string, of func(uint64) T, float bool,
) func(a, b uint64) bool {
	switch name {
	case "eq":
		return func(a, b uint64) bool { return of(a) == of(b) }
	case "lt":
		return func(a, b uint64) bool { return of(a) < of(b) }
	case "le":
		return func(a, b uint64) bool { return of(a) <= of(b) }
	case "gt":
		return func(a, b uint64) bool { return of(a) > of(b) }
	case "ge":
		return func(a, b uint64) bool { return of(a) >= of(b) }
	case "ne": // of floats, false where one is NaN
		return func(a, b uint64) bool { return of(a) < of(b) || of(a) > of(b) }
	case "neu":
		if float {
			return func(a, b uint64) bool { return of(a) != of(b) }
		}
	case "nan":
		if float {
			return func(a, b uint64) bool { x, y := of(a), of(b); return x != x || y != y }
		}
	}
	return nil
}

// conversion makes the function of a cvt.
func (p *parser) conversion(op string, operands []string) (func(r []uint64), error) {
	parts := strings.Split(op, ".")
	f := conversions[op]
	if f == nil {
		return nil, errUnknown
	}
	s, err := p.operands(operands, widthOf(parts[len(parts)-2]), widthOf(parts[len(parts)-1]))
	if err != nil {
		return nil, err
	}
	d, a := s[0], s[1]
	return func(r []uint64) { r[d] = f(r[a]) }, nil
}

var conversions = map[string]func(a uint64) uint64{
	"cvt.u64.u32": func(a uint64) uint64 { return a },
	"cvt.s64.s32": func(a uint64) uint64 { return uint64(int64(int32(a))) },
	"cvt.u32.u64": func(a uint64) uint64 { return uint64(uint32(a)) },

	"cvt.f64.f32":    func(a uint64) uint64 { return bits64(float64(float32Of(a))) },
	"cvt.rn.f32.f64": func(a uint64) uint64 { return bits32(float32(float64Of(a))) },

	"cvt.rn.f32.s32": func(a uint64) uint64 { return bits32(float32(int32(a))) },
	"cvt.rn.f32.u32": func(a uint64) uint64 { return bits32(float32(uint32(a))) },
	"cvt.rn.f32.s64": func(a uint64) uint64 { return bits32(float32(int64(a))) },
	"cvt.rn.f32.u64": func(a uint64) uint64 { return bits32(float32(a)) },
	"cvt.rn.f64.s32": func(a uint64) uint64 { return bits64(float64(int32(a))) },
	"cvt.rn.f64.u32": func(a uint64) uint64 { return bits64(float64(uint32(a))) },
	"cvt.rn.f64.s64": func(a uint64) uint64 { return bits64(float64(int64(a))) },
	"cvt.rn.f64.u64": func(a uint64) uint64 { return bits64(float64(a)) },

	// Clamped to the range of the integer; NaN gives 0.
	"cvt.rzi.s32.f32": func(a uint64) uint64 {
		return uint64(uint32(clamped(float64(float32Of(a)), math.MinInt32, math.MaxInt32)))
	},
	"cvt.rzi.s32.f64": func(a uint64) uint64 {
		return uint64(uint32(clamped(float64Of(a), math.MinInt32, math.MaxInt32)))
	},
	"cvt.rzi.s64.f32": func(a uint64) uint64 {
		return uint64(clamped(float64(float32Of(a)), math.MinInt64, math.MaxInt64))
	},
	"cvt.rzi.s64.f64": func(a uint64) uint64 { return uint64(clamped(float64Of(a), math.MinInt64, math.MaxInt64)) },

	"cvt.rmi.f64.f64": func(a uint64) uint64 { return bits64(math.Floor(float64Of(a))) },
	"cvt.rpi.f64.f64": func(a uint64) uint64 { return bits64(math.Ceil(float64Of(a))) },
	"cvt.rzi.f64.f64": func(a uint64) uint64 { return bits64(math.Trunc(float64Of(a))) },
}

func clamped(x float64, least, most int64) int64 {
	switch {
	case x != x:
		return 0
	case x < float64(least):
		return least
	case x >= float64(most)+1:
		return most
	default:
		return int64(x)
	}
}
