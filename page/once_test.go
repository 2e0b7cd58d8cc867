package page

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/store"
)

// counted is memory that knows what is in use, and fails from a call on.
type counted struct {
	mu          sync.Mutex
	used, most  int64
	calls, fail int // if 0, never
}

var errCounted = errors.New("no more memory is pinned")

func (m *counted) Pin(n int64) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls++; m.fail > 0 && m.calls >= m.fail {
		return nil, errCounted
	}
	m.used += n
	m.most = max(m.most, m.used)
	return hostmem.Bytes(n)
}

func (m *counted) Unpin(b []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used -= int64(len(b))
	hostmem.FreeBytes(b)
	return nil
}

// once goes over pages for a single use, and holds one of them beyond the end of it, as a
// device does that copies from it.
func (x *stored) once(ctx context.Context, c *Cache, o Options) (n int, err error) {
	requests := whole(c)
	var held *Page
	for p, e := range c.Once(ctx, requests, nil) {
		if e != nil {
			err = e
			break
		}
		if err = x.samePage(c, p, requests[n], o.Gather); err != nil {
			p.Release()
			break
		}
		if held != nil {
			held.Release()
		}
		held = p
		n++
	}
	if held != nil {
		held.Release()
	}
	return n, err
}

// TestOnce checks that pages for a single use are those of a stream. None comes to stay, but in a
// ring within the budget, whose memory is given back.
func TestOnce(t *testing.T) {
	for _, x := range graphs(t) {
		for _, o := range ways {
			for name, budget := range budgets(t, x, o) {
				m := &counted{}
				o.Budget, o.PageBytes, o.Memory = budget, 1, m
				t.Run(fmt.Sprintf("%s, gather %v, %s", x.name, o.Gather, name), func(t *testing.T) {
					c := newCache(t, x, o)
					before := m.used
					n, err := x.once(t.Context(), c, o)
					if err != nil || n != len(c.spans) {
						t.Fatalf("%d of %d pages: %v", n, len(c.spans), err)
					}
					if err := idle(c); err != nil {
						t.Error(err)
					}
					if slices.ContainsFunc(whole(c), func(rq Request) bool { return c.Loaded(rq.Page) }) {
						t.Error("pages came to stay")
					}
					if m.used != before {
						t.Errorf("%d bytes are pinned, %d were before", m.used, before)
					}
					if budget > 0 && m.most > budget {
						t.Errorf("%d bytes were pinned, within a budget of %d", m.most, budget)
					}
					if err := x.stream(c, whole(c), o.Gather); err != nil {
						t.Errorf("a stream behind it: %v", err)
					}
					was := m.calls
					if n, err := x.once(t.Context(), c, o); err != nil || n != len(c.spans) || c.all && m.calls != was {
						t.Errorf("of what stays: %d pages, %v, %d buffers", n, err, m.calls-was)
					}
				})
			}
		}
	}
}

// TestOnceFails checks that memory that cannot be had, and a context that ends, are errors, after
// which no memory is left in use.
func TestOnceFails(t *testing.T) {
	x := graphs(t)[0]
	for fail := 1; fail <= 3; fail++ {
		m := &counted{fail: fail}
		o := ways[0]
		o.PageBytes, o.Memory = 1, m
		c := newCache(t, x, o)
		if n, err := x.once(t.Context(), c, o); !errors.Is(err, errCounted) || n >= fail && n > 0 || m.used != 0 {
			t.Errorf("buffer %d cannot be pinned: %d pages, %v, %d bytes in use", fail, n, err, m.used)
		}
		m.fail = 0
		for _, after := range []int{0, 1, 3} {
			ctx, cancel := context.WithCancel(t.Context())
			n := 0
			var err error
			for p, e := range c.Once(ctx, whole(c), nil) {
				if n++; n > after {
					cancel()
				}
				if err = e; e == nil {
					p.Release()
				}
			}
			cancel()
			if !errors.Is(err, context.Canceled) || m.used != 0 {
				t.Errorf("cancelled after %d pages: %v after %d, %d bytes in use", after, err, n, m.used)
			}
		}
		for range c.Once(t.Context(), nil, nil) {
			t.Error("a page that nobody asked for")
		}
	}
}

// TestOncePart checks that sides that do not stay are given with a part of their checks, which
// leaves nothing unchecked that comes to others later; what is unpacked is checked at all times.
func TestOncePart(t *testing.T) {
	g := oracle.Graph{N: 40}
	for v := range uint32(g.N) {
		for k := range uint32(300) {
			g.Edges = append(g.Edges, oracle.Edge{Src: (v*7 + k*k) % uint32(g.N), Dst: v})
		}
	}
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 10, Layout: store.Packed,
		Forge: func(i int, side *packed.Side) {
			if i == 2 {
				side.Heads[0].Source = uint32(g.N)
			}
		}})
	x := &stored{store: s}
	for _, unpacked := range []bool{false, true} {
		for _, little := range []bool{false, true} {
			t.Run(fmt.Sprintf("unpacked %v, little memory %v", unpacked, little), func(t *testing.T) {
				o := Options{Gather: in, PageBytes: 1, Encodings: []uint16{packed.Version}}
				if unpacked {
					o.Encodings = nil
				}
				if little {
					o.Budget = Least(s, o)
				}
				c := newCache(t, x, o)
				var looks atomic.Int64
				pass := func() (n int, err error) {
					part := func(shard.Side, uint32) error {
						looks.Add(1)
						return nil
					}
					for p, e := range c.Once(t.Context(), whole(c), part) {
						if err = e; err == nil {
							p.Release()
							n++
						}
					}
					return n, err
				}
				for range 2 {
					looks.Store(0)
					n, err := pass()
					if unpacked && (looks.Load() > 0 || !errors.Is(err, shard.ErrInvalid)) || !unpacked &&
						(looks.Load() != 4 || n != 4 || err != nil) {
						t.Fatalf("%d pages, %d looks, %v", n, looks.Load(), err)
					}
				}
				for i := range 4 {
					if err := c.Recheck(shard.In, i); errors.Is(err, shard.ErrInvalid) != (i == 2) || err != nil && i != 2 {
						t.Errorf("shard %d: %v", i, err)
					}
				}
				n := 0
				var err error
				for p, e := range c.Stream(t.Context(), whole(c)) {
					if err = e; err == nil {
						p.Release()
						n++
					}
				}
				if n != 2 || !errors.Is(err, shard.ErrInvalid) {
					t.Errorf("a stream behind it: %d pages, %v", n, err)
				}
			})
		}
	}
}
