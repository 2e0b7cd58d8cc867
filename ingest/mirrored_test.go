package ingest

import (
	"cmp"
	"fmt"
	"math/big"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// TestMirrored: an import finds whether every edge has its reverse with the same weight, as a
// comparison of sorted lists does.
func TestMirrored(t *testing.T) {
	dir := t.TempDir()
	turn := 0
	rapid.Check(t, func(rt *rapid.T) {
		turn++
		weighted := rapid.Bool().Draw(rt, "weighted")
		n := rapid.IntRange(1, 60).Draw(rt, "vertices")
		type arc struct{ u, v, w int }
		var arcs []arc
		for range rapid.IntRange(1, 150).Draw(rt, "edges") {
			a := arc{rapid.IntRange(0, n-1).Draw(rt, "u"), rapid.IntRange(0, n-1).Draw(rt, "v"), 1}
			if weighted {
				a.w = rapid.IntRange(1, 3).Draw(rt, "w")
			}
			if arcs = append(arcs, a); a.u != a.v {
				arcs = append(arcs, arc{a.v, a.u, a.w})
			}
		}
		switch rapid.SampledFrom([]string{"mirrored", "one less", "turned", "weight"}).Draw(rt, "fault") {
		case "one less":
			if len(arcs) > 1 {
				i := rapid.IntRange(0, len(arcs)-1).Draw(rt, "at")
				arcs = slices.Delete(arcs, i, i+1)
			}
		case "turned": // a cycle: as many edges on each side of every vertex
			for i := range n {
				arcs = append(arcs, arc{i, (i + 1) % n, 1})
			}
		case "weight":
			if weighted {
				arcs[rapid.IntRange(0, len(arcs)-1).Draw(rt, "at")].w++
			}
		}
		var text strings.Builder
		for _, a := range arcs {
			if fmt.Fprintf(&text, "%d %d", a.u, a.v); weighted {
				fmt.Fprintf(&text, " %d", a.w)
			}
			text.WriteByte('\n')
		}
		file, path := filepath.Join(dir, "edges.txt"), filepath.Join(dir, fmt.Sprint(turn, ".graph"))
		if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
			rt.Fatal(err)
		}
		o := Options{
			Storage: StorageOptions{ShardVertices: rapid.IntRange(1, 40).Draw(rt, "shard"), Rows: rapid.IntRange(0, 9).Draw(rt, "rows") == 0},
			Threads: rapid.IntRange(1, 3).Draw(rt, "threads"),
		}
		if rapid.IntRange(0, 3).Draw(rt, "dedup") == 0 {
			o.Edges.Parallel = ParallelMin
			all := slices.Clone(arcs)
			arcs = slices.DeleteFunc(arcs, func(a arc) bool { // the lightest of parallel ones stay
				return slices.ContainsFunc(all, func(b arc) bool { return a.u == b.u && a.v == b.v && b.w < a.w })
			})
			slices.SortFunc(arcs, func(a, b arc) int { return cmp.Or(a.u-b.u, a.v-b.v) })
			arcs = slices.Compact(arcs)
		}
		want := true
		for _, a := range arcs {
			n := 0
			for _, b := range arcs {
				if a == b {
					n++
				}
				if (arc{b.v, b.u, b.w}) == a {
					n--
				}
			}
			want = want && n == 0
		}
		if rapid.IntRange(0, 9).Draw(rt, "csc") == 0 {
			o.Storage.Layout = store.CSC
		}
		if _, err := Import(t.Context(), []string{file}, path, o); err != nil {
			rt.Fatal(err)
		}
		_, in, out, cat := stored(rt, path)
		want = want && o.Storage.Layout != store.CSC && !o.Storage.Rows
		if cat.Mirrored != want || cat.Symmetric || len(in) != len(arcs) || len(out) != len(arcs) {
			rt.Fatalf("%d edges, %d and %d stored: mirrored %v, want %v; symmetric %v\n%s", len(arcs), len(in), len(out), cat.Mirrored, want, cat.Symmetric, text.String())
		}
		if err := os.RemoveAll(path); err != nil {
			rt.Fatal(err)
		}
	})
}

// TestMirrorSum: keys of packed shards and rows add the same to the sum of a graph, which is zero with all
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
