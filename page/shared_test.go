package page

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// TestShared checks that concurrent jobs get the same rows, which one of them loads, and that rows
// stay while they are in use or kept.
func TestShared(t *testing.T) {
	g := oracle.Graph{N: 9, Edges: []oracle.Edge{{Src: 0, Dst: 5}, {Src: 1, Dst: 5}, {Src: 4, Dst: 0}}}
	s := teststore.Build(t, g, teststore.Options{Layout: store.Packed, Symmetric: true, ShardVertices: 2})
	x, err := WholeRows{Sides: out}.Shared(s)
	if err != nil {
		t.Fatal(err)
	}
	if y, err := (WholeRows{Sides: in, Threads: 2}).Shared(s); y != x || err != nil {
		t.Errorf("a symmetric graph has two sets of rows (%v)", err)
	}
	var all [4]*frontier.Rows
	var bytes, loads atomic.Int64
	var g4 sync.WaitGroup
	for i := range all {
		g4.Go(func() {
			r, read, err := x.Acquire(t.Context(), 2)
			if err != nil {
				t.Error(err)
			}
			if all[i] = r; read > 0 {
				loads.Add(1)
			}
			bytes.Add(read)
		})
	}
	g4.Wait()
	if want := x.whole.Reads(s.Catalogue()); loads.Load() != 1 || bytes.Load() != want {
		t.Errorf("%d loads of %d bytes, want one of %d", loads.Load(), bytes.Load(), want)
	}
	for i, r := range all {
		if r != all[0] || r.Off[g.N] != 6 {
			t.Errorf("job %d has rows of its own: %v", i, r)
		}
		s.Shed()
		x.Release(i == len(all)-1)
		if !x.Loaded() {
			t.Fatalf("after %d of %d jobs rows are gone", i+1, len(all))
		}
	}
	s.Shed()
	if x.Loaded() {
		t.Error("rows stay that no job uses, and their memory is wanted")
	}
	if _, read, err := x.Acquire(t.Context(), 1); read == 0 || err != nil {
		t.Errorf("rows are there again without being read (%v)", err)
	}
	x.Release(false)
	if x.Loaded() {
		t.Error("rows stay after a job that does not keep them")
	}
}
