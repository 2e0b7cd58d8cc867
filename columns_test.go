package garaph_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
)

// reach is how a vertex was reached: the value of paths.
type reach struct {
	Hops     uint32
	From     uint32 // the vertex before
	Distance float32
}

// paths is a search from vertex 0 with three results, and one more of each kind.
type paths struct{ columns []gas.Column[reach] }

func (paths) Init(v gas.Vertex) (reach, bool) {
	if v.ID == 0 {
		return reach{}, true
	}
	return reach{math.MaxUint32, math.MaxUint32, float32(math.Inf(1))}, false
}
func (paths) Zero() reach {
	return reach{math.MaxUint32, math.MaxUint32, float32(math.Inf(1))}
}
func (paths) Gather(src reach, e gas.Edge, _ reach) reach {
	if src.Hops == math.MaxUint32 {
		return src
	}
	// in a ring, the vertex before has as many hops as its number
	return reach{src.Hops + 1, src.Hops, src.Distance + float32(e.Weight)}
}
func (paths) Sum(a, b reach) reach {
	if a.Hops < b.Hops {
		return a
	}
	return b
}
func (p paths) Apply(_ gas.Vertex, old, acc reach, _ gas.Step) reach { return p.Sum(old, acc) }
func (paths) Activate(_ gas.Vertex, old, new reach) bool             { return old != new }
func (p paths) Columns() []gas.Column[reach]                         { return p.columns }

func unreachedPath(_ gas.Vertex, r reach) bool { return r.Hops == math.MaxUint32 }

func allColumns() []gas.Column[reach] {
	return []gas.Column[reach]{
		{Name: "hops", Int64: func(_ gas.Vertex, r reach) int64 { return int64(r.Hops) }, Null: unreachedPath},
		{Name: "predecessor", Vertex: func(_ gas.Vertex, r reach) gas.VertexID { return gas.VertexID(r.From) },
			Null: func(_ gas.Vertex, r reach) bool { return r.Hops == math.MaxUint32 || r.Hops == 0 }},
		{Name: "distance", Float32: func(_ gas.Vertex, r reach) float32 { return r.Distance }, Null: unreachedPath},
		{Name: "number", Float64: func(v gas.Vertex, _ reach) float64 { return float64(v.ID) / 4 }},
	}
}

// TestColumns checks that a program writes several columns, with nulls, under the user's ids of
// each kind.
func TestColumns(t *testing.T) {
	const n = 5000 // several blocks of ids
	for name, id := range map[string]func(int) string{
		"dense":   func(i int) string { return strconv.Itoa(i + 1) },
		"sparse":  func(i int) string { return strconv.Itoa(3 * i) },
		"strings": func(i int) string { return fmt.Sprintf("v%05d", i) },
	} {
		var edges strings.Builder // a path, and a vertex that is not on it
		for i := range n - 2 {
			fmt.Fprintf(&edges, "%s %s\n", id(i), id(i+1))
		}
		fmt.Fprintf(&edges, "%s %[1]s\n", id(n-1))
		g := importedText(t, garaph.ImportOptions{}, edges.String())
		r, err := garaph.Run(context.Background(), g, paths{allColumns()}, garaph.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var text bytes.Buffer
		if err := r.Write(&text, "csv"); err != nil {
			t.Fatal(err)
		}
		got, err := csv.NewReader(&text).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		want := [][]string{{"id", "hops", "predecessor", "distance", "number"}}
		for i := range n - 1 {
			before := ""
			if i > 0 {
				before = id(i - 1)
			}
			want = append(want,
				[]string{id(i), strconv.Itoa(i), before, strconv.Itoa(i), strconv.FormatFloat(float64(i)/4, 'g', -1, 64)})
		}
		want = append(want, []string{id(n - 1), "", "", "", strconv.FormatFloat(float64(n-1)/4, 'g', -1, 64)})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%.2000s", name, diff)
		}
	}
}

// TestBadColumns checks that columns that could not be written are refused before the job.
func TestBadColumns(t *testing.T) {
	g := ring(t, []string{"a", "b", "c"})
	good := allColumns()
	both := good[0]
	both.Vertex = good[1].Vertex
	for name, list := range map[string][]gas.Column[reach]{
		"none":         nil,
		"no function":  {{Name: "x"}},
		"two":          {both},
		"no name":      {good[0], {Int64: good[0].Int64}},
		"that of ids":  {{Name: "id", Int64: good[0].Int64}},
		"one of other": slices.Insert(slices.Clone(good), 2, good[0]),
	} {
		r, err := garaph.Run(context.Background(), g, paths{list}, garaph.RunOptions{})
		if err == nil {
			t.Errorf("%s: it ran", name)
			r.Close()
		}
	}
}

// badResult panics when its values are written.
type badResult struct{}

func (badResult) Init(gas.Vertex) (uint32, bool)                       { return 0, true }
func (badResult) Zero() uint32                                         { return 0 }
func (badResult) Gather(uint32, gas.Edge, uint32) uint32               { return 1 }
func (badResult) Sum(a, b uint32) uint32                               { return a + b }
func (badResult) Apply(_ gas.Vertex, _, acc uint32, _ gas.Step) uint32 { return acc }
func (badResult) Activate(_ gas.Vertex, old, now uint32) bool          { return old != now }
func (badResult) Result(gas.Vertex, uint32) int64                      { panic("no result") }

// TestResultPanic checks that a panic of a Result method ends as an error that names the
// program and shows where it was, and no file appears.
func TestResultPanic(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.tsv")
	g := importedText(t, garaph.ImportOptions{}, "1 2\n2 3\n")
	r, err := garaph.Run(context.Background(), g, badResult{}, garaph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	err = r.WriteFile(out, "")
	if err == nil || !strings.Contains(err.Error(), "badResult panicked: no result") ||
		!strings.Contains(err.Error(), "columns_test.go") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("there is a file of results")
	}
}
