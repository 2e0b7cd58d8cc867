package bench

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
)

// BenchmarkPacked compares ways through all packed edges of RMAT 18, on one thread: folding, checking
// and unpacking one shard after the other, and folding and gathering several together. It reports
// the thread CPU time of an edge.
func BenchmarkPacked(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	g := rmatGraph(b, 18, 16, 0)
	e, values := loaded(b, g)
	var sides []*packed.Side
	size := int64(0)
	for _, t := range e.packed {
		for _, s := range t.sides {
			sides = append(sides, s)
			size = max(size, rows.Size(s.Vertices, s.Edges, 0))
		}
	}
	loops, _ := cpuengine.LoopsOf(rank)
	const stride = shard.DefaultVertices + 1
	acc, plain := make([]int64, 16*stride+1<<16), make([]byte, size)
	fold := func(together int) func() {
		var blocks packed.Blocks
		return func() {
			for some := range slices.Chunk(sides, together) {
				clear(acc[:together*stride])
				for run := range packed.Windows(some) {
					blocks.Reset(some[run.Side], run.From, run.To)
					loops.Fold((*[1 << 16]int64)(acc[run.Side*stride:]), &blocks, values)
				}
			}
		}
	}
	for _, way := range []struct {
		name string
		over func()
	}{
		{"fold", fold(1)}, {"fold 4 together", fold(4)}, {"fold 16 together", fold(16)},
		{"gather 4 together", func() {
			for _, t := range e.packed {
				gatherPacked(values, t)
			}
		}},
		{"check", func() {
			for _, s := range sides {
				if err := s.CheckValues(g.Catalogue().Vertices); err != nil {
					b.Fatal(err)
				}
			}
		}},
		{"unpack", func() {
			for _, s := range sides {
				rows.Unpack(s, plain[:rows.Size(s.Vertices, s.Edges, 0)], 0)
			}
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			from := threadTime()
			for b.Loop() {
				way.over()
			}
			b.ReportMetric(float64(threadTime()-from)/float64(b.N)/float64(e.count), "ns/edge")
		})
	}
}

func threadTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // does not fail
	return time.Duration(t.Nano())
}

// loaded returns the edges of a graph in memory, and values of all vertices.
func loaded(b *testing.B, g *garaph.Graph) (*edges, []float32) {
	b.Helper()
	e, err := loadEdges(b.Context(), g, 1, 1<<30)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(e.free)
	values, err := hostmem.Slice[float32](int(g.Catalogue().Vertices))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { hostmem.Free(values) })
	for i := range values {
		values[i] = 1
	}
	return e, values
}
