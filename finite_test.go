package garaph_test

import (
	"errors"
	"math"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
)

// odd is a program whose values are first, and then another number.
type odd[F float32 | float64] struct{ first, then F }

func (p odd[F]) Init(gas.Vertex) (F, bool)                      { return p.first, true }
func (odd[F]) Zero() F                                          { return 0 }
func (odd[F]) Gather(F, gas.Edge, F) F                          { return 0 }
func (odd[F]) Sum(a, b F) F                                     { return a + b }
func (p odd[F]) Apply(v gas.Vertex, old, _ F, _ gas.Step) (x F) { return p.then }
func (odd[F]) Activate(gas.Vertex, F, F) bool                   { return false }

// known has no result where the value is not finite.
type known struct{ odd[float64] }

func (known) Null(_ gas.Vertex, x float64) bool { return x-x != 0 }

// whole has results that are finite.
type whole struct{ odd[float64] }

func (whole) Result(gas.Vertex, float64) int64 { return 7 }

// inverse has results that may not be finite.
type inverse struct{ odd[float64] }

func (inverse) Result(_ gas.Vertex, x float64) float32 { return float32(1 / x) }

// TestFinite checks that results that are NaN, or infinite without having been so at the beginning,
// are an error.
func TestFinite(t *testing.T) {
	g, err := garaph.FromSlice(t.Context(), [][2]int64{{0, 1}, {1, 2}, {2, 0}}, nil, garaph.GraphOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	inf, nan := math.Inf(1), math.NaN()
	for _, mode := range []garaph.RunOptions{{Method: "pull"}, {Method: "notify-pull", Mode: "async"}} {
		run := func(p gas.Program[float64, float64]) error {
			r, err := garaph.Run(t.Context(), g, p, mode)
			if err == nil {
				err = r.Close()
			}
			return err
		}
		single, err := garaph.Run(t.Context(), g, gas.Program[float32, float32](odd[float32]{1, float32(nan)}), mode)
		if err == nil {
			t.Errorf("%+v: NaN of 32 bits: %v", mode, single.Close())
		}
		for p, right := range map[gas.Program[float64, float64]]bool{
			odd[float64]{1, 2}: true, odd[float64]{inf, inf}: true, odd[float64]{-inf, 0}: true,
			known{odd[float64]{1, inf}}: true, whole{odd[float64]{1, inf}}: true,
			odd[float64]{1, nan}: false, odd[float64]{inf, nan}: false,
			odd[float64]{1, inf}: false, odd[float64]{inf, -inf}: false,
			inverse{odd[float64]{1, 2}}: true, inverse{odd[float64]{1, 0}}: false, inverse{odd[float64]{1, 1e-40}}: false,
		} {
			err := run(p)
			var overflow *garaph.OverflowError
			if right && err != nil || !right && (!errors.As(err, &overflow) || overflow.Values != 3 || overflow.First != "0") {
				t.Errorf("%T %+v, %+v: %v", p, p, mode, err)
			}
		}
	}
}
