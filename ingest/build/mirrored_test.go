package build

import (
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// TestMirrorSum checks that keys of packed shards and rows add the same to the sum of a graph, which is zero with all
// reverses there alone. Vertices are far apart, so that their digits differ in all places, or near each
// other, so that there are long runs.
func TestMirrorSum(t *testing.T) {
	m := newMirrorTest()
	of := func(edges [][2]uint32, asRows bool) uint64 {
		m.sum = 0
		shards := map[uint32][]uint64{} // of one vertex each, by destination
		for _, e := range edges {
			shards[e[1]] = append(shards[e[1]], uint64(e[0])<<32)
		}
		var local []mirrorPair
		for v, keys := range shards {
			slices.Sort(keys)
			if !asRows {
				local = m.keys(v, 1, keys, local)
				continue
			}
			side := rows.Layout(make([]byte, rows.Size(1, uint32(len(keys)), 0)), shard.In, 0, v, 1, uint32(len(keys)), 0)
			side.Off[1] = uint32(len(keys))
			for i, k := range keys {
				side.Nbr[i] = uint32(k >> 32)
			}
			m.rows(side)
		}
		return m.sum
	}
	rapid.Check(t, func(rt *rapid.T) {
		vertex := rapid.Uint32Range(0, rapid.SampledFrom([]uint32{2, 200}).Draw(rt, "most"))
		if rapid.Bool().Draw(rt, "far apart") {
			vertex = rapid.Uint32()
		}
		var edges, both [][2]uint32
		for range rapid.IntRange(1, 300).Draw(rt, "edges") {
			e := [2]uint32{vertex.Draw(rt, "u"), vertex.Draw(rt, "v")}
			edges, both = append(edges, e), append(both, e, [2]uint32{e[1], e[0]})
		}
		if a, b := of(edges, false), of(edges, true); a != b {
			rt.Fatalf("the sum of keys is %d, that of rows %d", a, b)
		}
		if of(both, false) != 0 || of(both, true) != 0 {
			rt.Fatal("the sum of a graph with all reverses is not zero")
		}
		more := [2]uint32{edges[0][0], edges[0][0] + 1}
		if of(append(both, more), false) == 0 || of(append(both, more), true) == 0 {
			rt.Fatal("the sum of a graph without one reverse is zero")
		}
	})
}

// TestMirrorField compares the arithmetic with that of whole numbers.
func TestMirrorField(t *testing.T) {
	prime := new(big.Int).SetUint64(mirrorPrime)
	rapid.Check(t, func(rt *rapid.T) {
		hi, lo := rapid.Uint64().Draw(rt, "hi"), rapid.Uint64().Draw(rt, "lo")
		x := new(big.Int).Lsh(new(big.Int).SetUint64(hi), 64)
		x.Add(x, new(big.Int).SetUint64(lo))
		if got, want := mirrorReduce(hi, lo), x.Mod(x, prime).Uint64(); got != want {
			rt.Fatalf("%d·2^64 + %d is %d, want %d", hi, lo, got, want)
		}
		a, b := hi%mirrorPrime, lo%mirrorPrime
		if got := mirrorReduce(0, mirrorLess(a, b)+b); got != a {
			rt.Fatalf("%d − %d + %[2]d is %d", a, b, got)
		}
		h, l := bits.Mul64(a, b)
		if mirrorTimes(a, b) != mirrorReduce(h, l) || mirrorTimes(a, 1) != a || mirrorReduce(0, mirrorPrime) != 0 {
			rt.Fatalf("%d times %d", a, b)
		}
	})
}
