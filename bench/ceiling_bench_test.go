package bench

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/programs"
)

// BenchmarkGatherOnly and BenchmarkPageRankIteration are the ceiling and the
// engine on one graph.
func BenchmarkGatherOnly(b *testing.B) {
	g := rmatGraph(b, 16, 16, 0)
	e, values := loaded(b, g)
	threads := runtime.GOMAXPROCS(0)
	sums := make([]float32, len(e.tasks))
	for b.Loop() {
		_ = parallel(threads, len(e.tasks), func(i int) error { // no task fails
			sums[i] = gatherOnly(values, e.tasks[i])
			return nil
		})
	}
	reportEdges(b, e.count)
}

func BenchmarkPageRankIteration(b *testing.B) {
	g := rmatGraph(b, 16, 16, 0)
	var edges uint64
	var seconds float64
	for b.Loop() {
		r, err := garaph.Run(b.Context(), g, programs.PageRank[float32]{Damping: 0.85}, garaph.RunOptions{Iterations: 20})
		if err != nil {
			b.Fatal(err)
		}
		for _, it := range r.Report.Iterations[1:] { // the first brings the pages
			edges += it.Edges
			seconds += it.Seconds
		}
		r.Close()
	}
	b.ReportMetric(float64(edges)/seconds/1e6, "Medges/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkGatherLoops shows on one thread why gatherOnly is as it is.
func BenchmarkGatherLoops(b *testing.B) {
	e, values := loaded(b, rmatGraph(b, 16, 16, 0))
	for _, loop := range []struct {
		name   string
		gather func(values []float32, sources []uint32) float32
	}{{"one-sum", gatherOneSum}, {"four-sums", gatherFourSums}, {"eight-sums", gatherOnly[float32]}, {"eight-sums-unchecked", gatherUnchecked}} {
		b.Run(loop.name, func(b *testing.B) {
			for b.Loop() {
				for _, sources := range e.tasks {
					loop.gather(values, sources)
				}
			}
			reportEdges(b, e.count)
		})
	}
}

func gatherOneSum(values []float32, sources []uint32) (sum float32) {
	for _, s := range sources {
		sum += values[s]
	}
	return sum
}

func gatherFourSums(values []float32, sources []uint32) float32 {
	var a, b, c, d float32
	for len(sources) >= 4 {
		s := sources[:4:4]
		a += values[s[0]]
		b += values[s[1]]
		c += values[s[2]]
		d += values[s[3]]
		sources = sources[4:]
	}
	return a + b + c + d + gatherOneSum(values, sources)
}

func gatherUnchecked(values []float32, sources []uint32) float32 {
	var a, b, c, d, e, f, g, h float32
	at := func(s uint32) float32 { return *(*float32)(unsafe.Add(unsafe.Pointer(&values[0]), 4*uintptr(s))) }
	for len(sources) >= 8 {
		s := sources[:8:8]
		a += at(s[0])
		b += at(s[1])
		c += at(s[2])
		d += at(s[3])
		e += at(s[4])
		f += at(s[5])
		g += at(s[6])
		h += at(s[7])
		sources = sources[8:]
	}
	return a + b + c + d + e + f + g + h + gatherOneSum(values, sources)
}

func loaded(b *testing.B, g *garaph.Graph) (*edges, []float32) {
	b.Helper()
	e, err := loadEdges(b.Context(), g.Store(), 1, 1<<30)
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

func reportEdges(b *testing.B, edges uint64) {
	b.ReportMetric(float64(edges)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Medges/s")
	b.ReportMetric(0, "ns/op")
}
