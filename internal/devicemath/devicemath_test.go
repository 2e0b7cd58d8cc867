package devicemath

import (
	"math"
	"math/rand/v2"
	"testing"
)

// edges are floats at the borders of ranges.
var edges = []float64{
	0, 1, 2, 3, 0.5, 1. / 3, 10, math.Pi, math.Inf(1), math.NaN(), math.MaxFloat64, math.MaxFloat64 / 2,
	0x1p-1022, 0x1.fffffffffffffp-1023, 0x0.8p-1022, 0x1p-1074, 0x1.8p-1073, 0x1p-1060, math.Nextafter(1, 2),
	math.Nextafter(1, 0), math.Nextafter(2, 0),
	math.MaxFloat32, 0x1p-126, 0x1p-149, 0x1p63, 0x1p64, 0x1p511, 0x1p-537, 1e-310,
}

// random returns floats of all kinds.
func random(rng *rand.Rand) float64 {
	switch x := rng.Uint64(); rng.IntN(6) {
	case 0:
		return math.Copysign(edges[rng.IntN(len(edges))], float64(int64(x)))
	case 1:
		return float64(int64(x) >> rng.IntN(64))
	case 2: // few bits, so that exact results are frequent
		return math.Ldexp(float64(int64(x)>>(50+rng.IntN(12))), rng.IntN(200)-100)
	case 3:
		return math.Float64frombits(x &^ (0x7fe << 52))
	case 4:
		return math.Float64frombits(x&^(0x7ff<<52) | (1000+uint64(rng.IntN(46)))<<52)
	default:
		return math.Float64frombits(x)
	}
}

func count(t *testing.T) int {
	if testing.Short() {
		return 100_000
	}
	return 500_000
}

func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// TestExact: quotients and roots are those of the processor.
func TestExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	check := func(a, b float64) {
		if got, want := Div64(a, b), a/b; !same(got, want) {
			t.Fatalf("%x / %x = %x, not %x", a, b, want, got)
		}
		if got, want := Sqrt(a), math.Sqrt(a); !same(got, want) {
			t.Fatalf("√%x = %x, not %x", a, want, got)
		}
		if got, want := Sqrt(a*a), math.Sqrt(a*a); !same(got, want) {
			t.Fatalf("√%x = %x, not %x", a*a, want, got)
		}
		if a, b := float32(a), float32(b); !same(float64(Div32(a, b)), float64(a/b)) {
			t.Fatalf("%x / %x = %x, not %x", a, b, a/b, Div32(a, b))
		}
		a32, b32 := math.Float32frombits(uint32(math.Float64bits(a)>>20)),
			math.Float32frombits(uint32(math.Float64bits(b)>>20))
		if !same(float64(Div32(a32, b32)), float64(a32/b32)) {
			t.Fatalf("%x / %x = %x, not %x", a32, b32, a32/b32, Div32(a32, b32))
		}
	}
	for _, a := range edges {
		for _, b := range edges {
			check(a, b)
			check(-a, b)
			check(-a, -b)
		}
	}
	for range count(t) {
		a, b := random(rng), random(rng)
		check(a, b)
		check(a*b, b)
		// Quotients and squares near the middle of two numbers, and mantissas of ones.
		q, half := math.Abs(a), math.Abs(a)*0x1p-53
		check(math.FMA(q, b, half*b), b)
		check(math.FMA(q, q, q*half), a)
		ones := math.Float64frombits(math.Float64bits(b) | mantissa - uint64(rng.IntN(3)))
		check(a, ones)
		check(math.FMA(q, ones, half*ones), ones)
	}
}

// TestDivide: the steps of divide, with mantissas of few bits and any estimate of the
// precision that goes with them, give every quotient to nearest.
func TestDivide(t *testing.T) {
	for bits := 8; bits <= 11; bits++ {
		one := float64(int(1) << (bits - 1))
		round := func(x float64) float64 { // to so many bits; exact before, as mantissas are short
			_, e := math.Frexp(x)
			return math.Ldexp(math.RoundToEven(math.Ldexp(x, bits-e)), e-bits)
		}
		fma := func(x, y, z float64) float64 { return round(x*y + z) }
		most := math.Exp2(-float64(bits+1) / 3) // 2⁻¹⁸ for 53 bits
		for b := one; b < 2*one; b++ {
			b := b / one
			for _, over := range []float64{1e-6, 0.25, 0.5, 0.75, 1} {
				y := 1 / b * (1 + most*over)
				y = math.Ldexp(math.Floor(math.Ldexp(y, 2*bits)), -2*bits)
				if y*b <= 1 {
					y = math.Nextafter(1/b, 2)
				}
				e := 1 - b*y
				y = round(y + y*(e+e*e))
				y = fma(y, fma(-b, y, 1), y)
				for a := one; a < 2*one; a++ {
					a := a / one
					q := round(a * y)
					q = fma(fma(-b, q, a), y, q)
					if want := round(a / b); q != want {
						t.Fatalf("%d bits: %v / %v = %v, not %v", bits, a, b, want, q)
					}
				}
			}
		}
	}
}

// TestIntegers: quotients and remainders are those of the processor.
func TestIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	some := []uint64{1, 2, 3, 1 << 31, 1<<32 - 1, 1 << 32, 1<<53 + 1, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<64 - 1, 1<<64 - 2}
	integer := func() uint64 {
		if x := rng.Uint64(); rng.IntN(4) > 0 {
			return max(1, x>>rng.IntN(64))
		}
		return some[rng.IntN(len(some))] + uint64(rng.IntN(2))*uint64(rng.IntN(2))
	}
	for range count(t) {
		a, b := integer(), max(1, integer())
		if rng.IntN(3) == 0 {
			a = a/b*b - uint64(rng.IntN(2))
		}
		if DivU64(a, b) != a/b || RemU64(a, b) != a%b {
			t.Fatalf("%d / %d = %d rest %d, not %d rest %d", a, b, a/b, a%b, DivU64(a, b), RemU64(a, b))
		}
		if a, b := int64(a), int64(b); DivS64(a, b) != a/b || RemS64(a, b) != a%b {
			t.Fatalf("%d / %d = %d rest %d, not %d rest %d", a, b, a/b, a%b, DivS64(a, b), RemS64(a, b))
		}
	}
}

// TestElementary: within a few units of the last place of float64 of Go's own,
// which are themselves within one.
func TestElementary(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, f := range []struct {
		name      string
		got, want func(float64) float64
		most      float64
	}{
		{"exp", Exp, math.Exp, 2}, {"log", Log, math.Log, 2}, {"tanh", Tanh, math.Tanh, 4},
	} {
		worst := 0.0
		check := func(x float64) {
			got, want := f.got(x), f.want(x)
			if same(got, want) || f.name == "exp" && x > 1023.5*math.Ln2 {
				return // Go's assembly for amd64 overflows before the result does
			}
			if f.name == "log" && x > 0 && x < 0x1p-1022 {
				want = math.Log(x*0x1p60) - 60*math.Ln2 // and does not know subnormal numbers
			}
			d := math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
			if !(d <= f.most) {
				t.Fatalf("%s(%x) = %x, not %x", f.name, x, want, got)
			}
			worst = max(worst, d)
		}
		for _, x := range edges {
			check(x)
			check(-x)
		}
		for range count(t) {
			check(random(rng))
			check(rng.NormFloat64() * 10)
			check(rng.Float64() * 2)
			check(-720 - 30*rng.Float64())
		}
		t.Logf("%s: at most %v units of the last place from Go's", f.name, worst)
	}
}
