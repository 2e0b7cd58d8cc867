package dispatcher

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/hostmem"
)

// TestSnapshot writes to values while a snapshot of them is read, with much
// spare memory and with little: what is read is what stood there when the
// snapshot was taken.
func TestSnapshot(t *testing.T) {
	const n, chunk = 10_000, 128
	for _, slots := range []int{1, 3, 100} {
		for seed := range uint64(20) {
			sp, err := newSpare[uint32](n, chunk)
			if err != nil {
				t.Fatal(err)
			}
			sp.free = sp.free[:min(slots, len(sp.free))]
			all := len(sp.free)
			values := make([]uint32, n)
			for v := range values {
				values[v] = uint32(v)
			}
			s := newSnapshot(values, make(bitset.Set, bitset.Words(n)), chunk, sp)
			got := make([]uint32, n)
			var wg sync.WaitGroup
			for w := range uint32(3) { // readers
				wg.Go(func() {
					for from := w * chunk; from < n; from += 3 * chunk {
						to := min(from+chunk, n)
						if err := s.Fill(from, to, hostmem.AsBytes(got[from:to]), make([]uint64, 2)); err != nil {
							t.Error(err)
						}
						time.Sleep(10 * time.Microsecond)
					}
				})
			}
			rng := rand.New(rand.NewPCG(seed, 0))
			for range 300 { // the job
				from := rng.Uint32N(n)
				to := min(n, from+rng.Uint32N(300))
				s.keep(values, from, to)
				for v := from; v < to; v++ {
					values[v] = 0
				}
			}
			wg.Wait()
			for v, x := range got {
				if x != uint32(v) {
					t.Fatalf("%d slots: value %d was read after it was overwritten", slots, v)
				}
			}
			if len(sp.free) != all {
				t.Errorf("%d of %d slots came back", len(sp.free), all)
			}
			hostmem.Free(sp.values)
		}
	}
}

// TestSnapshotDropped checks that a writer that gave up holds nobody up, and another array
// is nobody's business.
func TestSnapshotDropped(t *testing.T) {
	sp, err := newSpare[uint64](1000, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer hostmem.Free(sp.values)
	all := slices.Clone(sp.free)
	sp.free = sp.free[:1]
	values := make([]uint64, 1000)
	s := newSnapshot(values, nil, 64, sp)
	s.keep(make([]uint64, 1000), 0, 1000)
	if len(sp.free) != 1 {
		t.Error("another array was kept")
	}
	s.keep(values, 0, 64)
	done := make(chan bool)
	go func() {
		s.keep(values, 64, 1000) // no slot is left
		done <- true
	}()
	s.drop()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it waits for a writer that has gone")
	}
	if len(sp.free) != 1 {
		t.Errorf("%d slots came back of %d", len(sp.free), len(all))
	}
}
