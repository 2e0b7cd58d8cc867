package page

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// TestStoredRows checks that active vertices get their rows, with whatever frames and whatever
// stays, and what stays is read once.
func TestStoredRows(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		g, o := testgraph.Draw(t), teststore.Draw(t)
		o.Layout = store.Packed
		s, err := teststore.BuildIn(folder, g, o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		w := WholeRows{Sides: []shard.Direction{shard.Out}, Weighted: o.Weighted, Threads: 2}
		r, err := w.PlanRows(s)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		all := rapid.Bool().Draw(t, "all stays")
		stay := int64(0)
		if all {
			stay = r.KeptBytes()
		}
		if err := r.Reserve(rapid.IntRange(1, 5).Draw(t, "frames"), stay); err != nil {
			t.Fatal(err)
		}
		active := make(bitset.Set, bitset.Words(uint32(g.N)))
		for _, v := range rapid.SliceOfN(rapid.Uint32Range(0, uint32(g.N-1)), 0, g.N).Draw(t, "active") {
			active.Add(v)
		}
		if o.Symmetric {
			g = teststore.Mirrored(g)
		}
		want := map[arc]int{}
		for _, e := range g.Edges {
			if !o.Weighted {
				e.Weight = 1
			}
			if active.Has(e.Src) {
				want[arc{e.Src, e.Dst, e.Weight}]++
			}
		}
		var read [2]int64
		for i := range read {
			if got := readActive(t, r, active, false); !maps.Equal(got, want) {
				t.Fatalf("%+v: rows %v, want %v", o, got, want)
			}
			read[i], _ = r.Counts()
		}
		if all && read[1] != read[0] {
			t.Fatalf("%d bytes were read, and %d more", read[0], read[1]-read[0])
		}
	})
}

// TestStoredLevels checks that in each of several levels, active vertices get their rows, however
// much stays, and if vertices are active once or are not.
func TestStoredLevels(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		g, o := testgraph.Draw(t), teststore.Draw(t)
		o.Layout = store.Packed
		s, err := teststore.BuildIn(folder, g, o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		w := WholeRows{Sides: []shard.Direction{shard.Out}, Weighted: o.Weighted, Threads: 2}
		r, err := w.PlanRows(s)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		r.Once, r.Direct = rapid.Bool().Draw(t, "once"), rapid.Bool().Draw(t, "direct")
		if err := r.Reserve(rapid.IntRange(1, 5).Draw(t, "frames"),
			rapid.Int64Range(0, r.KeptBytes()).Draw(t, "stay")); err != nil {
			t.Fatal(err)
		}
		if o.Symmetric {
			g = teststore.Mirrored(g)
		}
		for range rapid.IntRange(2, 12).Draw(t, "levels") {
			active := make(bitset.Set, bitset.Words(uint32(g.N)))
			for _, v := range rapid.SliceOfN(rapid.Uint32Range(0, uint32(g.N-1)), 0, g.N).Draw(t, "active") {
				active.Add(v)
			}
			want := map[arc]int{}
			for _, e := range g.Edges {
				if !o.Weighted {
					e.Weight = 1
				}
				if active.Has(e.Src) {
					want[arc{e.Src, e.Dst, e.Weight}]++
				}
			}
			if got := readActive(t, r, active, rapid.Bool().Draw(t, "again")); !maps.Equal(got, want) {
				t.Fatalf("%+v: rows %v, want %v", o, got, want)
			}
		}
	})
}

// readActive reads the rows of active vertices with two goroutines.
func readActive(t rapid.TB, r *StoredRows, active bitset.Set, again bool) map[arc]int {
	x := r.Read(context.Background(), active, again)
	defer x.Close()
	var mu sync.Mutex // guards got and failed
	var failed error
	got := map[arc]int{}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			for {
				p, err := x.Next()
				mu.Lock()
				failed = errors.Join(failed, err)
				if p != nil {
					p.Each(func(v uint32, list []uint32, weights shard.Plane) {
						for k, u := range list {
							got[arc{v, u, float32(weights.At(k))}]++
						}
					})
					p.Release()
				}
				mu.Unlock()
				if p == nil {
					return
				}
			}
		})
	}
	both.Wait()
	if failed != nil {
		t.Fatal(failed)
	}
	return got
}

// TestStoredDirect checks that active vertices get their rows past the page cache, of shards large enough for that.
func TestStoredDirect(t *testing.T) {
	const n = 1 << 14
	g, rng := oracle.Graph{N: n}, rand.New(rand.NewPCG(1, 2))
	for range 16 * n {
		g.Edges = append(g.Edges, oracle.Edge{Src: rng.Uint32N(n), Dst: rng.Uint32N(n)})
	}
	s := teststore.Build(t, g, teststore.Options{Layout: store.Packed, ShardVertices: n})
	r, err := WholeRows{Sides: []shard.Direction{shard.Out}, Threads: 2}.PlanRows(s)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.Direct = true
	if err := r.Reserve(2, 0); err != nil {
		t.Fatal(err)
	}
	for _, few := range []uint32{1, 7, 100, 5000} {
		active, want := make(bitset.Set, bitset.Words(n)), map[arc]int{}
		for v := uint32(3); v < n; v += few {
			active.Add(v)
		}
		for _, e := range g.Edges {
			if active.Has(e.Src) {
				want[arc{e.Src, e.Dst, 1}]++
			}
		}
		if got := readActive(t, r, active, false); !maps.Equal(got, want) {
			t.Errorf("each %d vertices: %d rows, want %d", few, len(got), len(want))
		}
	}
}
