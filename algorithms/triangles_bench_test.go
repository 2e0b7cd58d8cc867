package algorithms_test

import (
	"cmp"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/store"
)

// rmat imports a graph of 2^scale vertices and 16 edges for each.
func rmat(b *testing.B, scale int) *store.Store {
	b.Helper()
	ids := rand.New(rand.NewPCG(1, 1)).Perm(1 << scale)
	var edges []byte
	for _, e := range testgraph.Skewed(scale, 16<<scale, 1).Edges {
		edges = binary.LittleEndian.AppendUint32(edges, uint32(ids[e.Src]))
		edges = binary.LittleEndian.AppendUint32(edges, uint32(ids[e.Dst]))
	}
	file, graph := filepath.Join(b.TempDir(), "rmat.raw"), filepath.Join(b.TempDir(), "rmat.graph")
	if err := os.WriteFile(file, edges, 0o666); err != nil {
		b.Fatal(err)
	}
	if _, err := ingest.Import(b.Context(), []string{file}, graph, ingest.Options{Format: "raw"}); err != nil {
		b.Fatal(err)
	}
	s, err := store.Open(graph)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

// mergeSerially counts by merging the rows of an undirected simple graph, of which
// each vertex has the neighbours of larger id.
func mergeSerially(rows [][]uint32) []int64 {
	counts := make([]int64, len(rows))
	for v, a := range rows {
		for k, u := range a {
			x, y := a[k+1:], rows[u]
			for i, j := 0, 0; i < len(x) && j < len(y); {
				switch {
				case x[i] < y[j]:
					i++
				case x[i] > y[j]:
					j++
				default:
					counts[v]++
					counts[u]++
					counts[x[i]]++
					i, j = i+1, j+1
				}
			}
		}
	}
	return counts
}

// measure runs f as a benchmark, and reports edges per second of time, and of the
// processors' time, which does not depend on what else they do.
func measure(b *testing.B, name string, edges uint64, f func(b *testing.B)) {
	b.Run(name, func(b *testing.B) {
		before := processorTime(b)
		for b.Loop() {
			f(b)
		}
		all := float64(edges) * float64(b.N)
		b.ReportMetric(all/b.Elapsed().Seconds(), "edges/s")
		b.ReportMetric(all/(processorTime(b)-before).Seconds(), "edges/cpu-s")
	})
}

func processorTime(b *testing.B) time.Duration {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// upward returns the rows for mergeSerially.
func upward(b *testing.B, s *store.Store) [][]uint32 {
	b.Helper()
	list := make([][]uint32, s.Catalogue().Vertices)
	for i := range s.Catalogue().Shards {
		x, err := s.ReadShard(shard.In, i, make([]byte, s.Catalogue().Bytes(shard.In, i)))
		if err != nil {
			b.Fatal(err)
		}
		side := x.(*packed.Side) // of the layout that is made
		for e := range side.All() {
			for i, u := range e.Nbr {
				if v := side.First + uint32(e.Dst[i]); u != v {
					list[min(u, v)] = append(list[min(u, v)], max(u, v))
				}
			}
		}
	}
	for v := range list {
		slices.Sort(list[v])
		list[v] = slices.Compact(list[v])
	}
	return list
}

// BenchmarkTriangles compares the algorithm, from shards to counts, with a plain
// serial merge of rows that are there. GARAPH_SCALE is that of the RMAT graph.
func BenchmarkTriangles(b *testing.B) {
	scale, err := strconv.Atoi(cmp.Or(os.Getenv("GARAPH_SCALE"), "14"))
	if err != nil {
		b.Fatal(err)
	}
	s := rmat(b, scale)
	rows := upward(b, s)
	want := mergeSerially(rows)
	measure(b, "serial merge", s.Catalogue().Edges, func(*testing.B) { mergeSerially(rows) })
	for _, threads := range []int{1, 2} {
		measure(b, strconv.Itoa(threads)+" threads", s.Catalogue().Edges, func(b *testing.B) {
			if got, _ := run(b, s, algorithms.Triangles{}, algorithms.Options{Threads: threads}); !slices.Equal(got, want) {
				b.Fatal("other triangles")
			}
		})
	}
}
