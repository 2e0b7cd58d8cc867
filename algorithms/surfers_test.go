package algorithms_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/store"
)

func TestSurfers(t *testing.T) {
	cases(t, false, func(t rapid.TB, s *store.Store, g oracle.Graph, _ bool) {
		sources := []uint32{0}
		if g.N > 4 {
			sources = []uint32{1, 2, uint32(g.N - 1)}
		}
		got := runs(t, s, algorithms.Surfers{Sources: sources, Damping: 0.85, Tolerance: 1e-12})
		for k, v := range sources {
			values := got.Values
			if k > 0 {
				values = got.Columns[k-1].Values.([]float64)
			}
			close64(t, "rank", values, oracle.PageRank(g, 0.85, int(v), 0, 1e-12), 1e-10)
		}
	})
}
