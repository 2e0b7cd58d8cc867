package fragmentcall

import (
	"math"
	"math/rand/v2"

	"github.com/garaph/garaph/gas/compiled"
)

// special are the values of each kind at which something changes.
var special = map[compiled.Kind][]uint64{
	compiled.Bool:  {0, 1},
	compiled.Int64: integers(64), compiled.Uint64: integers(64),
	compiled.Int32: integers(32), compiled.Uint32: integers(32),
	compiled.Int16: integers(16), compiled.Uint16: integers(16),
	compiled.Int8: integers(8), compiled.Uint8: integers(8),
	compiled.Float32: {}, compiled.Float64: {},
}

func init() {
	floats := []float64{
		0, 1, 2, 3, 0.5, 0.85, 1. / 3, 10, 31, 32, 33, 63, 64, 65, math.Pi, 709, 745, 88.7, 1e-3, 16777217,
		math.Inf(1), math.NaN(), math.MaxFloat64, 0x1p-1022, 0x1.fffffffffffffp-1023, 0x1p-1074,
		math.MaxFloat32, 0x1p-126, 0x1.fffffcp-127, 0x1p-149, math.Nextafter(1, 2), math.Nextafter(1, 0),
		0x1p7, 0x1p8, 0x1p15, 0x1p16, 0x1p31, 0x1p31 - 0.5, 0x1p32, 0x1p63, 0x1p64, 0x1.fffffep62, 0x1.fffffffffffffp62,
		0x1.fffffffffffffp63, 1 << 53,
	}
	for _, f := range floats {
		for _, f := range []float64{f, -f} {
			special[compiled.Float64] = append(special[compiled.Float64], math.Float64bits(f))
			special[compiled.Float32] = append(special[compiled.Float32], uint64(math.Float32bits(float32(f))))
		}
	}
}

func integers(bits int) (list []uint64) {
	most := uint64(1)<<(bits-1) - 1
	for _, x := range []uint64{0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 65, most, most - 1, most + 1, most + 2} {
		list = append(list, x, -x, ^x)
	}
	return list
}

// Inputs returns leaves of all kinds: special values, small ones, random bits.
func Inputs(rng *rand.Rand, kinds []compiled.Kind) []uint64 {
	inputs := make([]uint64, len(kinds))
	for i, k := range kinds {
		inputs[i] = Input(rng, k)
	}
	if len(kinds) > 1 && rng.IntN(4) == 0 { // two of the same
		i, j := rng.IntN(len(kinds)), rng.IntN(len(kinds))
		if kinds[i] == kinds[j] {
			inputs[i] = inputs[j]
		}
	}
	return inputs
}

// Input returns one leaf.
func Input(rng *rand.Rand, k compiled.Kind) uint64 {
	x := rng.Uint64()
	how := rng.IntN(4)
	switch {
	case how == 0:
		x = special[k][rng.IntN(len(special[k]))]
	case k == compiled.Float32 && how == 1:
		x = uint64(math.Float32bits(float32(rng.NormFloat64() * 4)))
	case k == compiled.Float64 && how == 1:
		x = math.Float64bits(rng.NormFloat64() * 4)
	case k == compiled.Float32 && how == 2:
		x = uint64(math.Float32bits(float32(int64(x) >> rng.IntN(64))))
	case k == compiled.Float64 && how == 2:
		x = math.Float64bits(float64(int64(x) >> rng.IntN(64)))
	case how < 3:
		x = uint64(int64(x) >> rng.IntN(64))
	}
	return Normal(k, x)
}

// Specials returns all special values of a kind.
func Specials(k compiled.Kind) []uint64 {
	list := make([]uint64, len(special[k]))
	for i, x := range special[k] {
		list[i] = Normal(k, x)
	}
	return list
}

// Normal cuts bits to a kind, and extends them to 32 bits.
func Normal(k compiled.Kind, x uint64) uint64 {
	switch k {
	case compiled.Bool:
		return x & 1
	case compiled.Int8:
		return uint64(uint32(int8(x)))
	case compiled.Int16:
		return uint64(uint32(int16(x)))
	case compiled.Uint8:
		return x & 0xff
	case compiled.Uint16:
		return x & 0xffff
	case compiled.Int32, compiled.Uint32, compiled.Float32:
		return x & 0xffffffff
	}
	return x
}
