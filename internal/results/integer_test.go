package results

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestIntegers(t *testing.T) {
	check := func(u uint64) {
		t.Helper()
		if got, want := string(appendUint([]byte("x"), u)), "x"+strconv.FormatUint(u, 10); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
		if got, want := string(appendInt([]byte("x"), int64(u))), "x"+strconv.FormatInt(int64(u), 10); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
	for u := range uint64(100_000) {
		check(u)
	}
	for power := uint64(1); power <= 1e19; power *= 10 {
		for d := range uint64(7) {
			check(power - 3 + d)
			check(power*d - 1)
		}
		if power == 1e19 {
			break
		}
	}
	check(math.MaxUint64)
	check(math.MaxInt64)
	r := rand.New(rand.NewPCG(5, 6))
	for range 200_000 {
		check(r.Uint64() >> r.UintN(64))
	}
}

// BenchmarkInt has the ids of a graph of 81 million vertices.
func BenchmarkInt(b *testing.B) {
	buf := make([]byte, 0, 64)
	b.Run("lanes", func(b *testing.B) {
		for i := int64(0); b.Loop(); i++ {
			buf = appendInt(buf[:0], i&0xffff*1237)
		}
	})
	b.Run("strconv", func(b *testing.B) {
		for i := int64(0); b.Loop(); i++ {
			buf = strconv.AppendInt(buf[:0], i&0xffff*1237, 10)
		}
	})
}
