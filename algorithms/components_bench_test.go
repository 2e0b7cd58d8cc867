package algorithms_test

import (
	"cmp"
	"context"
	"os"
	"strconv"
	"testing"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/store"
)

// again runs components once, which brings all pages into memory, and then as a benchmark.
type again struct {
	algorithms.Components
	b *testing.B
}

func (a again) Run(ctx context.Context, e *algorithms.Env) (labels []gas.VertexID, err error) {
	labels, err = a.Components.Run(ctx, e)
	measure(a.b, strconv.Itoa(e.Threads)+" threads", e.Graph.Edges, func(b *testing.B) {
		algorithms.Free(e, labels)
		if labels, err = a.Components.Run(ctx, e); err != nil {
			b.Fatal(err)
		}
	})
	return labels, err
}

// BenchmarkComponents measures the pass over pages that are in memory, of the graph in the
// folder GARAPH_GRAPH, or of an RMAT graph of GARAPH_SCALE.
func BenchmarkComponents(b *testing.B) {
	var s *store.Store
	if path := os.Getenv("GARAPH_GRAPH"); path != "" {
		var err error
		if s, err = store.Open(path); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = s.Close() })
	} else {
		scale, err := strconv.Atoi(cmp.Or(os.Getenv("GARAPH_SCALE"), "14"))
		if err != nil {
			b.Fatal(err)
		}
		s = rmat(b, scale)
	}
	for _, threads := range []int{1, 2} {
		run(b, s, again{b: b}, algorithms.Options{Threads: threads, Device: algorithms.CPU})
	}
}
