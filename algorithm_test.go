package garaph_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/store"
)

func ExampleRunAlgorithm() {
	err := func() error {
		ctx := context.Background()
		friends := [][2]string{{"ann", "bob"}, {"bob", "cid"}, {"cid", "ann"}, {"cid", "dan"}, {"dan", "ann"}}
		g, err := garaph.FromSlice(ctx, friends, nil, garaph.GraphOptions{})
		if err != nil {
			return err
		}
		defer g.Close()
		res, err := garaph.RunAlgorithm(ctx, g, algorithms.Triangles{}, garaph.AlgorithmOptions{})
		if err != nil {
			return err
		}
		defer res.Close()
		fmt.Println(res.Algorithm.Totals)
		return res.Write(os.Stdout, "tsv")
	}()
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [{triangles 2}]
	// ann	2
	// bob	1
	// cid	2
	// dan	1
}

// TestTrianglesLDBC compares triangles with local clustering coefficients of LDBC
// Graphalytics: the ordered pairs of d neighbours that an edge joins, over d(d-1).
// An edge joins both pairs in an undirected graph, and one or both in a directed one.
func TestTrianglesLDBC(t *testing.T) {
	data := filepath.Join(testgraph.Shared(t), "ldbc")
	for _, c := range []struct {
		name       string
		undirected bool
	}{
		{"example-directed", false},
		{"example-undirected", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := filepath.Join(data, c.name)
			g := imported(t, garaph.ImportOptions{
				Edges:   garaph.EdgeOptions{Undirected: c.undirected},
				Storage: ingest.StorageOptions{Rows: true},
			}, base+".v", base+".e")
			r, err := garaph.RunAlgorithm(t.Context(), g, algorithms.Triangles{}, garaph.AlgorithmOptions{Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			got := map[int64]int64{}
			if err := r.Table("triangles").Batches(func(b *results.Batch) error {
				for i, id := range b.IDs.Ints {
					got[id] = b.Columns[0].I64[i]
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			d := testgraph.LoadLDBC(t, c.name)
			near := map[uint32]map[uint32]bool{}
			for _, e := range d.Graph.Edges {
				for _, pair := range [][2]uint32{{e.Src, e.Dst}, {e.Dst, e.Src}} {
					if near[pair[0]] == nil {
						near[pair[0]] = map[uint32]bool{}
					}
					near[pair[0]][pair[1]] = true
				}
			}
			some := false
			for v, id := range d.IDs {
				n := float64(len(near[uint32(v)]))
				pairs := testgraph.LoadLDBCExpected(t, c.name+"-LCC")[id] * n * (n - 1)
				most := 2 * float64(got[id])
				least := most
				if !c.undirected {
					least = float64(got[id])
				}
				if pairs < least-1e-9 || pairs > most+1e-9 {
					t.Errorf("vertex %d of %v neighbours: %d triangles, and %v pairs", id, n, got[id], pairs)
				}
				some = some || got[id] > 0
			}
			if !some {
				t.Error("there is no triangle")
			}
		})
	}
}

// opposite gives every vertex the one that stands at the other end of the order.
type opposite struct{}

func (opposite) Plan(g *store.Catalogue, _ int) algorithms.Plan {
	return algorithms.Plan{Arrays: []algorithms.Array{{Name: "the vertices", Bytes: 4 * int64(g.Vertices)}}}
}

func (opposite) Run(_ context.Context, e *algorithms.Env) ([]gas.VertexID, error) {
	values, err := algorithms.Make[gas.VertexID](e, int(e.Graph.Vertices))
	for v := range values {
		values[len(values)-1-v] = gas.VertexID(v)
	}
	return values, err
}

// halves gives every vertex half of its number, as a float.
type halves[F float32 | float64] struct{}

func (halves[F]) Plan(g *store.Catalogue, _ int) algorithms.Plan {
	return algorithms.Plan{Arrays: []algorithms.Array{{Name: "the numbers", Bytes: 8 * int64(g.Vertices)}}}
}

func (halves[F]) Run(_ context.Context, e *algorithms.Env) ([]F, error) {
	values, err := algorithms.Make[F](e, int(e.Graph.Vertices))
	for v := range values {
		values[v] = F(v) / 2
	}
	return values, err
}

// TestAlgorithmTables checks that values of every kind are written under the user's ids, over
// several blocks of ids.
func TestAlgorithmTables(t *testing.T) {
	const n = 10_000
	ids := make([]string, n)
	for v := range ids {
		ids[v] = fmt.Sprintf("v%05d", v)
	}
	g := ring(t, slices.Clone(ids))
	check := func(kind results.ValueKind, r *garaph.Result, err error, same func(b *results.Batch, i, v int) bool) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		table, v := r.Table("x"), 0
		err = table.Batches(func(b *results.Batch) error {
			for i, id := range b.IDs.Strings {
				if id != ids[v] || !same(b, i, v) {
					return fmt.Errorf("%v: row %d has id %s: %+v", kind, v, id, i)
				}
				v++
			}
			return nil
		})
		if err != nil || v != n || table.Columns()[0].Kind != kind {
			t.Errorf("%v: %d rows of kind %v: %v", kind, v, table.Columns()[0].Kind, err)
		}
	}
	r, err := garaph.RunAlgorithm(t.Context(), g, opposite{}, garaph.AlgorithmOptions{})
	check(results.VertexID, r,
		err, func(b *results.Batch, i, v int) bool { return b.Columns[0].V.Strings[i] == ids[n-1-v] })
	r, err = garaph.RunAlgorithm(t.Context(), g, halves[float32]{}, garaph.AlgorithmOptions{})
	check(results.Float32, r, err, func(b *results.Batch, i, v int) bool { return b.Columns[0].F32[i] == float32(v)/2 })
	r, err = garaph.RunAlgorithm(t.Context(), g, halves[float64]{}, garaph.AlgorithmOptions{})
	check(results.Float64, r, err, func(b *results.Batch, i, v int) bool { return b.Columns[0].F64[i] == float64(v)/2 })
	r, err = garaph.RunAlgorithm(t.Context(), g, algorithms.Triangles{}, garaph.AlgorithmOptions{})
	check(results.Int64, r, err, func(b *results.Batch, i, _ int) bool { return b.Columns[0].I64[i] == 0 })
}

// TestAlgorithmLost checks that results that are lost leave nothing behind, as nothing is recorded.
func TestAlgorithmLost(t *testing.T) {
	g := ring(t, []string{"a", "b", "c"})
	r, err := garaph.RunAlgorithm(t.Context(), g, algorithms.Triangles{}, garaph.AlgorithmOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.WriteFile(filepath.Join(t.TempDir(), "missing", "out.tsv"), ""); err == nil {
		t.Error("a file in a folder that is missing was written")
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if jobs, err := g.Jobs(); err != nil || len(jobs) > 0 {
		t.Errorf("jobs: %v, %v", jobs, err)
	}
	_, err = garaph.RunAlgorithm(t.Context(), g, algorithms.Triangles{}, garaph.AlgorithmOptions{Memory: 1})
	if !errors.Is(err, garaph.ErrMemory) {
		t.Errorf("got %v", err)
	}
}

// TestResumeAlgorithm checks that an interrupted run is listed, and that only the same algorithm continues it.
func TestResumeAlgorithm(t *testing.T) {
	g := manyShards(t, 8)
	a := algorithms.Betweenness{Seed: 1}
	r, err := garaph.RunAlgorithm(t.Context(), g, a, garaph.AlgorithmOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := written(t, r)
	r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	o := garaph.AlgorithmOptions{Checkpoints: garaph.Checkpoints{Every: 2}, Progress: func(p algorithms.Progress) {
		if p.Done == 20 {
			cancel()
		}
	}}
	if _, err = garaph.RunAlgorithm(ctx, g, a, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	list, err := g.Jobs()
	if last := list[len(list)-1]; err != nil || last.Status != checkpoint.Interrupted || last.Record.Saved < 5 {
		t.Errorf("it is listed as %+v, %v", last, err)
	}
	o = garaph.AlgorithmOptions{Threads: 1}
	_, err = garaph.ResumeAlgorithm(t.Context(), g, algorithms.Betweenness{Seed: 2}, 0, o)
	if !errors.Is(err, garaph.ErrDiffers) {
		t.Errorf("with another seed: %v", err)
	}
	if r, err = garaph.ResumeAlgorithm(t.Context(), g, a, 0, o); err != nil {
		t.Fatal(err)
	}
	alike(t, "resumed", written(t, r), want, true)
	r.Lose(errors.New("no room")) // as after an error of writing
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if r, err = garaph.ResumeAlgorithm(t.Context(), g, a, 0, o); err != nil {
		t.Fatal(err)
	}
	alike(t, "resumed after results were lost", written(t, r), want, true)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	o.Checkpoints.Every = 1
	if _, err := garaph.RunAlgorithm(t.Context(), g, algorithms.Triangles{}, o); err == nil {
		t.Error("triangles has checkpoints")
	}
}
