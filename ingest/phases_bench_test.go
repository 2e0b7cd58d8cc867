package ingest

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/sync/semaphore"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/store"
)

// The phases of an import, each alone and on one goroutine; BenchmarkReadText and
// BenchmarkReadFormats are the first of them.

// benchBatches are edges as readers hand them on, between so many vertices.
func benchBatches(vertices uint64) (src, dst [][]uint64) {
	r := rand.New(rand.NewPCG(1, 2))
	for range benchEdges / edgeBatchSize {
		u, v := make([]uint64, edgeBatchSize), make([]uint64, edgeBatchSize)
		for i := range u {
			u[i], v[i] = skewedID(r, vertices), skewedID(r, vertices)
		}
		src, dst = append(src, u), append(dst, v)
	}
	return src, dst
}

// benchBuilder is one as an import has it that has read nothing.
func benchBuilder(b testing.TB, ids IDKind) (*builder, *store.Writer) {
	w, err := store.Create(filepath.Join(b.TempDir(), "graph"), true)
	if err != nil {
		b.Fatal(err)
	}
	o, err := Options{Threads: 1, Memory: 512 << 20}.complete()
	if err != nil {
		b.Fatal(err)
	}
	plan, err := planMemory(o)
	if err != nil {
		b.Fatal(err)
	}
	plan.dir, plan.space = w.Dir(), w.CheckSpace
	x := &builder{opt: o, plan: plan}
	if err := x.Begin(Schema{IDs: ids, Vertices: -1}); err != nil {
		b.Fatal(err)
	}
	return x, w
}

func perEdge(b *testing.B, edges int) {
	b.ReportMetric(float64(edges)*float64(b.N)/1e6/b.Elapsed().Seconds(), "Medges/s")
}

// BenchmarkNumbers numbers the ends of edges, counts degrees and puts the edges into buckets:
// dense ids, small ones, those that need a map, and names.
func BenchmarkNumbers(b *testing.B) {
	src, dst := benchBatches(4 << 20)
	large := func(list [][]uint64) (to [][]uint64) {
		for _, batch := range list {
			batch = slices.Clone(batch)
			for i := range batch {
				batch[i] |= 1 << 60
			}
			to = append(to, batch)
		}
		return to
	}
	names := func(list [][]uint64) (to [][][]byte) {
		for _, batch := range list {
			var of [][]byte
			for _, id := range batch {
				of = append(of, strconv.AppendUint([]byte("vertex/"), id, 10))
			}
			to = append(to, of)
		}
		return to
	}
	for _, c := range []struct {
		name string
		kind IDKind
		add  func() func(w Worker, i int) error
	}{
		{"dense", IDDense, func() func(Worker, int) error {
			return func(w Worker, i int) error { return w.AddInts(src[i], dst[i], nil) }
		}},
		{"small", IDInt, func() func(Worker, int) error {
			return func(w Worker, i int) error { return w.AddInts(src[i], dst[i], nil) }
		}},
		{"mapped", IDInt, func() func(Worker, int) error {
			src, dst := large(src), large(dst)
			return func(w Worker, i int) error { return w.AddInts(src[i], dst[i], nil) }
		}},
		{"names", IDString, func() func(Worker, int) error {
			src, dst := names(src), names(dst)
			return func(w Worker, i int) error { return w.AddStrings(src[i], dst[i], nil) }
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			add := c.add()
			b.ResetTimer()
			for range b.N {
				b.StopTimer()
				x, to := benchBuilder(b, c.kind)
				w := x.Worker()
				b.StartTimer()
				for i := range src {
					if err := add(w, i); err != nil {
						b.Fatal(err)
					}
				}
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				x.close()
				_ = to.Abort()
				b.StartTimer()
			}
			perEdge(b, benchEdges)
		})
	}
}

// benchBuckets is a builder that has all edges in buckets.
func benchBuckets(b *testing.B, src, dst [][]uint64) (*builder, *store.Writer) {
	x, to := benchBuilder(b, IDInt)
	w := x.Worker()
	for i := range src {
		if err := w.AddInts(src[i], dst[i], nil); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return x, to
}

// BenchmarkSort takes edges out of buckets into the order of packed in-sides, and nothing else.
func BenchmarkSort(b *testing.B) {
	src, dst := benchBatches(4 << 20)
	x, to := benchBuckets(b, src, dst)
	defer func() { x.close(); _ = to.Abort() }()
	numbers, err := x.number(b.Context(), Schema{IDs: IDInt}, false)
	if err != nil {
		b.Fatal(err)
	}
	defer numbers.free()
	shards, err := x.cutShards(b.Context(), numbers)
	if err != nil {
		b.Fatal(err)
	}
	in, out := x.sides(shards, numbers, to)
	x.keep(numbers, in, out)
	if err := x.route(b.Context(), numbers, in.groups); err != nil {
		b.Fatal(err)
	}
	in.plan, in.memory = x.plan, semaphore.NewWeighted(x.plan.sort)
	s := &sorter{sideBuilder: in, writer: shardWriter{sideStore: &in.sideStore}}
	defer s.free()
	for i := range in.groups {
		g := &in.groups[i]
		if isGiant(g) || !s.direct(g) {
			b.Fatal("a group goes another way")
		}
		for _, part := range g.parts {
			for _, k := range part {
				k.refs.Store(math.MaxInt32) // they serve again
			}
		}
	}
	b.ResetTimer()
	for range b.N {
		for i := range in.groups {
			g := &in.groups[i]
			if err := s.grow(b.Context(), int(g.edges), s.sizes(g)); err != nil {
				b.Fatal(err)
			}
			sources, err := s.byDestination(b.Context(), g)
			if err != nil {
				b.Fatal(err)
			}
			for k := g.from; k < g.to; k++ {
				if _, _, err := s.shardKeys(k, g, sources); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	perEdge(b, benchEdges)
}

// BenchmarkShards numbers the vertices of edges in buckets, sorts the edges into shards of both
// sides, packs and stores them.
func BenchmarkShards(b *testing.B) {
	src, dst := benchBatches(4 << 20)
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		x, to := benchBuckets(b, src, dst)
		b.StartTimer()
		numbers, err := x.number(b.Context(), Schema{IDs: IDInt}, false)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := x.sort(b.Context(), numbers, to); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		numbers.free()
		x.close()
		_ = to.Abort()
		b.StartTimer()
	}
	perEdge(b, benchEdges)
}

// BenchmarkPack packs sorted edges of a shard, and does nothing with the blob.
func BenchmarkPack(b *testing.B) {
	const vertices, edges = shard.DefaultVertices, 1 << 18
	r := rand.New(rand.NewPCG(1, 2))
	keys := make([]uint64, edges)
	for i := range keys {
		keys[i] = skewedID(r, 4<<20)<<32 | skewedID(r, vertices)<<16
	}
	slices.Sort(keys)
	var p packed.Packer
	var blob []byte
	for b.Loop() {
		if err := p.Keys(shard.Header{Dir: shard.In, Vertices: vertices}, keys); err != nil {
			b.Fatal(err)
		}
		blob = slices.Grow(blob[:0], int(p.Size()))[:p.Size()]
		p.Write(blob)
	}
	perEdge(b, edges)
}

// BenchmarkStore appends the blob of a shard, with the degrees of its vertices, to the payload.
func BenchmarkStore(b *testing.B) {
	const vertices, edges = shard.DefaultVertices, 1 << 18
	keys := make([]uint64, edges)
	for i := range keys {
		keys[i] = uint64(i*16)<<32 | uint64(i*40503%vertices)<<16
	}
	var p packed.Packer
	if err := p.Keys(shard.Header{Dir: shard.In, Vertices: vertices}, keys); err != nil {
		b.Fatal(err)
	}
	blob := make([]byte, p.Size())
	p.Write(blob)
	side, err := packed.Decode(blob)
	if err != nil {
		b.Fatal(err)
	}
	const shards = 100
	for range b.N {
		b.StopTimer()
		w, err := store.Create(filepath.Join(b.TempDir(), "graph"), true)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		for i := range shards {
			if err := w.PutShard(i, side); err != nil {
				b.Fatal(err)
			}
		}
		b.StopTimer()
		_ = w.Abort()
		b.StartTimer()
	}
	perEdge(b, shards*edges)
	b.ReportMetric(float64(shards*len(blob))*float64(b.N)/1e6/b.Elapsed().Seconds(), "MB/s")
}
