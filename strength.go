package garaph

import (
	"context"

	"github.com/garaph/garaph/algorithms"
)

// Strengths are the sums of the weights of the vertices' out-edges, for a program that needs them when it
// begins, such as programs.BiasedPageRank. They lie in memory until Close.
type Strengths struct {
	out *algorithms.Outcome[float64]
}

// Strengths computes them, in one pass over the edges.
func (g *Graph) Strengths(ctx context.Context, o AlgorithmOptions) (s *Strengths, err error) {
	if err := g.begin(); err != nil {
		return nil, err
	}
	defer g.end(ctx, &err)
	out, err := algorithms.Run(ctx, g.store, algorithms.Strength{}, o)
	if err != nil {
		return nil, err
	}
	return &Strengths{out}, nil
}

// Of returns the sum of a vertex, by its dense id.
func (s *Strengths) Of(v uint32) float64 { return s.out.Values[v] }

// Bytes returns the memory that they take.
func (s *Strengths) Bytes() int64 { return 8 * int64(len(s.out.Values)) }

// Close frees them.
func (s *Strengths) Close() { s.out.Close() }
