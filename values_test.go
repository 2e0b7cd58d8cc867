package garaph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/programs"
)

// TestColumnName checks that the results of the built-in programs and algorithms have the names
// that the command gives them, for values and in files; those of others have none, or what Table is
// asked for.
func TestColumnName(t *testing.T) {
	ctx := context.Background()
	g := valuesGraph(t, strconv.Itoa)
	header := func(r *garaph.Result) string {
		t.Helper()
		var b bytes.Buffer
		if err := r.Write(&b, "csv"); err != nil {
			t.Fatal(err)
		}
		line, _, _ := strings.Cut(b.String(), "\n")
		return line
	}
	r, err := garaph.Run(ctx, g, programs.SSSP[float64]{}, garaph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := garaph.ValuesOf[string, float64](r, "distance"); err != nil {
		t.Error(err)
	}
	if got := header(r); got != "id,distance" {
		t.Errorf("the file begins with %q", got)
	}
	if got := r.Table("minutes").Columns()[0].Name; got != "minutes" {
		t.Errorf("asked for a name, the table has %q", got)
	}
	if got := r.Table("").Columns()[0].Name; got != "distance" {
		t.Errorf("asked for no name, the table has %q", got)
	}
	_, err = garaph.ValuesOf[string, float64](r, "x")
	if err == nil || !strings.Contains(err.Error(), `the result has no column "x"; it has "distance"`) {
		t.Errorf("of another column: %v", err)
	}
	c, err := garaph.RunAlgorithm(ctx, g, algorithms.Coreness{}, garaph.AlgorithmOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := header(c); got != "id,core" {
		t.Errorf("the file of an algorithm begins with %q", got)
	}
	if _, err := garaph.Run(ctx, g, idNamed{}, garaph.RunOptions{}); err == nil ||
		!strings.Contains(err.Error(), `named "id"`) {
		t.Errorf("of a result that is named as ids are: %v", err)
	}
	own, err := garaph.Run(ctx, g, unnamed{programs.WCC{}}, garaph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	if got := header(own); got != "id,value" {
		t.Errorf("without a name, the file begins with %q", got)
	}
}

// idNamed names its result as none may be named.
type idNamed struct{ programs.WCC }

func (idNamed) ColumnName() string { return "id" }

// unnamed is a program without abilities.
type unnamed struct{ gas.Program[uint32, uint32] }

func ExampleValuesOf() {
	err := func() error {
		ctx := context.Background()
		follows := [][2]string{{"ann", "bob"}, {"bob", "cid"}, {"cid", "dan"}, {"eve", "ann"}}
		g, err := garaph.FromSlice(ctx, follows, nil, garaph.GraphOptions{})
		if err != nil {
			return err
		}
		defer g.Close()
		bob, err := g.Vertex("bob")
		if err != nil {
			return err
		}
		res, err := garaph.Run(ctx, g, programs.BFS{Source: bob}, garaph.RunOptions{})
		if err != nil {
			return err
		}
		defer res.Close()
		hops, err := garaph.ValuesOf[string, int64](res, "")
		if err != nil {
			return err
		}
		for id, n := range hops.All() { // what bob does not reach is left out
			fmt.Println(id, n)
		}
		return hops.Err()
	}()
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// bob 0
	// cid 1
	// dan 2
}

// valuesGraph returns a path of 5000 vertices, several blocks of ids, of which the last two are apart.
func valuesGraph(t *testing.T, id func(int) string) *garaph.Graph {
	t.Helper()
	const n = 5000
	var edges strings.Builder
	for i := range n - 3 {
		fmt.Fprintf(&edges, "%s %s\n", id(i), id(i+1))
	}
	fmt.Fprintf(&edges, "%s %s\n", id(n-2), id(n-1))
	return importedText(t, garaph.ImportOptions{}, edges.String())
}

// collected returns all values of a column, as text. It keeps ids until the end.
func collected[I garaph.ID, V garaph.Value](t *testing.T, r *garaph.Result, column string) map[string]string {
	t.Helper()
	values, err := garaph.ValuesOf[I, V](r, column)
	if err != nil {
		t.Fatal(err)
	}
	ids := maps.Collect(values.All())
	if err := values.Err(); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for id, v := range ids {
		got[fmt.Sprint(id)] = fmt.Sprint(v)
	}
	return got
}

// writtenColumn returns a column as Write has it: the values that are not null.
func writtenColumn(t *testing.T, r *garaph.Result, column int) map[string]string {
	t.Helper()
	var text bytes.Buffer
	if err := r.Write(&text, "csv"); err != nil {
		t.Fatal(err)
	}
	want := make(map[string]string)
	for i, line := range strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n") {
		cells := strings.Split(line, ",")
		if i > 0 && cells[column+1] != "" {
			want[cells[0]] = cells[column+1]
		}
	}
	return want
}

// TestValues compares values of each kind, under ids of each kind, with what is written.
func TestValues(t *testing.T) {
	t.Run("dense", func(t *testing.T) { testValues[int64](t, func(i int) string { return strconv.Itoa(i + 1) }) })
	t.Run("sparse", func(t *testing.T) { testValues[int64](t, func(i int) string { return strconv.Itoa(3*i - 700) }) })
	t.Run("large", func(t *testing.T) {
		testValues[uint64](t, func(i int) string { return strconv.FormatUint(1<<63+uint64(7*i), 10) })
	})
	t.Run("names", func(t *testing.T) { testValues[string](t, func(i int) string { return fmt.Sprintf("v%05d", i) }) })
}

func testValues[I interface {
	garaph.ID
	garaph.Value
}](t *testing.T, id func(int) string) {
	r, err := garaph.Run(context.Background(), valuesGraph(t, id), paths{allColumns()}, garaph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	hops := writtenColumn(t, r, 0)
	if len(hops) < 4000 || len(hops) == 5000 {
		t.Fatalf("%d of 5000 vertices are reached", len(hops))
	}
	for name, c := range map[string]struct{ got, want map[string]string }{
		"first":       {collected[I, int64](t, r, ""), hops},
		"hops":        {collected[I, int64](t, r, "hops"), hops},
		"predecessor": {collected[I, I](t, r, "predecessor"), writtenColumn(t, r, 1)},
		"as text":     {collected[string, string](t, r, "predecessor"), writtenColumn(t, r, 1)},
		"distance":    {collected[I, float32](t, r, "distance"), writtenColumn(t, r, 2)},
		"wider":       {collected[string, float64](t, r, "distance"), writtenColumn(t, r, 2)},
		"number":      {collected[I, float64](t, r, "number"), writtenColumn(t, r, 3)},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// TestValuesRefused checks that what cannot be had is an error that says what can.
func TestValuesRefused(t *testing.T) {
	r, err := garaph.Run(context.Background(), valuesGraph(t, strconv.Itoa), paths{allColumns()}, garaph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, unknown := garaph.ValuesOf[int64, int64](r, "jumps")
	_, ids := garaph.ValuesOf[uint64, int64](r, "hops")
	_, number := garaph.ValuesOf[int64, float64](r, "hops")
	_, narrow := garaph.ValuesOf[int64, float32](r, "number")
	_, vertex := garaph.ValuesOf[int64, uint64](r, "predecessor")
	open, err := garaph.ValuesOf[int64, int64](r, "hops")
	if err != nil {
		t.Fatal(err)
	}
	for range open.All() {
		break
	}
	if err := errors.Join(open.Err(), r.Close()); err != nil {
		t.Fatal(err)
	}
	_, closed := garaph.ValuesOf[int64, int64](r, "hops")
	for range open.All() {
		t.Fatal("a closed result has a value")
	}
	for want, err := range map[string]error{
		`no column "jumps"; it has "hops", "predecessor", "distance", "number"`: unknown,
		"ids of the graph are of type int64, and cannot be had as uint64":       ids,
		"of type int64, and cannot be had as float64; ask for int64":            number,
		"of type float64, and cannot be had as float32":                         narrow,
		"of type int64, and cannot be had as uint64; ask for int64":             vertex,
		"it is closed":   open.Err(),
		"is closed":      closed,
		"closed, or":     r.Write(&bytes.Buffer{}, "csv"),
		"its run failed": r.WriteFile(filepath.Join(t.TempDir(), "x.tsv"), ""),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestValuesError checks that an error amid the values is reported, and not after a later reading
// without one.
func TestValuesError(t *testing.T) {
	fail := true
	column := gas.Column[reach]{Name: "x", Int64: func(v gas.Vertex, _ reach) int64 {
		if fail && v.ID == 4500 {
			panic("no result")
		}
		return 1
	}}
	r, err := garaph.Run(context.Background(), valuesGraph(t, strconv.Itoa), paths{[]gas.Column[reach]{column}},
		garaph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	values, err := garaph.ValuesOf[int64, int64](r, "x")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(maps.Collect(values.All())); n >= 5000 {
		t.Errorf("%d values", n)
	}
	if err := values.Err(); err == nil || !strings.Contains(err.Error(), "panicked: no result") {
		t.Errorf("got %v", err)
	}
	fail = false
	if n := len(maps.Collect(values.All())); n != 5000 || values.Err() != nil {
		t.Errorf("%d values, %v", n, values.Err())
	}
}
