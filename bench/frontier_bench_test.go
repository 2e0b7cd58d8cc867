package bench

import (
	"cmp"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// BenchmarkSearches measures searches from frontier to frontier on the CPU, with the rows
// in memory: of the undirected graph in the folder GARAPH_GRAPH, from the vertices
// GARAPH_SOURCES, on GARAPH_THREADS goroutines. A search begins with the values of all vertices,
// as those of other codes do, and has its queues before, as a job has. cpu-ms is the processors' time, which other processes change less.
func BenchmarkSearches(b *testing.B) {
	path := os.Getenv("GARAPH_GRAPH")
	if path == "" {
		b.Skip("GARAPH_GRAPH names no graph")
	}
	s, err := store.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if !s.Catalogue().Symmetric {
		b.Fatal("the graph is directed")
	}
	var sources []uint32
	for _, field := range strings.Fields(cmp.Or(os.Getenv("GARAPH_SOURCES"), "0")) {
		v, err := strconv.ParseUint(field, 10, 32)
		if err != nil || uint32(v) >= s.Catalogue().Vertices {
			b.Fatalf("source %q: expected vertices of the graph", field)
		}
		sources = append(sources, uint32(v))
	}
	b.Run("BFS", func(b *testing.B) {
		searches(b, s, sources, bfs)
	})
	b.Run("SSSP", func(b *testing.B) {
		searches(b, s, sources, sssp)
	})
}

// searches does one search from each source b.N times.
func searches[V comparable, A any](b *testing.B, s *store.Store, sources []uint32, program func(source uint32) gas.Program[V, A]) {
	c := s.Catalogue()
	threads, err := strconv.Atoi(cmp.Or(os.Getenv("GARAPH_THREADS"), "2"))
	if err != nil {
		b.Fatal(err)
	}
	loops, _ := cpuengine.LoopsOf(program(0))
	whole := page.WholeRows{Sides: []shard.Direction{shard.In}, Weighted: c.Weighted && loops.Weighs, Threads: threads}
	rows, err := whole.Load(b.Context(), s)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = whole.Free(rows) }()
	a, err := vertices.New[V](c.Vertices, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer a.Free()
	for v := range c.Vertices {
		a.Degree[v] = uint32(rows.Off[v+1] - rows.Off[v])
	}
	var wall, cpu, levels []float64
	for b.Loop() {
		for _, source := range sources {
			p := program(source)
			loops, _ := cpuengine.LoopsOf(p)
			e, err := cpuengine.New(loops, a, threads)
			if err != nil {
				b.Fatal(err)
			}
			f, err := cpuengine.NewAdvancer(e, rows, rows)
			if err != nil {
				b.Fatal(err)
			}
			begin, before := time.Now(), processorTime()
			from, err := initialize(p, a, threads)
			if err != nil {
				b.Fatal(err)
			}
			next := f.Advance
			if loops.Relax != nil {
				next = f.AdvanceOrdered
			}
			rounds := 0
			for from.Activated > 0 { // buckets that are crowded are filled again
				done, err := next(b.Context(), gas.Step{}, from, math.MaxInt, begin.Add(time.Hour))
				if err != nil {
					b.Fatal(err)
				}
				from = cpuengine.Stats{Activated: done.Activated, Degrees: done.Degrees}
				rounds += done.Levels
			}
			wall, cpu, levels = append(wall, 1e3*time.Since(begin).Seconds()), append(cpu, 1e3*(processorTime()-before).Seconds()), append(levels, float64(rounds))
			f.Free()
		}
	}
	b.ReportMetric(slices.Min(wall), "least-ms")
	b.ReportMetric(median(wall), "ms")
	b.ReportMetric(slices.Min(cpu), "least-cpu-ms")
	b.ReportMetric(median(cpu), "cpu-ms")
	b.ReportMetric(median(levels), "levels")
}

// initialize sets the values before the first iteration, and the active vertices.
func initialize[V comparable, A any](p gas.Program[V, A], a *vertices.Arrays[V], threads int) (s cpuengine.Stats, err error) {
	clear(a.Active)
	const some = 1 << 16 // whole words of bits
	err = parallel(threads, int((a.N+some-1)/some), func(i int) error {
		for v := uint32(i) * some; v < min(a.N, uint32(i+1)*some); v++ {
			value, active := p.Init(gas.Vertex{ID: v, N: a.N})
			if a.Cur[v] = value; active {
				a.Active.Add(v)
			}
		}
		return nil
	})
	for v, ok := a.Active.Next(0, a.N); ok; v, ok = a.Active.Next(v+1, a.N) {
		s.Activated++
		s.Degrees += uint64(a.Degree[v])
	}
	return s, err
}

// processorTime returns the processor time that this process has used.
func processorTime() time.Duration {
	var r unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &r) // does not fail
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
