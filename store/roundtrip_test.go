package store_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// lists returns what [neighbours] must say of the in side of g.
func lists(g oracle.Graph, weighted bool) string {
	edges := slices.Clone(g.Edges)
	slices.SortFunc(edges, func(a, b oracle.Edge) int {
		return cmp.Or(cmp.Compare(a.Src, b.Src), cmp.Compare(a.Weight, b.Weight))
	})
	var b bytes.Buffer
	for v := range uint32(g.N) {
		nbr, weight := []uint32{}, []float32{}
		for _, e := range edges {
			if e.Dst == v {
				nbr, weight = append(nbr, e.Src), append(weight, e.Weight)
			}
		}
		fmt.Fprint(&b, v, nbr)
		if weighted && len(nbr) > 0 {
			fmt.Fprint(&b, weight)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

func reverse(g oracle.Graph) oracle.Graph {
	r := oracle.Graph{N: g.N}
	for _, e := range g.Edges {
		r.Edges = append(r.Edges, oracle.Edge{Src: e.Dst, Dst: e.Src, Weight: e.Weight})
	}
	return r
}

// TestRoundTrip checks that a graph comes back as it was stored, along both sides.
func TestRoundTrip(t *testing.T) {
	dir, n := memoryDir(t), 0
	rapid.Check(t, func(rt *rapid.T) {
		g := testgraph.Draw(rt)
		o := teststore.Options{
			ShardVertices: rapid.SampledFrom([]int{1, 3, 64, 1000}).Draw(rt, "vertices per shard"),
			Weighted:      rapid.Bool().Draw(rt, "weighted"),
			Symmetric:     rapid.Bool().Draw(rt, "symmetric"),
			Base:          rapid.Int64Range(-5, 5).Draw(rt, "base"),
		}
		if g.N > 20 && o.ShardVertices == 1 {
			o.ShardVertices = 16 // a file synced for each of 300 shards is slow
		}
		n++
		path := filepath.Join(dir, fmt.Sprint(n))
		write(t, path, g, o)
		s, err := store.Open(path)
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		if o.Symmetric {
			g = teststore.Mirrored(g)
		}
		c := s.Catalogue()
		if int(c.Vertices) != g.N || int(c.Edges) != len(g.Edges) || c.Weighted != o.Weighted ||
			c.Symmetric != o.Symmetric || s.Path() != path {
			rt.Fatalf("catalogue %+v", c)
		}
		if got, want := neighbours(t, s, shard.In), lists(g, o.Weighted); got != want {
			rt.Fatalf("in side:\n%swant\n%s", got, want)
		}
		weighted := o.Weighted && o.Symmetric // the weights go with the in side
		if got, want := neighbours(t, s, shard.Out), lists(reverse(g), weighted); got != want {
			rt.Fatalf("out side:\n%swant\n%s", got, want)
		}
		in, out := oracle.Degrees(g)
		for v := range uint32(g.N) {
			i := int(v) / o.ShardVertices
			for side, want := range map[shard.Direction]uint32{shard.In: in[v], shard.Out: out[v]} {
				degrees, err := s.Degrees(side, i)
				if first := c.Shards[i].First; err != nil || degrees[v-first] != want {
					rt.Fatalf("vertex %d, %s side, want degree %d: %v, %v", v, side, want, degrees, err)
				}
			}
		}
	})
}

// TestManyWriters checks that PutShard takes more from many goroutines than may be under
// way at once.
func TestManyWriters(t *testing.T) {
	const shards, vertices = 48, 1 << 16
	path := filepath.Join(memoryDir(t), "g")
	w, err := store.Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	const edges = 1 << 18 // 1 MiB
	cat := &store.Catalogue{Vertices: shards * vertices, Edges: shards * edges, Symmetric: true,
		Shards: make([]store.ShardInfo, shards)}
	var group sync.WaitGroup
	for k := range 8 {
		group.Go(func() {
			blob := aligned(int(rows.Size(vertices, edges, 0)))
			for i := k; i < shards; i += 8 {
				side := rows.Layout(blob, shard.In, uint32(i), uint32(i*vertices), vertices, edges, 0)
				for v := range side.Off {
					side.Off[v] = uint32(min(v*4, edges))
				}
				for e := range side.Nbr {
					side.Nbr[e] = uint32(e % 4)
				}
				cat.Shards[i] = store.ShardInfo{First: uint32(i * vertices), Vertices: vertices, In: edges, InSum: rows.Seal(blob)}
				if err := w.PutShard(i, side); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if err := w.IDs(store.IDBase, 0).Finish(); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(cat); err != nil {
		t.Fatal(err)
	}
	var read int64
	err = open(t, path).Verify(context.Background(), 2, func(n int64) { read += n }, func(err error) { t.Error(err) })
	if err != nil || read != shards*rows.Size(vertices, edges, 0) {
		t.Fatalf("%d bytes, %v", read, err)
	}
}
