package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/internal/results"
)

// TestRanked compares it with a sort.
func TestRanked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Int64Range(0, 20)).Draw(t, "values")
		k := rapid.IntRange(1, 30).Draw(t, "k")
		var all []scored[int64]
		for v, x := range values {
			all = append(all, scored[int64]{x, uint32(v)})
		}
		got, err := newRanked(k, 0, largestFirst, func(yield func(scored[int64])) error {
			for _, x := range all {
				yield(x)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		defer freeRanked(got)
		want := slices.Clone(all)
		slices.SortStableFunc(want, func(a, b scored[int64]) int { return cmp.Compare(b.value, a.value) })
		if want = want[:min(k, len(want))]; !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
	if _, err := newRanked(1<<30, 1<<20, largestFirst, nil); !errors.Is(err, hostmem.ErrBudget) {
		t.Errorf("a ranking beyond its budget: %v", err)
	}
}

// column is a table in memory, in batches of two rows whose memory is reused. Of
// the engine, a vertex has the number by which its id is found in ids.
type column struct {
	ids    []int64
	floats []float64
	ints   []int64
	labels []int64
}

func (c column) Rows() int64              { return int64(len(c.ids)) }
func (c column) IDKind() results.IDKind   { return results.IDInt }
func (c column) IDName() string           { return results.IDColumn }
func (c column) Vertex(row uint32) uint32 { return row }
func (c column) Filler() results.Fill     { return nil }

func (c column) Columns() []results.Column {
	kind := results.VertexID
	switch {
	case c.floats != nil:
		kind = results.Float64
	case c.ints != nil:
		kind = results.Int64
	}
	return []results.Column{{Name: "value", Kind: kind, Nullable: true}}
}

func (c column) Batches(yield func(*results.Batch) error) error {
	b := results.Batch{Columns: make([]results.Values, 1)}
	values := &b.Columns[0]
	for i := 0; i < len(c.ids); i += 2 {
		end := min(i+2, len(c.ids))
		b.IDs.Ints = append(b.IDs.Ints[:0], c.ids[i:end]...)
		values.Empty()
		switch c.Columns()[0].Kind {
		case results.Float64:
			values.F64 = append(values.F64, c.floats[i:end]...)
		case results.Int64:
			values.I64 = append(values.I64, c.ints[i:end]...)
			for _, x := range values.I64 {
				values.Null = append(values.Null, x == gas.Unreached)
			}
		default:
			values.V.Ints = append(values.V.Ints, c.labels[i:end]...)
		}
		if err := yield(&b); err != nil {
			return err
		}
	}
	return nil
}

func (c column) Numbers(_ int, _, _ int64, yield func(*results.Values) error) error {
	return c.Batches(func(b *results.Batch) error { return yield(&b.Columns[0]) })
}

func (c column) Vertices(_ int, yield func([]uint32) error) error {
	return c.Batches(func(b *results.Batch) error {
		var values []uint32
		for _, id := range b.Columns[0].V.Ints {
			values = append(values, uint32(slices.Index(c.ids, id)))
		}
		return yield(values)
	})
}

func (c column) Room() int64 { return 8 * c.Rows() }

func (c column) IDsOf(n int, vertex func(i int) uint32, yield func(from int, ids *results.IDs) error) error {
	for i := range n {
		if err := yield(i, &results.IDs{Ints: []int64{c.ids[vertex(i)]}}); err != nil {
			return err
		}
	}
	return nil
}

// topOf returns the first k rows of a table.
func topOf(t results.Table, k int, ranking registry.Ranking) (list []topRow, err error) {
	rows, err := Top(t, k, ranking)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	err = rows.each(func(r topRow) error {
		list = append(list, r)
		return nil
	})
	return list, err
}

func TestTopRows(t *testing.T) {
	ids := []int64{3, 4, 5, 6, 9}
	inf := math.Inf(1)
	for _, test := range []struct {
		name    string
		table   column
		ranking registry.Ranking
		k       int
		want    []string
	}{
		{"largest", column{ids: ids, floats: []float64{1, 5, 2, 5, 0}}, registry.Largest, 3,
			[]string{"1 4 5", "2 6 5", "3 5 2"}},
		{"not a number", column{ids: ids, floats: []float64{1, math.NaN(), inf, -inf, 0}}, registry.Largest, 9,
			[]string{"1 5 inf", "2 3 1", "3 9 0", "4 6 -inf"}},
		{"nearest", column{ids: ids, floats: []float64{1, inf, 0.5, 1, math.NaN()}}, registry.Nearest, 9,
			[]string{"1 5 0.5", "2 3 1", "3 6 1"}},
		{"hops", column{ids: ids, ints: []int64{2, gas.Unreached, 0, 1, 2}}, registry.Nearest, 3,
			[]string{"1 5 0", "2 6 1", "3 3 2"}},
		{"unreached", column{ids: ids, ints: []int64{2, gas.Unreached, 0, 1, 2}},
			registry.Largest, 2, []string{"1 3 2", "2 9 2"}},
		{"components", column{ids: ids, labels: []int64{3, 4, 3, 4, 9}}, registry.Groups, 2, []string{"1 3 2", "2 4 2"}},
		{"components of one", column{ids: ids, labels: []int64{3, 4, 5, 6, 5}}, registry.Groups, 3,
			[]string{"1 5 2", "2 3 1", "3 4 1"}},
		{"vertices", column{ids: ids, labels: []int64{9, 4, 9, 4, 9}}, registry.Largest, 3,
			[]string{"1 3 9", "2 4 4", "3 5 9"}},
		{"all vertices", column{ids: ids, labels: []int64{9, 4, 9, 4, 9}}, registry.Largest, 9,
			[]string{"1 3 9", "2 4 4", "3 5 9", "4 6 4", "5 9 9"}},
		{"labels", column{ids: ids, ints: []int64{7, 8, 8, 7, 9}}, registry.Groups, 3, []string{"1 7 2", "2 8 2", "3 9 1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			rows, err := topOf(test.table, test.k, test.ranking)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range rows {
				got = append(got, fmt.Sprintf("%d %v %v", r.Rank, r.ID, r.Value))
			}
			if diff := gocmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTopGroups compares it with plain counting.
func TestTopGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		labels := rapid.SliceOfN(rapid.Int64Range(0, min(12, int64(n)-1)), n, n).Draw(t, "labels")
		k := rapid.IntRange(1, 15).Draw(t, "k")
		c := column{labels: labels}
		sizes := map[int64]int64{}
		for i, l := range labels {
			c.ids = append(c.ids, int64(i))
			sizes[l]++
		}
		type size struct{ label, n int64 }
		var all []size
		for label, n := range sizes {
			all = append(all, size{label, n})
		}
		slices.SortFunc(all, func(a, b size) int {
			return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.label, b.label))
		})
		rows, err := topOf(c, k, registry.Groups)
		if err != nil || len(rows) != min(k, len(all)) {
			t.Fatalf("%d rows, error %v", len(rows), err)
		}
		for i, r := range rows {
			if want := fmt.Sprint(all[i].n); r.ID != all[i].label || fmt.Sprint(r.Value) != want {
				t.Fatalf("row %d: %v, want %v", i, r, all[i])
			}
		}
	})
}

func TestNumbersInJSON(t *testing.T) {
	got, err := json.Marshal([]any{
		show.Number(1.5), show.Number(math.NaN()), show.Number(math.Inf(-1)),
		valueText("1e-07"), valueText("inf"), valueText("nan"), valueText("-3"),
	})
	if want := `[1.5,null,null,1e-07,"inf","nan",-3]`; err != nil || string(got) != want {
		t.Errorf("got %s, error %v, want %s", got, err, want)
	}
}

// TestPrintable checks that names do not command the terminal.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"Zürich":       "Zürich",
		"it's 5 \\":    "it's 5 \\",
		"a\x1b[31mb":   `a\x1b[31mb`,
		"a\tb\nc":      `a\tb\nc`,
		"\xff\u202e.":  `\xff\u202e.`,
		"a\u00a0b\x7f": `a\u00a0b\x7f`,
		"�":            "�",
	} {
		if got := show.Printable(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
