package packedrows

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/shard"
)

// openCursor returns a cursor over a blob whose rows were not checked.
func openCursor(blob []byte, n uint32) (*Cursor, error) {
	s, err := Open(blob)
	if err != nil {
		return nil, err
	}
	x := Heads{make([]uint32, s.header.Vertices), make([]uint32, s.header.Vertices)}
	c := new(Cursor)
	c.Reset(s, x, n)
	return c, s.Heads(x, n)
}

func cursorOver(t testing.TB, blob []byte, n uint32) *Cursor {
	t.Helper()
	c, err := openCursor(blob, n)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// find looks for a neighbour of one vertex.
func find(c *Cursor, v int, set []uint64) (u uint32, looked int, found bool, err error) {
	var nbr [1]uint32
	looked, err = c.Find(v, []uint16{0}, set, nbr[:])
	return nbr[0], looked, nbr[0] != None, err
}

// members draws a set of some of the vertices up to n.
func members(rng *rand.Rand, n uint32, lists [][]uint32) []uint64 {
	set := make([]uint64, (uint64(n)+63)/64)
	share := rng.IntN(20)
	for _, list := range lists {
		for _, u := range list {
			if rng.IntN(20) < share {
				set[u>>6] |= 1 << (u & 63)
			}
		}
	}
	return set
}

// firstIn returns the first of a list that is in a set, plainly.
func firstIn(list []uint32, set []uint64) (u uint32, looked int, found bool) {
	for i, u := range list {
		if set[u>>6]>>(u&63)&1 != 0 {
			return u, i + 1, true
		}
	}
	return None, len(list), false
}

// TestCursor checks that rows, and the first members of sets in them, come in any order.
func TestCursor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, n := draw(t)
		n = min(n, 1<<24) // so that sets are small
		for i := range want.Nbr {
			want.Nbr[i] = min(want.Nbr[i], n-1)
		}
		lists := make([][]uint32, want.Vertices())
		for v := range lists {
			lists[v] = want.Row(v, nil)
		}
		c, err := openCursor(pack(t, want), n)
		if err != nil {
			t.Fatal(err)
		}
		set := members(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "set"), 0)), n, lists)
		var list []uint32
		vertices := rapid.SliceOfN(rapid.IntRange(0, want.Vertices()-1), 0, 30).Draw(t, "rows")
		for _, v := range slices.AppendSeq(vertices, all(want.Vertices())) {
			if rapid.Bool().Draw(t, "whole") {
				if list, err = c.Row(v, list[:0]); err != nil || !slices.Equal(list, lists[v]) {
					t.Fatalf("row %d: got %v, %v, want %v", v, list, err, lists[v])
				}
			}
			u, looked, found, err := find(c, v, set)
			if wantU, wantLooked, wantFound := firstIn(lists[v], set); err != nil || u != wantU || looked != wantLooked ||
				found != wantFound {
				t.Fatalf("row %d %v: got %d, %v after %d: %v; want %d, %v after %d", v, lists[v], u, found, looked, err, wantU,
					wantFound, wantLooked)
			}
		}
	})
}

// TestOpenDamage checks that whatever bit is flipped, a side is not opened.
func TestOpenDamage(t *testing.T) {
	blob, _ := small(t)
	for bit := range 8 * len(blob) {
		blob[bit/8] ^= 1 << (bit % 8)
		if _, err := Open(blob); err == nil {
			t.Fatalf("bit %d of byte %d flipped, and not reported", bit%8, bit/8)
		}
		blob[bit/8] ^= 1 << (bit % 8)
	}
}

// TestCursorBeyond checks that a neighbour that the graph does not have is an error of whoever
// comes to it.
func TestCursorBeyond(t *testing.T) {
	blob := pack(t, plain(shard.Out, 0, [][]uint32{{1, 500, 900}, {2}}))
	c := cursorOver(t, blob, 900)
	if _, err := c.Row(0, nil); !errors.Is(err, shard.ErrInvalid) {
		t.Errorf("a row: %v", err)
	}
	if _, _, _, err := find(c, 0, make([]uint64, 15)); !errors.Is(err, shard.ErrInvalid) {
		t.Errorf("a search to the end: %v", err)
	}
	if _, _, found, err := find(c, 0, []uint64{2}); !found || err != nil {
		t.Errorf("a search that ends before it: %v, %v", found, err)
	}
}

// useCursor reads all rows of a blob by a cursor: what [Decode] accepts is the same, and nothing
// else gives a neighbour that the graph does not have.
func useCursor(t testing.TB, blob []byte, n uint32) {
	c, openErr := openCursor(blob, n)
	whole, err := Decode(blob)
	sound := err == nil && whole.CheckValues(n) == nil
	if openErr != nil {
		if sound {
			t.Fatal(openErr)
		}
		return
	}
	set := make([]uint64, 4)
	for i := range set {
		set[i] = uint64(len(blob)) * 0x9e3779b97f4a7c15 >> i
	}
	var b shard.Buffer
	for v := range c.side.header.Vertices {
		_, _, _, errFirst := find(c, v, set)
		list, err := c.Row(v, nil)
		if err == nil && len(list) > 0 && list[len(list)-1] >= n {
			t.Fatalf("row %d: neighbour %d is accepted in a graph of %d", v, list[len(list)-1], n)
		}
		if sound && (err != nil || errFirst != nil || !slices.Equal(list, whole.Row(v, &b))) {
			t.Fatalf("row %d: %v, %v, %v, want %v", v, list, err, errFirst, whole.Row(v, &b))
		}
	}
}
