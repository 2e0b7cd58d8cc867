package page

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// budgets are three for a job: all in memory, about half of it, the least.
func budgets(t *testing.T, x *stored, o Options) map[string]int64 {
	least := need(t, x, o)
	if least == x.total(o) {
		t.Fatalf("%s: no budget is too small to hold all of it", x.name)
	}
	return map[string]int64{"unlimited": 0, "half": (least + x.total(o)) / 2, "least": least}
}

// each calls f for every graph, way and budget, and sees to it that all buffers
// come back.
func each(t *testing.T, f func(t *testing.T, x *stored, c *Cache, o Options)) {
	t.Helper()
	for _, x := range graphs(t) {
		for _, o := range ways {
			for name, budget := range budgets(t, x, o) {
				o.Budget = budget
				t.Run(fmt.Sprintf("%s, gather %v, notify %v, %s", x.name, o.Gather, o.Notify, name), func(t *testing.T) {
					c := newCache(t, x, o)
					f(t, x, c, o)
					if err := idle(c); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// TestStream checks that a stream gives the pages and shards that were asked for, in that
// order, with the bytes of the store.
func TestStream(t *testing.T) {
	all := graphs(t)
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SampledFrom(all).Draw(t, "graph")
		o := rapid.SampledFrom(ways).Draw(t, "way")
		least := need(t, x, o)
		o.Budget = rapid.SampledFrom([]int64{0, least, (least + x.total(o)) / 2}).Draw(t, "budget")
		o.PageBytes = rapid.SampledFrom([]int64{0, 1}).Draw(t, "page bytes")
		c, err := New(x.store, o)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		requests := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Request {
			rq := Request{Page: rapid.IntRange(0, len(c.spans)-1).Draw(t, "page")}
			if rapid.Bool().Draw(t, "some shards") {
				span := c.spans[rq.Page]
				rq.Shards = []int{}
				for i := span.From; i < span.To; i++ {
					if rapid.Bool().Draw(t, "this one") {
						rq.Shards = append(rq.Shards, i)
					}
				}
			}
			return rq
		}), 0, 12).Draw(t, "requests")
		if err := x.stream(c, requests, o.Gather); err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		if err := idle(c); err != nil {
			t.Fatal(err)
		}
	})
}

// TestCancel checks that a cancelled stream ends with the context's error, once. A consumer that
// stops early leaves nothing behind.
func TestCancel(t *testing.T) {
	each(t, func(t *testing.T, x *stored, c *Cache, o Options) {
		for _, after := range []int{0, 1, len(c.spans) / 2} {
			ctx, cancel := context.WithCancel(context.Background())
			if after == 0 {
				cancel()
			}
			pages, failed := 0, 0
			for p, err := range c.Stream(ctx, whole(c)) {
				if err != nil {
					if failed++; !errors.Is(err, context.Canceled) || p != nil {
						t.Fatalf("got %v", err)
					}
					continue
				}
				p.Release()
				if pages++; pages == after {
					cancel()
				}
			}
			cancel()
			if failed != 1 || pages > after+ringPages+1 {
				t.Errorf("cancelled after %d pages, there came %d more and the error %d times", after, pages-after, failed)
			}
			if err := idle(c); err != nil {
				t.Fatal(err)
			}
		}
		for p, err := range c.Stream(context.Background(), whole(c)) {
			if err != nil {
				t.Fatal(err)
			}
			p.Release()
			break
		}
		if err := cmp.Or(idle(c), x.stream(c, whole(c), o.Gather)); err != nil {
			t.Errorf("after a stop: %v", err)
		}
	})
}

// damage changes a byte of the in side of shard i, of a store that has it in its
// payload, and returns what changes it back.
func damage(t *testing.T, x *stored, i int) (mend func()) {
	t.Helper()
	blob := make([]byte, x.store.Catalogue().Bytes(shard.In, i))
	if _, err := x.store.ReadShard(shard.In, i, blob); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(x.store.Path(), "payload"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	log, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(log, blob)
	put := func(b byte) {
		t.Helper()
		f, err := os.OpenFile(names[0], os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteAt([]byte{b}, int64(at+len(blob)/2))
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	put(blob[len(blob)/2] ^ 1)
	return func() { put(blob[len(blob)/2]) }
}

// TestFirstDamaged checks that of several damaged shards of a page, the error is always that
// of the first, though they are read at once; a cancelled stream reports none, and
// reads nothing.
func TestFirstDamaged(t *testing.T) {
	for _, x := range graphs(t) {
		if strings.HasPrefix(x.name, "tiny") {
			continue // no page of four shards is streamed
		}
		o := ways[0]
		o.Budget = need(t, x, o)
		c := newCache(t, x, o)
		p := slices.IndexFunc(c.spans, func(s Span) bool { return s.To-s.From > 3 })
		if p < 0 || c.Stays(p) {
			t.Fatalf("%s: no page of four shards is streamed", x.name)
		}
		first := c.spans[p].From + 1
		for _, i := range []int{first, first + 1, c.spans[p].To - 1} {
			defer damage(t, x, i)()
		}
		want := fmt.Sprintf("shard %d (in side)", first)
		for range 100 {
			for page, err := range c.Stream(context.Background(), []Request{{Page: p}}) {
				if page != nil || !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), want) {
					t.Fatalf("%s: got %v, want that of %s", x.name, err, want)
				}
			}
		}
		if err := idle(c); err != nil {
			t.Error(err)
		}
		before := c.BytesRead()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if page, err := c.streamed(Request{Page: p}, make([]byte, c.gatherBytes(p)),
			&Reader{ctx: ctx, ring: make(chan []byte, 1)}); page != nil || !errors.Is(err, context.Canceled) ||
			c.BytesRead() != before {
			t.Errorf("%s, cancelled: got %v, after %d bytes", x.name, err, c.BytesRead()-before)
		}
	}
}

// TestDamagedShard checks that pages before a damaged shard come, then its error, once.
// Nothing is kept of it: mended, it is read again.
func TestDamagedShard(t *testing.T) {
	for _, x := range graphs(t) {
		const victim = 3
		if strings.HasPrefix(x.name, "tiny") { // its shards lie in tables
			continue
		}
		for _, o := range []Options{ways[0], ways[2]} {
			for name, budget := range budgets(t, x, o) {
				o.Budget = budget
				t.Run(fmt.Sprintf("%s, gather %v, %s", x.name, o.Gather, name), func(t *testing.T) {
					c := newCache(t, x, o)
					mend := damage(t, x, victim)
					defer mend()
					before := taken(c)
					for range 3 {
						pages, failed := 0, 0
						for p, err := range c.Stream(context.Background(), whole(c)) {
							if err != nil {
								if failed++; !errors.Is(err, store.ErrDamaged) || p != nil {
									t.Fatalf("got %v", err)
								}
								continue
							}
							if err := x.samePage(c, p, Request{Page: pages}, o.Gather); err != nil {
								t.Error(err)
							}
							p.Release()
							pages++
						}
						if failed != 1 || pages != int(c.pageOf[victim]) {
							t.Fatalf("%d pages, the error %d times; the shard is on page %d", pages, failed, c.pageOf[victim])
						}
						if err := idle(c); err != nil {
							t.Fatal(err)
						}
					}
					if slices.Contains(o.Notify, shard.In) {
						if _, _, err := c.Side(shard.In, victim); !errors.Is(err, store.ErrDamaged) {
							t.Errorf("Side: %v", err)
						}
					}
					if err := idle(c); err != nil {
						t.Error(err)
					}
					loaded := int64(0)
					for dir := range c.blocks {
						for p := range c.blocks[dir] {
							if c.blocks[dir][p].loaded.Load() {
								loaded += c.from.spanBytes(shard.Direction(dir), c.spans[p])
							}
						}
					}
					if got := taken(c); got != before+loaded {
						t.Errorf("%d bytes are kept of what could not be read", got-before-loaded)
					}
					mend()
					if err := x.stream(c, whole(c), o.Gather); err != nil {
						t.Errorf("mended: %v", err)
					}
				})
			}
		}
	}
}

// TestSide checks that sides are right while pages are streamed, from as many goroutines
// as were promised.
func TestSide(t *testing.T) {
	each(t, func(t *testing.T, x *stored, c *Cache, o Options) {
		var group sync.WaitGroup
		for k := range o.Threads {
			group.Go(func() {
				for i := range x.store.Catalogue().Shards {
					if i%4 != k%4 {
						continue
					}
					for _, dir := range o.Notify {
						side, release, err := c.Side(dir, i)
						if err != nil {
							t.Error(err)
							return
						}
						if err := x.same(c, side, dir, i); err != nil {
							t.Error(err)
						}
						release()
					}
				}
			})
		}
		if err := x.stream(c, whole(c), o.Gather); err != nil {
			t.Error(err)
		}
		group.Wait()
	})
}
