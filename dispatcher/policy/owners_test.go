package policy

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name  string
		edges []uint64
		n     int
		want  []Interval
	}{
		{"one", []uint64{1, 2, 3}, 1, []Interval{{0, 3}}},
		{"even", []uint64{1, 1, 1, 1}, 2, []Interval{{0, 2}, {2, 4}}},
		{"a large one first", []uint64{9, 1, 1, 1}, 2, []Interval{{0, 1}, {1, 4}}},
		{"a large one last", []uint64{1, 1, 1, 9}, 2, []Interval{{0, 3}, {3, 4}}},
		{"three", []uint64{2, 2, 2, 2, 2, 2}, 3, []Interval{{0, 2}, {2, 4}, {4, 6}}},
		{"more than shards", []uint64{5}, 3, []Interval{{0, 0}, {0, 1}, {1, 1}}},
		{"no edges", []uint64{0, 0}, 2, []Interval{{0, 2}, {2, 2}}},
		{"no shards", nil, 2, []Interval{{}, {}}},
	} {
		if got := Split(c.edges, Evenly(c.n)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestSplitBySpeed(t *testing.T) {
	edges := slices.Repeat([]uint64{10}, 12)
	if got := Split(edges, []float64{1, 2, 3}); !slices.Equal(got, []Interval{{0, 2}, {2, 6}, {6, 12}}) {
		t.Error(got)
	}
}

func TestWiden(t *testing.T) {
	edges := slices.Repeat([]uint64{10}, 64)
	got := Widen(edges, Split(edges, Evenly(2)))
	if !slices.Equal(got, []Interval{{0, 34}, {30, 64}}) {
		t.Error(got)
	}
}

func TestBalance(t *testing.T) {
	for _, c := range []struct {
		name                  string
		speeds, seconds, want []float64
	}{
		{"alone", []float64{1}, []float64{3}, []float64{1}},
		{"nearly at the same time", []float64{1, 1.2}, []float64{1, 1.02}, []float64{1, 1.2}},
		{"the second had nothing to do", []float64{1, 1}, []float64{1, 0}, []float64{1, 1}},
		{"the second was slow", []float64{1, 1}, []float64{0.5, 2}, []float64{math.Sqrt(2.5), math.Sqrt(0.625)}},
		{"very slow", []float64{2, 0.6}, []float64{1, 100}, []float64{2, 0.5}},
	} {
		got := Balance(c.speeds, c.seconds)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// TestBalanceConverges checks that the borders of workers of which one is faster move to where all end at the same
// time, and stay there.
func TestBalanceConverges(t *testing.T) {
	edges := slices.Repeat([]uint64{10}, 10_000)
	speeds, fast := Evenly(3), []float64{1, 1.4, 0.8}
	for range 12 {
		var seconds []float64
		for k, i := range Split(edges, speeds) {
			seconds = append(seconds, float64(i.To-i.From)/fast[k])
		}
		speeds = Balance(speeds, seconds)
		if slices.Max(seconds) <= (1+steady)*slices.Min(seconds) {
			return
		}
	}
	t.Error(speeds)
}

// TestDivideKept checks that of what stays, each GPU does what its speed allows of the shards that it keeps.
func TestDivideKept(t *testing.T) {
	ten := slices.Repeat([]uint64{10}, 10)
	for _, c := range []struct {
		name       string
		keep, want []Interval
		speeds     []float64
		s          Speeds
		both       bool
	}{
		{"one", []Interval{{0, 10}}, []Interval{{0, 10}}, Evenly(1), Speeds{}, false},
		{"two", []Interval{{0, 6}, {4, 10}}, []Interval{{0, 5}, {5, 10}}, Evenly(2), Speeds{}, false},
		{"a fast one", []Interval{{0, 6}, {4, 10}}, []Interval{{0, 6}, {6, 10}}, []float64{1.5, 1}, Speeds{}, false},
		{"a very fast one", []Interval{{0, 6}, {4, 10}}, []Interval{{0, 4}, {4, 10}}, []float64{1, 9}, Speeds{}, false},
		{"nothing shared", []Interval{{0, 6}, {6, 10}}, []Interval{{0, 6}, {6, 10}}, []float64{1, 9}, Speeds{}, false},
		{"not all stay", []Interval{{0, 2}, {2, 4}}, []Interval{{0, 2}, {2, 4}}, []float64{1, 9}, Speeds{}, false},
		{"some for the CPU", []Interval{{0, 6}, {4, 10}}, []Interval{{0, 4}, {4, 8}}, Evenly(2),
			Speeds{Page: 4, Resident: 2}, true},
		{"more of it", []Interval{{0, 6}, {4, 10}}, []Interval{{0, 4}, {4, 6}}, Evenly(2),
			Speeds{Page: 1, Resident: 8}, true},
	} {
		if got := Divide(ten, c.keep, c.speeds, c.s, c.both, Division{}).Kept; !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestDivide(t *testing.T) {
	ten := []uint64{10, 10, 10, 10, 10, 10, 10, 10, 10, 10}
	falling := []uint64{40, 20, 10, 10, 10, 5, 5, 5, 3, 2}
	for _, c := range []struct {
		name  string
		edges []uint64
		kept  int
		n     int
		s     Speeds
		both  bool
		last  Division
		gpus  []Interval
		cpu   Interval
	}{
		{"a GPU alone", ten, 4, 1, Speeds{}, false, Division{}, []Interval{{4, 10}}, Interval{10, 10}},
		{"all stays", ten, 10, 2, Speeds{}, false, Division{}, []Interval{{10, 10}, {10, 10}}, Interval{10, 10}},
		{"two GPUs", ten, 4, 2, Speeds{}, false, Division{}, []Interval{{4, 7}, {7, 10}}, Interval{10, 10}},
		{"half for the CPU", ten, 0, 1, Speeds{Page: 1, Streamed: 1}, true, Division{}, []Interval{{0, 5}}, Interval{5, 10}},
		{"a fifth for the CPU", ten, 0, 1, Speeds{Page: 4, Streamed: 1}, true, Division{}, []Interval{{0, 8}},
			Interval{8, 10}},
		{"two GPUs and the CPU", ten, 0, 2, Speeds{Page: 4, Streamed: 1}, true, Division{}, []Interval{{0, 4}, {4, 8}},
			Interval{8, 10}},
		{"while both work, copies are slower", ten, 0, 1, Speeds{Page: 4, Streamed: 0.1, Crowded: 1}, true, Division{},
			[]Interval{{0, 8}}, Interval{8, 10}},
		{"the CPU gets dense shards", falling, 0, 1, Speeds{Page: 1, Streamed: 1}, true, Division{}, []Interval{{2, 10}},
			Interval{0, 2}},
		{"but none that take a goroutine long", []uint64{4e6, 4e6, 1e6, 1e6, 1e5, 1e5, 1e5, 1e5}, 0, 1,
			Speeds{Page: 9, Streamed: 1}, true, Division{}, []Interval{{0, 3}}, Interval{3, 8}},
		{"behind what stays", falling, 1, 1, Speeds{Page: 1, Streamed: 1}, true, Division{}, []Interval{{4, 10}},
			Interval{1, 4}},
		{"the CPU is done before what stays", ten, 8, 1, Speeds{Page: 1, Streamed: 1, Resident: 1}, true, Division{},
			[]Interval{{10, 10}}, Interval{8, 10}},
		{"some of what stays", ten, 10, 1, Speeds{Page: 4, Resident: 1}, true, Division{}, []Interval{{10, 10}},
			Interval{8, 10}},
		{"nearly as before", ten, 0, 1, Speeds{Page: 1.05, Streamed: 1}, true, Division{CPU: Interval{5, 10}},
			[]Interval{{0, 5}}, Interval{5, 10}},
		{"not as before", ten, 0, 1, Speeds{Page: 4, Streamed: 1}, true, Division{CPU: Interval{5, 10}},
			[]Interval{{0, 8}}, Interval{8, 10}},
	} {
		got := Divide(c.edges, slices.Repeat([]Interval{{0, c.kept}}, c.n), Evenly(c.n), c.s, c.both, c.last)
		if !slices.Equal(got.GPUs, c.gpus) || got.CPU != c.cpu {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}

// TestDivideOnce checks that of shards that stay, each GPU does some that it keeps, and no two the same one.
func TestDivideOnce(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		edges := rapid.SliceOfN(rapid.SampledFrom([]uint64{0, 10, 60, 160, 3060, 50060}), 1, 12).Draw(r, "edges")
		n := rapid.IntRange(1, 4).Draw(r, "GPUs")
		speeds := rapid.SliceOfN(rapid.Float64Range(.5, 2), n, n).Draw(r, "speeds")
		keep := Widen(edges, Split(edges, Evenly(n)))
		wanted := slices.Clone(edges)
		for i := range wanted {
			if rapid.Bool().Draw(r, "settled") {
				wanted[i] = 0
			}
		}
		d, from := Divide(wanted, keep, speeds, Speeds{Page: 1}, false, Division{}), 0
		for k, i := range d.Kept {
			if i.From != from || i.To < from || i.To > i.From && (i.From < keep[k].From || i.To > keep[k].To) {
				r.Fatalf("of %v, GPUs do %v", keep, d.Kept)
			}
			from = i.To
		}
		if from != len(edges) {
			r.Fatalf("of %v, GPUs do %v", keep, d.Kept)
		}
	})
}
