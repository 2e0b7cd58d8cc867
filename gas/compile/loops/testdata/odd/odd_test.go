//go:build garaph_generated

package odd

import (
	"testing"

	"pgregory.net/rapid"

	model "github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/looptest"
	"github.com/garaph/garaph/programs"
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
	looptest.Check(t, fixed[uint64, uint64](Namesake{9}), rapid.Uint64Range(0, 1<<40))
	looptest.Check(t, fixed[value, list](&Hidden{7}), rapid.Custom(func(t *rapid.T) value { return value(rapid.Uint32().Draw(t, "value")) }))
	looptest.Check(t, fixed[uint32, uint32](Literal{}), rapid.Uint32())
	looptest.Check(t, fixed[float32, int64](Embeds{programs.PageRank[float32]{Damping: 0.5}}), rapid.Float32Range(0, 1))
	looptest.Check(t, fixed[uint32, uint32](Tagged{programs.KCore{K: 2}}), rapid.Uint32Range(0, 1))
	looptest.Check(t, fixed[uint32, float32](Pair[uint32, float32]{2.5}), rapid.Uint32Range(0, 1000))
	looptest.Check(t, fixed[uint32, float64](Pair[uint32, float64]{2.5}), rapid.Uint32Range(0, 1000))
	looptest.Check(t, fixed[uint32, float32](Pair[uint64, float32]{2.5}), rapid.Uint32Range(0, 1000))
	looptest.Check(t, fixed[uint32, float64](Pair[uint64, float64]{2.5}), rapid.Uint32Range(0, 1000))
}
