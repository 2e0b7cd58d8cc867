package packed

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/shard"
)

// TestBare checks that the beginning of a blob has the edges without their weights, whatever these
// are, and any change of what is read is found.
func TestBare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, n, edges := draw(t)
		blob := pack(t, h, edges)
		size, err := BareBytes(blob[:shard.HeaderBytes], int64(len(blob)))
		if err != nil {
			t.Fatal(err)
		}
		most := int64(len(blob))
		if h.Weighted {
			most -= LeastWeights(uint32(len(edges)))
		}
		if size > most {
			t.Fatalf("%d of %d bytes, %d edges", size, len(blob), len(edges))
		}
		if _, err := BareBytes(blob[:shard.HeaderBytes], int64(len(blob))+32); err == nil {
			t.Fatal("a blob of another size")
		}
		beginning := slices.Clone(blob[:size])
		for i := range beginning[size-align:] { // of weights, or of the zeros at the end
			beginning[size-align+int64(i)] ^= 0x55
		}
		s, err := DecodeBare(beginning)
		if err == nil {
			err = s.CheckValues(n)
		}
		if err != nil {
			t.Fatal(err)
		}
		full, _ := decoded(t, blob, n)
		if s.Layout.Weighted || s.Header().Edges != uint32(len(edges)) || s.Layout.Checksum != full.Layout.Checksum {
			t.Fatalf("header %+v", s.Header())
		}
		at := 0
		for some := range s.All() {
			for i, u := range some.Nbr {
				if e := edges[at]; u != e.nbr || some.Dst[i] != e.slot || some.Weight[i] != 1 {
					t.Fatalf("edge %d: %d to %d of weight %g, want %+v", at, u, some.Dst[i], some.Weight[i], e)
				}
				at++
			}
		}
		if at != len(edges) {
			t.Fatalf("%d edges, want %d", at, len(edges))
		}
		beginning[rapid.Int64Range(0, size-align-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if _, err := DecodeBare(beginning); err == nil {
			t.Fatal("a changed bit is not found")
		}
		if _, err := DecodeBare(beginning[:size-align]); err == nil {
			t.Fatal("a blob that is too short")
		}
	})
}
