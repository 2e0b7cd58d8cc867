package results

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// numbers is a table of one column of floats, or of integers.
type numbers struct {
	Table
	floats   []float64
	integers []int64
	null     []bool
}

func (n *numbers) Rows() int64 { return int64(max(len(n.floats), len(n.integers))) }
func (n *numbers) Columns() []Column {
	if n.integers != nil {
		return []Column{{Kind: Int64, Nullable: true}}
	}
	return []Column{{Kind: Float64, Nullable: true}}
}

func (n *numbers) Numbers(_ int, from, to int64, yield func(*Values) error) error {
	v := &Values{Null: n.null[from:to]}
	if n.integers != nil {
		v.I64 = n.integers[from:to]
	} else {
		v.F64 = n.floats[from:to]
	}
	return yield(v)
}

// TestSummary compares summaries of any numbers, by any number of threads, with the sorted numbers: counts, what each
// bin has, and in which bin quantiles lie.
func TestSummary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := new(numbers)
		any := rapid.SampledFrom([]*rapid.Generator[float64]{
			rapid.Map(rapid.Float64Range(-300, 300), math.Sinh), rapid.Float64Range(0, 1), rapid.Float64Range(-3, 1e9),
			rapid.Map(rapid.Float64Range(-40, 40), math.Exp),
			rapid.SampledFrom([]float64{0, math.Inf(1), math.NaN(), most, -most, 5e-324}),
		}).Draw(t, "kind")
		table.floats = rapid.SliceOfN(any, 0, 300).Draw(t, "floats")
		for i, x := range table.floats {
			if -1e-20 < x && x < 0 { // which may be 0 in widths of bins
				table.floats[i] = 0
			}
		}
		if rapid.Bool().Draw(t, "integers") {
			kind := rapid.SampledFrom([]*rapid.Generator[int64]{rapid.Int64Range(0, 9), rapid.Int64Range(-300, 300),
				rapid.Int64Range(0, 1<<40)}).Draw(t, "range")
			table.integers = rapid.SliceOfN(kind, 1, 300).Draw(t, "ints")
			table.floats = nil
		}
		table.null = rapid.SliceOfN(rapid.Bool(), int(table.Rows()), int(table.Rows())).Draw(t, "null")
		checkSummary(t, table)
	})
}

func checkSummary(t *rapid.T, table *numbers) {
	var finite []float64
	var null, infinite, zeros int64
	for i := range table.null {
		var x float64
		if table.integers != nil {
			x = float64(table.integers[i])
		} else {
			x = table.floats[i]
		}
		switch {
		case table.null[i]:
			null++
		case math.IsInf(x, 0) || math.IsNaN(x):
			infinite++
		default:
			finite = append(finite, x)
			if x == 0 {
				zeros++
			}
		}
	}
	slices.Sort(finite)
	s, err := Summarize(table, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if s.Count != int64(len(finite)) || s.Null != null || s.Infinite != infinite || s.Zeros != zeros {
		t.Fatalf("counted %d, %d null, %d infinite, %d zeros; want %d, %d, %d, %d",
			s.Count, s.Null, s.Infinite, s.Zeros, len(finite), null, infinite, zeros)
	}
	if len(finite) == 0 {
		if bins := s.Bins(); bins != nil {
			t.Fatalf("bins of nothing: %v", bins)
		}
		return
	}
	if fraction := slices.ContainsFunc(finite, func(x float64) bool { return x != math.Trunc(x) }); s.Whole == fraction {
		t.Fatalf("%v are integers: %v", finite, s.Whole)
	}
	if s.Min != finite[0] || s.Max != finite[len(finite)-1] {
		t.Fatalf("from %v to %v, want %v to %v", s.Min, s.Max, finite[0], finite[len(finite)-1])
	}
	bins := s.Bins()
	if s.HeavyTailed() {
		finite = finite[zeros:]
		if finite[0] < 0 {
			t.Fatal("a heavy tail of negative numbers")
		}
	}
	if len(bins) > places {
		t.Fatalf("%d bins", len(bins))
	}
	for i, b := range bins {
		want := int64(0)
		for _, x := range finite {
			if b.From <= x && x < b.To {
				want++
			}
		}
		if b.Count != want || i > 0 && b.From != bins[i-1].To {
			t.Fatalf("bin %d of %v is %+v, want %d numbers", i, finite, b, want)
		}
	}
	for _, q := range []float64{0.01, 0.5, 0.99, 1} {
		want := finite[max(0, int(math.Ceil(q*float64(s.Count)))-1-int(s.Count)+len(finite))]
		got, exact := s.Quantile(q)
		if int(math.Ceil(q*float64(s.Count))) <= int(s.Count)-len(finite) {
			want = 0
		}
		same := func(b Bin) bool { return b.From <= want && want < b.To && b.From <= got && got < b.To }
		if want != got && (exact || !slices.ContainsFunc(bins, same)) {
			t.Fatalf("quantile %v is %v, want %v", q, got, want)
		}
	}
	other, err := Summarize(table, 0, 4)
	if err != nil || !cmp.Equal(s, other, cmp.AllowUnexported(Summary{}, histogram{})) {
		t.Fatal("another number of threads, another summary", err)
	}
}

// TestSmallIntegers checks that each integer has a bin of its own, and quantiles are exact, in any
// order of the numbers.
func TestSmallIntegers(t *testing.T) {
	s := new(Summary)
	for _, x := range []float64{3, 1, 2, 2, 1, 0, 1} {
		s.Add(x)
	}
	want := []Bin{{0, 1, 1}, {1, 2, 3}, {2, 3, 2}, {3, 4, 1}}
	median, exact := s.Quantile(0.5)
	if got := s.Bins(); !slices.Equal(got, want) || median != 1 || !exact || s.Mean() != 10.0/7 {
		t.Errorf("bins %v, median %v, exact: %v, mean %v", got, median, exact, s.Mean())
	}
	for range 1000 {
		s.Add(1000) // beyond the bins of integers
	}
	if got, exact := s.Quantile(0.5); got < 960 || got > 1000 || exact { // the bins have 8 numbers each
		t.Errorf("the median is %v", got)
	}
	for _, x := range []float64{math.MaxFloat64, -math.MaxFloat64} {
		s.Add(x)
	}
	if bins := s.Bins(); s.Max != math.MaxFloat64 || len(bins) > places {
		t.Errorf("up to %v, in %d bins", s.Max, len(bins))
	}
}
