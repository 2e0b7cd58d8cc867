package frontier

import (
	"maps"
	"math"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/internal/bitset"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestCollector checks that whatever goroutines add, and how often, the queue lists every vertex
// once, the bits are those of the vertices, and the degrees their sum.
func TestCollector(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint32Range(1, 3*collected).Draw(t, "vertices")
		goroutines := rapid.IntRange(1, 4).Draw(t, "goroutines")
		degree, off := make([]uint32, n), make([]uint64, n+1)
		for v := range degree {
			degree[v] = uint32(v % 7)
			off[v+1] = off[v] + uint64(degree[v])
		}
		if rapid.Bool().Draw(t, "without offsets") {
			off = nil
		}
		step := rapid.Uint32Range(1, 5).Draw(t, "step")
		q, set := NewQueue(make([]uint32, n)), make(bitset.Set, bitset.Words(n))
		lanes := make([]Collector, goroutines)
		var wg sync.WaitGroup
		for i := range lanes {
			lanes[i] = Collector{Queue: q, Bits: set, Degree: degree, Off: off, Alone: goroutines == 1}
			wg.Go(func() {
				for range 2 {
					for v := uint32(i) % step; v < n; v += step { // some are added by several
						lanes[i].Add(v)
					}
				}
				lanes[i].Flush()
			})
		}
		wg.Wait()
		var want []uint32
		var sum, got uint64
		for v := range n {
			if int(v%step) < goroutines {
				want, sum = append(want, v), sum+uint64(degree[v])
			}
		}
		for i := range lanes {
			got += lanes[i].Degrees
		}
		checkQueue(t, q, set, want)
		if got != sum {
			t.Fatalf("degrees add up to %d, want %d", got, sum)
		}

		q.Clear() // and from the bits
		words := (int(n) + 63) / 64
		cut := rapid.IntRange(0, words).Draw(t, "cut")
		lanes[0].List(0, cut)
		lanes[0].List(cut, words)
		lanes[0].Flush()
		checkQueue(t, q, set, want)
	})
}

// checkQueue compares a queue and its bits with vertices in ascending order.
func checkQueue(t *rapid.T, q *Queue[uint32], set bitset.Set, want []uint32) {
	t.Helper()
	if got := slices.Sorted(slices.Values(q.List())); !slices.Equal(got, want) {
		t.Fatalf("the queue has %d vertices, want %d: %v, %v", len(got), len(want), got, want)
	}
	var members []uint32
	for v, ok := set.Next(0, uint32(len(set)*64)); ok; v, ok = set.Next(v+1, uint32(len(set)*64)) {
		members = append(members, v)
	}
	if !slices.Equal(members, want) {
		t.Fatalf("the bits are %v, want %v", members, want)
	}
}

// TestBuckets checks that a vertex comes out of the bucket of its priority, or has fallen behind
// the one that is being done; nothing is lost.
func TestBuckets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-100, 100).Draw(t, "low")
		width := rapid.SampledFrom([]float64{0.25, 1, 8, math.Inf(1)}).Draw(t, "width")
		var b Buckets
		b.Begin(low, width)
		model := map[int][]uint32{}
		put := func(v uint32) {
			x := rapid.OneOf(rapid.Float64Range(low-10, low+80*min(width, 10)),
				rapid.SampledFrom([]float64{math.Inf(1), math.Inf(-1), math.NaN()})).Draw(t, "priority")
			i := Far
			if at := math.Floor(max(0, x-low) / width); !math.IsNaN(x) && (at < Far || width > 1e9 && !math.IsInf(x, 1)) {
				if i = int(at); i < b.Now {
					i = Fallen
				}
			}
			model[i] = append(model[i], v)
			if passed := !math.IsNaN(x) && !math.IsInf(width, 1) && max(0, x-low)/width < float64(b.Now); b.Passed(x) != passed {
				t.Fatalf("priority %v, bucket %d of width %v from %v: passed %v", x, b.Now, width, low, b.Passed(x))
			}
			b.Put(v, x)
		}
		for v := range uint32(rapid.IntRange(0, 40).Draw(t, "vertices")) {
			put(v)
		}
		done, held := 0, b.Held
		for i := b.Next(Far + 1); i <= Far; i = b.Next(Far + 1) {
			b.Now = i
			if b.Len(i) != len(model[i]) {
				t.Fatalf("bucket %d has %d vertices, want %d", i, b.Len(i), len(model[i]))
			}
			list := b.Take(i, nil)
			if !slices.Equal(list, model[i]) {
				t.Fatalf("bucket %d has %v, want %v", i, list, model[i])
			}
			delete(model, i)
			if done += len(list); done < 60 && i < Far {
				for k := range rapid.IntRange(0, 3).Draw(t, "more") {
					put(uint32(100 + k))
					held++
				}
			}
		}
		if list := b.Take(Fallen, nil); !slices.Equal(list, model[Fallen]) {
			t.Fatalf("%v have fallen, want %v", list, model[Fallen])
		}
		done += len(model[Fallen])
		delete(model, Fallen)
		if len(model) > 0 || b.Held != 0 || done != held {
			t.Fatalf("%d of %d came out, %d are held, left: %v", done, held, b.Held, model)
		}
	})
}

// TestCompact checks that a vertex stays in the bucket of its priority alone.
func TestCompact(t *testing.T) {
	var b Buckets
	b.Begin(0, 1)
	b.Now = 2
	at := map[uint32]float64{1: 5, 2: 3, 3: 1000, 4: 1, 5: math.NaN()}
	for v, list := range map[uint32][]float64{1: {1000, 7, 5}, 2: {3, 3}, 3: {1000}, 4: {4, 1}, 5: {math.NaN()}} {
		for _, x := range list {
			b.Put(v, x)
		}
	}
	b.Compact(func(v uint32) float64 { return at[v] })
	got := map[uint32]int{}
	b.Each(func(v uint32) { got[v]++ }, func(uint32) float64 { return math.Inf(1) })
	if want := map[uint32]int{1: 1, 2: 2, 3: 1, 4: 1, 5: 1}; !maps.Equal(got, want) || b.Held != 6 {
		t.Errorf("got %v of %d, want %v", got, b.Held, want)
	}
}

// TestBucketsOf is the buckets of some priorities, by name.
func TestBucketsOf(t *testing.T) {
	for _, c := range []struct {
		name       string
		low, width float64
		now        int
		priority   float64
		bucket     int
		passed     bool
	}{
		{"the lowest", 5, 2, 0, 5, 0, false},
		{"below the lowest", 5, 2, 0, -9, 0, false},
		{"the end of the first", 5, 2, 0, 6.999, 0, false},
		{"the second", 5, 2, 0, 7, 1, false},
		{"the last near one", 0, 1, 0, Far - 0.5, Far - 1, false},
		{"the first far one", 0, 1, 0, Far, Far, false},
		{"infinite", 0, 1, 0, math.Inf(1), Far, false},
		{"no number", 0, 1, 3, math.NaN(), Far, false},
		{"one that has been done", 0, 1, 3, 2.5, Fallen, true},
		{"the one that is being done", 0, 1, 3, 3, 3, false},
		{"all in one", 0, math.Inf(1), 0, 1e300, 0, false},
	} {
		var b Buckets
		b.Begin(c.low, c.width)
		b.Now = c.now
		if got := b.Passed(c.priority); got != c.passed {
			t.Errorf("%s: passed: %v", c.name, got)
		}
		b.Put(7, c.priority)
		n := 0
		b.Each(func(uint32) { n++ }, func(uint32) float64 { return c.priority })
		if got := b.Next(Far + 1); got != c.bucket || b.Len(got) != 1 || n != 1 {
			t.Errorf("%s: bucket %d with %d of %d vertices, want %d", c.name, got, b.Len(got), n, c.bucket)
		}
	}
}

// TestLowest checks that what is no number does not count.
func TestLowest(t *testing.T) {
	nan := math.NaN()
	for _, c := range [][3]float64{{1, 2, 1}, {2, 1, 1}, {nan, 1, 1}, {1, nan, 1}, {math.Inf(1), nan, math.Inf(1)},
		{nan, math.Inf(-1), math.Inf(-1)}} {
		if got := Lowest(c[0], c[1]); got != c[2] {
			t.Errorf("the lowest of %v and %v: got %v", c[0], c[1], got)
		}
	}
	if got := Lowest(nan, nan); !math.IsNaN(got) {
		t.Errorf("the lowest of no numbers: got %v", got)
	}
}

// TestRowsBytes checks that what is reserved for rows is what they are.
func TestRowsBytes(t *testing.T) {
	r := Rows{Off: make([]uint64, 5+1), Nbr: make([]uint32, 9), Arcs: make([]Arc, 9)}
	off := int64(len(r.Off)) * int64(unsafe.Sizeof(r.Off[0]))
	for weight, want := range map[int]int64{
		0: off + int64(len(r.Nbr))*int64(unsafe.Sizeof(r.Nbr[0])),
		4: off + int64(len(r.Arcs))*int64(unsafe.Sizeof(r.Arcs[0])),
	} {
		if got := RowsBytes(5, 9, weight); got != want {
			t.Errorf("5 vertices, 9 edges, weights of %d bytes: %d bytes, want %d", weight, got, want)
		}
	}
}
