package dispatcher

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// plenty is memory in which every test graph has room.
const plenty = 1 << 30

// storedAsByPull is asByPull where rows are read as they are needed, if the graph has them.
func storedAsByPull[V comparable, A any](t *rapid.T, s *store.Store, p gas.Program[V, A], o Options) {
	t.Helper()
	o.Method = Frontier
	j, err := New(s, p, o)
	if err != nil {
		if !strings.Contains(err.Error(), "no packed rows") {
			t.Fatal(err)
		}
		return
	}
	if j.front.stored == nil {
		t.Fatalf("%T: rows are not read as they are needed", p)
	}
	j.Close()
	asByPull(t, s, p, o)
}

// TestStoredFrontier: frontiers over rows that are read as they are needed give what pulls
// give, whatever part of the rows stays.
func TestStoredFrontier(t *testing.T) {
	graphs := testgraph.All()
	rapid.Check(t, func(rt *rapid.T) {
		g := testgraph.Draw(rt)
		if k := rapid.IntRange(0, 2*len(graphs)).Draw(rt, "named"); k < len(graphs) {
			g = graphs[k].Graph
		}
		o := teststore.Draw(rt)
		o.Layout = store.Packed
		s := teststore.Build(t, g, o)
		source := rapid.Uint32Range(0, uint32(g.N-1)).Draw(rt, "source")
		by := Options{
			Generic: rapid.Bool().Draw(rt, "generic"), Threads: rapid.IntRange(1, 3).Draw(rt, "threads"),
			Memory: plenty, rowsStay: rapid.SampledFrom([]int64{1, 9 << 10, plenty}).Draw(rt, "bytes that stay"),
		}
		storedAsByPull(rt, s, gas.Program[uint32, uint32](programs.BFS{Source: source}), by)
		storedAsByPull(rt, s, gas.Program[uint32, uint32](backwards{programs.BFS{Source: source}}), by)
		if o.Symmetric || !o.Weighted || !by.Generic { // generic loops might read weights
			storedAsByPull(rt, s, gas.Program[uint32, uint32](programs.WCC{}), by)
		}
		storedAsByPull(rt, s, gas.Program[float32, float32](programs.SSWP{Source: source}), by)
		storedAsByPull(rt, s, gas.Program[float32, float32](programs.SSSP[float32]{Source: source}), by)
		storedAsByPull(rt, s, gas.Program[float64, float64](programs.SSSP[float64]{Source: source}), by)
	})
}
