package algorithms_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Mutual counts, for each vertex, the neighbours that it leads to and that lead to it.
type Mutual struct{}

func (Mutual) Plan(g *store.Catalogue, _ int) algorithms.Plan {
	return algorithms.Plan{
		Rows:   []shard.Direction{shard.In, shard.Out},
		Arrays: []algorithms.Array{{Name: "the counts", Bytes: 8 * int64(g.Vertices)}},
	}
}

func (Mutual) Run(ctx context.Context, e *algorithms.Env) ([]int64, error) {
	counts, err := algorithms.Make[int64](e, int(e.Graph.Vertices))
	if err != nil {
		return nil, err
	}
	err = e.Rows().Each(ctx, func(_ int, b *algorithms.Block) error {
		for i := range b.Len {
			out := b.Row(shard.Out, i)
			for k, u := range b.Row(shard.In, i) {
				if _, both := slices.BinarySearch(out, u); both && (k == 0 || u != b.Row(shard.In, i)[k-1]) {
					counts[b.Vertex(i)]++
				}
			}
		}
		return nil
	})
	return counts, err
}

func Example() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(follows(folder, Mutual{}, algorithms.Options{}))
	_ = os.RemoveAll(folder)
	// Output:
	// [2 1 1 0] <nil>
}

// follows runs an algorithm over four vertices.
func follows(folder string, a algorithms.Algorithm[int64], o algorithms.Options) ([]int64, error) {
	edges, graph := filepath.Join(folder, "edges.txt"), filepath.Join(folder, "follows.graph")
	if err := os.WriteFile(edges, []byte("1 2\n2 1\n2 1\n1 3\n3 1\n3 4\n"), 0o666); err != nil {
		return nil, err
	}
	ctx := context.Background()
	_, err := ingest.Import(ctx, []string{edges}, graph, ingest.Options{Storage: ingest.StorageOptions{Rows: true}})
	if err != nil {
		return nil, err
	}
	s, err := store.Open(graph)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	out, err := algorithms.Run(ctx, s, a, o)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	return slices.Clone(out.Values), nil
}
