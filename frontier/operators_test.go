package frontier

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// pool has so many goroutines.
type pool int

func (p pool) Each(ctx context.Context, n int, f func(worker, i int) error) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, p)
	for worker := range int(p) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && errs[worker] == nil; i = int(next.Add(1)) - 1 {
				if errs[worker] = ctx.Err(); errs[worker] == nil {
					errs[worker] = f(worker, i)
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// drawRows are rows of vertices, a hub's among them that many goroutines share.
func drawRows(t *rapid.T) *Rows {
	n := rapid.Uint32Range(1, 300).Draw(t, "vertices")
	weighted := rapid.Bool().Draw(t, "weights")
	hub := rapid.Uint32Range(0, n).Draw(t, "hub")
	r := &Rows{Off: []uint64{0}}
	for v := range n {
		degree := int(v*7) % 5
		if v == hub {
			degree = rapid.SampledFrom([]int{longest, longest + 1, 3 * longest, 5*longest - 7}).Draw(t, "degree of the hub")
		}
		for k := range degree {
			dst := (v + uint32(k*k)*31) % n
			if weighted {
				r.Arcs = append(r.Arcs, Arc{To: dst, Weight: 1})
			} else {
				r.Nbr = append(r.Nbr, dst)
			}
		}
		r.Off = append(r.Off, r.Off[v]+uint64(degree))
	}
	return r
}

// sorted compares the members of a frontier with what is expected, in any order.
func sorted[T ID](t *rapid.T, name string, f *Frontier[T], err error, want []T) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	got := slices.Sorted(slices.Values(f.List()))
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Fatalf("%s: got %v, want %v", name, got, want)
	}
}

// TestOperators checks that on any number of goroutines, the operators call their functions for
// each edge once, with its ends, and what joins is what a plain loop finds.
func TestOperators(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, threads := drawRows(t), rapid.IntRange(1, 4).Draw(t, "goroutines")
		p, ctx := pool(threads), context.Background()
		n, m := len(rows.Off)-1, int(rows.Off[len(rows.Off)-1])
		var from []uint32
		for v := range uint32(n) {
			if rapid.IntRange(0, 3).Draw(t, "active") > 0 {
				from = append(from, v)
			}
		}
		mod := rapid.Uint64Range(1, 5).Draw(t, "one of so many joins")
		joins := func(src, dst uint32, edge uint64) bool { return (uint64(src)+3*uint64(dst)+edge)%mod == 0 }
		join := func(src, dst uint32, edge uint64) bool {
			if rows.Source(edge) != src || rows.To(edge) != dst {
				panic("an edge came with other ends")
			}
			return joins(src, dst, edge)
		}
		var vertices []uint32
		for _, v := range from {
			for e := rows.Off[v]; e < rows.Off[v+1]; e++ {
				if dst := rows.To(e); joins(v, dst, e) {
					vertices = append(vertices, dst)
				}
			}
		}
		tv, te := New(make([]uint32, 2*m), threads), New(make([]uint64, m), threads)
		sorted(t, "vertices to vertices", tv, Advance(ctx, p, rows, from, tv, join), vertices)
		err := Filter(ctx, p, tv.List(), tv, func(v uint32) bool { return v%2 == 0 }) // to the list that it reads
		for _, v := range slices.Clone(vertices) {
			if v%2 == 0 {
				vertices = append(vertices, v)
			}
		}
		sorted(t, "filter", tv, err, vertices)
		var third []uint64
		for e := uint64(0); e < uint64(m); e += 3 {
			third = append(third, e)
		}
		sorted(t, "filter of all", te, FilterAll(ctx, p, m, te, func(e uint64) bool { return e%3 == 0 }), third)
		calls := make([]atomic.Int32, m)
		err = Compute(ctx, p, third, func(e uint64) { calls[e].Add(1) })
		for e := range calls {
			if want := int32(1 - min(e%3, 1)); err != nil || calls[e].Load() != want {
				t.Fatalf("compute: edge %d came %d times, want %d: %v", e, calls[e].Load(), want, err)
			}
		}
	})
}

// TestFull checks that a frontier without room is an error, and holds what it held, as after any
// other error; and then it works on.
func TestFull(t *testing.T) {
	for _, threads := range []int{1, 4} {
		p := pool(threads)
		f := New(make([]uint32, 2*collected+1), threads)
		if err := f.Add(7, 5); err != nil {
			t.Fatal(err)
		}
		all := func(uint32) bool { return true }
		if err := FilterAll(t.Context(), p, 1_000_000, f, all); !errors.Is(err, ErrFull) {
			t.Errorf("%d goroutines: got %v", threads, err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := FilterAll(ended, p, 10, f, all); !errors.Is(err, context.Canceled) {
			t.Errorf("%d goroutines, after the end: %v", threads, err)
		}
		if !slices.Equal(f.List(), []uint32{7, 5}) {
			t.Errorf("%d goroutines: %d members, want 7 and 5", threads, len(f.List()))
		}
		if err := FilterAll(t.Context(), p, 2*collected-1, f, all); err != nil || len(f.List()) != 2*collected+1 {
			t.Errorf("%d goroutines: %d members, %v", threads, len(f.List()), err)
		}
		if err := f.Add(1); !errors.Is(err, ErrFull) {
			t.Errorf("one more: %v", err)
		}
	}
}
