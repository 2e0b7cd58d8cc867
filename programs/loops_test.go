package programs_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/looptest"
	"github.com/garaph/garaph/programs"
)

func fixed[V, A any](p gas.Program[V, A]) func(*rapid.T) gas.Program[V, A] {
	return func(*rapid.T) gas.Program[V, A] { return p }
}

// TestLoops compares the compiled loops of every program with its methods.
func TestLoops(t *testing.T) {
	hops := rapid.OneOf(rapid.Uint32Range(0, 30), rapid.Just(uint32(math.MaxUint32)))
	unit32, unit64 := rapid.Float32Range(0, 1), rapid.Float64Range(0, 1)
	length32 := rapid.OneOf(rapid.Float32Range(0, 100), rapid.Just(float32(math.Inf(1))))
	length64 := rapid.OneOf(rapid.Float64Range(0, 100), rapid.Just(math.Inf(1)))
	bit := rapid.Uint32Range(0, 1)

	looptest.Check(t, fixed[uint32, uint32](programs.BFS{}), hops)
	looptest.Check(t, fixed[uint32, uint32](programs.WCC{}), rapid.Uint32())
	looptest.Check(t, fixed[float32, float32](programs.SSSP[float32]{}), length32)
	looptest.Check(t, fixed[float64, float64](programs.SSSP[float64]{}), length64)
	looptest.Check(t, func(t *rapid.T) gas.Program[float32, int64] {
		return programs.PageRank[float32]{
			Damping: 0.85, Tolerance: rapid.SampledFrom([]float64{0, 1}).Draw(t, "tolerance"),
			Personalised: rapid.Bool().Draw(t, "personalised"),
		}
	}, unit32)
	looptest.Check(t, fixed[float64, int64](programs.PageRank[float64]{Damping: 0.85, Tolerance: 1e-3}), unit64)
	looptest.Check(t, func(t *rapid.T) gas.Program[float32, int64] {
		return programs.PersonalisedPageRank[float32]{
			Damping: 0.85, Tolerance: rapid.SampledFrom([]float64{0, 1}).Draw(t, "tolerance"),
			Sources: programs.SourcesOf([]uint32{1, 3}),
		}
	}, rapid.Float32Range(-1, 1))
	looptest.Check(t, func(t *rapid.T) gas.Program[programs.Surfers[float32], int64] {
		return programs.BiasedPageRank[float32]{
			Damping: 0.85, Tolerance: rapid.SampledFrom([]float64{0, 1}).Draw(t, "tolerance"),
		}
	}, rapid.Custom(func(t *rapid.T) programs.Surfers[float32] {
		return programs.Surfers[float32]{
			Share: unit32.Draw(t, "share"), Strength: rapid.Float32Range(-3, 3).Draw(t, "strength"),
		}
	}))
	looptest.Check(t, fixed[float32, float32](programs.SSWP[float32]{}), length32)
	looptest.Check(t, func(t *rapid.T) gas.Program[uint32, uint32] {
		return programs.KCore{K: rapid.Uint32Range(0, 5).Draw(t, "k")}
	}, bit)
	small := rapid.Uint32Range(0, 3)
	ballot := rapid.Custom(func(t *rapid.T) programs.Ballot {
		return programs.Ballot{
			Label: small.Draw(t, "label"), Candidate: small.Draw(t, "candidate"), Draw: rapid.Uint32().Draw(t, "draw"),
			Quiet: 11 * small.Draw(t, "quiet"),
		}
	})
	looptest.Check(t, fixed[programs.Ballot, programs.Votes](programs.LPA{Seed: 3}), ballot)
	looptest.Check(t, fixed[float32, float64](programs.Katz[float32]{Alpha: 0.1, Beta: 1, Tolerance: 0.1}), unit32)
	looptest.Check(t, fixed[float64, float64](programs.Katz[float64]{Alpha: 0.1, Beta: 1, Tolerance: 0.1}), unit64)
	looptest.Check(t, fixed[float32, programs.Flow](programs.Heat{Step: 0.1}), unit32)
	looptest.Check(t, fixed[programs.Node, programs.Branch](programs.Circuit{Volts: 5, Tolerance: 0.1}),
		rapid.Custom(func(t *rapid.T) programs.Node {
			return programs.Node{Volts: rapid.Float64Range(0, 5).Draw(t, "volts"), Held: rapid.Bool().Draw(t, "held")}
		}))
	looptest.Check(t, fixed[float32, float64](programs.Neural{Gain: 0.3, Bias: 0.1, Tolerance: 0.1}), unit32)
}

// TestLoopsOfSpecials checks that minima and maxima in the loops are those of Go, also of
// zeros with signs and of what is no number.
func TestLoopsOfSpecials(t *testing.T) {
	negative := math.Copysign(0, -1)
	special32 := rapid.SampledFrom([]float32{0, float32(negative), 1, float32(math.Inf(1)), float32(math.Inf(-1)),
		float32(math.NaN())})
	special64 := rapid.SampledFrom([]float64{0, negative, 1, math.Inf(1), math.Inf(-1), math.NaN()})
	looptest.Check(t, fixed[float32, float32](programs.SSSP[float32]{}), special32)
	looptest.Check(t, fixed[float64, float64](programs.SSSP[float64]{}), special64)
	looptest.Check(t, fixed[float32, float32](programs.SSWP[float32]{}), special32)
}
