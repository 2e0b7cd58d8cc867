package programs_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
)

// valuesNear runs a program and compares its values with want.
func valuesNear[V, A any](
	t rapid.TB, g oracle.Graph, p gas.Program[V, A], groups, most int, of func(V) float64, want []float64,
	tolerance float64,
) {
	t.Helper()
	x := newInterpreter(g, p)
	x.groups = groups
	n := x.run(most)
	for v, value := range x.values {
		if got := of(value); got != want[v] && !(math.Abs(got-want[v]) <= tolerance*max(1, math.Abs(want[v]))) {
			t.Fatalf("%T %+v, %d groups, %d iterations, vertex %d: got %v, want %v", p, p, groups, n, v, got, want[v])
		}
	}
}

func number[F float32 | float64](x F) float64 { return float64(x) }

// largestIn bounds the largest eigenvalue.
func largestIn(g oracle.Graph) uint32 {
	in, _ := oracle.Degrees(g)
	most := uint32(1)
	for _, d := range in {
		most = max(most, d)
	}
	return most
}

func TestKatz(t *testing.T) {
	everyGraph(t, func(t rapid.TB, g oracle.Graph, _ uint32) {
		alpha := 0.7 / float64(largestIn(g))
		for k := range 4 { // walks of at most k edges after k iterations
			valuesNear[float64, float64](t, g, programs.Katz[float64]{Alpha: alpha, Beta: 2}, 1, max(k, 1), number,
				oracle.Katz(g, alpha, 2, max(k, 1)), 1e-12)
		}
		want := oracle.Katz(g, alpha, 2, 200)
		for _, groups := range []int{1, 4} {
			valuesNear[float64, float64](t, g, programs.Katz[float64]{Alpha: alpha, Beta: 2, Tolerance: 1e-12}, groups, 500,
				number, want, 1e-9)
			valuesNear[float32, float64](t, g, programs.Katz[float32]{Alpha: alpha, Beta: 2, Tolerance: 1e-6}, groups, 500,
				number, want, 1e-4)
		}
	})
}

func TestHeat(t *testing.T) {
	everyGraph(t, func(t rapid.TB, g oracle.Graph, source uint32) {
		for _, step := range []float64{0, 0.01, 1, 100} {
			p := programs.Heat{Source: source, Step: step}
			for _, n := range []int{1, 2, 20} {
				valuesNear[float32, programs.Flow](t, g, p, 1, n, number, oracle.Heat(g, source, step, n), 1e-5)
			}
			x := newInterpreter[float32, programs.Flow](g, p)
			x.groups = 4
			x.run(50)
			for v, q := range x.values {
				if !(q >= 0 && q <= 1+1e-5) {
					t.Fatalf("vertex %d is at %v", v, q)
				}
			}
		}
	})
}

// TestCircuit compares voltages with those of a direct solver. Networks are
// drawn small, as iterations go with the square of their length.
func TestCircuit(t *testing.T) {
	volts := func(n programs.Node) float64 { return float64(n.Volts) }
	everyGraph(t, func(t rapid.TB, g oracle.Graph, source uint32) {
		if g.N < 2 || g.N > 64 {
			return
		}
		g = teststore.Mirrored(g)
		ground := (source + 1) % uint32(g.N)
		want := oracle.Circuit(g, source, ground, 12, 1e-10)
		for _, groups := range []int{1, 4} {
			p := programs.Circuit{Source: source, Ground: ground, Volts: 12}
			valuesNear[programs.Node, programs.Branch](t, g, p, groups, 100_000, volts, want, 1e-3)
		}
	})
}

// TestCircuitLadder checks that four equal resistors in a row divide the voltage equally.
func TestCircuitLadder(t *testing.T) {
	row := oracle.Graph{N: 5}
	for v := range uint32(4) {
		row.Edges = append(row.Edges, oracle.Edge{Src: v, Dst: v + 1, Weight: 0.5})
	}
	p := programs.Circuit{Ground: 4, Volts: 8, Tolerance: 1e-8}
	valuesNear[programs.Node, programs.Branch](t, teststore.Mirrored(row), p, 1, 0,
		func(n programs.Node) float64 { return float64(n.Volts) }, []float64{8, 6, 4, 2, 0}, 1e-5)
}

func TestNeural(t *testing.T) {
	everyGraph(t, func(t rapid.TB, g oracle.Graph, _ uint32) {
		for _, c := range []struct{ gain, bias float64 }{{0, 0.3}, {0.01, 0.1}, {0.3, 0.05}, {5, 1}} {
			want := oracle.Neural(g, c.gain, c.bias, 1e-12)
			for _, groups := range []int{1, 4} {
				valuesNear[float32, float64](t, g, programs.Neural{Gain: c.gain, Bias: c.bias}, groups, 3000, number, want, 1e-3)
			}
		}
	})
}
