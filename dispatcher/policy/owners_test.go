package policy

import (
	"slices"
	"testing"
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
		if got := Split(c.edges, c.n); !slices.Equal(got, c.want) {
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
		got := Divide(c.edges, c.kept, c.n, c.s, c.both, c.last)
		if !slices.Equal(got.GPUs, c.gpus) || got.CPU != c.cpu {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}
