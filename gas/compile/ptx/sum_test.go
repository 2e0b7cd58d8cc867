package ptx_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/garaph/garaph/gas/compile/ptx"
	"github.com/garaph/garaph/gas/compile/source"
	"github.com/garaph/garaph/gas/compiled"
)

// sums are bodies of Sum(a, b A) A, and what memory can do of them.
var sums = []struct {
	kind, body string
	want       compiled.SumOp
}{
	{"float32", "return a + b", compiled.SumAdd},
	{"float64", "return b + a", compiled.SumAdd},
	{"int64", "return a + b", compiled.SumAdd},
	{"uint32", "return min(b, a)", compiled.SumMin},
	{"float32", "return max(a, b)", compiled.SumMax},
	{"uint64", "return a | b", compiled.SumOr},
	{"int32", "return a & b", compiled.SumAnd},
	{"bool", "return a || b", compiled.SumOr},
	{"bool", "return b && a", compiled.SumAnd},
	{"uint32", "return least(a, b)", compiled.SumMin},

	{"int32", "if a < b { return a }; return b", compiled.SumOther},
	{"float64", "return math.Min(a, b)", compiled.SumOther}, // NaN and infinity
	{"float32", "return a + b + 1", compiled.SumOther},
	{"float32", "return a + a", compiled.SumOther},
	{"float32", "return a * b", compiled.SumOther},
	{"float32", "return a - b", compiled.SumOther},
	{"uint32", "return a ^ b", compiled.SumOther},
	{"int8", "return a + b", compiled.SumOther},
	{"bool", "return a != b", compiled.SumOther},
	{"bool", "return a || !b", compiled.SumOther},
	{"int32", "return min(a, b, 7)", compiled.SumOther},
	{"[1]int32", "return [1]int32{a[0] + b[0]}", compiled.SumOther},
}

// TestSumOp checks which sums are recognised.
func TestSumOp(t *testing.T) {
	files := map[string]string{}
	for i, s := range sums {
		files[fmt.Sprintf("c%02d/p.go", i)] = fmt.Sprintf(`package p

import (
	"math"

	"github.com/garaph/garaph/gas"
)

var _ = math.Pi

type A = %s

func least(a, b uint32) uint32 { return min(a, b) }

type P struct{}

func (P) Init(gas.Vertex) (float32, bool)                     { return 0, true }
func (P) Zero() (a A)                                         { return a }
func (P) Gather(float32, gas.Edge, float32) (a A)             { return a }
func (P) Sum(a, b A) A                                        { %s }
func (P) Apply(_ gas.Vertex, v float32, _ A, _ gas.Step) float32 { return v }
func (P) Activate(gas.Vertex, float32, float32) bool          { return true }
`, s.kind, s.body)
	}
	list, err := source.Load(module(t, files), []string{"./..."}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range list {
		f, err := ptx.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		if f.SumOp != sums[i].want {
			t.Errorf("%s: %s is %s, not %s", sums[i].kind, sums[i].body, f.SumOp, sums[i].want)
		}
	}
}

// TestReads checks that fragments list what they read and nothing else.
func TestReads(t *testing.T) {
	list, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		f, err := ptx.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		type reads struct{ dst, edge, src bool }
		got := reads{inputOf(f.Gather, "dst"), inputOf(f.Gather, "edge"), inputOf(f.Gather, "src")}
		want := map[string]reads{
			"BFS": {false, false, true}, "WCC": {false, false, true},
			"SSSP[float32]": {false, true, true}, "PageRank[float64]": {false, false, true},
			"Struct": {true, false, true}, "Faulty": {true, false, true},
		}
		if w, ok := want[p.Name]; ok && got != w {
			t.Errorf("%s reads %+v, not %+v", p.Name, got, w)
		}
		if p.Name == "Struct" {
			var names []string
			for _, l := range append(f.Value.Leaves, f.Parameters.Leaves...) {
				names = append(names, fmt.Sprintf("%s %s %d", l.Name, l.Kind, l.Offset))
			}
			const want = "[Pos[0] float32 0 Pos[1] float32 4 Pos[2] float32 8 Mark bool 12 Small int8 13 Count uint16 14 " +
				"Weights[0] float32 0 Weights[1] float32 4 Weights[2] float32 8 Weights[3] float32 12 Limit int64 32]"
			if got := fmt.Sprint(names); got != want {
				t.Errorf("got %s\nwant %s", got, want)
			}
		}
	}
}

// inputOf reports whether a fragment reads any part of a parameter.
func inputOf(f compiled.Fragment, parameter string) bool {
	return slices.ContainsFunc(f.Inputs, func(name string) bool { return strings.HasPrefix(name, parameter+".") })
}
