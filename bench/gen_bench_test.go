package bench

import (
	"io"
	"testing"
)

// BenchmarkGenerate is the time per edge; the aim is 33 ns for text on two
// cores.
func BenchmarkGenerate(b *testing.B) {
	for _, c := range []struct {
		name string
		o    GenOptions
	}{
		{"rmat/text", GenOptions{Kind: RMAT, Scale: 22, Degree: 2}},
		{"rmat/text-weights", GenOptions{Kind: RMAT, Scale: 22, Degree: 2, Weights: true}},
		{"rmat/raw", GenOptions{Kind: RMAT, Scale: 22, Degree: 2, Format: Raw}},
		{"rmat/raw-permuted", GenOptions{Kind: RMAT, Scale: 22, Degree: 2, Format: Raw, Permute: true}},
		{"uniform/text", GenOptions{Kind: Uniform, Vertices: 1 << 22, Edges: 1 << 23}},
		{"grid/text", GenOptions{Kind: Grid, Rows: 2048, Cols: 2048}},
	} {
		b.Run(c.name, func(b *testing.B) {
			_, edges, err := c.o.Size()
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := Generate(b.Context(), io.Discard, c.o, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(edges)/float64(b.N), "ns/edge")
			b.ReportMetric(0, "ns/op")
		})
	}
}
