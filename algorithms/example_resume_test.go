package algorithms_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Walks counts, for each vertex, the walks of a number of edges that end in it. Its steps are edges.
type Walks struct{ Edges int }

func (Walks) Plan(g *store.Catalogue, _ int) algorithms.Plan {
	return algorithms.Plan{
		Rows:   []shard.Direction{shard.In},
		Arrays: []algorithms.Array{{Name: "the counts", Bytes: 16 * int64(g.Vertices)}},
	}
}

// Steps makes Walks an algorithm with checkpoints. Version 1 is the first version of its states and results.
func (Walks) Steps() (name, version string) { return "edges", "1" }

func (w Walks) Run(ctx context.Context, e *algorithms.Env) ([]int64, error) {
	counts, err := algorithms.Make[int64](e, int(e.Graph.Vertices))
	if err != nil {
		return nil, err
	}
	next, err := algorithms.Make[int64](e, len(counts))
	if err != nil {
		return nil, err
	}
	for v := range counts {
		counts[v] = 1
	}
	done := 0
	err = e.Steps(ctx, algorithms.State{Done: &done, Arrays: []any{&counts}}, func() (again bool, err error) {
		err = e.Rows().Each(ctx, func(_ int, b *algorithms.Block) error {
			for i := range b.Len {
				sum := int64(0)
				for _, u := range b.Row(shard.In, i) {
					sum += counts[u]
				}
				next[b.Vertex(i)] = sum
			}
			return nil
		})
		if err != nil {
			return false, err // the state is as it was
		}
		counts, next = next, counts
		done++
		return done < w.Edges, nil
	})
	return counts, err
}

func ExampleEnv_Steps() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(follows(folder, Walks{3}, algorithms.Options{}))
	_ = os.RemoveAll(folder)
	// Output:
	// [9 3 3 3] <nil>
}
