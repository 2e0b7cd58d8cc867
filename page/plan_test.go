package page

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// TestSpans checks that pages are all shards, in order, and as large as the limit lets
// them be on their larger side.
func TestSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cat := &store.Catalogue{Weighted: rapid.Bool().Draw(t, "weighted"), Symmetric: rapid.Bool().Draw(t, "symmetric")}
		edges := rapid.OneOf(rapid.Uint32Range(0, 100), rapid.Uint32Range(0, 1<<16))
		cat.Shards = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) store.ShardInfo {
			info := store.ShardInfo{Vertices: rapid.IntRange(1, 300).Draw(t, "vertices"), In: edges.Draw(t, "in"),
				Out: edges.Draw(t, "out")}
			info.Blobs[shard.In].Bytes = rows.Size(info.Vertices, info.In, cat.WeightBytes())
			info.Blobs[shard.Out].Bytes = rows.Size(info.Vertices, info.Out, 0)
			return info
		}), 1, 50).Draw(t, "shards")
		limit := rapid.Int64Range(1, 1<<18).Draw(t, "limit")

		larger := func(s Span) int64 {
			var in, out int64
			for i := s.From; i < s.To; i++ {
				in, out = in+cat.Bytes(shard.In, i), out+cat.Bytes(shard.Out, i)
			}
			return max(in, out)
		}
		next := 0
		for _, s := range spans(len(cat.Shards), cat.Bytes, limit) {
			if s.From != next || s.To <= s.From {
				t.Fatalf("page %v, want one from %d", s, next)
			}
			if larger(s) > limit && s.To > s.From+1 {
				t.Fatalf("page %v has %d bytes", s, larger(s))
			}
			if s.To < len(cat.Shards) && larger(Span{s.From, s.To + 1}) <= limit {
				t.Fatalf("page %v could have one shard more", s)
			}
			next = s.To
		}
		if next != len(cat.Shards) {
			t.Fatalf("pages end at %d of %d shards", next, len(cat.Shards))
		}
	})
}

// TestNeed checks that the error of a budget that is too small says the least that is
// enough.
func TestNeed(t *testing.T) {
	for _, x := range graphs(t) {
		for _, o := range ways {
			t.Run(fmt.Sprint(x.name, o.Gather), func(t *testing.T) {
				o.Budget = need(t, x, o)
				if c := newCache(t, x, o); taken(c) > o.Budget {
					t.Errorf("%d bytes taken of %d", taken(c), o.Budget)
				}
				for _, less := range []int64{1, o.Budget / 2, o.Budget - 2} {
					o := o
					o.Budget -= less
					var e *NeedError
					if _, err := New(x.store, o); !errors.As(err, &e) || e.Need != o.Budget+less {
						t.Errorf("%d bytes less than %d: %v", less, o.Budget+less, err)
					}
				}
			})
		}
	}
}

// TestBudget checks that any budget from the least up is enough, is kept, and is used.
func TestBudget(t *testing.T) {
	all := graphs(t)
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SampledFrom(all).Draw(t, "graph")
		o := rapid.SampledFrom(ways).Draw(t, "way")
		least, total := need(t, x, o), x.total(o)
		o.Budget = rapid.OneOf(rapid.Int64Range(least, total+1), rapid.Just(least), rapid.Just(total),
			rapid.Just(int64(0))).Draw(t, "budget")
		c, err := New(x.store, o)
		if err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		defer c.Close()
		if want := o.Budget == 0 || o.Budget >= total; c.InMemory() != want {
			t.Fatalf("%s: in memory: %v", x.name, c.InMemory())
		}
		for range 2 {
			if err := x.stream(c, whole(c), o.Gather); err != nil {
				t.Fatalf("%s: %v", x.name, err)
			}
		}
		for _, dir := range o.Notify {
			for i := range x.store.Catalogue().Shards {
				side, release, err := c.Side(dir, i)
				if err == nil {
					err = x.same(c, side, dir, i)
					release()
				}
				if err != nil {
					t.Fatalf("%s: %v", x.name, err)
				}
			}
		}
		if err := idle(c); err != nil {
			t.Fatal(err)
		}
		got := taken(c)
		if o.Budget > 0 && got > o.Budget || c.InMemory() && got != total {
			t.Fatalf("%s: %d bytes taken of a budget of %d, all are %d", x.name, got, o.Budget, total)
		}
		read := c.BytesRead()
		if err := x.stream(c, whole(c), o.Gather); err != nil || c.InMemory() && c.BytesRead() != read {
			t.Fatalf("%s: %d bytes read, and then %d: %v", x.name, read, c.BytesRead(), err)
		}
	})
}
