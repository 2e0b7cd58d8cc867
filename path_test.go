package garaph_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// TestPathEnds checks that a path that is found by a job that ends early is the one of the whole job, from
// every vertex to every one of a random graph, with weights of 0 and many paths of a length.
func TestPathEnds(t *testing.T) {
	options := []garaph.RunOptions{
		{}, {Threads: 1}, {Threads: 3}, {Mode: dispatcher.Async}, {Method: dispatcher.Pull},
		{Method: dispatcher.NotifyPull}, {Method: dispatcher.Frontier},
	}
	rapid.Check(t, func(t *rapid.T) {
		drawn := testgraph.Draw(t)
		if len(drawn.Edges) == 0 {
			return
		}
		weights := rapid.SampledFrom([]int{1, 2, 3, 100}).Draw(t, "weights")
		var text strings.Builder
		for i, e := range drawn.Edges {
			fmt.Fprintln(&text, e.Src, e.Dst, int(e.Weight*7+float32(i%3))%weights)
		}
		dir, err := os.MkdirTemp("", "garaph-path-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		file := filepath.Join(dir, "edges.txt")
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		o := garaph.ImportOptions{
			IDs: "dense", Memory: 256 << 20,
			Storage: ingest.StorageOptions{ShardVertices: rapid.IntRange(1, 40).Draw(t, "shard")},
		}
		o.Storage.Layout = rapid.SampledFrom([]store.Layout{store.CSC, store.Packed}).Draw(t, "layout")
		if _, err := garaph.Import(context.Background(), []string{file}, filepath.Join(dir, "g"), o); err != nil {
			t.Fatal(err)
		}
		g, err := garaph.Open(filepath.Join(dir, "g"))
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		from := rapid.Uint32Range(0, g.Catalogue().Vertices-1).Draw(t, "from")
		way := rapid.SampledFrom(options).Draw(t, "options")
		comparePaths(t, g, programs.SSSP[float64]{Source: from}, way)
		comparePaths(t, g, programs.BFS{Source: from}, way)
	})
}

// comparePaths compares the paths of a program to some vertices with those of the whole job.
func comparePaths[V comparable, A any](t *rapid.T, g *garaph.Graph, p gas.Program[V, A], o garaph.RunOptions) {
	r, err := garaph.RunWithParents(context.Background(), g, p, garaph.RunOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n := g.Catalogue().Vertices
	for to := uint32(0); to < n; to += 1 + n/8 {
		path, lengths, err := garaph.Path(context.Background(), g, p, to, o, nil)
		wantPath, wantLengths, wantErr := garaph.PathTo[V](r, to)
		if errors.Is(wantErr, garaph.ErrNoPath) && errors.Is(err, garaph.ErrNoPath) {
			continue
		}
		if err != nil || wantErr != nil || !slices.Equal(path, wantPath) || !slices.Equal(lengths, wantLengths) {
			t.Fatalf("%T %+v to %d: %v %v %v; want %v %v %v", p, o, to, path, lengths, err, wantPath, wantLengths, wantErr)
		}
	}
}

// TestPathEndsEarly checks that to a vertex that is near, few edges are gone over.
func TestPathEndsEarly(t *testing.T) {
	const side = 300
	g, err := garaph.FromWeighted(context.Background(), func(yield func([2]int64, float64) bool) {
		for v := range int64(side * side) {
			if v%side+1 < side && !yield([2]int64{v, v + 1}, float64(1+v%7)) ||
				v+side < side*side && !yield([2]int64{v, v + side}, float64(1+v%5)) {
				return
			}
		}
	}, garaph.GraphOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	edges := func(to uint32, weighted bool) (n uint64) {
		o := garaph.RunOptions{Progress: func(it garaph.Iteration) { n += it.Edges }}
		var err error
		if weighted {
			_, _, err = garaph.Path(t.Context(), g, programs.SSSP[float64]{}, to, o, nil)
		} else {
			_, _, err = garaph.Path(t.Context(), g, programs.BFS{}, to, o, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, weighted := range []bool{false, true} {
		far := edges(side*side-1, weighted)
		if self, near := edges(0, weighted), edges(5*side+5, weighted); self > far/50 || near > far/5 {
			t.Errorf("weighted %v: %d edges to itself, %d to what is near, %d to what is far", weighted, self, near, far)
		}
	}
	if _, _, err := garaph.Path(t.Context(), g, programs.BFS{}, side*side, garaph.RunOptions{}, nil); !errors.Is(err,
		garaph.ErrNoVertex) {
		t.Error(err)
	}
	if _, _, err := garaph.Path(t.Context(), g, programs.WCC{}, 1, garaph.RunOptions{}, nil); err == nil ||
		!strings.Contains(err.Error(), "has no paths") {
		t.Error(err)
	}
}
