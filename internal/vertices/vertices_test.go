package vertices_test

import (
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/vertices"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newArrays[V any](t rapid.TB, n uint32) *vertices.Arrays[V] {
	t.Helper()
	a, err := vertices.New[V](n, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestBytes checks that the memory is what is said, for values of any size.
func TestBytes(t *testing.T) {
	type wide struct{ A, B, C uint64 }
	for _, n := range []uint32{1, 65536, 65537, 1 << 20} {
		words := int64(3 * 8 * bitset.Words(n))
		for _, c := range []struct {
			got, want int64
		}{
			{vertices.Bytes[uint8](n), int64(n)*(1+1+4) + words},
			{vertices.Bytes[float64](n), int64(n)*(8+8+4) + words},
			{vertices.Bytes[wide](n), int64(n)*(24+24+4) + words},
		} {
			if c.got != c.want {
				t.Errorf("%d vertices: %d bytes, want %d", n, c.got, c.want)
			}
		}
		a := newArrays[wide](t, n)
		if a.N != n || len(a.Cur) != int(n) || len(a.Next) != int(n) || len(a.Degree) != int(n) ||
			len(a.Active) != bitset.Words(n) || len(a.Rising) != bitset.Words(n) || len(a.Marks) != bitset.Words(n) {
			t.Errorf("arrays of %d vertices have other sizes", n)
		}
		if got := a.Bytes(); got != vertices.Bytes[wide](n) {
			t.Errorf("%d vertices: arrays of %d bytes", n, got)
		}
		results := int64(n)*24 + words/3*2
		for _, next := range []bool{false, true} {
			want := results
			if !next {
				want += int64(n) * 24
			}
			a.FreeSpare(next)
			if got := a.Bytes(); got != want || len(a.Cur) != int(n) || len(a.Active) == 0 || len(a.Rising) == 0 {
				t.Errorf("%d vertices: %d bytes are left, want %d", n, got, want)
			}
		}
		a.Free()
		if a.Cur != nil || a.Marks != nil {
			t.Error("freed arrays can still be reached")
		}
		a.Free() // does nothing
	}
}

func TestPlain(t *testing.T) {
	if _, err := vertices.New[string](5, nil); err == nil || !strings.Contains(err.Error(), "vertex value") ||
		!strings.Contains(err.Error(), "string") {
		t.Errorf("got %v", err)
	}
	if _, err := vertices.New[[1 << 20]uint64](1<<31, nil); err == nil {
		t.Error("more memory than there are addresses")
	}
}

// TestPublish checks that of the range, all new values become current, or the marked ones;
// outside it, none.
func TestPublish(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 200
		a := newArrays[uint32](t, n)
		defer a.Free()
		for v := range uint32(n) {
			a.Cur[v], a.Next[v] = v, 1000+v
		}
		for _, v := range rapid.SliceOf(rapid.Uint32Range(0, n-1)).Draw(t, "marked") {
			a.Marks.Add(v)
		}
		from := rapid.Uint32Range(0, n).Draw(t, "from")
		to := rapid.Uint32Range(from, n).Draw(t, "to")
		marked := rapid.Bool().Draw(t, "only marked")
		a.Publish(from, to, marked)
		for v := range uint32(n) {
			want := v
			if v >= from && v < to && (!marked || a.Marks.Has(v)) {
				want = 1000 + v
			}
			if a.Cur[v] != want || a.Next[v] != 1000+v {
				t.Fatalf("vertex %d: %d and %d, want %d", v, a.Cur[v], a.Next[v], want)
			}
		}
	})
}

func TestSwap(t *testing.T) {
	a := newArrays[uint8](t, 3)
	defer a.Free()
	a.Cur[1], a.Next[1] = 1, 2
	a.Swap()
	if a.Cur[1] != 2 || a.Next[1] != 1 {
		t.Errorf("after Swap: %d and %d", a.Cur[1], a.Next[1])
	}
}

// TestAdvance checks that the vertices that were rising are active, and none is rising.
func TestAdvance(t *testing.T) {
	a := newArrays[uint8](t, 1000)
	defer a.Free()
	a.Active.Add(1)
	a.Rising.Add(2)
	a.Rising.Add(999)
	for _, want := range [][]uint32{{2, 999}, nil, nil} {
		a.Advance()
		for v := range uint32(1000) {
			if got, want := a.Active.Has(v), len(want) > 0 && (v == want[0] || v == want[1]); got != want {
				t.Fatalf("vertex %d active: %v", v, got)
			}
		}
		if a.Rising.Any(0, 1000) {
			t.Fatal("vertices are still rising")
		}
	}
}
