package bench

import (
	"testing"
	"unsafe"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/store"
)

// BenchmarkGatherLoops shows on one thread why gatherOnly is as it is.
func BenchmarkGatherLoops(b *testing.B) {
	e, values := loaded(b, rmatGraph(b, 16, 16, 0, store.CSC))
	for _, loop := range []struct {
		name   string
		gather func(values []float32, sources []uint32) float32
	}{{"one-sum", gatherOneSum}, {"eight-sums", gatherOnly[float32]}, {"eight-sums-unchecked", gatherUnchecked}} {
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

func reportEdges(b *testing.B, edges uint64) {
	b.ReportMetric(float64(edges)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Medges/s")
	b.ReportMetric(0, "ns/op")
}
