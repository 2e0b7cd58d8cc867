package read

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestParseInteger compares integers with math/big.
func TestParseInteger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tok := rapid.StringMatching(`[-+]?0{0,3}[0-9]{0,22}x?`).Draw(t, "token")
		v, kind := ParseInteger([]byte(tok))
		n, ok := new(big.Int).SetString(tok, 10)
		want := NotInteger
		switch {
		case !ok:
		case n.IsInt64() && n.Sign() >= 0:
			want = PlainInteger
		case n.IsInt64():
			want = NegativeInteger
		case n.IsUint64():
			want = LargeInteger
		default:
			want = HugeInteger
		}
		if kind != want {
			t.Fatalf("%q is of kind %d, want %d", tok, kind, want)
		}
		if kind == NotInteger || kind == HugeInteger {
			return
		}
		if got := strconv.FormatInt(int64(v), 10); kind != LargeInteger && got != n.String() {
			t.Fatalf("%q is %s", tok, got)
		}
		if kind == LargeInteger && strconv.FormatUint(v, 10) != n.String() {
			t.Fatalf("%q is %d", tok, v)
		}
	})
}

// wantWeight parses a weight with strconv.
func wantWeight(tok string) (float32, WeightKind) {
	f, err := strconv.ParseFloat(tok, 32)
	if strings.ContainsAny(tok, "xXpP_") || err != nil && !math.IsInf(f, 0) {
		return 0, notNumber
	}
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return 0, infiniteWeight
	case f < 0:
		return 0, NegativeWeight
	}
	if exact, _, err := big.ParseFloat(tok, 10, 64, big.ToNearestEven); f == 0 && err == nil && exact.Sign() != 0 {
		return 0, map[int]WeightKind{-1: NegativeWeight, 1: TinyWeight}[exact.Sign()]
	}
	if x, _, _ := big.ParseFloat(tok, 10, 512, big.ToZero); f >= 1<<24 && x.IsInt() && x.Cmp(big.NewFloat(f)) != 0 {
		return float32(f), RoundedWeight
	}
	return float32(f), GoodWeight
}

func checkWeight(t interface{ Fatalf(string, ...any) }, tok string) {
	got, kind := keepSingle.Parse([]byte(tok))
	want, wantKind := wantWeight(tok)
	if wantKind != GoodWeight && wantKind != RoundedWeight {
		got = 0
	}
	if got != float64(want) || kind != wantKind || math.Signbit(got) {
		t.Fatalf("%q is %v of kind %d, want %v of kind %d", tok, got, kind, want, wantKind)
	}
	padded := append([]byte(tok), make([]byte, Padding)...)
	if got, end := keepSingle.Plain(padded, 0); end == len(tok) && len(tok) > 0 &&
		(got != float64(want) || wantKind != GoodWeight) {
		t.Fatalf("fast: %q is %v, want %v of kind %d", tok, got, want, wantKind)
	}
	checkKept(t, tok, wantKind)
}

// checkKept compares weights that are not rounded to float32 with strconv.
func checkKept(t interface{ Fatalf(string, ...any) }, tok string, kind WeightKind) {
	if kind != GoodWeight && kind != RoundedWeight {
		return
	}
	exact, _ := strconv.ParseFloat(tok, 64)
	digits, _, _ := big.ParseFloat(tok, 10, 512, big.ToZero)
	if exact > math.MaxFloat32 {
		return
	}
	padded := append([]byte(tok), make([]byte, Padding)...)
	for rule, keeps := range map[WeightRule]bool{
		KeepDouble: true, keepWhole: digits.IsInt() && digits.Cmp(big.NewFloat(maxWhole)) <= 0,
	} {
		want := exact
		if single, _ := strconv.ParseFloat(tok, 32); !keeps {
			want = single
		}
		if got, kind := rule.Parse([]byte(tok)); got != want || kind != GoodWeight && exact < maxWhole && rule == KeepDouble {
			t.Fatalf("rule %d: %q is %v of kind %d, want %v", rule, tok, got, kind, want)
		}
		if got, end := rule.Plain(padded, 0); end == len(tok) && end > 0 && got != want {
			t.Fatalf("rule %d, fast: %q is %v, want %v", rule, tok, got, want)
		}
	}
}

// TestParseWeight compares weights with strconv, and so do the properties
// below: among them the values between two float32 that rounding twice gets
// wrong.
func TestParseWeight(t *testing.T) {
	for _, tok := range []string{
		"0", "-0", "+0", "-0.0", "1", "1.", ".5", ".", "", "-", "+", "e5", "1e", "1e+", "1e5", "1E-5",
		"1.5e+3", "1e5x", "1..2", "1.2.3",
		"nan", "NaN", "inf", "-Inf", "+infinity", "Infinit", "0x10", "1_000", "1p3", "- 1",
		"3.4028235e38", "3.4028236e38", "340282350000000000000000000000000000000",
		"3.4028235677973366e38", "3.4028235677973367e38",
		"1e-45", "1e-46", "7e-46", "8e-46", "-1e-46", "-0e-46", "0.0e-400", "1.17549435e-38", "1.1754943e-38", "1e-400",
		"1e400", "0e400", "1e99999999999999999999",
		"16777217", "16777219", "33554433.5", "33554433.0", "16777216.", "16777217.", "16777216.5", "16777217.00000000001",
		"9007199254740993", "9007199254740993.0", "9.007199254740993e15", "18014398509481985", "9007199254740994",
		"123456789012345678", "1234567890123456789", "12345678901234567890123",
		"0.000000000000000000000000000000000000000000001", "1.000000059604644775390625", "1.0000000596046447753906250000001",
		"1.00000005960464477539062499999",
		"0.1", "0.3", "0.123456789012345678", "123456.7890123456789", "000000000000000000000000001.5", "4.56",
	} {
		checkWeight(t, tok)
	}
}

func TestParseWeightProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkWeight(t, rapid.StringMatching(`[-+]?[0-9]{0,20}\.?[0-9]{0,20}([eE][-+]?[0-9]{1,3})?`).Draw(t, "token"))
	})
}

func TestParseWeightNearMiddle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50_000 {
		f := math.Float32frombits(r.Uint32() & 0x7fffffff)
		next := math.Nextafter32(f, math.MaxFloat32)
		middle := (float64(f) + float64(next)) / 2
		if math.IsNaN(middle) || math.IsInf(middle, 0) {
			continue
		}
		for _, x := range []float64{middle, math.Nextafter(middle, 0), math.Nextafter(middle, math.MaxFloat64), float64(f)} {
			for _, format := range []byte("gf") {
				tok := strconv.FormatFloat(x, format, []int{-1, 9, 17}[r.IntN(3)], 64)
				if len(tok) < 60 {
					checkWeight(t, tok)
				}
			}
		}
	}
}

// TestPlainDigits compares the digits eight at a time with strconv.
func TestPlainDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`[0-9]{0,22}`).Draw(t, "digits")
		behind := rapid.SampledFrom([]string{"", " ", "\t", "\n", "x", "-", "/", ":", "\xff", "\x80", "\xb0"}).Draw(t,
			"behind")
		b := append([]byte(digits+behind), make([]byte, Padding)...)
		got, end := PlainDigits(b, 0)
		if len(digits) == 0 || len(digits) > 19 {
			if end != 0 && end >= len(digits) {
				t.Fatalf("%q ends at %d", digits, end)
			}
			return
		}
		want, err := strconv.ParseUint(digits, 10, 64)
		if err != nil || got != want || end != len(digits) {
			t.Fatalf("%q is %d, ends at %d, want %d", digits, got, end, want)
		}
	})
}
