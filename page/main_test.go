package page

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/internal/oracle"
	_ "github.com/garaph/garaph/internal/testsize" // ten random cases, unless all are asked for
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/shard/rowweights"
	"github.com/garaph/garaph/store"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(folder())
		os.Exit(code)
	}))
}

var (
	in, out = []shard.Direction{shard.In}, []shard.Direction{shard.Out}
	both    = []shard.Direction{shard.In, shard.Out}

	packedIn = []uint16{packed.Version}
)

// ways are what jobs gather along and notify along.
var ways = []Options{
	{Gather: in, Notify: out, Threads: 2, Encodings: packedIn},
	{Gather: out, Notify: in, Threads: 1, Encodings: packedIn},
	{Gather: both, Notify: both, Threads: 3, Encodings: packedIn},
	{Gather: in, Notify: in, Threads: 8, Encodings: packedIn},
	{Gather: in, Notify: out, Threads: 2},
	{Gather: both, Notify: both, Threads: 3},
	{Gather: out, Notify: in, Weights: true, Threads: 2, Encodings: packedIn},
	{Gather: in, Notify: out, Bare: true, Threads: 2, Encodings: packedIn},
	{Gather: both, Notify: both, Bare: true, Threads: 2},
}

// stored is a graph and what its shards say.
type stored struct {
	name  string
	store *store.Store
	sides [2][]shard.Side
}

func (x *stored) GoString() string { return x.name } // how rapid draws it

// folder holds the graphs of all tests, in memory where the system has such a
// file system.
var folder = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("/dev/shm", "garaph-test-")
	if err != nil {
		dir, err = os.MkdirTemp("", "garaph-test-")
	}
	if err != nil {
		panic(err)
	}
	return dir
})

// written stores the graphs: one of many tiny shards, and one of few that differ
// much in size, in each way to store it.
var written = sync.OnceValues(func() (names []string, err error) {
	rng := rand.New(rand.NewPCG(1, 2))
	tiny := oracle.Graph{N: 600}
	for range 6000 {
		tiny.Edges = append(tiny.Edges, oracle.Edge{Src: rng.Uint32N(600), Dst: rng.Uint32N(600), Weight: rng.Float32()})
	}
	skewed := oracle.Graph{N: 70}
	for i := range 60000 {
		e := oracle.Edge{Src: rng.Uint32N(70), Dst: rng.Uint32N(70), Weight: rng.Float32()}
		if i%6 == 0 {
			e.Dst = 13
		}
		skewed.Edges = append(skewed.Edges, e)
	}
	for _, x := range []struct {
		name string
		g    oracle.Graph
		o    teststore.Options
	}{
		{"tiny, packed", tiny, teststore.Options{Weighted: true, Layout: store.Packed}},
		{"skewed, csc", skewed, teststore.Options{Weighted: true, ShardVertices: 2}},
		{"skewed, symmetric, csc", skewed, teststore.Options{Weighted: true, Symmetric: true, ShardVertices: 2}},
		{"skewed, packed, with weights", skewed, teststore.Options{Weighted: true, ShardVertices: 2, Layout: store.Packed}},
		{"skewed, symmetric, packed", skewed, teststore.Options{Symmetric: true, ShardVertices: 2, Layout: store.Packed}},
	} {
		names = append(names, x.name)
		if err := teststore.Write(filepath.Join(folder(), x.name), x.g, x.o); err != nil {
			return nil, err
		}
	}
	return names, nil
})

// graphs opens them for the time of the test.
func graphs(t *testing.T) []*stored {
	t.Helper()
	names, err := written()
	if err != nil {
		t.Fatal(err)
	}
	var list []*stored
	for _, name := range names {
		s, err := store.Open(filepath.Join(folder(), name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		list = append(list, read(t, name, s))
	}
	return list
}

// read returns what the shards of a store say.
func read(t testing.TB, name string, s *store.Store) *stored {
	t.Helper()
	x := &stored{name: name, store: s}
	for dir := range x.sides {
		for i := range s.Catalogue().Shards {
			side, err := s.ReadShard(shard.Direction(dir), i, make([]byte, s.Catalogue().Bytes(shard.Direction(dir), i)))
			if err != nil {
				t.Fatal(err)
			}
			x.sides[dir] = append(x.sides[dir], side)
		}
	}
	return x
}

// bare reports whether a side is to be read without weights.
func (x *stored) bare(o Options, dir shard.Direction, i int) bool {
	_, packs := x.sides[dir][i].(*packed.Side)
	return o.Bare && dir == shard.In && packs && x.store.Catalogue().Shards[i].Vertices > 1 &&
		x.sides[dir][i].Header().Weighted
}

// withoutWeights returns a packed side as its blob's beginning has it.
func (x *stored) withoutWeights(dir shard.Direction, i int) *packed.Side {
	blob := x.sides[dir][i].Blob()
	n, err := packed.BareBytes(blob[:shard.HeaderBytes], int64(len(blob)))
	if err != nil {
		panic(err)
	}
	side, err := packed.DecodeBare(blob[:n])
	if err != nil {
		panic(err)
	}
	return side
}

// weights returns what the weights that go with an unpacked side take in the store.
func (x *stored) weights(o Options, dir shard.Direction, i int) int64 {
	weights, ok := x.store.Catalogue().WeightsOf(dir)
	if !ok || !o.Weights || !slices.Contains(o.Gather, dir) {
		return 0
	}
	return x.store.Catalogue().Bytes(weights, i)
}

// total returns what they take in memory, with what unpacking takes.
func (x *stored) total(o Options) int64 { return Whole(x.store, o) }

// plainOf unpacks a side; if nil, it is plain.
func plainOf(s shard.Side) *rows.Side {
	h := s.Header()
	if s, ok := s.(rows.Unpacker); ok {
		return rows.Unpack(s, make([]byte, rows.Size(h.Vertices, h.Edges, h.WeightBytes())), h.WeightBytes())
	}
	return nil
}

// same reports whether a side is what was stored, or these rows unpacked.
func (x *stored) same(c *Cache, got shard.Side, dir shard.Direction, i int) error {
	dir = x.store.Catalogue().Stored(dir)
	want := x.sides[dir][i]
	if x.bare(c.from.opt, dir, i) {
		want = x.withoutWeights(dir, i)
	}
	same := got.Header() == want.Header() && bytes.Equal(got.Blob(), want.Blob())
	if want := plainOf(want); want != nil && !same {
		plain, ok := got.(*rows.Side)
		same = ok && slices.Equal(plain.Off, want.Off) && slices.Equal(plain.Nbr, want.Nbr) &&
			(dir != shard.In || slices.Equal(plain.Weight, want.Weight))
	}
	if h := got.Header(); !same || h.Dir != dir || h.Index != uint32(i) {
		return fmt.Errorf("shard %d, %s side: got %v, want %v", i, dir, got, want)
	}
	return nil
}

// sameWeights reports whether an unpacked side has the weights that it should have.
func (x *stored) sameWeights(c *Cache, got shard.Side, dir shard.Direction, i int) error {
	if x.weights(c.from.opt, dir, i) == 0 {
		if side, plain := got.(*rows.Side); plain && dir != shard.In && c.from.unpacks(dir) && side.Weight != nil {
			return fmt.Errorf("shard %d, %s side: weights that nobody asked for", i, dir)
		}
		return nil
	}
	weights, _ := x.store.Catalogue().WeightsOf(dir)
	side, err := x.store.ReadShard(weights, i, make([]byte, x.store.Catalogue().Bytes(weights, i)))
	if err != nil {
		return err
	}
	want := make([]float32, got.Header().Edges)
	side.(*rowweights.Side).Weights(want, 0)
	if !slices.Equal(got.(*rows.Side).Weight, want) {
		return fmt.Errorf("shard %d, %s side: weights %v, want %v", i, dir, got.(*rows.Side).Weight, want)
	}
	return nil
}

// samePage reports whether a page is what was asked for.
func (x *stored) samePage(c *Cache, p *Page, rq Request, gather []shard.Direction) error {
	want := slices.Collect(c.shards(rq.Page, rq.Shards))
	if p.Index != rq.Page || len(p.Shards) != len(want) {
		return fmt.Errorf("got page %d with %d shards, want %+v", p.Index, len(p.Shards), rq)
	}
	if x.store.Catalogue().OneSide() {
		gather = in
	}
	for k, s := range p.Shards {
		if s.Index != want[k] || len(s.Sides) != len(gather) {
			return fmt.Errorf("shard %d with %d sides, want %d with %d", s.Index, len(s.Sides), want[k], len(gather))
		}
		for d, dir := range gather {
			if err := cmp.Or(x.same(c, s.Sides[d], dir, s.Index), x.sameWeights(c, s.Sides[d], dir, s.Index)); err != nil {
				return err
			}
			if _, plain := s.Sides[d].(*rows.Side); !plain && (c.from.opt.Encodings == nil || dir != shard.In) {
				return fmt.Errorf("shard %d: the %s side is not plain", s.Index, dir)
			}
		}
	}
	return nil
}

// stream reads the requested pages and checks each.
func (x *stored) stream(c *Cache, requests []Request, gather []shard.Direction) error {
	n := 0
	for p, err := range c.Stream(context.Background(), requests) {
		if err != nil {
			return err
		}
		err := x.samePage(c, p, requests[n], gather)
		p.Release()
		if err != nil {
			return err
		}
		n++
	}
	if n != len(requests) {
		return fmt.Errorf("%d pages, want %d", n, len(requests))
	}
	return nil
}

// whole asks for every page.
func whole(c *Cache) []Request {
	list := make([]Request, len(c.spans))
	for p := range list {
		list[p].Page = p
	}
	return list
}

// newCache makes a cache for the time of the test.
func newCache(t testing.TB, x *stored, o Options) *Cache {
	t.Helper()
	c, err := New(x.store, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// taken returns the memory that a cache owns.
func taken(c *Cache) int64 {
	var n int64
	for _, b := range c.owned {
		n += int64(len(b.bytes))
	}
	return n
}

// need returns the least budget, as the error says.
func need(t rapid.TB, x *stored, o Options) int64 {
	t.Helper()
	o.Budget = 1
	c, err := New(x.store, o)
	if err == nil {
		c.Close()
		return 1
	}
	e, ok := err.(*NeedError)
	if !ok || e.Budget != 1 || e.Need <= 1 {
		t.Fatalf("%s: %v", x.name, err)
	}
	return e.Need
}

// idle reports whether all buffers of a cache are back.
func idle(c *Cache) error {
	if len(c.pools.ring) != cap(c.pools.ring) || len(c.pools.scratch) != cap(c.pools.scratch) ||
		len(c.from.scratch) != cap(c.from.scratch) {
		return fmt.Errorf("%d of %d buffers of the ring and %d of %d for single shards are back", len(c.pools.ring),
			cap(c.pools.ring), len(c.pools.scratch), cap(c.pools.scratch))
	}
	return nil
}
