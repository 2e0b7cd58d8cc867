package algorithms

import (
	"context"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Strength gives each vertex the sum of the weights of its out-edges: its out-degree, on a graph
// without weights. Sums are in double precision and in the order of the row, so that they are the same
// bits for any number of threads.
type Strength struct{}

// Plan returns the rows of out-edges with their weights, and the sums.
func (Strength) Plan(g *store.Catalogue, _ int) Plan {
	return Plan{
		Rows: []shard.Direction{shard.Out}, Weights: true,
		Arrays: []Array{{"the sums of weights", 8 * int64(g.Vertices)}},
	}
}

// Run adds up.
func (Strength) Run(ctx context.Context, e *Env) ([]float64, error) {
	sums, err := Make[float64](e, int(e.Graph.Vertices))
	if err != nil {
		return nil, err
	}
	err = e.Rows().Each(ctx, func(_ int, b *Block) error {
		for i := range b.Len {
			sum := float64(len(b.Row(shard.Out, i)))
			if e.Graph.Weighted {
				sum = 0
				weights := b.Weights(shard.Out, i)
				for k := range b.Row(shard.Out, i) {
					sum += weights.At(k)
				}
			}
			sums[b.Vertex(i)] = sum
		}
		return nil
	})
	return sums, err
}
