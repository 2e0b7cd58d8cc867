package packedrows

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/shard"
)

// opened returns a side of which nothing has been read but the head, in memory that has other
// bytes where the rows belong.
func opened(t rapid.TB, blob []byte) *Side {
	t.Helper()
	head, err := DecodeHead(slices.Clone(blob[:headBytes(t, blob)]), int64(len(blob)))
	if err != nil {
		t.Fatal(err)
	}
	return head.In(slices.Repeat([]byte{0xff}, len(blob)))
}

func headBytes(t rapid.TB, blob []byte) int64 {
	t.Helper()
	n, err := HeadBytes(blob[:shard.HeaderBytes], int64(len(blob)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestRuns checks that a run can be read as soon as it has come, and no other; how long its rows
// are adds up.
func TestRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, n := draw(t)
		blob := pack(t, want)
		s := opened(t, blob)
		var b shard.Buffer
		bytes := 0
		for _, v := range rapid.Permutation(slices.Collect(all(want.Vertices()))).Draw(t, "rows") {
			i, from, to := s.Run(v)
			copy(s.blob[from:to], blob[from:to])
			if err := s.CheckRun(i, n); err != nil {
				t.Fatal(err)
			}
			if got := s.Row(v, &b); !slices.Equal(got, want.Row(v, nil)) {
				t.Fatalf("row %d: got %v, want %v", v, got, want.Row(v, nil))
			}
			bytes += b.At - b.From
		}
		if bytes != s.end {
			t.Fatalf("the rows have %d bytes, %d in all", bytes, s.end)
		}
		i, from, to := s.Run(rapid.IntRange(0, want.Vertices()-1).Draw(t, "damaged"))
		s.blob[rapid.Int64Range(from, to-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if err := s.CheckRun(i, n); !errors.Is(err, shard.ErrChecksum) {
			t.Fatalf("a flipped bit: %v", err)
		}
	})
}

func all(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for v := 0; v < n && yield(v); v++ {
		}
	}
}

// TestHeads checks that a head that is damaged or cut is refused.
func TestHeads(t *testing.T) {
	blob, _ := small(t)
	n := int(headBytes(t, blob))
	for bit := range 8 * n {
		head := slices.Clone(blob[:n])
		head[bit/8] ^= 1 << (bit % 8)
		if _, err := DecodeHead(head, int64(len(blob))); err == nil {
			t.Fatalf("bit %d of byte %d flipped, and not reported", bit%8, bit/8)
		}
	}
	if _, err := DecodeHead(blob[:n], int64(len(blob))-1); !errors.Is(err, shard.ErrInvalid) {
		t.Errorf("of a shorter blob: %v", err)
	}
}

// TestForgedSum checks that a run whose checksum is another one than that of its rows is found by
// CheckOrder, that is by `garaph verify`.
func TestForgedSum(t *testing.T) {
	blob, n := small(t)
	s := decoded(t, blob, n)
	if err := s.CheckOrder(); err != nil {
		t.Fatal(err)
	}
	s.sums[1]++
	reseal(blob)
	if s, err := Decode(blob); err != nil || !errors.Is(s.CheckOrder(), shard.ErrChecksum) {
		t.Errorf("got %v", err)
	}
}

// useRuns reads run after run of a blob with forged checksums, as far as they are accepted.
func useRuns(t testing.TB, blob []byte, n uint32) {
	size, err := HeadBytes(blob, int64(len(blob)))
	if err != nil || int64(len(blob)) < size {
		return
	}
	s, err := DecodeHead(blob[:size], int64(len(blob)))
	if err != nil {
		return
	}
	h := s.Header()
	s = s.In(blob)
	var b shard.Buffer
	for v := range h.Vertices {
		i, _, _ := s.Run(v)
		s.sums[i] = shard.Checksum(s.run(i))
		if s.CheckRun(i, n) != nil {
			continue
		}
		list := s.Row(v, &b)
		if len(list) > 0 && list[len(list)-1] >= n || !slices.IsSorted(list) || len(list) > int(h.Edges) {
			t.Fatalf("row %d is accepted: %v", v, list)
		}
	}
}

// TestAppendRun checks that what is appended of a run serves in its place for the rows that are not
// dropped, and takes no more than the run, nor than there is room for.
func TestAppendRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, _ := draw(t)
		blob := pack(t, want)
		whole, s := opened(t, blob), opened(t, blob)
		copy(whole.blob, blob)
		i, from, to := s.Run(rapid.IntRange(0, want.Vertices()-1).Draw(t, "vertex"))
		drop := rapid.Uint8Range(0, 1<<RunVertices-1).Draw(t, "drop")
		run, ok := whole.AppendRun(make([]byte, 0, to-from), i, drop)
		if !ok || drop == 0 && len(run) != int(to-from) {
			t.Fatalf("%d bytes of %d, %v", len(run), to-from, ok)
		}
		if len(run) > 0 {
			less := make([]byte, 1, len(run))
			if got, ok := whole.AppendRun(less, i, drop); ok || len(got) != 1 {
				t.Fatalf("%d bytes went to %d", len(got)-1, len(run)-1)
			}
		}
		copy(s.blob[from:], run)
		for k := range RunVertices {
			var b shard.Buffer
			if v := RunVertices*i + k; v < want.Vertices() && drop>>k&1 == 0 {
				if got := s.Row(v, &b); !slices.Equal(got, want.Row(v, nil)) {
					t.Fatalf("row %d: got %v, want %v", v, got, want.Row(v, nil))
				}
			}
		}
	})
}
