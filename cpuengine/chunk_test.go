package cpuengine

import (
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard/rows"
)

// TestEmptyPage checks that a page of no shards is no work.
func TestEmptyPage(t *testing.T) {
	s := newShards(oracle.Graph{N: 3}, 2, false, false)
	a := newArrays[value](t, s, gas.In)
	defer a.Free()
	e := newEngine(t, gas.Program[value, sum](mix{}), a, s, 3, rows.ChunkEdges)
	if st, err := e.Process(&page.Page{}, Work{}); err != nil || st != (Stats{}) {
		t.Errorf("no shards: %+v, %v", st, err)
	}
	if st, err := e.Process(s.page(0, 2, gas.In), Work{}); err != nil || st.Vertices != 3 || st.Edges != 0 {
		t.Errorf("no edges: %+v, %v", st, err)
	}
}
