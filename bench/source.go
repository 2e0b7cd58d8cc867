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
		side, err := g.Store().ReadOffsets(shard.Out, i)
		if err != nil {
			return 0, err
		}
		for v := range side.Vertices() {
			if d := side.Off[v+1] - side.Off[v]; d > most {
				source, most = side.First+uint32(v), d
			}
		}
	}
	return source, nil
}
