package results

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

func checkFloat32(t *testing.T, b uint32, got, want []byte) ([]byte, []byte) {
	f := math.Float32frombits(b)
	if f-f != 0 || math.Abs(float64(f)) == 0x1p-12 { // the comment of appendFloat32
		return got, want
	}
	got = appendFloat32(got[:0], f)
	want = strconv.AppendFloat(want[:0], float64(f), 'g', -1, 32)
	if string(got) != string(want) {
		t.Fatalf("bits %#08x: got %s, want %s", b, got, want)
	}
	return got, want
}

// TestFloat32 holds appendFloat32 against strconv: around every power of two,
// at integers and decimals, and at random. With GARAPH_EXHAUSTIVE set it takes
// every positive float32 there is, in some minutes.
func TestFloat32(t *testing.T) {
	var got, want []byte
	if os.Getenv("GARAPH_EXHAUSTIVE") != "" {
		for b := range uint32(math.MaxInt32) {
			got, want = checkFloat32(t, b, got, want)
		}
		return
	}
	for exponent := range uint32(256) {
		for i := range uint32(200) {
			b := exponent<<23 + i - 100
			got, want = checkFloat32(t, b, got, want)
		}
	}
	for i := range 20_000 {
		got, want = checkFloat32(t, math.Float32bits(float32(i)), got, want)
		got, want = checkFloat32(t, math.Float32bits(-float32(i)*977), got, want)
		got, want = checkFloat32(t, math.Float32bits(float32(i)/1000), got, want)
		got, want = checkFloat32(t, math.Float32bits(float32(i)*1e-8), got, want)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 1_000_000 {
		got, want = checkFloat32(t, r.Uint32(), got, want)
	}
}

func TestFloat32TieToEven(t *testing.T) {
	if got := string(appendFloat32(nil, -0x1p-12)); got != "-0.00024414062" {
		t.Errorf("got %s", got)
	}
}

func TestPowersOfTen(t *testing.T) {
	for i, got := range powersOfTen {
		p := int64(i) + minPower
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(p, -p)), nil)
		x := new(big.Rat).SetInt(power)
		if p < 0 {
			x.Inv(x)
		}
		two := big.NewRat(2, 1)
		for limit := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 64)); x.Cmp(limit) >= 0; {
			x.Quo(x, two)
		}
		for limit := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 63)); x.Cmp(limit) < 0; {
			x.Mul(x, two)
		}
		if want := new(big.Int).Quo(x.Num(), x.Denom()).Uint64() + 1; got != want {
			t.Errorf("10^%d: got %#x, want %#x", p, got, want)
		}
	}
}

func floats() []float32 {
	r := rand.New(rand.NewPCG(3, 4))
	f := make([]float32, 4096)
	for i := range f {
		f[i] = float32(r.ExpFloat64() * 1e-6)
	}
	return f
}

func BenchmarkFloat32(b *testing.B) {
	f := floats()
	buf := make([]byte, 0, 64)
	b.Run("schubfach", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			buf = appendFloat32(buf[:0], f[i&4095])
		}
	})
	b.Run("strconv", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			buf = strconv.AppendFloat(buf[:0], float64(f[i&4095]), 'g', -1, 32)
		}
	})
}
