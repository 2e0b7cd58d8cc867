//go:build garaph_generated

package odd

import (
	"testing"

	"pgregory.net/rapid"

	model "github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/internal/looptest"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
)

func fixed[V, A any](p model.Program[V, A]) func(*rapid.T) model.Program[V, A] {
	return func(*rapid.T) model.Program[V, A] { return p }
}

// TestLoops compares the loops with the methods. Package loops runs it, with the
// generated files in an overlay.
func TestLoops(t *testing.T) {
	floats := rapid.Float32Range(-20, 20)
	looptest.Check(t, func(t *rapid.T) model.Program[float32, float64] {
		return Heavy{rapid.Float32Range(-3, 3).Draw(t, "bias"), rapid.Int32Range(-1, 6).Draw(t, "steps")}
	}, floats)
	looptest.Check(t, fixed[float32, float64](Wide{Factors: [8]float64{5, 1, 0.5, 4}, Scale: 2, Bias: 1, Limit: 1,
		Steps: 5, Name: "wide"}), floats)
	looptest.Check(t, fixed[float64, float64](Sized[[0]float64]{Scale: 2, Bias: 1}), rapid.Float64())
	looptest.Check(t, fixed[float64, float64](Sized[[11]float64]{Scale: 2, Bias: 1}), rapid.Float64())
	looptest.Check(t, fixed[uint64, uint64](Namesake{9}), rapid.Uint64Range(0, 1<<40))
	looptest.Check(t, fixed[value, list](&Hidden{7}),
		rapid.Custom(func(t *rapid.T) value { return value(rapid.Uint32().Draw(t, "value")) }))
	looptest.Check(t, fixed[uint32, uint32](Literal{}), rapid.Uint32())
	looptest.Check(t, fixed[float32, int64](Embeds{programs.PageRank[float32]{Damping: 0.5}}), rapid.Float32Range(0, 1))
	looptest.Check(t, fixed[uint32, uint32](Tagged{programs.KCore{K: 2}}), rapid.Uint32Range(0, 1))
	looptest.Check(t, fixed[uint32, float32](Pair[uint32, float32]{2.5}), rapid.Uint32Range(0, 1000))
	looptest.Check(t, fixed[uint32, float64](Pair[uint32, float64]{2.5}), rapid.Uint32Range(0, 1000))
	looptest.Check(t, fixed[uint32, float32](Pair[uint64, float32]{2.5}), rapid.Uint32Range(0, 1000))
	looptest.Check(t, fixed[uint32, float64](Pair[uint64, float64]{2.5}), rapid.Uint32Range(0, 1000))
}

// BenchmarkFold reports what an edge takes programs of 16 and of 104 bytes that do the same.
func BenchmarkFold(b *testing.B) {
	small, large := Sized[[0]float64]{Scale: 2, Bias: 1}, Sized[[11]float64]{Scale: 2, Bias: 1}
	const vertices, edges = 1 << 14, 1 << 20
	var e packed.Edges
	for i := range edges {
		e.Nbr, e.Dst = append(e.Nbr, uint32(i*vertices/edges)), append(e.Dst, uint16(i%64<<8|i>>6&255))
	}
	var p packed.Packer
	if err := p.Sorted(shard.Header{Vertices: vertices}, e.Nbr, e.Dst, shard.Plane{}); err != nil {
		b.Fatal(err)
	}
	blob := make([]byte, p.Size())
	p.Write(blob)
	side, err := packed.Decode(blob)
	if err != nil {
		b.Fatal(err)
	}
	cur, acc := make([]float64, vertices), new([1 << 16]float64)
	for name, loops := range map[string]compiled.Loops[float64, float64]{"16 bytes": small.Loops(),
		"104 bytes": large.Loops()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				loops.Fold(acc, side.Range(0, side.Blocks), cur)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/edges, "ns/edge")
		})
	}
}
