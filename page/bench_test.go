package page

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// BenchmarkStream reads the pages of a job that has a quarter of what it reads as
// memory, and does nothing with them. of-disk is its speed over that of the disk
// alone, measured before each round. The graph is the one at GARAPH_GRAPH, or else
// a small one, which begins and ends sooner than a disk is at its fastest.
func BenchmarkStream(b *testing.B) {
	const vertices, edges, shardVertices = 1 << 12, 1 << 24, 1 << 6
	x := benchGraph(b, vertices, edges, shardVertices)
	s := x.store
	o := Options{Gather: in, Notify: in}
	o.Budget = max(need(b, x, o), x.total(o)/4)
	c := newCache(b, x, o)
	var requests []Request
	for _, rq := range whole(c) {
		if !c.Stays(rq.Page) {
			requests = append(requests, rq)
		}
	}
	alone := 0.0
	for b.Loop() {
		b.StopTimer()
		speed, err := s.SequentialRead(1<<30, 16)
		if err != nil {
			b.Skip(err)
		}
		alone += speed / float64(1<<20)
		b.StartTimer()
		for p, err := range c.Stream(context.Background(), requests) {
			if err != nil {
				b.Fatal(err)
			}
			p.Release()
		}
	}
	speed := float64(c.BytesRead()) / (1 << 20) / b.Elapsed().Seconds()
	b.ReportMetric(speed, "MiB/s")
	b.ReportMetric(speed/(alone/float64(b.N)), "of-disk")
}

// benchGraph is the graph at GARAPH_GRAPH, or else one of the given size.
func benchGraph(b *testing.B, vertices uint32, edges, shardVertices int) *stored {
	path := os.Getenv("GARAPH_GRAPH")
	if path == "" {
		path = filepath.Join(b.TempDir(), "g")
		g := oracle.Graph{N: int(vertices), Edges: make([]oracle.Edge, edges)}
		for i := range g.Edges {
			g.Edges[i] = oracle.Edge{Src: uint32(i*7919) % vertices, Dst: uint32(i) % vertices}
		}
		if err := teststore.Write(path, g, teststore.Options{ShardVertices: shardVertices}); err != nil {
			b.Fatal(err)
		}
	}
	s, err := store.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return &stored{name: path, store: s}
}
