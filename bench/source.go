package bench

import (
	"context"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/shard"
)

// sourceOf returns the vertex with the user's id, or for "" the one with the most
// out-edges, from which searches reach much.
func sourceOf(ctx context.Context, g *garaph.Graph, id string) (uint32, error) {
	if id != "" {
		return g.Vertex(id)
	}
	var source, most uint32
	for i := range g.Catalogue().Shards {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		degrees, err := g.Store().Degrees(shard.Out, i)
		if err != nil {
			return 0, err
		}
		for v, d := range degrees {
			if d > most {
				source, most = g.Catalogue().Shards[i].First+uint32(v), d
			}
		}
	}
	return source, nil
}
