package bitset

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/internal/hostmem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestWords checks that sets have whole containers of 2¹⁶ bits, and as few as hold n.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		n    uint32
		want int
	}{
		{0, 0}, {1, 1024}, {1 << 16, 1024}, {1<<16 + 1, 2048}, {1 << 31, 1 << 25}, {math.MaxUint32, 1 << 26},
	} {
		if got := Words(c.n); got != c.want {
			t.Errorf("Words(%d) = %d, want %d", c.n, got, c.want)
		}
	}
}

// TestModel compares a set with a map of its members.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 1000
		s, model := make(Set, Words(n)), map[uint32]bool{}
		bit := rapid.OneOf(rapid.Uint32Range(0, n-1), rapid.SampledFrom([]uint32{0, 63, 64, 127, 128, 959, 960, n - 1}))
		for _, i := range rapid.SliceOfN(bit, 0, 60).Draw(t, "added") {
			s.Add(i)
			model[i] = true
		}
		w, mask := rapid.Uint32Range(0, n/64-1).Draw(t, "word"), rapid.Uint64().Draw(t, "mask")
		s.Or(w, mask)
		for i := range uint32(64) {
			if mask>>i&1 != 0 {
				model[w*64+i] = true
			}
		}

		for i := range uint32(n) {
			if s.Has(i) != model[i] {
				t.Fatalf("Has(%d) = %v", i, s.Has(i))
			}
		}
		from, to := rapid.OneOf(bit, rapid.Just(uint32(n))).Draw(t, "from"),
			rapid.OneOf(bit, rapid.Just(uint32(n))).Draw(t, "to")
		var members []uint32
		for i := from; i < to; i++ {
			if model[i] {
				members = append(members, i)
			}
		}
		var found []uint32
		for i, ok := s.Next(from, to); ok; i, ok = s.Next(i+1, to) {
			found = append(found, i)
		}
		if !slices.Equal(found, members) {
			t.Fatalf("Next finds %v in [%d, %d), want %v", found, from, to, members)
		}
		if got := s.Any(from, to); got != (len(members) > 0) {
			t.Fatalf("Any(%d, %d) = %v, members %v", from, to, got, members)
		}
		if got := s.Count(from, to); got != len(members) {
			t.Fatalf("Count(%d, %d) = %d, members %v", from, to, got, members)
		}
		// Roaring reads the same words.
		all := roaring.FromDense(s, false)
		for i := range uint32(n) {
			if all.Contains(i) != model[i] {
				t.Fatalf("roaring has %d: %v", i, !model[i])
			}
		}
	})
}

// TestEnd checks that nothing is read behind the last word, whatever the range.
func TestEnd(t *testing.T) {
	s := make(Set, 2) // 128 bits
	if _, ok := s.Next(0, 128); ok || s.Any(127, 128) || s.Any(128, 128) || s.Count(0, 128) != 0 {
		t.Error("an empty set has members")
	}
	s.Add(127)
	if i, ok := s.Next(0, 128); !ok || i != 127 || s.Count(127, 128) != 1 || s.Count(0, 127) != 0 || s.Any(0, 127) {
		t.Error("the last bit is not found, or found outside its range")
	}
	if s.Any(100, 50) || s.Count(100, 50) != 0 {
		t.Error("an empty range has members")
	}
}

// TestLargest looks at the last vertices of the largest graph.
func TestLargest(t *testing.T) {
	const n = math.MaxUint32 // vertices; the last is n-1
	s, err := hostmem.Sparse[uint64](int64(Words(n)))
	if err != nil {
		t.Skip(err)
	}
	defer hostmem.Free(s)
	set := Set(s)
	for _, i := range []uint32{n - 200, n - 64, n - 1} {
		set.Add(i)
	}
	var found []uint32
	for i, ok := set.Next(n-300, n); ok; i, ok = set.Next(i+1, n) {
		found = append(found, i)
	}
	if !slices.Equal(found, []uint32{n - 200, n - 64, n - 1}) || set.Count(n-300, n) != 3 || set.Any(n-199, n-64) ||
		!set.Has(n-1) {
		t.Errorf("found %v", found)
	}
}

// TestConcurrentAdd checks that no bit is lost when many goroutines add to the same words.
func TestConcurrentAdd(t *testing.T) {
	const n, goroutines = 1 << 12, 8
	s := make(Set, Words(n))
	var group sync.WaitGroup
	for g := range uint32(goroutines) {
		group.Go(func() {
			for i := g; i < n; i += goroutines {
				if i%64 < 32 {
					s.Add(i)
					s.Add(i ^ 1) // as another goroutine does
				} else {
					s.Or(i>>6, 1<<(i&63))
				}
			}
		})
	}
	group.Wait()
	if got := s.Count(0, n); got != n {
		t.Errorf("%d of %d bits", got, n)
	}
}

// TestClear checks that no bit is left, in sets that one goroutine clears and in those of several,
// and none is touched beside them.
func TestClear(t *testing.T) {
	for _, words := range []int{0, 1, 1<<16 - 1, 1 << 16, 1<<16 + 1, 8<<16 + 3} {
		all := make(Set, words+1)
		for i := range all {
			all[i] = math.MaxUint64
		}
		all[:words].Clear()
		if i := slices.IndexFunc(all[:words], func(w uint64) bool { return w != 0 }); i >= 0 {
			t.Errorf("%d words: word %d is left", words, i)
		}
		if all[words] != math.MaxUint64 {
			t.Errorf("%d words: the one behind them was cleared", words)
		}
	}
}
